//! Cases with every size and every scalar drawn at once, of middling size: where windows, strides, groups and heads
//! meet in ways that no walk along one dimension shows. Drawn by a fixed sequence: the same contract, the same cases.

use ktwin_num::{DType, Domain, Rng};
use ktwin_spec::{Ty, Value};

use super::shapes::{self, Shapes};
use super::{Amount, Maker, sizes};
use crate::case::Case;
use crate::contract::Limit;
use crate::kernel::Kernel;
use crate::scalars;

/// Free dimensions and whole-number scalars from which on sizes and scalars are drawn together.
const MANY: usize = 4;
/// Cases that are drawn.
const DRAWN: usize = 24;
/// Draws for each of them: constraints refuse most.
const TRIES: usize = 400;
/// The largest size that is drawn, and the largest edge of a tile.
const MOST: u64 = 12;
const EDGE: i64 = 160;
/// Operations that a drawn case may take.
const WORK: f64 = (1 << 21) as f64;

impl Maker<'_> {
    /// Adds drawn cases where there is much that can meet.
    pub(super) fn mixed(&mut self, shapes: &Shapes, amount: Amount) {
        let usual = shapes.usual();
        let dims: Vec<Dim> = usual.iter().map(|(n, _)| Dim::of(self.kernel, n, usual.len())).collect();
        let open = |s: &&ktwin_spec::Scalar| s.ty == Ty::Int && self.kernel.fixed(&s.name).is_none();
        if dims.len() + self.kernel.op.scalars.iter().filter(open).count() < MANY {
            return;
        }
        let mut rng = Rng::new(0x6d69_7865, 0);
        let drawn = if amount.quick { DRAWN / 3 } else { DRAWN };
        for number in 0..drawn {
            let found = (0..TRIES).find_map(|_| drawn_case(self.kernel, &self.base, &dims, &mut rng));
            let Some(mut case) = found else { return };
            case.regime = super::EVERYWHERE[number % super::EVERYWHERE.len()];
            case.chosen = number;
            self.cases.push(case);
        }
    }
}

/// A dimension and what may be drawn for it.
struct Dim {
    name: String,
    edges: Vec<i64>,
    limits: Vec<Limit>,
}

impl Dim {
    fn of(kernel: &Kernel, name: &str, dims: usize) -> Dim {
        let edges = sizes::candidates(kernel, name, dims);
        let edges = edges.into_iter().filter(|s| *s <= EDGE).collect();
        Dim { name: name.into(), edges, limits: sizes::limits(kernel, name) }
    }
}

/// One draw, if op and contract take it.
fn drawn_case(kernel: &Kernel, base: &[(String, Value)], dims: &[Dim], rng: &mut Rng) -> Option<Case> {
    let mut sizes_of = Vec::new();
    for Dim { name, edges, limits } in dims {
        // an edge of a tile, or any small size
        let size = match rng.below(3) {
            0 if !edges.is_empty() => edges[rng.below(edges.len() as u64) as usize],
            _ => 1 + rng.below(MOST) as i64,
        };
        sizes_of.push((name.clone(), sizes::allowed(size, limits)?));
    }
    let mut case = Case {
        dims: sizes_of,
        scalars: base.to_vec(),
        regime: ktwin_num::Regime::Normal,
        chosen: 0,
        seed: 0,
        layouts: Vec::new(),
    };
    for (number, info) in kernel.op.scalars.iter().enumerate() {
        if kernel.fixed(&info.name).is_some() {
            continue;
        }
        let domain = case.bind(&kernel.op).ok().map(|at| at.scalar_domain(number));
        let value = drawn_scalar(kernel, number, domain.unwrap_or(Domain::ALL_REALS), rng)?;
        case.scalars.retain(|(name, _)| *name != info.name);
        case.scalars.push((info.name.clone(), value));
    }
    (shapes::accepts(kernel, &case) && work(kernel, &case) <= WORK).then_some(case)
}

/// The operations of a case.
pub(super) fn work(kernel: &Kernel, case: &Case) -> f64 {
    let types = |n: usize| vec![DType::F32; n];
    let (inputs, outputs) = (types(kernel.op.inputs.len()), types(kernel.op.outputs.len()));
    case.bind(&kernel.op).map_or(f64::INFINITY, |at| at.cost(&inputs, &outputs).flops)
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
