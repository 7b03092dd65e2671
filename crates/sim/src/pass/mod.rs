//! Passes over the register code: analyses and rewrites. Pure functions of programs; nothing runs here.

pub mod alloc;
mod chains;
pub mod classify;
mod coalesce;
mod copies;
mod dead;
mod filled;
mod fuse;
pub mod graph;
mod hoist;
mod idle;
mod intervals;
pub mod legal;
pub mod meets;
mod nest;
mod operands;
pub mod order;
mod same;
pub mod swapped;
#[cfg(test)]
mod tests;
pub mod uniform;
mod uses;
mod verify;

use crate::ir::Program;

/// A rewrite of a program.
pub type Pass = fn(&mut Program);

/// What makes a program cheaper to run without changing what it does, in order, by name.
const PASSES: &[(&str, Pass)] = &[
    ("copies", copies::propagate),
    ("chains", chains::reorder),
    ("same", same::eliminate),
    ("hoist", hoist::hoist),
    ("dead", dead::remove),
    ("fuse", fuse::fuse),
    ("coalesce", coalesce::coalesce),
    ("dead", dead::remove),
    ("idle", idle::mark),
    ("intervals", intervals::mark),
];

/// Runs all passes. Where programs are verified, the first one that leaves a broken program is named.
pub fn optimise(prog: &mut Program) -> Result<(), String> {
    hold(prog, "lowering")?;
    for (name, pass) in PASSES {
        pass(prog);
        hold(prog, name)?;
    }
    Ok(())
}

fn hold(prog: &Program, after: &str) -> Result<(), String> {
    if !verify::ON {
        return Ok(());
    }
    prog.verify().map_err(|text| format!("the simulator's own program is broken after {after}: {text}"))
}
