//! Elementary functions against values computed to hundreds of digits, and f64's against double-double's.

use ktwin_num::{Dd, Float, math, pow2};
use proptest::prelude::*;

fn word(s: &str) -> f64 {
    f64::from_bits(u64::from_str_radix(s, 16).unwrap())
}

fn wide(name: &str) -> fn(Dd) -> Dd {
    match name {
        "sqrt" => Dd::sqrt,
        "exp" => Dd::exp,
        "expm1" => Dd::expm1,
        "exp2" => Dd::exp2,
        "log" => Dd::log,
        "log1p" => Dd::log1p,
        "log2" => Dd::log2,
        "log10" => Dd::log10,
        "sin" => Dd::sin,
        "cos" => Dd::cos,
        "tan" => Dd::tan,
        "sinh" => Dd::sinh,
        "cosh" => Dd::cosh,
        "tanh" => Dd::tanh,
        "atan" => Dd::atan,
        "erf" => Dd::erf,
        "sigmoid" => Dd::sigmoid,
        "rsqrt" => Dd::rsqrt,
        _ => panic!("{name}"),
    }
}

fn narrow(name: &str) -> fn(f64) -> f64 {
    match name {
        "sqrt" => math::sqrt,
        "exp" => math::exp,
        "expm1" => math::expm1,
        "exp2" => math::exp2,
        "log" => math::log,
        "log1p" => math::log1p,
        "log2" => math::log2,
        "log10" => math::log10,
        "sin" => math::sin,
        "cos" => math::cos,
        "tan" => math::tan,
        "sinh" => math::sinh,
        "cosh" => math::cosh,
        "tanh" => math::tanh,
        "atan" => math::atan,
        "erf" => math::erf,
        "sigmoid" => math::sigmoid,
        "rsqrt" => math::rsqrt,
        _ => panic!("{name}"),
    }
}

// The difference in units in the last place of f64.
fn ulps(got: f64, exact: Dd) -> f64 {
    (Dd::from(got) - exact).abs().to_f64() / Float::F64.ulp(exact.to_f64())
}

#[test]
fn against_high_precision() {
    let path = format!("{}/tests/golden/math.txt", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = 0;
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let mut fields = line.split(' ');
        let name = fields.next().unwrap();
        let words: Vec<f64> = fields.map(word).collect();
        let (x, exact) = (words[0], Dd::new(words[1], words[2]));
        let got = match words.get(3) {
            Some(y) => Dd::from(x).pow(Dd::from(*y)),
            None => wide(name)(Dd::from(x)),
        };
        let relative = ((got - exact) / exact).abs().to_f64();
        // Where the lower half is subnormal it has fewer bits.
        let room = pow2(-98) + pow2(-1074) / exact.to_f64().abs();
        assert!(relative <= room, "{name}({x:e}) = {got}, not {exact}: {relative:e}");
        let double = words.get(3).map_or_else(|| narrow(name)(x), |y| math::pow(x, *y));
        assert!(ulps(double, exact) <= 2.5, "{name}({x:e}) = {double:e}: {} ulp", ulps(double, exact));
        lines += 1;
    }
    assert!(lines > 1000);
}

/// The largest error in ulps over a comb of arguments.
fn worst(lo: f64, hi: f64, n: usize, f: fn(&mut [f64]), exact: fn(Dd) -> Dd) -> (f64, f64) {
    let golden = 0.618_033_988_749_894_9;
    let xs: Vec<f64> = (0..n).map(|i| lo + (hi - lo) * (i as f64 * golden).fract()).collect();
    let mut ys = xs.clone();
    f(&mut ys);
    let errors = xs.iter().zip(&ys).map(|(x, y)| (ulps(*y, exact(Dd::from(*x))), *x));
    errors.fold((0.0, 0.0), |a, b| if b.0 > a.0 { b } else { a })
}

#[test]
fn slices_are_accurate() {
    type Row = (&'static str, fn(&mut [f64]), fn(Dd) -> Dd, f64, &'static [(f64, f64)]);
    let rows: [Row; 4] = [
        ("exp", math::exp_slice, Dd::exp, 0.75, &[(-0.4, 0.4), (-20.0, 20.0), (-708.0, 709.7)]),
        ("log", math::log_slice, Dd::log, 0.9, &[(0.5, 2.0), (0.9, 1.1), (1e-9, 100.0), (1e-308, 1e300)]),
        ("tanh", math::tanh_slice, Dd::tanh, 2.5, &[(-0.36, 0.36), (-1.0, 1.0), (-25.0, 25.0)]),
        ("sigmoid", math::sigmoid_slice, Dd::sigmoid, 2.0, &[(-1.0, 1.0), (-40.0, 40.0), (-700.0, 10.0)]),
    ];
    for (name, f, exact, most, ranges) in rows {
        for (lo, hi) in ranges {
            let (error, at) = worst(*lo, *hi, 6000, f, exact);
            println!("{name} in {lo:e}..{hi:e}: {error:.3} ulp");
            assert!(error <= most, "{name}({at:e}): {error} ulp");
            assert!(error > 0.4, "an error of {error} ulp was not measured");
        }
    }
}

#[test]
fn subnormal_results() {
    // Gradual underflow: within one unit of 2^-1074.
    for i in 0..2000 {
        let x = -745.2 + 37.0 * (f64::from(i) / 2000.0);
        let exact = (Dd::from(x) + Dd::from(600.0)).exp();
        let got = Dd::from(math::exp(x)).scaled(1000);
        let expected = exact * Dd::from(-600.0).exp().scaled(900).scaled(100);
        assert!((got - expected).abs().to_f64() <= pow2(-74).max(expected.to_f64() * pow2(-52)), "{x}");
    }
}

#[test]
fn special_values() {
    let inf = f64::INFINITY;
    for (x, y) in [
        (-inf, 0.0),
        (inf, inf),
        (0.0, 1.0),
        (-0.0, 1.0),
        (710.0, inf),
        (709.79, inf),
        (1e300, inf),
        (-1e300, 0.0),
    ] {
        assert_eq!(math::exp(x), y, "exp {x}");
    }
    assert_eq!(math::exp(-745.13).to_bits(), 1);
    assert!(math::exp(709.782).is_finite());
    for (x, y) in [(0.0, -inf), (-0.0, -inf), (inf, inf), (1.0, 0.0), (pow2(-1074), -744.440_071_921_381_2)] {
        assert_eq!(math::log(x), y, "log {x}");
    }
    assert!(math::log(-1.0).is_nan() && math::log(-inf).is_nan());
    for (x, y) in [(inf, 1.0), (-inf, -1.0), (0.0, 0.0), (1e-300, 1e-300)] {
        assert_eq!(math::tanh(x), y, "tanh {x}");
    }
    assert!(math::tanh(-0.0).is_sign_negative());
    assert_eq!((math::sigmoid(-inf), math::sigmoid(inf), math::sigmoid(0.0)), (0.0, 1.0, 0.5));
    assert!([math::exp, math::log, math::tanh, math::sigmoid].iter().all(|f| f(f64::NAN).is_nan()));
}

/// The bits of a few thousand results: any change of platform or width that changes one changes this.
#[test]
fn the_same_bits_everywhere() {
    let fold = |f: fn(f64) -> f64, lo: f64, hi: f64| {
        let x = |i: u32| lo + (hi - lo) * f64::from(i) / 4096.0;
        (0..4096)
            .fold(0u64, |h, i| (h ^ f(x(i)).to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23))
    };
    let got = [
        fold(math::exp, -740.0, 709.0),
        fold(math::log, 1e-3, 9.0),
        fold(math::tanh, -9.0, 9.0),
        fold(math::sigmoid, -30.0, 30.0),
    ];
    assert_eq!(got, SAME_BITS, "{got:#x?}");
}

const SAME_BITS: [u64; 4] =
    [0xe727_125e_c43d_4d7c, 0xdc4c_9dd4_ec19_4ffb, 0x2cec_e42a_8a68_bae6, 0x8f4c_b02f_0827_7647];

proptest! {
    #[test]
    fn slices_are_the_scalars(
        values in prop::collection::vec(any::<f64>(), 0..40),
        narrow in prop::collection::vec(-50.0..50.0f64, 0..40),
    ) {
        type Pair = (fn(&mut [f64]), fn(f64) -> f64);
        let pairs: [Pair; 4] = [
            (math::exp_slice, math::exp),
            (math::log_slice, math::log),
            (math::tanh_slice, math::tanh),
            (math::sigmoid_slice, math::sigmoid),
        ];
        for (slice, scalar) in pairs {
            for xs in [&values, &narrow] {
                let mut ys = xs.clone();
                slice(&mut ys);
                for (x, y) in xs.iter().zip(&ys) {
                    prop_assert!(scalar(*x).to_bits() == y.to_bits() || y.is_nan() && scalar(*x).is_nan());
                }
            }
        }
    }

    #[test]
    fn dd_arithmetic_is_consistent(
        a in -1e100..1e100f64, b in -1e100..1e100f64, c in 1e-3..1e3f64, d in -1.0..1.0f64,
    ) {
        let (x, y) = (Dd::new(a, b * 1e-17), Dd::new(c, d * 1e-17));
        let near = |p: Dd, q: Dd| (p - q).abs().to_f64() <= pow2(-102) * p.abs().max(q.abs()).to_f64();
        prop_assert!(near(x * y / y, x));
        prop_assert!(near(x / y * y, x));
        prop_assert!(near((x + y) - y, x) || (x + y).abs() < y.abs() || x.abs() < y.abs());
        prop_assert!(near(y.sqrt().square(), y));
        let product = near((x + y) * (x - y), x.square() - y.square());
        prop_assert!(product || (x.abs() - y.abs()).abs().to_f64() < 1e3);
        prop_assert!(near(y.log().exp(), y));
        prop_assert!(near(y.sin().square() + y.cos().square(), Dd::ONE));
        // Sums and products of f64 are exact: the lower part is what the upper leaves.
        let s = Dd::new(a, b);
        prop_assert_eq!(s.hi(), a + b);
        prop_assert_eq!((s - Dd::from(a)).to_f64(), b);
        prop_assert_eq!(Dd::product(c, d).hi(), c * d);
    }

    #[test]
    fn dd_rounding(n in -1i64 << 60..1 << 60, f in 0.0..1.0f64) {
        let whole = Dd::from(n);
        let x = whole + Dd::from(f);
        prop_assert_eq!(x.floor(), whole);
        prop_assert_eq!(x.ceil(), if f == 0.0 { whole } else { whole + Dd::ONE });
        prop_assert_eq!((whole + Dd::from(0.5)).round(), if n % 2 == 0 { whole } else { whole + Dd::ONE });
        prop_assert_eq!(x.round(), if f < 0.5 { whole } else { whole + Dd::ONE });
        prop_assert!(whole <= x && x < whole + Dd::ONE);
    }
}

#[test]
fn dd_ends_of_the_range() {
    let inf = Dd::from(f64::INFINITY);
    assert_eq!((inf + Dd::ONE, inf * Dd::from(-1.0), Dd::ONE / Dd::ZERO), (inf, -inf, inf));
    assert!((inf - inf).is_nan() && (Dd::NAN * Dd::ONE).is_nan() && Dd::from(-1.0).sqrt().is_nan());
    assert_eq!((Dd::ONE / inf, inf.sqrt(), inf.exp(), (-inf).exp()), (Dd::ZERO, inf, inf, Dd::ZERO));
    assert_eq!(Dd::from(f64::MAX) * Dd::from(f64::MAX), inf);
    assert_eq!((Dd::from(1e305) * Dd::from(3.0)).to_f64(), 3e305);
    assert_eq!((Dd::ZERO.log(), Dd::from(8.0).log2(), Dd::from(0.0).sqrt()), (-inf, Dd::from(3.0), Dd::ZERO));
    assert_eq!(Dd::from(-2.0).pow(Dd::from(3.0)), Dd::from(-8.0));
    assert_eq!(
        (Dd::from(7.5) % Dd::from(2.0), Dd::from(-7.5) % Dd::from(2.0)),
        (Dd::from(1.5), Dd::from(-1.5))
    );
    assert!(Dd::NAN.min(Dd::ONE) == Dd::ONE && Dd::ONE.max(Dd::NAN) == Dd::ONE);
    assert_eq!(Dd::from(i64::MAX).lo(), -1.0);
}
