//! How much there is to do in a case.

use crate::case::{Axis, BoundKind, BoundStage, Case, points};
use crate::eval::prefix::Prefix;
use crate::node::Fold;

/// Steps that a thread takes in a second at best, those of matrix products.
const POINTS_A_SECOND: f64 = 2e9;
/// More than this is not begun.
const MOST_MINUTES: f64 = 60.0;

impl Case<'_> {
    /// The points that evaluation walks: of every stage those of its space, times those that it reduces over. Running
    /// reductions take one pass.
    pub fn points(&self) -> f64 {
        self.walked(|space, _| space)
    }

    /// The points that plain loops walk: running reductions start afresh for each of their results.
    pub fn loops(&self) -> f64 {
        self.walked(|space, over| space * over / 2.0)
    }

    fn walked(&self, running: impl Fn(f64, f64) -> f64) -> f64 {
        let size = |axes: &[Axis]| axes.iter().map(|a| a.extent as f64).product::<f64>();
        let of = |stage: &BoundStage| match &stage.kind {
            BoundKind::Map(_) => size(&stage.space),
            BoundKind::Reduce { over, .. } if Prefix::of(stage).is_some() => {
                running(size(&stage.space), size(over))
            }
            BoundKind::Reduce { over, .. } => size(&stage.space) * size(over),
        };
        self.stages.iter().map(of).sum()
    }

    /// Why all outputs would take too long to evaluate, with an estimate, where they would.
    pub(crate) fn too_long(&self) -> Option<String> {
        let (points, threads) = (self.points(), rayon::current_num_threads() as f64);
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
}
