//! How much there is to do in a case.

use crate::case::{Axis, BoundKind, BoundStage, Case, points};
use crate::code::{CodeKind, walk};
use crate::eval::binned::Binned;
use crate::eval::prefix::Prefix;
use crate::eval::ranked::Ranked;
use crate::func::Func;
use crate::node::Fold;
use crate::op::Recurrence;

/// Steps that a thread takes in a second at best, those of matrix products.
const POINTS_A_SECOND: f64 = 2e9;
/// More than this is not begun.
const MOST_MINUTES: f64 = 60.0;
/// Comparisons of a kernel that ranks by counting, which are as much as another point.
const COMPARISONS: f64 = 8.0;
/// The steps of sorting, for each key.
const SORTING: f64 = 24.0;

impl Case<'_> {
    /// The points that evaluation and kernels walk: of every stage those of its space, times those that it reduces
    /// over. Running reductions take one pass, and so does what is written where it was counted to belong; where keys
    /// are data, kernels may look for those of each place.
    pub fn points(&self) -> f64 {
        // a recurrence takes what it reduces step by step
        let steps = |at: usize| self.op.recurrences.iter().any(|r| r.stages.contains(&at));
        let of = |(at, stage): (usize, &BoundStage)| match () {
            () if is_sought(stage) || steps(at) => in_loops(stage),
            () if Ranked::of(stage).is_some() => in_passes(stage).max(in_loops(stage) / COMPARISONS),
            () => in_passes(stage),
        };
        self.stages.iter().enumerate().map(of).sum()
    }

    /// The points that plain loops walk: running reductions start afresh for each of their results, and each place
    /// looks for what goes there.
    pub fn loops(&self) -> f64 {
        let half = |stage: &BoundStage| if Prefix::of(stage).is_some() { 0.5 } else { 1.0 };
        self.stages.iter().map(|stage| half(stage) * in_loops(stage)).sum()
    }

    /// The comparisons of a kernel that ranks by counting, where places are ranks.
    pub fn comparisons(&self) -> f64 {
        self.stages.iter().filter(|stage| Ranked::of(stage).is_some()).map(in_loops).sum()
    }

    /// The points that evaluation walks, whatever kernels do.
    pub fn passes(&self) -> f64 {
        self.stages.iter().map(in_passes).sum()
    }

    /// Why all outputs would take too long to evaluate, with an estimate, where they would.
    pub(crate) fn too_long(&self) -> Option<String> {
        let points = self.passes();
        let threads = rayon::current_num_threads() as f64;
        let minutes = points / (POINTS_A_SECOND * threads) / 60.0;
        (minutes > MOST_MINUTES).then(|| {
            let about = if minutes < 120.0 {
                format!("{minutes:.0} minutes")
            } else {
                format!("{:.0} hours", minutes / 60.0)
            };
            format!(
                "op {}: evaluating all of it at these sizes takes {points:.1e} steps, about {about} on {threads} \
                 threads at best; take smaller sizes, or write what runs along an index as a recurrence: `h[t - 1, d]`",
                self.op.name
            )
        })
    }

    /// The most terms that one of its sums adds.
    pub fn longest_sum(&self) -> usize {
        let lengths = self.stages.iter().filter_map(|s| match &s.kind {
            BoundKind::Reduce { fold: Fold::Sum | Fold::Mean, over, .. } => Some(points(over)),
            _ => None,
        });
        lengths.max().unwrap_or(1)
    }

    /// Whether it cuts reals to whole numbers.
    pub fn cuts(&self) -> bool {
        self.calls(|func| matches!(func, Func::Floor | Func::Ceil | Func::Trunc | Func::Round | Func::ToInt))
    }

    /// Whether it divides whole numbers.
    pub fn divides(&self) -> bool {
        self.calls(|func| matches!(func, Func::IntDiv | Func::Mod))
    }

    /// Whether it divides reals, or takes a root or a logarithm: where zero is a case of its own.
    pub fn is_singular(&self) -> bool {
        self.calls(|func| {
            use Func::*;
            matches!(func, Div | Sqrt | Rsqrt | Log | Log2 | Log10)
        })
    }

    /// Whether it makes exponentials of reals: what is summed of them is scaled by the largest.
    pub fn is_exponential(&self) -> bool {
        self.calls(|func| matches!(func, Func::Exp | Func::Exp2))
    }

    /// The steps of its longest recurrence or product over an index; 0 where it has neither.
    pub fn longest_run(&self) -> usize {
        let steps = |r: &Recurrence| self.stages[r.stages[0]].space[r.axes[0]].extent;
        self.op.recurrences.iter().map(steps).max().unwrap_or(0).max(self.longest_product())
    }

    /// The factors of its longest product over an index; 0 where it has none.
    pub fn longest_product(&self) -> usize {
        let factors = self.stages.iter().map(|stage| match &stage.kind {
            BoundKind::Reduce { fold: Fold::Prod, over, .. } => points(over),
            _ => 0,
        });
        factors.max().unwrap_or(0)
    }

    fn calls(&self, wanted: impl Fn(Func) -> bool) -> bool {
        let mut found = false;
        for stage in &self.stages {
            let code = match &stage.kind {
                BoundKind::Map(code) => code,
                BoundKind::Reduce { term, .. } => term,
            };
            walk(code, &mut |part| {
                found |= matches!(&part.kind, CodeKind::Apply(func, _) if wanted(*func));
            });
        }
        found
    }

    /// Whether all that it reduces is told apart by keys: a histogram, a scatter.
    pub fn is_keyed(&self) -> bool {
        let mut reduced = self.stages.iter().filter(|stage| matches!(stage.kind, BoundKind::Reduce { .. }));
        reduced.clone().next().is_some() && reduced.all(is_sought)
    }

    /// Whether it chooses elements among others: the largest, or the place of it.
    pub fn chooses(&self) -> bool {
        let chosen = |kind: &BoundKind| match kind {
            BoundKind::Reduce { fold, .. } => {
                matches!(fold, Fold::Max | Fold::Min | Fold::ArgMax | Fold::ArgMin)
            }
            BoundKind::Map(_) => false,
        };
        self.stages.iter().any(|stage| chosen(&stage.kind))
    }
}

fn size(axes: &[Axis]) -> f64 {
    axes.iter().map(|axis| axis.extent as f64).product()
}

/// Whether a kernel may look for the terms of each of its results, since their keys are data.
fn is_sought(stage: &BoundStage) -> bool {
    Binned::of(stage).is_some_and(|binned| !binned.is_counted())
}

/// The points of a stage, where each of its results is computed by itself.
fn in_loops(stage: &BoundStage) -> f64 {
    match &stage.kind {
        BoundKind::Map(_) => size(&stage.space),
        BoundKind::Reduce { over, .. } => size(&stage.space) * size(over),
    }
}

/// The same as evaluation walks them, where what one pass gives takes one pass.
fn in_passes(stage: &BoundStage) -> f64 {
    let all = in_loops(stage);
    let keys = |binned: &Binned| stage.space.iter().find(|axis| axis.var == binned.var).map(|a| a.extent);
    match Binned::of(stage).as_ref().and_then(keys) {
        Some(keys) => size(&stage.space) + all / (keys.max(1) as f64),
        None if Prefix::of(stage).is_some() => size(&stage.space),
        None if Ranked::of(stage).is_some() => SORTING * size(&stage.space),
        None => all,
    }
}

#[cfg(test)]
mod tests {
    use crate::op::Op;

    #[test]
    fn what_an_op_cuts_divides_and_chooses_is_seen() {
        let of = |body: &str| {
            let op = Op::parse("a.op", &format!("op a(x[N] in 0..9, z[N]) -> y[N]\ny[n] = {body}")).unwrap();
            let case = op.bind(&[("N", 2)], &[]).unwrap();
            (case.cuts(), case.divides(), case.chooses())
        };
        assert_eq!(of("z[n] * 2"), (false, false, false));
        assert_eq!(of("if z[n] > 0 then floor(z[n]) else 0"), (true, false, false));
        assert_eq!(of("x[n] // 3"), (false, true, false));
        assert_eq!(of("z[n] - max[m in N](z[m])"), (false, false, true));
        let singular = |body: &str| {
            let op = Op::parse("a.op", &format!("op a(x[N], z[N]) -> y[N]\ny[n] = {body}")).unwrap();
            op.bind(&[("N", 2)], &[]).unwrap().is_singular()
        };
        assert!(singular("sqrt(x[n])") && singular("x[n] / z[n]") && !singular("x[n] * exp(z[n])"));
    }
}
