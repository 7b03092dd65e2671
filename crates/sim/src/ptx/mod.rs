//! The front end for PTX: text to a tree, calls inlined, then lowered to the register code for one launch's layout.

pub mod ast;
mod declare;
mod flat;
mod lower;
mod parse;
mod stmt;
mod token;

use crate::api::error::{CompileError, RunError};
use crate::api::launch::Launch;
use crate::api::module::{EntryPoint, ParamInfo};
use crate::ir::{MemSpace, Program};
use ast::{Func, Space, Unit};
pub use lower::order::finish;
pub use lower::{IN_FLIGHT, Layout, param_words};
use token::Fault;

/// A PTX text that can be run.
#[derive(Debug)]
pub struct Ptx {
    unit: Unit,
    /// The lines that findings show: those of the source, or of the PTX itself.
    lines: Vec<String>,
    pub len: usize,
}

impl Ptx {
    /// Parses a text and lowers every entry point once, so that whatever is not supported is refused now.
    pub fn new(text: &str, source: Option<&str>) -> Result<Ptx, CompileError> {
        let refuse = |fault: Fault| {
            let shown = text.lines().nth(fault.line.saturating_sub(1) as usize).unwrap_or("").trim();
            let rendered = format!("error: {}\n  ptx:{}: {shown}\n", fault.message, fault.line);
            CompileError {
                message: fault.message,
                line: Some(fault.line),
                column: Some(1),
                rendered,
                unsupported: false,
            }
        };
        let unit = parse::parse(text).map_err(refuse)?;
        let located = unit.locs.len() > 1;
        let shown = if located { source.unwrap_or("") } else { text };
        let lines = shown.lines().map(str::to_owned).collect();
        let ptx = Ptx { unit, lines, len: text.len() };
        for func in ptx.entries() {
            let layout = Layout::assumed(func);
            lower::lower(&ptx.unit, func, &layout, Vec::new()).map_err(refuse)?;
        }
        Ok(ptx)
    }

    fn entries(&self) -> impl Iterator<Item = &Func> {
        self.unit.funcs.iter().filter(|f| f.entry && f.body.is_some())
    }

    pub fn entry_points(&self) -> Vec<EntryPoint> {
        let shared = |func: &Func| {
            let all = func.vars.iter().chain(&self.unit.vars);
            all.filter(|v| v.space == Space::Shared).map(|v| v.size).sum()
        };
        self.entries()
            .map(|func| EntryPoint {
                subgroups: false,
                name: func.name.clone(),
                workgroup: func.reqntid.unwrap_or([0; 3]),
                max_lanes: func.maxntid,
                params: func
                    .params
                    .iter()
                    .map(|p| ParamInfo { name: p.name.clone(), size: p.size, align: p.align })
                    .collect(),
                bindings: Vec::new(),
                shared: shared(func),
                push: 0,
            })
            .collect()
    }

    /// Lowers an entry point for the layout of a launch.
    pub fn lower(&self, name: &str, launch: &Launch) -> Result<Program, RunError> {
        let Some(func) = self.entries().find(|f| f.name == name) else {
            return Err(RunError::Launch(format!("no entry point `{name}`")));
        };
        let layout = Layout::of(func, launch)?;
        let lowered = lower::lower(&self.unit, func, &layout, self.lines.clone());
        let refuse =
            |fault: Fault| RunError::Unsupported(format!("PTX line {}: {}", fault.line, fault.message));
        let program = lowered.map_err(refuse)?;
        hold_shared(&program, launch.dynamic_shared)?;
        Ok(program)
    }
}

/// Shared memory as CUDA's devices have it: so much that is declared, so much in all.
fn hold_shared(program: &Program, dynamic: u32) -> Result<(), RunError> {
    const MOST_DECLARED: u64 = 48 << 10;
    const MOST: u64 = 227 << 10;
    let shared = program.mems.iter().filter(|mem| mem.space == MemSpace::Shared);
    let open = shared.clone().any(|mem| mem.dynamic);
    let all: u64 = shared.map(|mem| u64::from(mem.size)).sum();
    let declared = all - if open { u64::from(dynamic) } else { 0 };
    let all = declared + u64::from(dynamic);
    for (needs, most, what) in [(declared, MOST_DECLARED, "declared shared"), (all, MOST, "shared")] {
        if needs > most {
            return Err(RunError::Limit(format!("{needs} bytes of {what} memory: the limit is {most}")));
        }
    }
    Ok(())
}
