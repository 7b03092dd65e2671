//! What a launch says beside its results: what it cost, which parts of the source it ran, what it compared.

use ktwin_check::Visit;
use ktwin_check::comparisons::Sides;
use ktwin_check::parts::Part;
use ktwin_sim::{Counts, Run};

/// Of all steps of a launch together.
#[derive(Default)]
pub struct Told {
    /// What they cost.
    pub counts: Counts,
    /// What they ran and compared.
    pub visit: Visit,
}

impl Told {
    /// Adds a step.
    pub fn add(&mut self, run: &Run) {
        self.counts += run.counts;
        for one in &run.parts {
            self.visit.parts.add(Part { line: one.line, number: one.number }, one.ran);
        }
        for one in &run.compared {
            let sides = one.sides.map(|sides| match sides {
                ktwin_sim::Sides::Whole(a, b) => Sides::Whole(a, b),
                ktwin_sim::Sides::Real(a, b) => Sides::Real(a, b),
            });
            self.visit.comparisons.add(Part { line: one.line, number: one.number }, sides);
        }
    }
}
