//! How much there is to do in a case.

use crate::case::{Axis, BoundKind, BoundStage, Case};
use crate::node::Fold;

impl Case<'_> {
    /// The points that evaluation walks: of every stage those of its space, times those that it reduces over.
    pub fn points(&self) -> f64 {
        let size = |axes: &[Axis]| axes.iter().map(|a| a.extent as f64).product::<f64>();
        let of = |stage: &BoundStage| match &stage.kind {
            BoundKind::Map(_) => size(&stage.space),
            BoundKind::Reduce { over, .. } => size(&stage.space) * size(over),
        };
        self.stages.iter().map(of).sum()
    }

    /// The most terms that one of its sums adds.
    pub fn longest_sum(&self) -> usize {
        let lengths = self.stages.iter().filter_map(|s| match &s.kind {
            BoundKind::Reduce { fold: Fold::Sum | Fold::Mean, over, .. } => {
                Some(over.iter().map(|a| a.extent).product())
            }
            _ => None,
        });
        lengths.max().unwrap_or(1)
    }
}
