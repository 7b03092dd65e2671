//! exp, log, tanh and sigmoid, also over slices: branch-free code that vectorises, and the same bits at every
//! vector width and on every platform, since multiplications and additions are never fused. The
//! coefficients are made by scripts/coefficients.py.

use pulp::{Arch, NullaryFnOnce};

/// (e^r - 1 - r) / r² for |r| <= ln 2 / 2, low powers first.
const EXP: [f64; 10] = [
    0.5000000000000001,
    0.16666666666666669,
    0.04166666666662413,
    0.008333333333330062,
    0.0013888888917213717,
    0.00019841269863053618,
    2.4801521295954376e-05,
    2.7557268459997064e-06,
    2.7620088445409746e-07,
    2.510038549551032e-08,
];

/// (log((1 + s) / (1 - s)) - 2 s) / (s z), z = s².
const LOG: [f64; 8] = [
    0.6666666666666666,
    0.4000000000000088,
    0.2857142857080323,
    0.2222222239180047,
    0.18181795630884753,
    0.15386240205813478,
    0.13268759668560612,
    0.13086767009948175,
];

/// (tanh x - x) / (x z), z = x² <= 0.35².
const TANH: [f64; 9] = [
    -0.3333333333333333,
    0.13333333333332845,
    -0.053968253967190176,
    0.02186948844673358,
    -0.00886323175761739,
    0.003592038401479678,
    -0.0014545775399280403,
    0.0005796641245845887,
    -0.00019202753283131075,
];

/// sin(2 π v) / v in z = v² <= 1/16.
const SINE: [f64; 9] = [
    std::f64::consts::TAU,
    -41.341702240399755,
    81.60524927607362,
    -76.70585975282492,
    42.058693925428685,
    -15.0946416761179,
    3.8199280942271643,
    -0.7177337921413454,
    0.10089695501646812,
];

/// ln 2 in two parts, the upper one of 32 bits.
const LN2_HIGH: f64 = 0.6931471803691238;
/// The rest.
const LN2_LOW: f64 = 1.9082149292705877e-10;

/// What the nearest double of ln 2 leaves out.
const LN2_REST: f64 = 2.3190468138462996e-17;

/// log2 e in two parts, the upper one of 32 bits.
const LOG2_E_HIGH: f64 = 1.4426950407214463;
/// The rest.
const LOG2_E_LOW: f64 = 1.6751713164886512e-10;

/// Added, it leaves the whole part of a small number in the lowest bits.
const MAGIC: f64 = 6_755_399_441_055_744.0;

// Pairs of terms first: half as long a chain of dependent operations as Horner's.
#[inline(always)]
fn polynomial<const N: usize>(c: &[f64; N], x: f64) -> f64 {
    let square = x * x;
    let mut sum = if N % 2 == 1 { c[N - 1] } else { c[N - 2] + c[N - 1] * x };
    let mut i = (N - 1) / 2 * 2;
    while i >= 2 {
        i -= 2;
        sum = sum * square + (c[i] + c[i + 1] * x);
    }
    sum
}

// One or the other without a branch, which the compiler would otherwise make of a choice between long
// computations.
#[inline(always)]
fn choose(first: bool, a: f64, b: f64) -> f64 {
    let mask = u64::from(first).wrapping_neg();
    f64::from_bits((a.to_bits() & mask) | (b.to_bits() & !mask))
}

#[inline(always)]
fn power_of_two(biased: u64) -> f64 {
    f64::from_bits(biased << 52)
}

/// 1 + a + tail times 2^k, `t` having k in its lowest bits: in two factors, so that subnormal results are rounded once
/// and the largest do not overflow early.
#[inline(always)]
fn scaled(one: f64, tail: f64, t: f64) -> f64 {
    let biased = t.to_bits().wrapping_sub(MAGIC.to_bits() - 2046);
    let half = biased >> 1;
    (one + tail) * power_of_two(half) * power_of_two(biased - half)
}

/// e^x, within 0.75 units in the last place (1 where the result is subnormal).
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    // Outside, the result is 0 or infinite all the same. A comparison with NaN is false: NaN passes.
    let x = if x < -746.0 { -746.0 } else { x };
    let x = if x > 710.0 { 710.0 } else { x };
    let t = x * std::f64::consts::LOG2_E + MAGIC;
    let k = t - MAGIC;
    // The first product and difference are exact: all that is lost of x - k ln 2 is lost in the small terms.
    let (a, b) = (x - k * LN2_HIGH, k * LN2_LOW);
    let r = a - b;
    let one = 1.0 + a;
    let tail = (((1.0 - one) + a) - b) + r * r * polynomial(&EXP, r);
    scaled(one, tail, t)
}

/// 2^x, within 0.75 units in the last place (1 where the result is subnormal).
#[inline(always)]
pub fn exp2(x: f64) -> f64 {
    let x = if x < -1076.0 { -1076.0 } else { x };
    let x = if x > 1025.0 { 1025.0 } else { x };
    let t = x + MAGIC;
    // the difference is exact
    let f = x - (t - MAGIC);
    let r = f * std::f64::consts::LN_2;
    let one = 1.0 + r;
    let tail = ((1.0 - one) + r) + f * LN2_REST + r * r * polynomial(&EXP, r);
    scaled(one, tail, t)
}

/// The exponent k, f = m - 1, f² / 2 and what log(1 + f) is more than f - f² / 2, where x = 2^k m with m in
/// sqrt(1/2)..sqrt(2).
#[inline(always)]
fn taken_apart(x: f64) -> [f64; 4] {
    const ROOT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    let tiny = x < f64::MIN_POSITIVE;
    let bits = (if tiny { x * power_of_two(1023 + 54) } else { x }).to_bits();
    // The exponent, counted so that the rest lies in sqrt(1/2)..sqrt(2); as a double through its lowest bits.
    let k = bits.wrapping_sub(ROOT_HALF).wrapping_add(1 << 62) >> 52;
    let m = f64::from_bits(bits.wrapping_sub(k.wrapping_sub(1024) << 52));
    let k = f64::from_bits(k | power_of_two(1023 + 52).to_bits()) - (power_of_two(1023 + 52) + 1024.0);
    let k = if tiny { k - 54.0 } else { k };
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let half = 0.5 * f * f;
    [k, f, half, s * (half + z * polynomial(&LOG, z))]
}

/// A logarithm where there is one: of 0, of what is below it, of infinity and of NaN it is none of these numbers.
#[inline(always)]
fn logarithm(x: f64, y: f64) -> f64 {
    let y = if x == 0.0 { f64::NEG_INFINITY } else { y };
    let y = if x < 0.0 { f64::NAN } else { y };
    if x < f64::INFINITY { y } else { x }
}

/// The natural logarithm, within 0.9 units in the last place.
#[inline(always)]
pub fn log(x: f64) -> f64 {
    let [k, f, half, rest] = taken_apart(x);
    let small = rest + k * LN2_LOW;
    logarithm(x, k * LN2_HIGH - ((half - small) - f))
}

/// The logarithm to base 2, within 0.9 units in the last place.
#[inline(always)]
pub fn log2(x: f64) -> f64 {
    let [k, f, half, rest] = taken_apart(x);
    // in two parts, the upper one of 20 bits: its product with the upper part of log2 e is exact
    let high = f64::from_bits((f - half).to_bits() & !0xffff_ffff);
    let low = ((f - high) - half) + rest;
    let upper = high * LOG2_E_HIGH;
    let lower = (low + high) * LOG2_E_LOW + low * LOG2_E_HIGH;
    let sum = k + upper;
    logarithm(x, sum + (lower + ((k - sum) + upper)))
}

/// The hyperbolic tangent, within 2.5 units in the last place.
#[inline(always)]
pub fn tanh(x: f64) -> f64 {
    let a = x.abs();
    let z = x * x;
    // The sum alone would lose the sign of -0.
    let near = (x + x * (z * polynomial(&TANH, z))).copysign(x);
    let far = (1.0 - 2.0 / (exp(2.0 * a) + 1.0)).copysign(x);
    choose(a < 0.35, near, far)
}

/// 1 / (1 + e^-x), within 2 units in the last place.
#[inline(always)]
pub fn sigmoid(x: f64) -> f64 {
    let e = exp(-x.abs());
    (if x >= 0.0 { 1.0 } else { e }) / (1.0 + e)
}

/// cos(2 π u) for u in 0..1, to about 1e-16.
#[inline(always)]
pub fn cos_turns(u: f64) -> f64 {
    let v = (u - 0.5).abs() - 0.25;
    v * polynomial(&SINE, v * v)
}

// A struct, not a closure: the compiler leaves large closures out of line, without the wider vectors.
struct Map<'a, F>(&'a mut [f64], F);

impl<F: Fn(f64) -> f64> NullaryFnOnce for Map<'_, F> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for v in self.0 {
            *v = (self.1)(*v);
        }
    }
}

macro_rules! slices {
    ($($name:ident of $one:ident)*) => {
        $(
            #[doc = concat!("[`", stringify!($one), "`](super::", stringify!($one), ") of every element.")]
            pub fn $name(values: &mut [f64]) {
                Arch::new().dispatch(Map(values, $one));
            }
        )*
    };
}

slices! {
    exp_slice of exp
    log_slice of log
    tanh_slice of tanh
    sigmoid_slice of sigmoid
}
