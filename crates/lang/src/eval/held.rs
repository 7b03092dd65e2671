//! What evaluations that differ in some inputs alone have in common: the stages that none of those inputs reach,
//! computed once. A random op is evaluated for thousands of draws, and its sorts and sums are the same for all of them.

use std::sync::OnceLock;

use super::demand::codes;
use super::driver::Run;
use super::lane::Lane;
use super::plane::Plane;
use crate::case::BoundKind;
use crate::code::{CodeKind, walk};
use crate::node::Source;

/// The most elements of a stage that are kept.
const MOST: usize = 1 << 20;

/// Stages that do not depend on the inputs from one number on, for evaluations of one case in one meaning.
#[derive(Debug)]
pub struct Held {
    open: usize,
    planes: OnceLock<Vec<Option<Plane>>>,
}

impl Held {
    /// For evaluations that differ in the inputs from this number on.
    pub fn beside(open: usize) -> Held {
        Held { open, planes: OnceLock::new() }
    }

    /// The values of these stages, computed by the first who asks.
    pub(crate) fn planes<L: Lane>(&self, run: &Run<L>) -> &[Option<Plane>] {
        self.planes.get_or_init(|| run.beside(self.open))
    }
}

/// What stands in the way of keeping a stage, or makes it worth it.
#[derive(Clone, Copy, Default)]
struct Traits {
    /// An input that differs reaches it.
    open: bool,
    /// A reduction is part of it.
    reduces: bool,
    /// A stage that is open reads it.
    wanted: bool,
}

impl<L: Lane> Run<'_, L> {
    /// The stages with a reduction in them that no input from number `open` on reaches and that others read which
    /// such inputs do reach. A stage that cannot be computed whole is left out.
    fn beside(&self, open: usize) -> Vec<Option<Plane>> {
        let traits = self.traits(open);
        let one = |stage: usize| {
            let Traits { open, reduces, wanted } = traits[stage];
            let space = &self.stages[stage].space;
            let size = space.iter().fold(1usize, |size, axis| size.saturating_mul(axis.extent));
            if open || !reduces || !wanted || self.recurs(stage) || size > MOST {
                return None;
            }
            let shared = self.shared(&[stage]).ok()?;
            let (v, b) = self.group(&[stage], &shared, &|_, _| {}).ok()?.swap_remove(0);
            Some(Plane { v, b, ..Plane::shape(space) })
        };
        (0..self.stages.len()).map(one).collect()
    }

    fn recurs(&self, stage: usize) -> bool {
        self.recurrences.iter().any(|recurrence| recurrence.stages.contains(&stage))
    }

    fn traits(&self, open: usize) -> Vec<Traits> {
        let reads: Vec<Vec<Source>> = (0..self.stages.len()).map(|stage| self.reads(stage)).collect();
        let mut traits = vec![Traits::default(); reads.len()];
        // stages of a recurrence read one another: once more than they are is enough
        for _ in 0..=self.recurrences.len() {
            for (stage, reads) in reads.iter().enumerate() {
                let of = |source: &Source| match source {
                    Source::Tensor(at) => (*at >= open, false),
                    Source::Stage(at) => (traits[*at].open, traits[*at].reduces),
                };
                let (reached, reduces) =
                    reads.iter().map(of).fold((false, false), |a, b| (a.0 || b.0, a.1 || b.1));
                let own = matches!(self.stages[stage].kind, BoundKind::Reduce { .. }) || self.recurs(stage);
                traits[stage].open |= reached;
                traits[stage].reduces |= reduces || own;
            }
        }
        let open = (0..reads.len()).filter(|stage| traits[*stage].open);
        for source in open.flat_map(|stage| &reads[stage]).copied().collect::<Vec<_>>() {
            if let Source::Stage(at) = source {
                traits[at].wanted = true;
            }
        }
        traits
    }

    fn reads(&self, stage: usize) -> Vec<Source> {
        let mut reads = Vec::new();
        for code in codes(&self.stages[stage]) {
            walk(code, &mut |c| {
                if let CodeKind::Read(read) = &c.kind {
                    reads.push(read.source);
                }
            });
        }
        reads
    }
}
