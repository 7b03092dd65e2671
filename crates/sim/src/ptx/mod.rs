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
use crate::api::options::Options;
use crate::front::Front;
use crate::ir::{MemSpace, Program, Rules};
use crate::params::{self, Layout};
use ast::{Func, Space, Unit, Var};
pub use lower::{IN_FLIGHT, NEAR, READ_ONLY, idle, vector_size};
use token::Fault;

/// The stack that compiling takes is that of an input of so many bytes at most.
const MOST_ROOM: usize = 1 << 16;

/// A PTX text that can be run.
#[derive(Debug)]
pub struct Ptx {
    unit: Unit,
    /// The lines that findings show: those of the source, or of the PTX itself.
    lines: Vec<String>,
    /// Whether these are the source's.
    located: bool,
    /// The text, for the lines of what is refused.
    text: String,
    /// What holds of the compiler that made it.
    rules: Rules,
}

impl Ptx {
    /// Parses a text and lowers every entry point once. Where none of them is supported, that is
    /// said now; what one of several needs is said when that one is launched, before it runs.
    pub fn new(text: &str, source: Option<&str>) -> Result<Ptx, CompileError> {
        let mut ptx = Ptx {
            unit: Unit::default(),
            lines: Vec::new(),
            located: source.is_some(),
            text: text.to_owned(),
            rules: Rules::PTX,
        };
        ptx.lines = source.unwrap_or(text).lines().map(str::to_owned).collect();
        ptx.unit = parse::parse(text).map_err(|fault| ptx.refuse(fault))?;
        if ptx.unit.locs.len() > 1 && source.is_none() {
            ptx.lines.clear();
        } else if ptx.unit.locs.len() <= 1 {
            ptx.lines = text.lines().map(str::to_owned).collect();
            ptx.located = false;
        }
        let lowered = |func| {
            let entry = ptx.entry_point(func);
            lower::lower(&ptx.unit, func, &Layout::assumed(&entry), params::offsets(&entry), Vec::new())
        };
        let mut faults = Vec::new();
        let supported = ptx.entries().any(|func| lowered(func).map_err(|fault| faults.push(fault)).is_ok());
        match faults.into_iter().next() {
            Some(fault) if !supported => Err(ptx.refuse(fault)),
            _ => Ok(ptx),
        }
    }

    /// The same, by the rules of what made it.
    pub fn by(self, rules: Rules) -> Ptx {
        Ptx { rules, ..self }
    }

    /// The room that compiling a text takes: PTX is read without deep recursion.
    pub fn room(text: &str) -> usize {
        text.len().min(MOST_ROOM)
    }

    /// What is said of what is not supported, with its line: the source's, where that is known, or
    /// that of the PTX.
    fn refuse(&self, fault: Fault) -> CompileError {
        let shown = self.text.lines().nth(fault.line.saturating_sub(1) as usize).unwrap_or("").trim();
        let shown: String = shown.chars().take(100).collect();
        let own = Some(fault.source).filter(|line| *line > 0).or_else(|| source_line(&self.text, fault.line));
        let own = own.filter(|_| self.located);
        let mut rendered = format!("error: {}\n", fault.message);
        if let Some(line) = own {
            let text = self.lines.get(line as usize - 1).map_or("", |text| text.trim());
            rendered += &format!("  line {line}: {text}\n");
        }
        rendered += &format!("  ptx:{}: {shown}\n", fault.line);
        let line = Some(own.unwrap_or(fault.line));
        CompileError {
            message: fault.message,
            line,
            column: Some(1),
            rendered,
            unsupported: fault.unsupported,
        }
    }

    fn entries(&self) -> impl Iterator<Item = &Func> {
        self.unit.funcs.iter().filter(|f| f.entry && f.body.is_some())
    }

    fn entry_point(&self, func: &Func) -> EntryPoint {
        let info = |p: &Var| ParamInfo { name: p.name.clone(), size: p.size, align: p.align };
        let shared = func.vars.iter().chain(&self.unit.vars).filter(|v| v.space == Space::Shared);
        EntryPoint {
            name: func.name.clone(),
            workgroup: func.reqntid.unwrap_or([0; 3]),
            max_lanes: func.maxntid,
            params: func.params.iter().map(info).collect(),
            shared: shared.map(|v| v.size).sum(),
            ..EntryPoint::default()
        }
    }
}

impl Front for Ptx {
    fn entry_points(&self) -> Vec<EntryPoint> {
        self.entries().map(|func| self.entry_point(func)).collect()
    }

    /// Lowers an entry point for the layout of a launch.
    fn lower(&self, name: &str, launch: &Launch, options: &Options) -> Result<Program, RunError> {
        if options.warp != 32 {
            return Err(RunError::Launch(format!("a warp of {} lanes: PTX has warps of 32", options.warp)));
        }
        let Some(func) = self.entries().find(|f| f.name == name) else {
            return Err(RunError::Launch(format!("no entry point `{name}`")));
        };
        let entry = self.entry_point(func);
        let (layout, params) = (Layout::of(&entry, launch)?, params::offsets(&entry));
        let lowered = lower::lower(&self.unit, func, &layout, params, self.lines.clone());
        let mut program = lowered.map_err(|fault| RunError::Unsupported(self.refuse(fault).rendered))?;
        program.rules = self.rules;
        hold_shared(&program, launch.dynamic_shared)?;
        Ok(program)
    }

    fn size(&self) -> usize {
        Ptx::room(&self.text)
    }
}

/// The line of the source's first file that a line of PTX comes from, by the last `.loc` before it:
/// where code was inlined, the line that it was inlined at.
fn source_line(text: &str, line: u32) -> Option<u32> {
    let before: Vec<&str> = text.lines().take(line as usize).collect();
    let loc = before.iter().rev().find_map(|line| line.trim().strip_prefix(".loc"))?;
    let at = loc.split_once("inlined_at").map_or(loc, |(_, at)| at);
    let mut numbers = at.split_whitespace();
    let (file, line) = (numbers.next()?, numbers.next()?.trim_end_matches(','));
    if file == "1" { line.parse().ok().filter(|&n| n > 0) } else { None }
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
