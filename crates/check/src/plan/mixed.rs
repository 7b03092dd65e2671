//! Cases with every size and every scalar drawn at once, of middling size: where windows, strides, groups and heads
//! meet in ways that no walk along one dimension shows. Drawn by a fixed sequence: the same contract, the same cases.

use ktwin_lang::{Ty, Value};
use ktwin_num::{Domain, Rng};

use super::shapes::Shapes;
use super::solve::Dim;
use super::{Amount, Maker, sizes};
use crate::accept;
use crate::case::Case;
use crate::kernel::Kernel;
use crate::scalars;

/// Free dimensions and whole-number scalars from which on sizes and scalars are drawn together.
const MANY: usize = 4;
/// Cases that are drawn, by the level of the plan.
const DRAWN: [usize; 4] = [12, 28, 60, 200];
/// Draws for each of them: constraints refuse most.
const TRIES: usize = 400;
/// The largest size that is drawn, and the largest edge of a tile.
const MOST: u64 = 12;
const EDGE: i64 = 160;
/// The size that windows have most often.
const WINDOW: i64 = 3;
/// The work that a drawn case may be.
const WORK: f64 = (1 << 18) as f64;
/// Wishes for one scalar.
const WISHES: usize = 6;
/// The largest value that a scalar is wished for, and how many times that a dimension may be.
const STEP: u64 = 4;
const STEPS: u64 = 5;

/// Upper limits of sizes that are met together with those of scalars.
const LIMIT: i64 = 1 << 12;
/// The largest of the sizes beside them.
const THIN: u64 = 3;

/// A scalar above 1 beside one dimension that is larger than another, where constraints tie all three.
struct Wish {
    scalar: usize,
    larger: usize,
    smaller: usize,
}

impl Wish {
    /// One way to have it.
    fn drawn(&self, rng: &mut Rng) -> Given {
        let step = 2 + rng.below(STEP - 1) as i64;
        let few = 1 + rng.below(STEPS) as i64;
        let more = few + 1 + rng.below(STEPS) as i64;
        let sizes = vec![(self.smaller, step * few), (self.larger, step * more)];
        Given { sizes, scalars: vec![(self.scalar, Value::Int(step))], most: MOST }
    }
}

/// Sizes and scalars that a case must have; all others are drawn.
#[derive(Clone)]
pub(super) struct Given {
    pub(super) sizes: Vec<(usize, i64)>,
    pub(super) scalars: Vec<(usize, Value)>,
    /// The largest of the others that is no edge of a tile.
    most: u64,
}

impl Given {
    /// Small sizes beside what is given.
    pub(super) fn of(sizes: Vec<(usize, i64)>, scalars: Vec<(usize, Value)>) -> Given {
        Given { sizes, scalars, most: MOST }
    }

    fn nothing(most: u64) -> Given {
        Given { sizes: Vec::new(), scalars: Vec::new(), most }
    }
}

impl Maker<'_> {
    /// Adds drawn cases where there is much that can meet.
    pub(super) fn mixed(&mut self, shapes: &Shapes, amount: Amount) {
        let dims = &shapes.solver.dims;
        let open = |s: &&ktwin_lang::Scalar| s.ty == Ty::Int && self.kernel.fixed(&s.name).is_none();
        if dims.len() + self.kernel.op.scalars.iter().filter(open).count() < MANY {
            return;
        }
        let mut rng = Rng::new(0x6d69_7865, 0);
        for number in 0..amount.of(DRAWN) {
            let Some(case) = found(shapes, &Given::nothing(MOST), &mut rng) else { return };
            self.drawn_together(case, number, "sizes and scalars drawn together".into());
        }
    }

    /// Adds cases of scalars above 1 beside the sizes that constraints tie to them.
    pub(super) fn tied(&mut self, shapes: &Shapes) {
        let mut rng = Rng::new(0x7469_6564, 0);
        for (number, wish) in wishes(shapes, &mut rng).iter().enumerate() {
            let found = (0..TRIES).find_map(|_| {
                let given = wish.drawn(&mut rng);
                drawn_case(shapes, &given, &mut rng)
            });
            let name = |dim: usize| &shapes.solver.dims[dim].name;
            let (scalar, larger, smaller) =
                (&self.kernel.op.scalars[wish.scalar].name, name(wish.larger), name(wish.smaller));
            if let Some(case) = found {
                self.drawn_together(case, number, format!("{scalar} > 1 with {larger} > {smaller}"));
            }
        }
    }

    /// Every size that has an upper limit at it, and with them as many scalars as go along: what a kernel keeps in an
    /// array of a fixed length is the longest there.
    pub(super) fn corners(&mut self, shapes: &Shapes) {
        let mut rng = Rng::new(0x636f_726e, 0);
        let mut given = Given::nothing(THIN);
        for (number, dim) in shapes.solver.dims.iter().enumerate() {
            let most = sizes::largest(self.kernel, &dim.name).filter(|most| *most <= LIMIT);
            given
                .sizes
                .extend(most.and_then(|most| sizes::allowed(most, &dim.limits)).map(|most| (number, most)));
        }
        // the smallest limits first: all of them may be too much work
        given.sizes.sort_by_key(|(_, most)| *most);
        let Some(mut case) = (0..given.sizes.len()).find_map(|_| {
            let case = found(shapes, &given, &mut rng);
            case.or_else(|| given.sizes.pop().and(None))
        }) else {
            return;
        };
        for (number, info) in self.kernel.op.scalars.iter().enumerate() {
            let Ok(at) = case.bind(&self.kernel.op) else { return };
            let domain = at.scalar_domain(number);
            if info.ty != Ty::Int || !domain.is_bounded() || self.kernel.fixed(&info.name).is_some() {
                continue;
            }
            let most = Value::Int(domain.hi as i64 - i64::from(domain.hi_open));
            let mut tried = given.clone();
            tried.scalars.push((number, most));
            if let Some(larger) = found(shapes, &tried, &mut rng) {
                (case, given) = (larger, tried);
            }
        }
        self.drawn_together(case, 1, "sizes and scalars at their upper limits together".into());
    }

    fn drawn_together(&mut self, mut case: Case, number: usize, why: String) {
        case.regime = super::everywhere(number);
        case.chosen = number;
        self.cases.push((case, why));
    }
}

/// Every scalar with two dimensions that constraints tie to it, either the larger.
fn wishes(shapes: &Shapes, rng: &mut Rng) -> Vec<Wish> {
    let (dims, kernel) = (&shapes.solver.dims, shapes.solver.kernel);
    let mut out = Vec::new();
    for (scalar, info) in kernel.op.scalars.iter().enumerate() {
        if info.ty != Ty::Int || kernel.fixed(&info.name).is_some() {
            continue;
        }
        let tied = kernel.op.dims_tied_to(scalar);
        let tied: Vec<usize> = (0..dims.len()).filter(|dim| tied.contains(&dims[*dim].number)).collect();
        let pairs = tied.iter().flat_map(|a| tied.iter().map(move |b| (*a, *b)));
        let mut pairs: Vec<(usize, usize)> = pairs.filter(|(a, b)| a != b).collect();
        for _ in 0..WISHES.min(pairs.len()) {
            let (larger, smaller) = pairs.swap_remove(rng.below(pairs.len() as u64) as usize);
            out.push(Wish { scalar, larger, smaller });
        }
    }
    out
}

/// A case that has what is given, if draws find one.
pub(super) fn found(shapes: &Shapes, given: &Given, rng: &mut Rng) -> Option<Case> {
    (0..TRIES).find_map(|_| drawn_case(shapes, given, rng))
}

/// One draw, if op and contract take it.
fn drawn_case(shapes: &Shapes, given: &Given, rng: &mut Rng) -> Option<Case> {
    let (solver, kernel) = (&shapes.solver, shapes.solver.kernel);
    let mut sizes_of = Vec::new();
    for (number, dim @ Dim { limits, .. }) in solver.dims.iter().enumerate() {
        // an edge of a tile, or any small size
        let edges: Vec<i64> = dim.sizes.iter().copied().filter(|s| *s <= EDGE).collect();
        let wanted = given.sizes.iter().find(|(dim, _)| *dim == number);
        let size = match rng.below(4) {
            _ if let Some((_, size)) = wanted => *size,
            0 if !edges.is_empty() => edges[rng.below(edges.len() as u64) as usize],
            // what sizes and scalars at their limits ask for
            1 if given.most == THIN => rng.below(EDGE as u64) as i64,
            2 => WINDOW,
            _ => 1 + rng.below(given.most) as i64,
        };
        sizes_of.push(sizes::allowed(size.max(1), limits)?);
    }
    let mut case = solver.case(&sizes_of, solver.scalars.clone());
    for (number, info) in kernel.op.scalars.iter().enumerate() {
        if kernel.fixed(&info.name).is_some() {
            continue;
        }
        let domain = case.domain_of(&kernel.op, number);
        let wanted = given.scalars.iter().find(|(scalar, _)| *scalar == number);
        let value = match wanted {
            Some((_, value)) => *value,
            None => drawn_scalar(kernel, number, domain.unwrap_or(Domain::ALL_REALS), rng)?,
        };
        case.set_scalar(&info.name, value);
    }
    let cheap = |case: &Case| case.bind(&kernel.op).is_ok_and(|at| solver.work(&at) <= WORK);
    (accept::fits(kernel, &case) && cheap(&case)).then_some(case)
}

fn drawn_scalar(kernel: &Kernel, number: usize, domain: Domain, rng: &mut Rng) -> Option<Value> {
    let narrow = domain.is_bounded() && domain.hi - domain.lo <= 2.0 * MOST as f64;
    if kernel.op.scalars[number].ty == Ty::Int && narrow {
        let last = domain.hi as i64 - i64::from(domain.hi_open);
        let count = (last - domain.lo as i64 + 1).max(1);
        return Some(Value::Int(domain.lo as i64 + rng.below(count as u64) as i64));
    }
    let all = scalars::candidates(kernel, number, domain);
    (!all.is_empty()).then(|| all[rng.below(all.len() as u64) as usize])
}
