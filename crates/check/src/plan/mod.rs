//! The cases chosen for a kernel, and what they leave out. One seam: [`plan`]. It knows no device and no
//! seed.

mod aligned;
mod amount;
mod between;
mod capped;
pub mod coverage;
mod divided;
mod exact;
mod far;
mod further;
mod hidden;
mod joined;
mod large;
mod literal;
mod mixed;
mod models;
mod nan;
mod octaves;
mod random;
mod reasons;
mod regimes;
mod shapes;
mod sizes;
mod solve;
mod sought;
mod space;
mod steady;
mod stress;
mod together;
mod unseen;
mod values;

use ktwin_num::{Layout, Regime};

use crate::accept;
use crate::case::Case;
use crate::contract::{Expr, Nan};
use crate::inputs;
use crate::kernel::Kernel;
use crate::scalars;
pub use amount::{Amount, Level};
pub use models::production;
use shapes::Shapes;
use solve::Shape;

pub(crate) use further::{Further, regrown};
pub(crate) use sizes::{allowed, largest as sizes_largest, limits, step};
pub(crate) use sought::Sought;
pub use space::{Domain, Draw, Space};
pub(crate) use steady::steady_kind;

/// The cases chosen for a kernel, small ones first, and the gaps.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The cases; their seeds are drawn later.
    pub cases: Vec<Case>,
    /// Why each of them was chosen, in a few words.
    pub why: Vec<String>,
    /// What they leave out, and why.
    pub gaps: Vec<String>,
}

/// Regimes that every size is tried in.
const EVERYWHERE: [Regime; 3] = [Regime::Exact, Regime::Normal, Regime::Mixed];
/// The work up to which a size is tried in each of them.
const THRICE: f64 = (1 << 13) as f64;
/// The points up to which the value of a scalar may make a case dearer than its sizes were chosen for.
const DEARER: f64 = (1 << 17) as f64;
/// Every how many cases a scalar has a value that kernels treat in a way of their own.
const SPECIAL: usize = 4;

/// Why no plan of these sizes can be made, whatever the kernel is.
pub(crate) fn possible(kernel: &Kernel) -> Result<(), String> {
    Shapes::choose(kernel, Amount::QUICK).map(drop)
}

/// Chooses the cases of a kernel. The error says why there can be none.
pub fn plan(kernel: &Kernel, amount: Amount) -> Result<Plan, String> {
    let shapes = Shapes::choose(kernel, amount)?;
    let plan = planned(kernel, &shapes, amount)?;
    match shapes.solver.narrowed.get() {
        Some(why) => Err(why.clone()),
        None => Ok(plan),
    }
}

fn planned(kernel: &Kernel, shapes: &Shapes, amount: Amount) -> Result<Plan, String> {
    let mut maker = Maker { kernel, count: 0, cases: Vec::new() };
    if kernel.op.is_random() {
        return Ok(maker.random(shapes, amount));
    }
    for (number, shape) in shapes.each.iter().enumerate() {
        let once = number >= shapes.single || shape.work > THRICE;
        if amount.is_quick() || once && amount.level < Level::Thorough {
            maker.add(shape, everywhere(number), &[], &shape.why);
        } else {
            EVERYWHERE.iter().for_each(|regime| maker.add(shape, *regime, &[], &shape.why));
        }
    }
    let usual = shapes.usual();
    maker.once(usual, amount);
    maker.layouts(usual, shapes.partial(), shapes.whole().as_ref());
    maker.apart(shapes, amount);
    maker.mixed(shapes, amount);
    maker.tied(shapes);
    maker.corners(shapes);
    maker.long(shapes, amount);
    maker.together(shapes, amount);
    maker.capped(shapes, amount);
    maker.specialised(shapes, amount);
    if !amount.is_quick() {
        maker.drawn(shapes);
    }
    maker.small(shapes, amount);
    maker.unread(shapes);
    if amount.stress {
        maker.stress(shapes);
    }
    let mut gaps = shapes.gaps.clone();
    gaps.extend(maker.models(shapes, amount));
    maker.large(shapes, amount);
    maker.all_long(shapes, amount);
    maker.large_together(shapes, amount);
    maker.joined(shapes, amount);
    maker.aligned(shapes, amount);
    maker.octaves(shapes, amount);
    maker.literal(shapes, amount);
    maker.each_value(shapes);
    gaps.extend(maker.overfull(shapes));
    maker.data(shapes, amount);
    gaps.extend(maker.scalar_gaps(usual));
    gaps.extend(unseen::gaps(kernel));
    let never = kernel.contract.promises.nan == Nan::Never;
    gaps.extend(never.then(|| "no case has a NaN or an infinity (nan = \"never\")".to_string()));
    let mut plan = maker.planned(gaps);
    plan.gaps.splice(0..0, beyond(kernel, shapes, &plan.cases, amount));
    plan.gaps.extend(between::gaps(&shapes.solver, &plan.cases));
    Ok(plan)
}

impl Maker<'_> {
    /// Cases that are about their data more than about their sizes.
    fn data(&mut self, shapes: &Shapes, amount: Amount) {
        let usual = shapes.usual();
        self.beside_zeros(usual);
        self.beside_a_zero(usual);
        self.in_pairs(usual);
        self.lone(shapes);
        self.pairs(shapes);
        self.equal_sums(shapes, usual);
        self.halves(shapes);
        self.products(shapes);
        self.steady(shapes);
        self.each_far(usual, amount);
        self.few_far(shapes);
        self.marked(usual);
        self.deep(shapes);
        self.left_over(shapes);
        self.divided(shapes);
    }
}

/// What the sizes of all cases do not reach.
fn beyond(kernel: &Kernel, shapes: &Shapes, cases: &[Case], amount: Amount) -> Vec<String> {
    let further = if amount.is_standard() { "" } else { "--standard goes further, " };
    let mut out = between::beyond(kernel, &shapes.solver, cases, further);
    out.extend(large::most_elements(kernel, cases));
    out
}

/// The regimes that every size is tried in, in turn.
pub(crate) fn everywhere(turn: usize) -> Regime {
    EVERYWHERE[turn % EVERYWHERE.len()]
}

/// The product of all dimensions of a case.
fn cost_of(kernel: &Kernel, case: &Case) -> i64 {
    case.bind(&kernel.op).map_or(i64::MAX, |at| at.dims.iter().fold(1, |a: i64, b| a.saturating_mul(*b)))
}

struct Maker<'a> {
    kernel: &'a Kernel,
    count: usize,
    /// With why each was chosen.
    cases: Vec<(Case, String)>,
}

impl Maker<'_> {
    /// The cases, each once and small ones first, as a plan.
    fn planned(self, gaps: Vec<String>) -> Plan {
        let Maker { kernel, mut cases, .. } = self;
        cases.sort_by_cached_key(|(case, _)| cost_of(kernel, case));
        let mut seen: Vec<Case> = Vec::new();
        cases.retain(|(case, _)| {
            let new = !seen.contains(case);
            seen.extend(new.then(|| case.clone()));
            new
        });
        let (cases, why) = cases.into_iter().unzip();
        Plan { cases, why, gaps }
    }

    /// One more case; scalars take their values in turn.
    fn add(&mut self, shape: &Shape, regime: Regime, layouts: &[(String, Layout)], why: &str) {
        let mut case = Case {
            dims: shape.dims.clone(),
            scalars: shape.scalars.clone(),
            regime,
            chosen: self.count % inputs::reals(&self.kernel.op).len().max(1),
            seed: 0,
            layouts: layouts.to_vec(),
        };
        self.vary(&mut case, self.count);
        self.count += 1;
        self.cases.push((case, why.to_owned()));
    }

    /// Gives every scalar its value for this turn, as long as the op takes them together.
    fn vary(&self, case: &mut Case, turn: usize) {
        for (number, info) in self.kernel.op.scalars.iter().enumerate() {
            let Ok(at) = case.bind(&self.kernel.op) else { return };
            let mut candidates = scalars::candidates(self.kernel, number, at.scalar_domain(number));
            candidates.extend(scalars::near(self.kernel, number, at.scalar_domain(number), &at.dims));
            // now and then one of those that kernels treat in a way of their own
            let special = scalars::special(self.kernel, number, at.scalar_domain(number));
            let now = (turn + number).is_multiple_of(SPECIAL) && !special.is_empty();
            let first = now.then(|| special[turn / SPECIAL % special.len()]);
            // another one beside those of the scalars before it in every round, and not always the same where one comes
            // that kernels treat in a way of their own
            let in_step = !special.is_empty() && candidates.len().is_multiple_of(SPECIAL);
            let every = number + usize::from(in_step);
            let from = turn + number + turn / candidates.len() * every;
            let others = (0..candidates.len()).map(|step| candidates[(from + step) % candidates.len()]);
            for value in first.into_iter().chain(others) {
                let mut tried = case.clone();
                tried.set_scalar(&info.name, value);
                let points = tried.points(&self.kernel.op);
                if points <= DEARER.max(2.0 * at.points()) && accept::fits(self.kernel, &tried) {
                    *case = tried;
                    break;
                }
            }
        }
    }

    /// Every layout that the contract accepts, each by itself and all together; where all tiles are whole, with data
    /// that shows a maximum or a first element taken from elsewhere.
    fn layouts(&mut self, usual: &Shape, partial: Option<&Shape>, whole: Option<&Shape>) {
        let named = accepted_layouts(self.kernel);
        for one in &named {
            let why = format!("{} is {}", one.0, one.1);
            self.add(usual, Regime::Normal, std::slice::from_ref(one), &why);
            if let Some(shape) = partial.filter(|shape| *shape != usual) {
                let why = format!("{why}, where tiles end in the middle");
                self.add(shape, Regime::Normal, std::slice::from_ref(one), &why);
            }
            let regime = if self.takes(Regime::Spread) { Regime::Spread } else { Regime::Normal };
            let why = format!("{why}, where all tiles are whole");
            self.add(whole.unwrap_or(usual), regime, std::slice::from_ref(one), &why);
        }
        let mut all = named;
        all.dedup_by(|a, b| a.0 == b.0);
        if all.len() > 1 {
            self.add(usual, Regime::Exact, &all, "every tensor in a layout of its own");
        }
    }

    /// Scalars that have one value in every case.
    fn scalar_gaps(&self, usual: &Shape) -> Vec<String> {
        let mut gaps = Vec::new();
        for info in &self.kernel.op.scalars {
            if self.kernel.fixed(&info.name).is_some() {
                continue;
            }
            let value =
                |c: &Case| c.scalars.iter().find(|(n, _)| *n == info.name).map(|(_, v)| v.to_string());
            let mut values: Vec<Option<String>> = self.cases.iter().map(|(case, _)| value(case)).collect();
            values.dedup();
            if values.len() == 1 && !usual.dims.is_empty() {
                let only = values[0].clone().unwrap_or_default();
                gaps.push(format!("{} is {only} in every case", info.name));
            }
        }
        gaps
    }
}

/// The layouts that a contract accepts beside rows.
fn accepted_layouts(kernel: &Kernel) -> Vec<(String, Layout)> {
    let named = kernel.contract.layout.iter();
    let each = named.flat_map(|(name, layouts)| layouts.iter().map(|l| (name.text.clone(), *l)));
    each.filter(|(_, layout)| *layout != Layout::Row).collect()
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod orders;
