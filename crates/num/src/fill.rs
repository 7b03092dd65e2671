//! Making inputs: any part of a tensor in any regime, the same whether made alone or with the rest.

use crate::blocks::BlockFormat;
use crate::dtype::DType;
use crate::equal::{halves, in_lane, pairs, ties, zeros};
use crate::float::Float;
use crate::math;
use crate::order::ordered;
use crate::regime::{Domain, Regime, Role, Sharp};
use crate::remote;
use crate::rng::{Elements, Rng, normal, scaled, unit};
use crate::sharp::{self, Wide};
use crate::special;
use crate::steady;
use crate::tensor::Tensor;
use crate::whole;

/// How one tensor is filled.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Fill {
    /// The regime.
    pub regime: Regime,
    /// The seed of the case.
    pub seed: u64,
    /// Which of the case's tensors it is.
    pub stream: u64,
    /// The numbers it may hold.
    pub domain: Domain,
    /// What the `exact` regime aims at.
    pub sharp: Option<Sharp>,
    /// Which of its kinds the regime is, for those that have several (`far`, `peaks`); of the seed's choosing where
    /// it is none.
    pub kind: Option<u64>,
    /// How many numbers of the regime `large` may be multiplied with each other.
    pub factors: u32,
    /// Whether another input is stored in blocks: codes of both are then multiplied as they are, by tricks that need
    /// what encoders write.
    pub beside_blocks: bool,
    /// Whether numbers next to the type's largest overflow nothing: those far from zero that are close together (the
    /// second kind of `below` and of `above`) are then these.
    pub ends: bool,
    /// Elements of a row; 0 where it is not known.
    pub row: u64,
    /// Whether blocks may have scales that a kernel may take for zero, since they are subnormal in f32.
    pub subnormal_scales: bool,
}

impl Fill {
    /// A regime and a seed, with every number allowed and no target.
    pub const fn new(regime: Regime, seed: u64) -> Fill {
        Fill {
            regime,
            seed,
            stream: 0,
            domain: Domain::ALL_REALS,
            sharp: None,
            kind: None,
            factors: 2,
            beside_blocks: false,
            ends: false,
            row: 0,
            subnormal_scales: true,
        }
    }

    // Whether it is of the second of two kinds.
    pub(crate) fn is_second(&self) -> bool {
        self.kind.is_some_and(|kind| kind % 2 == 1)
    }

    // Choices for the tensor as a whole: of another sequence than its elements.
    pub(crate) fn choices(&self) -> Rng {
        Rng::new(self.seed ^ 0x63_686f_6963_6573, self.stream)
    }
}

/// The elements from `start` on of a tensor of `total` elements, as its type holds them.
pub fn fill_range(fill: &Fill, dtype: DType, start: u64, total: u64, out: &mut [f64]) {
    if out.is_empty() {
        return;
    }
    match dtype {
        DType::Block(format) => {
            let n = format.elements() as u64;
            let (first, last) = (start / n, (start + out.len() as u64).div_ceil(n));
            let bytes = blocks(fill, format, first, last - first, total);
            let mut values = vec![0.0; ((last - first) * n) as usize];
            format.decode(&bytes, &mut values);
            let from = (start - first * n) as usize;
            out.iter_mut().zip(&values[from..]).for_each(|(o, v)| *o = f64::from(*v));
        }
        _ if dtype.is_integer() || fill.domain.integer => whole::fill_range(fill, dtype, start, total, out),
        _ => reals(fill, dtype.float().unwrap_or(Float::F64), start, total, out),
    }
}

/// A whole tensor. A shape that its type refuses (see [`Tensor::bytes_needed`]) is a caller's bug.
pub fn fill(fill: &Fill, dtype: DType, shape: &[usize]) -> Tensor {
    const PART: usize = 1 << 14;
    let mut tensor = Tensor::zeros(dtype, shape);
    let total = tensor.len();
    if let DType::Block(format) = dtype {
        tensor.bytes = blocks(fill, format, 0, (total / format.elements()) as u64, total as u64).into();
        return tensor;
    }
    let mut part = vec![0.0; PART.min(total)];
    for start in (0..total).step_by(PART) {
        let values = &mut part[..PART.min(total - start)];
        fill_range(fill, dtype, start as u64, total as u64, values);
        tensor.store_run(start, 1, values);
    }
    match fill.domain.sorted {
        Some(order) => ordered(&tensor, order, fill.domain),
        None => tensor,
    }
}

/// The kinds of exact numbers that lie halfway between others: small ones, whose sums are exact, and those of all sizes
/// at which a type has halves.
pub const HALVES: u64 = 1;
/// See [`HALVES`].
pub const HALVES_OF_ALL: u64 = 2;
/// The kind of exact numbers whose products stay in range, however many there are: powers of two, each with its inverse
/// beside it.
pub const POWERS: u64 = 3;
/// The kind of ties that are none by one unit in the last place.
pub const NEAR_HALVES: u64 = 4;
/// The kind of ties in which two elements of each row are its largest, and the later one stands in a lower lane.
pub const PAIRS: u64 = 6;
/// The kind of `ties` in which each row comes twice, and each column.
pub const TWICE: u64 = 8;
/// The kind of ties in which the largest of each row stands several times in one lane.
pub const IN_LANE: u64 = 10;

/// The highest peak of a block format.
const HIGHEST: f64 = 1024.0;

// Encoded blocks. They hold no NaN and no infinity: formats that share a scale cannot say where.
fn blocks(fill: &Fill, format: BlockFormat, first: u64, count: u64, total: u64) -> Vec<u8> {
    let n = format.elements() as u64;
    if let (Regime::Exact, Some(sharp)) = (fill.regime, fill.sharp) {
        return (first..first + count).flat_map(|b| exact_block(fill, format, sharp, b)).collect();
    }
    let quiet = match fill.regime {
        // nor magnitudes of every size: the sums of their headers would not fit
        Regime::Nan | Regime::Inf | Regime::Wide => Fill { regime: Regime::Normal, ..*fill },
        Regime::Far if fill.kind.is_some_and(|k| !k.is_multiple_of(2)) => {
            Fill { regime: Regime::Above, kind: None, ..*fill }
        }
        Regime::Far | Regime::Below => Fill { regime: Regime::Below, kind: None, ..*fill },
        _ => *fill,
    };
    // headers of f16 do not hold the sums of so large numbers
    let quiet = Fill { ends: false, ..quiet };
    let mut values = vec![0.0; (count * n) as usize];
    if quiet.domain.integer {
        whole::fill_range(&quiet, DType::F32, first * n, total, &mut values);
    } else {
        // f16 scales: what is large or tiny is so for f16.
        reals(&quiet, Float::F16, first * n, total, &mut values);
    }
    if quiet.regime == Regime::Peaks {
        // nor so high that the sum of a block does not fit its header
        values.iter_mut().for_each(|v| *v = v.clamp(-HIGHEST, HIGHEST));
    }
    let mut bytes = format.encode(&values.iter().map(|v| *v as f32).collect::<Vec<_>>());
    for (number, block) in (first..).zip(bytes.chunks_exact_mut(format.bytes())) {
        format.say_once(block);
        if number % 4 == 3 {
            format.mirror(block);
        }
        if fill.regime == Regime::Large && number % 2 == 1 && !fill.beside_blocks {
            format.deepen(block);
        }
        if fill.regime == Regime::Tiny && !fill.beside_blocks {
            format.lower(block, number, fill.subnormal_scales);
        }
        if matches!(fill.regime, Regime::Below | Regime::Above) && fill.ends && fill.is_second() {
            format.raise(block);
        }
    }
    bytes
}

fn exact_block(fill: &Fill, format: BlockFormat, sharp: Sharp, index: u64) -> Vec<u8> {
    let mut elements = Elements::from(fill.seed, fill.stream, index * format.elements() as u64);
    let mut block = vec![0; format.bytes()];
    let keep = sharp::block_share(sharp, format.unit_magnitude());
    if unit(elements.draws()[3]) < keep {
        let byte = || (elements.draws()[0] >> 56) as u8;
        format.unit_block(byte, sharp.role == Role::Signs, &mut block);
        format.say_once(&mut block);
    }
    block
}

pub(crate) fn each(elements: &mut Elements, out: &mut [f64], value: impl Fn([u64; 4]) -> f64) {
    out.iter_mut().for_each(|o| *o = value(elements.draws()));
}

// Real numbers: the regime's own, brought into the domain, rounded to the type, put right where that left it.
fn reals(fill: &Fill, float: Float, start: u64, total: u64, out: &mut [f64]) {
    raw(fill, float, start, total, out);
    let domain = fill.domain;
    if domain == Domain::ALL_REALS {
        float.round_slice(out);
    } else {
        let spare = domain.spare(|v| float.round(v));
        for v in out.iter_mut() {
            let inside = float.round(domain.fold(*v));
            *v = if domain.contains(inside) && inside.is_finite() { inside } else { spare };
        }
    }
    special::put(fill, float, start, total, out);
}

/// The part of a type's octaves above 1 that numbers far below zero take.
const FAR_BELOW: f64 = 0.9;

// The regime's numbers before domain and type have their say.
fn raw(fill: &Fill, float: Float, start: u64, total: u64, out: &mut [f64]) {
    let mut elements = Elements::from(fill.seed, fill.stream, start);
    let e = &mut elements;
    match fill.regime {
        Regime::Exact => exact(fill, float, start, out),
        Regime::Normal | Regime::Nan | Regime::Inf => e.fill_normal(out),
        Regime::Uniform if fill.domain.is_bounded() => {
            let (lo, hi) = (fill.domain.lo, fill.domain.hi);
            return each(e, out, |d| lo + (hi - lo) * unit(d[0]));
        }
        Regime::Uniform => each(e, out, |d| 2.0 * unit(d[0]) - 1.0),
        Regime::Zeros => zeros(fill, start, out),
        Regime::Ones => out.fill(1.0),
        Regime::Constant => out.fill(0.5 + 1.5 * fill.choices().uniform()),
        Regime::Large => {
            let top = largest(fill, float);
            each(e, out, |d| signed(d[1], top * math::exp2(-4.0 * unit(d[0]))));
        }
        Regime::Tiny => {
            let (least, octaves) = (float.min_subnormal(), f64::from(float.precision() + 1));
            each(e, out, |d| signed(d[1], least * math::exp2(octaves * unit(d[0]))));
        }
        Regime::Below | Regime::Above if fill.ends && fill.is_second() => {
            remote::ends(fill, float, start, out);
        }
        Regime::Below | Regime::Above => {
            let size = aside(fill, float);
            let middle = if fill.regime == Regime::Below { -size } else { size };
            e.fill_normal(out);
            out.iter_mut().for_each(|v| *v = middle * (1.0 + *v / 256.0));
        }
        Regime::Wide => {
            let (lo, hi) = remote::octaves(fill, float);
            each(e, out, |d| signed(d[1], math::exp2(lo + (hi - lo) * unit(d[0]))));
        }
        Regime::Mixed => mixed(fill, start, out),
        Regime::Far => remote::far(fill, float, start, out),
        Regime::Spread => remote::spread(fill, float, remote::DEVIATION, start, out),
        Regime::Small => remote::small(fill, float, start, out),
        Regime::Ties if fill.kind == Some(PAIRS) => pairs(fill, start, total, out),
        Regime::Ties if fill.kind == Some(TWICE) => halves(fill, start, total, out),
        Regime::Ties if fill.kind == Some(IN_LANE) => in_lane(fill, start, total, out),
        Regime::Ties => each(e, out, |d| ties(fill, float, d[0])),
        Regime::Neighbours => remote::neighbours(fill, float, start, out),
        Regime::Twins => remote::twins(fill, float, start, out),
        Regime::Peaks => remote::peaks(fill, float, start, out),
        Regime::Steady => return steady::fill(fill, float, start, out),
        Regime::Sparse => sparse(fill, e, start, total, out),
        Regime::Outliers if fill.is_second() => remote::first_of_rows(fill, float, start, out),
        Regime::Outliers => {
            { *e }.fill_normal(out);
            out.iter_mut().for_each(|v| *v *= if scaled(e.draws()[2], 128) == 0 { 32.0 } else { 1.0 });
        }
    }
    let spread =
        matches!(fill.regime, Regime::Normal | Regime::Sparse | Regime::Outliers | Regime::Nan | Regime::Inf);
    if spread {
        centred(fill.domain, out);
    }
}

/// Brings normal numbers into the middle of a bounded domain.
pub(crate) fn centred(domain: Domain, out: &mut [f64]) {
    if domain.is_bounded() {
        let (middle, third) = (0.5 * (domain.lo + domain.hi), (domain.hi - domain.lo) / 6.0);
        out.iter_mut().for_each(|v| *v = middle + third * *v);
    }
}

/// The largest number of the types whose largest numbers finer arithmetic multiplies without an overflow.
pub const NARROW: f64 = 65504.0;

// The largest of which so many still have a product; of the second kind, the largest of a narrow type.
pub(crate) fn largest(fill: &Fill, float: Float) -> f64 {
    match fill.factors {
        _ if fill.is_second() && float.max_finite() <= NARROW => float.max_finite(),
        ..=2 => float.max_finite().sqrt(),
        factors => math::exp2(math::log2(float.max_finite()) / f64::from(factors)),
    }
}

// Numbers whose sums are exact, of the kind that is asked for.
fn exact(fill: &Fill, float: Float, start: u64, out: &mut [f64]) {
    let mut elements = Elements::from(fill.seed, fill.stream, start);
    match fill.kind {
        Some(HALVES) => each(&mut elements, out, |d| half(d, 3)),
        Some(HALVES_OF_ALL) => halves_of_all(&mut elements, float, out),
        Some(POWERS) => powers(fill, start, out),
        _ => {
            let sharp = fill.sharp.map(|s| (s, Wide::new(s, float)));
            each(&mut elements, out, |d| sharp::number(sharp, fill.domain, d));
        }
    }
}

// Powers of two from 1/4 to 4 of either sign, every second one the inverse of the one before.
fn powers(fill: &Fill, start: u64, out: &mut [f64]) {
    for (at, v) in (start..).zip(out) {
        let pair = Elements::from(fill.seed, fill.stream, at - at % 2).draws();
        let octaves = scaled(pair[0], 5) as f64 - 2.0;
        *v = signed(pair[1 + (at % 2) as usize], math::exp2(if at % 2 == 0 { octaves } else { -octaves }));
    }
}

// The same below each power of two that the type has bits for.
fn halves_of_all(elements: &mut Elements, float: Float, out: &mut [f64]) {
    each(elements, out, |d| half(d, 1 + scaled(d[3], u64::from(float.precision()) - 1)));
}

// Odd numbers over 2 to 512, below a power of two: times another, many lie halfway between whole numbers.
fn half(draws: [u64; 4], octaves: u64) -> f64 {
    let parts = 1 + scaled(draws[0], 9);
    let odd = 2 * scaled(draws[1], 1 << (octaves + parts - 1)) + 1;
    signed(draws[2], odd as f64 / (1u64 << parts) as f64)
}

// How far from zero numbers lie that are close together. Of the second kind they are further from it than whatever a
// maximum or a minimum might begin at, as long as products of as many as are multiplied fit.
fn aside(fill: &Fill, float: Float) -> f64 {
    match fill.is_second() {
        true => {
            let octaves = math::log2(float.max_finite()) / f64::from(fill.factors.max(1));
            math::exp2((FAR_BELOW * octaves).floor())
        }
        false => math::exp2(4.0 * fill.choices().uniform() - 1.0),
    }
}

// Mostly zeros, anywhere; in every second kind all from the first quarter to the last.
fn sparse(fill: &Fill, elements: &mut Elements, start: u64, total: u64, out: &mut [f64]) {
    if !fill.is_second() {
        // beside an input of which little is left, half of another, so that something is left of both
        let every = if fill.kind.is_some_and(|kind| kind > 1) { 2 } else { 10 };
        return each(elements, out, |d| if scaled(d[2], every) == 0 { normal(d[0], d[1]) } else { 0.0 });
    }
    elements.fill_normal(out);
    let quarter = total / 4;
    let within = (start..).zip(out).filter(|(at, _)| (quarter..total - quarter).contains(at));
    within.for_each(|(_, v)| *v = 0.0);
}

pub(crate) fn signed(draw: u64, x: f64) -> f64 {
    if draw >> 63 == 0 { x } else { -x }
}

// Elements 2k and 2k + 1 have nearly the same magnitude, between 1 and 16, and opposite signs; in every second kind
// they are the same small integer, the negative one first, and sums of pairs are zero in any order.
fn mixed(fill: &Fill, start: u64, out: &mut [f64]) {
    let exact = fill.is_second();
    let first = start / 2 * 2;
    let mut pairs = Elements::from(fill.seed, fill.stream, first);
    let mut shared = [0; 4];
    for (i, index) in (first..start + out.len() as u64).enumerate() {
        let draws = pairs.draws();
        if index % 2 == 0 {
            shared = draws;
        }
        let size = match exact {
            true => -1.0 - scaled(shared[0], 8) as f64,
            false => math::exp2(4.0 * unit(shared[0])) * (1.0 + unit(draws[1]) / 64.0),
        };
        let at = i as u64 + first;
        if at >= start {
            out[(at - start) as usize] = if index % 2 == 0 { size } else { -size };
        }
    }
}
