//! Passes over the register code: analyses and rewrites. Pure functions of programs; nothing runs here.

pub mod alloc;
mod chains;
mod coalesce;
mod copies;
mod dead;
mod fuse;
pub mod graph;
mod hoist;
mod intervals;
pub mod legal;
mod same;
pub mod uniform;
mod uses;

use crate::ir::Program;

/// Makes a program cheaper to run without changing what it does.
pub fn optimise(prog: &mut Program) {
    copies::propagate(prog);
    chains::reorder(prog);
    same::eliminate(prog);
    hoist::hoist(prog);
    dead::remove(prog);
    fuse::fuse(prog);
    coalesce::coalesce(prog);
    dead::remove(prog);
    intervals::mark(prog);
}
