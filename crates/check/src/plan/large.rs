//! Cases that are long: each dimension by itself, past 16 bits by elements and by an index alone, and the sizes that
//! kernels are specialised for.

use ktwin_lang::{Case as OpCase, Ty, Value};
use ktwin_num::{DEEP, DType, Regime, Rng};

use super::octaves::place;
use super::regimes::BEYOND;
use super::shapes::{Shapes, USUAL};
use super::solve::{Palette, Shape};
use super::{Amount, Maker, sizes};
use crate::accept;
use crate::case::Case;
use crate::chain::Started;
use crate::contract::Expr;
use crate::device::MOST_GROUPS;
use crate::kernel::Kernel;
use crate::languages::Code;

/// Sizes for one long dimension beside thin ones: the first that is not too much work; in standard plans all that is
/// longer comes first.
const LONG: [i64; 7] = [65_539, 16_411, 4099, 2051, 1031, 515, 259];
/// The octaves that quick plans have sparse data in.
const SPARSE: [u32; 2] = [11, 10];
/// How many of them only standard and thorough plans have.
const LONGER: [usize; 4] = [2, 2, 1, 0];
/// Sizes and kinds of data few of which stand far above all others.
const DEEP_CASES: [(i64, Regime, usize); 3] =
    [(4099, Regime::Peaks, DEEP as usize), (4099, Regime::Outliers, 1), (1031, Regime::Outliers, 1)];
/// Scalars that can count so many places are stretched.
const COUNTED: i64 = 96;
/// The work that a case may be whose scalars are stretched.
const STRETCHED: f64 = (1 << 22) as f64;
/// The work that it may be, and where the op has no other dimension.
const LONG_WORK: f64 = (1 << 20) as f64;
const SOLE_WORK: f64 = (17 << 20) as f64;
/// A size past 16 bits and past 257 tiles of 256, of no tile, and even: the last place of all is odd, where other long
/// sizes have it even.
pub(super) const LARGE: i64 = (1 << 16) + 334;
/// What is added to it for sizes that leave one and three elements over.
const LEFT_OVER: [i64; 2] = [3, 1];
/// The same past 17 bits: the squares of its halves need more than 32.
pub(super) const LARGER: i64 = (2 << 16) + 334;
/// The same where outputs are places, most of which need more than 16 bits, and where there is no other dimension: past
/// 256 parts of 1024.
pub(super) const FAR: i64 = (4 << 16) + 78;
/// Elements that one tensor has more than, where there are several dimensions.
const MANY: [usize; 2] = [1 << 18, 1 << 16];
/// The work that what goes past them may be; more where plain loops add no more than these terms.
const LARGE_WORK: f64 = (1 << 19) as f64;
const MOST_LARGE_WORK: f64 = 8.0 * LARGE_WORK;
const SHORT_LOOPS: f64 = (1 << 22) as f64;
/// The terms that plain loops add in one that is run twice.
const LARGE_LOOPS: f64 = (1 << 26) as f64;
/// The lanes that the largest size of a contract may be launched with, by the level of the plan: four million take the
/// simulator some seconds.
pub(super) const LANES: [f64; 4] = [(1 << 20) as f64, (1 << 22) as f64, (1 << 23) as f64, (1 << 25) as f64];
/// Kinds of data far from zero: below it, so far that many take it for infinite, and above it, where a minimum is
/// looked for.
const BELOW_ZERO: &[usize] = &[BEYOND, 0, 1];
/// Peaks of which each is below the one before.
const FALLING: usize = 3;
/// More lanes than that make a long case so dear that it has few kinds of data.
const DEAR_LANES: f64 = (3 << 19) as f64;
/// Lanes of a workgroup where only the source says how many.
const USUAL_LANES: f64 = 64.0;
/// Sizes that kernels are specialised for, those that most are for first; each with the next one.
const SPECIAL: [i64; 7] = [128, 64, 256, 512, 1024, 2048, 768];
/// Cases of such sizes, by the level of the plan.
const SPECIAL_CASES: [usize; 4] = [6, 24, 48, 96];
/// Regimes of a second case of each, in plans that are not quick.
pub(super) const HARDER: [Regime; 5] =
    [Regime::Peaks, Regime::Far, Regime::Ties, Regime::Wide, Regime::Spread];
/// The work of one of them.
const SPECIAL_WORK: f64 = USUAL / 2.0;

/// Results that are few, and cases in which other elements decide them: elements of which one in four is never looked
/// at are found in nine of ten.
const FEW: usize = 4;
const WINNERS: i64 = 8;

impl Maker<'_> {
    /// One long case a dimension, the others thin.
    pub(super) fn long(&mut self, shapes: &Shapes, amount: Amount) {
        let count = shapes.solver.dims.len();
        let most = if count == 1 { SOLE_WORK } else { LONG_WORK };
        let sizes = &LONG[amount.of(LONGER)..];
        // machines count to hundreds of millions as soon as simulated lanes count to a few
        let quick = self.kernel.source.kind.code() == Code::Machine;
        let short =
            |s: &Shape| quick || bound(self.kernel, s).is_some_and(|at| at.comparisons() <= SOLE_WORK);
        for dim in 0..count {
            let of = |size: &i64| alone(shapes, dim, *size, Palette::Thin, most).filter(short);
            let shape = sizes.iter().find_map(of);
            if let Some(shape) = shape {
                let why = format!("{} alone is long", shapes.solver.dims[dim].name);
                let before = self.cases.len();
                let dear = lanes(self.kernel, &shape) > DEAR_LANES;
                let mut regimes = vec![Regime::Normal, Regime::Peaks];
                regimes.extend((dim % 2 == 1).then_some(Regime::Exact));
                let mut stored = self.kernel.op.inputs.iter().map(|i| self.kernel.dtype(&i.name));
                let whole = stored.any(|dtype| matches!(dtype, DType::Int { .. }));
                regimes.extend(whole.then_some(Regime::Large));
                regimes.extend(self.places().then_some(Regime::Ties));
                regimes.truncate(if dear { 2 } else { regimes.len() });
                regimes.into_iter().for_each(|regime| self.add(&shape, regime, &[], &why));
                self.stretch(shapes, self.cases.len() - before);
                if self.takes(Regime::Sparse) && !dear {
                    // zeros among the others, at which loops end too early, and a part that is skipped
                    for (kind, octave) in SPARSE.into_iter().enumerate() {
                        let other = alone(shapes, dim, place(octave), Palette::Thin, most);
                        let other =
                            other.filter(|other| amount.is_quick() && other.dims[dim].1 < shape.dims[dim].1);
                        self.kind(other.as_ref().unwrap_or(&shape), Regime::Sparse, kind);
                    }
                }
                self.later_blocks(
                    &shape,
                    if dear || amount.is_quick() { &BELOW_ZERO[..1] } else { BELOW_ZERO },
                );
                if self.places() {
                    // the largest in the same part of each tile, and as many of them as there may be
                    self.kind(&shape, Regime::Peaks, 1);
                    self.count_most(shapes);
                }
            }
        }
    }

    /// Data of which the largest comes first, and far from zero, where a maximum that starts afresh in a later block
    /// with some number shows.
    fn later_blocks(&mut self, shape: &Shape, kinds: &[usize]) {
        let chooses = bound(self.kernel, shape).is_some_and(|at| at.chooses());
        // the largest comes first, and last in others
        if chooses && self.takes(Regime::Peaks) {
            self.kind(shape, Regime::Peaks, FALLING);
        }
        if chooses && self.takes(Regime::Far) {
            kinds.iter().for_each(|kind| self.kind(shape, Regime::Far, *kind));
        }
    }

    /// Three cases a dimension: one in which a few elements stand so far above thousands of others that one of these
    /// does not count beside them, and all of them do; and, at two sizes, those in which the first of each row, which
    /// sums may be shifted by, is like none of the others.
    pub(super) fn deep(&mut self, shapes: &Shapes) {
        for dim in 0..shapes.solver.dims.len() {
            for (size, regime, kind) in DEEP_CASES {
                let shape = alone(shapes, dim, size, Palette::Thin, LONG_WORK);
                let shape =
                    shape.filter(|shape| lanes(self.kernel, shape) <= DEAR_LANES && self.takes(regime));
                if let Some(shape) = shape {
                    self.kind(&shape, regime, kind);
                }
            }
        }
    }

    /// In the last cases, scalars that count places of a long dimension count most of it: a length, a position.
    pub(super) fn stretch(&mut self, shapes: &Shapes, last: usize) {
        let first = self.cases.len().saturating_sub(last);
        for number in first..self.cases.len() {
            for (scalar, info) in self.kernel.op.scalars.iter().enumerate() {
                let case = &self.cases[number].0;
                let Ok(at) = case.bind(&self.kernel.op) else { continue };
                let domain = at.scalar_domain(scalar);
                if info.ty != Ty::Int || !domain.is_bounded() || self.kernel.fixed(&info.name).is_some() {
                    continue;
                }
                let most_work = STRETCHED.max(shapes.solver.work(&at));
                // as far as the domain goes, or a constraint that names a size
                let end = domain.hi as i64 - i64::from(domain.hi_open);
                let sizes: Vec<i64> = case.dims.iter().map(|(_, size)| *size).collect();
                // the last rows of so many
                let left = sizes.iter().flat_map(|all| sizes.iter().map(move |some| all - some));
                let mut most: Vec<i64> = sizes.iter().copied().chain(left).chain([end, end / 2]).collect();
                most.retain(|size| (COUNTED..=end).contains(size));
                most.sort_unstable_by_key(|size| -size);
                let with = |most: i64| {
                    let mut tried = case.clone();
                    tried.set_scalar(&info.name, Value::Int(most - number as i64 % 3));
                    let work = shapes.solver.work(&tried.bind(&self.kernel.op).ok()?);
                    (work <= most_work && accept::fits(self.kernel, &tried)).then_some(tried)
                };
                if let Some(stretched) = most.into_iter().find_map(with) {
                    self.cases[number].0 = stretched;
                }
            }
        }
    }

    /// In the last case, scalars that count have their largest value, as far as that goes.
    pub(super) fn count_most(&mut self, shapes: &Shapes) {
        let Some((last, _)) = self.cases.last_mut() else { return };
        for (scalar, info) in self.kernel.op.scalars.iter().enumerate() {
            let Ok(at) = last.bind(&self.kernel.op) else { return };
            let domain = at.scalar_domain(scalar);
            if info.ty != Ty::Int || !domain.is_bounded() || self.kernel.fixed(&info.name).is_some() {
                continue;
            }
            let most = domain.hi as i64 - i64::from(domain.hi_open);
            let mut tried = last.clone();
            tried.set_scalar(&info.name, Value::Int(most));
            let work = tried.bind(&self.kernel.op).map_or(f64::INFINITY, |at| shapes.solver.work(&at));
            if work <= LONG_WORK && accept::fits(self.kernel, &tried) {
                *last = tried;
            }
        }
    }

    /// Adds what goes past 16 bits, where it is not too dear.
    pub(super) fn large(&mut self, shapes: &Shapes, amount: Amount) {
        let count = shapes.solver.dims.len();
        let regimes = if self.places() { &[Regime::Normal, Regime::Uniform][..] } else { &[Regime::Normal] };
        let past = if self.places() || count == 1 { FAR } else { LARGER };
        for dim in 0..count {
            let of = |size: i64| alone(shapes, dim, size, Palette::Least, MOST_LARGE_WORK);
            let short = |s: &Shape| bound(self.kernel, s).is_some_and(|at| at.loops() <= SHORT_LOOPS);
            let fits = |s: &Shape| launches(self.kernel, s) && (s.work <= LARGE_WORK || short(s));
            let end = self.own_end(&shapes.solver.dims[dim].name, past);
            let few = |s: &Shape| lanes(self.kernel, s) <= amount.of(LANES);
            let at_end = || end.and_then(|size| of(size).filter(fits).filter(few));
            let shorter = || [LARGER, LARGE].into_iter().find_map(|size| of(size).filter(fits));
            let shape = of(past).filter(fits).or_else(at_end).or_else(shorter);
            if let Some(shape) = shape {
                let name = &shapes.solver.dims[dim].name;
                let is_end = |end: &i64| shape.dims.iter().any(|(own, size)| own == name && size == end);
                let why = match end.filter(is_end) {
                    Some(end) => format!("{name} = {end}, the largest that the contract accepts"),
                    None => format!("{name} is past 16 bits"),
                };
                regimes.iter().for_each(|regime| self.add(&shape, *regime, &[], &why));
                // the last of all is the largest; once is enough where plain loops take seconds
                if bound(self.kernel, &shape).is_some_and(|at| at.loops() <= LARGE_LOOPS) {
                    self.kind(&shape, Regime::Peaks, 0);
                    if self.integers() {
                        // sums of so many leave what sums of fewer fit
                        self.kind(&shape, Regime::Large, 3);
                    }
                    self.later_blocks(&shape, &BELOW_ZERO[..usize::from(!amount.is_quick())]);
                    self.winners(shapes, dim, &shape);
                }
            }
        }
        let with = |most: &usize| {
            let many = |at: &OpCase| largest_tensor(at) > Some(*most);
            let shape = shapes.solver.solve_for(&[], Palette::Octaves(10), LARGE_WORK, 0, &many)?;
            (shape.work <= LARGE_WORK && launches(self.kernel, &shape)).then_some((shape, *most))
        };
        if let Some((shape, most)) = MANY.iter().find_map(with).filter(|_| count > 1) {
            self.add(&shape, Regime::Mixed, &[], &format!("more than {most} elements in one tensor"));
            self.stretch(shapes, 1);
        }
    }

    /// One dimension past 16 bits, with one and with three elements left over by parts of four.
    pub(super) fn left_over(&mut self, shapes: &Shapes) {
        let [dim] = &shapes.solver.dims[..] else { return };
        for more in LEFT_OVER {
            let shape = alone(shapes, 0, LARGE + more, Palette::Least, LARGE_WORK);
            if let Some(shape) = shape.filter(|shape| launches(self.kernel, shape)) {
                self.add(&shape, Regime::Normal, &[], &format!("{} is past 16 bits, and odd", dim.name));
            }
        }
    }

    /// The largest size that the contract accepts, where it is long and still less than what a plan goes past.
    fn own_end(&self, dim: &str, past: i64) -> Option<i64> {
        let end = sizes::largest(self.kernel, dim)?;
        let end = sizes::allowed(end, &sizes::limits(self.kernel, dim))?;
        (sizes::LARGEST..past).contains(&end).then_some(end)
    }

    /// Where a few results are chosen among many elements, a case shows whether one of these is seen: several, of
    /// nearly that size.
    fn winners(&mut self, shapes: &Shapes, dim: usize, shape: &Shape) {
        let results =
            |at: &OpCase| at.output_shapes.iter().map(|s| s.iter().product::<usize>()).sum::<usize>();
        let few = |at: &OpCase| at.chooses() && results(at) <= FEW;
        let size = shape.dims.iter().find(|(name, _)| *name == shapes.solver.dims[dim].name);
        let Some((_, size)) = size.filter(|_| bound(self.kernel, shape).is_some_and(|at| few(&at))) else {
            return;
        };
        for number in 1..=WINNERS {
            let near = size - 97 * number;
            if let Some(shape) = alone(shapes, dim, near, Palette::Least, 2.0 * LARGE_WORK) {
                self.add(&shape, Regime::Uniform, &[], "one element of many decides");
            }
        }
    }

    /// The sizes that kernels are specialised for: in every dimension, as many of them together as are not dear.
    pub(super) fn specialised(&mut self, shapes: &Shapes, amount: Amount) {
        let dims = &shapes.solver.dims;
        let each = |more: i64| SPECIAL.iter().map(move |size| size + more);
        let all = each(0).chain(each(1)).flat_map(|size| (0..dims.len()).map(move |dim| (dim, size)));
        let mut open: Vec<(usize, i64)> = all.collect();
        open.retain(|(dim, size)| sizes::allowed(*size, &dims[*dim].limits) == Some(*size));
        let mut rng = Rng::new(0x7370_6563, 0);
        // where there is no other dimension, all of them are cheap, but for laws that take thousands of outcomes each
        let all = if dims.len() == 1 && !self.kernel.op.is_random() { open.len() } else { 0 };
        for number in 0..amount.of(SPECIAL_CASES).max(all) {
            if open.is_empty() {
                return;
            }
            let first = open.remove(0);
            let mut given = vec![first];
            let mut best = None;
            // as many others as go with it
            for _ in 0..2 * dims.len() {
                let Some(next) = open.get(rng.below(open.len().max(1) as u64) as usize).copied() else {
                    break;
                };
                if given.iter().any(|(dim, _)| *dim == next.0) {
                    continue;
                }
                let tried = [&given[..], &[next]].concat();
                if let Some(shape) = cheap(shapes, &tried, number) {
                    open.retain(|o| *o != next);
                    (given, best) = (tried, Some(shape));
                }
            }
            if let Some(shape) = best.or_else(|| cheap(shapes, &given, number)) {
                let why = given.iter().map(|(dim, size)| format!("{} = {size}", dims[*dim].name));
                let why =
                    format!("{}: sizes that kernels are specialised for", why.collect::<Vec<_>>().join(", "));
                self.add(&shape, super::everywhere(number), &[], &why);
                // what a path of its own does to data of other kinds
                let harder = HARDER[number % HARDER.len()];
                if !amount.is_quick() && self.takes(harder) {
                    self.add(&shape, harder, &[], &why);
                }
            }
        }
    }
}

/// How many elements the largest tensor of all cases has, where the contract allows any number: what is counted in too
/// few bits shows in a larger one alone.
pub(super) fn most_elements(kernel: &Kernel, cases: &[Case]) -> Option<String> {
    let dims = &cases.first()?.dims;
    let open = dims.len() > 1 && dims.iter().any(|(dim, _)| sizes::largest(kernel, dim).is_none());
    let most = |case: &Case| largest_tensor(&case.bind(&kernel.op).ok()?);
    let most = cases.iter().filter_map(most).max().filter(|_| open)?;
    Some(format!("no tensor has more than {most} elements"))
}

/// The elements of the largest tensor.
fn largest_tensor(at: &OpCase) -> Option<usize> {
    at.input_shapes.iter().chain(&at.output_shapes).map(|s| s.iter().product()).max()
}

/// Given sizes beside others of any length, if that is little work.
fn cheap(shapes: &Shapes, given: &[(usize, i64)], turn: usize) -> Option<Shape> {
    let shape = shapes.solver.solve(given, Palette::Octaves(5), SPECIAL_WORK, turn);
    shape.filter(|s| s.work <= SPECIAL_WORK)
}

/// One dimension of about this size beside thin ones.
pub(super) fn alone(shapes: &Shapes, dim: usize, size: i64, palette: Palette, most: f64) -> Option<Shape> {
    let size = sizes::allowed(size, &shapes.solver.dims[dim].limits).filter(|near| *near >= size)?;
    let shape = shapes.solver.solve(&[(dim, size)], palette, most, dim);
    shape.filter(|s| s.work <= most)
}

/// The op at these sizes.
pub(super) fn bound<'k>(kernel: &'k Kernel, shape: &Shape) -> Option<OpCase<'k>> {
    let dims: Vec<(&str, i64)> = shape.dims.iter().map(|(n, v)| (n.as_str(), *v)).collect();
    let scalars: Vec<_> = shape.scalars.iter().map(|(n, v)| (n.as_str(), *v)).collect();
    kernel.op.bind(&dims, &scalars).ok()
}

/// The lanes of all launches.
pub(super) fn lanes(kernel: &Kernel, shape: &Shape) -> f64 {
    let Some(at) = bound(kernel, shape) else { return f64::INFINITY };
    let Ok(started) = kernel.launches(&at) else { return f64::INFINITY };
    let product = |exprs: &[Expr], numbers: &[Value]| {
        exprs
            .iter()
            .map(|expr| kernel.whole_beside(expr, &at, numbers).map_or(1.0, |n| n as f64))
            .product::<f64>()
    };
    let one = |(link, numbers): &Started| {
        product(&link.grid, numbers)
            * link.block.as_deref().map_or(USUAL_LANES, |block| product(block, numbers))
    };
    started.iter().map(one).sum()
}

/// Whether every launch has as many workgroups as devices take.
pub(super) fn launches(kernel: &Kernel, shape: &Shape) -> bool {
    let Some(at) = bound(kernel, shape) else { return false };
    let few = |groups: Result<i64, String>| groups.is_ok_and(|groups| groups <= i64::from(MOST_GROUPS));
    let started = kernel.launches(&at);
    started.is_ok_and(|all| {
        all.iter()
            .all(|(link, numbers)| link.grid.iter().all(|expr| few(kernel.whole_beside(expr, &at, numbers))))
    })
}
