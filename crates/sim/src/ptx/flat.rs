//! One entry point as one list of steps: every call inlined, every register and label with a number of its own.

use super::ast::{Arg, Func, Instr, Space, Stmt, Type, Unit, Var};
use super::parse::Res;
use super::token::Fault;
use std::collections::HashMap;

/// Calls within each other at most.
const MOST_CALLS: usize = 64;
/// Steps and registers after inlining at most.
const MOST_STEPS: usize = 1 << 19;

/// One step.
#[derive(Clone, Debug)]
pub enum Step {
    Instr(Instr),
    Label(u32),
    /// To a label, where the guard holds.
    Branch {
        guard: Option<(u32, bool)>,
        label: u32,
        place: u32,
    },
    /// To one of several labels, by a number.
    Switch {
        by: u32,
        labels: Vec<u32>,
        place: u32,
    },
}

/// An entry point with all its calls inlined.
#[derive(Debug, Default)]
pub struct Flat {
    pub steps: Vec<Step>,
    pub regs: Vec<Type>,
    /// The entry point's parameters come first.
    pub vars: Vec<Var>,
    pub labels: u32,
    /// The source line of each place, counted from 1.
    pub places: Vec<u32>,
}

struct Inliner<'a> {
    unit: &'a Unit,
    by_name: HashMap<&'a str, &'a Func>,
    flat: Flat,
    /// Variables that a function has once, however often it is inlined.
    fixed: HashMap<(&'a str, usize), u32>,
    /// The file that findings name lines of.
    file: Option<u32>,
    chain: HashMap<(u32, u32, u32), Option<(u32, u32, u32)>>,
    calls: Vec<&'a str>,
}

/// What one function's numbers become.
struct Frame<'a> {
    func: &'a Func,
    regs: u32,
    vars: Vec<u32>,
    labels: HashMap<(&'a str, u32), u32>,
    /// Where `ret` goes; nowhere in the entry point.
    end: Option<u32>,
    /// The line of the call, for code of other files.
    line: u32,
}

/// Flattens an entry point.
pub fn flatten(unit: &Unit, entry: &Func) -> Res<Flat> {
    let by_name = unit.funcs.iter().filter(|f| f.body.is_some()).map(|f| (f.name.as_str(), f)).collect();
    let mut inliner = Inliner {
        unit,
        by_name,
        flat: Flat { places: vec![0], ..Flat::default() },
        fixed: HashMap::new(),
        file: user_file(unit, entry),
        chain: unit.locs.iter().map(|l| ((l.file, l.line, l.column), l.inlined)).collect(),
        calls: Vec::new(),
    };
    let vars = (0..entry.vars.len()).map(|i| inliner.variable(entry, i)).collect();
    inliner.function(entry, vars, None, entry.line)?;
    Ok(inliner.flat)
}

/// The file of the entry point's own code.
fn user_file(unit: &Unit, entry: &Func) -> Option<u32> {
    entry.body.iter().flatten().find_map(|stmt| match stmt {
        Stmt::Instr(ins) => {
            let loc = unit.locs.get(ins.place as usize)?;
            (ins.place != 0 && loc.inlined.is_none() && loc.line != 0).then_some(loc.file)
        }
        _ => None,
    })
}

impl<'a> Inliner<'a> {
    fn variable(&mut self, func: &'a Func, i: usize) -> u32 {
        let var = &func.vars[i];
        let fixed = matches!(var.space, Space::Shared | Space::Global | Space::Const);
        if fixed && let Some(&number) = self.fixed.get(&(func.name.as_str(), i)) {
            return number;
        }
        let number = self.flat.vars.len() as u32;
        self.flat.vars.push(var.clone());
        if fixed {
            self.fixed.insert((func.name.as_str(), i), number);
        }
        number
    }

    fn label(&mut self) -> u32 {
        self.flat.labels += 1;
        self.flat.labels - 1
    }

    fn push(&mut self, step: Step, line: u32) -> Res<()> {
        if self.flat.steps.len() >= MOST_STEPS || self.flat.regs.len() >= 4 * MOST_STEPS {
            return Err(Fault::new(
                line,
                format!("more than {MOST_STEPS} instructions after inlining all calls"),
            ));
        }
        self.flat.steps.push(step);
        Ok(())
    }

    fn function(&mut self, func: &'a Func, vars: Vec<u32>, end: Option<u32>, line: u32) -> Res<()> {
        let body = func.body.as_deref().unwrap_or(&[]);
        let mut frame =
            Frame { func, regs: self.flat.regs.len() as u32, vars, labels: HashMap::new(), end, line };
        self.flat.regs.extend(&func.regs);
        let mut tables: HashMap<(&str, u32), &[String]> = HashMap::new();
        for stmt in body {
            match stmt {
                Stmt::Label(name, scope) => {
                    let label = self.label();
                    frame.labels.insert((name, *scope), label);
                }
                Stmt::Targets(name, targets, scope) => {
                    tables.insert((name, *scope), targets);
                }
                Stmt::Instr(_) => {}
            }
        }
        for stmt in body {
            match stmt {
                Stmt::Label(name, scope) => {
                    let label = frame.labels.get(&(name.as_str(), *scope)).copied().unwrap_or(0);
                    self.push(Step::Label(label), func.line)?;
                }
                Stmt::Targets(..) => {}
                Stmt::Instr(ins) => self.instr(&mut frame, &tables, ins)?,
            }
        }
        Ok(())
    }

    fn instr(
        &mut self,
        frame: &mut Frame<'a>,
        tables: &HashMap<(&str, u32), &[String]>,
        ins: &'a Instr,
    ) -> Res<()> {
        let place = self.place(ins, frame);
        let guard = ins.guard.map(|(reg, not)| (reg + frame.regs, not));
        match (ins.name(), &ins.args[..]) {
            ("bra", [Arg::Name(name, scope)]) => {
                let label = find(frame, name, *scope, ins.line)?;
                self.push(Step::Branch { guard, label, place }, ins.line)
            }
            ("brx", [Arg::Reg(by), Arg::Name(name, scope)]) if guard.is_none() => {
                let mut at = *scope;
                let targets = loop {
                    if let Some(targets) = tables.get(&(name.as_str(), at)) {
                        break *targets;
                    }
                    at = around(frame.func, at)
                        .ok_or_else(|| Fault::new(ins.line, format!("no `.branchtargets` named `{name}`")))?;
                };
                let labels: Res<Vec<u32>> = targets.iter().map(|t| find(frame, t, at, ins.line)).collect();
                let by = by + frame.regs;
                self.push(Step::Switch { by, labels: labels?, place }, ins.line)
            }
            ("bra" | "brx", _) => Err(Fault::new(ins.line, "a branch to something that is not a label")),
            ("ret", []) if frame.end.is_some() => {
                let label = frame.end.unwrap_or(0);
                self.push(Step::Branch { guard, label, place }, ins.line)
            }
            ("call", args) => {
                let skip = guard.map(|(reg, not)| (self.label(), reg, not));
                if let Some((label, reg, not)) = skip {
                    self.push(Step::Branch { guard: Some((reg, !not)), label, place }, ins.line)?;
                }
                self.call(frame, args, ins, place)?;
                skip.map_or(Ok(()), |(label, ..)| self.push(Step::Label(label), ins.line))
            }
            _ => {
                let args = ins.args.iter().map(|arg| rename(arg, frame)).collect();
                let ins = Instr { guard, op: ins.op.clone(), args, line: ins.line, place };
                let line = ins.line;
                self.push(Step::Instr(ins), line)
            }
        }
    }

    fn call(&mut self, frame: &Frame<'a>, args: &'a [Arg], ins: &Instr, place: u32) -> Res<()> {
        let (returns, name, params): (&[Arg], &str, &[Arg]) = match args {
            [Arg::Name(name, _)] => (&[], name, &[]),
            [Arg::Name(name, _), Arg::List(params)] => (&[], name, params),
            [Arg::List(returns), Arg::Name(name, _)] => (returns, name, &[]),
            [Arg::List(returns), Arg::Name(name, _), Arg::List(params)] => (returns, name, params),
            _ => {
                let text = "calls through pointers are not supported: call functions by name";
                return Err(Fault::unsupported(ins.line, text));
            }
        };
        let mut bound = Vec::new();
        for arg in returns.iter().chain(params) {
            match arg {
                Arg::Var(var) => bound.push(frame.vars[*var as usize]),
                _ => {
                    return Err(Fault::new(
                        ins.line,
                        format!("`{name}` is called with something that is not a `.param`"),
                    ));
                }
            }
        }
        let Some(&callee) = self.by_name.get(name) else {
            return self.foreign(name, ins, returns, &bound, place);
        };
        if self.calls.contains(&name) || self.calls.len() >= MOST_CALLS {
            return Err(Fault::unsupported(
                ins.line,
                format!("`{name}` calls itself: recursion is not supported"),
            ));
        }
        let want = callee.returns.len() + callee.params.len();
        if bound.len() != want {
            let text =
                format!("`{name}` takes {want} parameters and results, the call gives {}", bound.len());
            return Err(Fault::new(ins.line, text));
        }
        let mut vars = bound;
        vars.extend((want..callee.vars.len()).map(|i| self.variable(callee, i)));
        let end = self.label();
        let line = self.flat.places.get(place as usize).copied().unwrap_or(0);
        self.calls.push(callee.name.as_str());
        self.function(callee, vars, Some(end), line)?;
        self.calls.pop();
        self.push(Step::Label(end), ins.line)
    }

    /// Functions that the driver brings.
    fn foreign(&mut self, name: &str, ins: &Instr, returns: &[Arg], bound: &[u32], place: u32) -> Res<()> {
        let make = |op: &str, args: Vec<Arg>| {
            let op = op.split('.').map(str::to_owned).collect();
            Step::Instr(Instr { guard: None, op, args, line: ins.line, place })
        };
        match name {
            // what a kernel prints is not collected
            "vprintf" => match (returns, bound) {
                ([_], [result, ..]) => {
                    let to = Arg::Addr(Box::new(Arg::Var(*result)), 0);
                    self.push(make("st.param.b32", vec![to, Arg::Int(0)]), ins.line)
                }
                _ => Ok(()),
            },
            "__assertfail" => self.push(make("trap.assert", Vec::new()), ins.line),
            "malloc" | "free" => {
                let text =
                    format!("`{name}` is not supported (memory that kernels allocate is not simulated)");
                Err(Fault::unsupported(ins.line, text))
            }
            _ => Err(Fault::new(ins.line, format!("`{name}` is called but not defined in this PTX"))),
        }
    }

    /// The place of an instruction: the line of the user's file that it comes from.
    fn place(&mut self, ins: &Instr, frame: &Frame) -> u32 {
        let line = if self.unit.locs.len() <= 1 { ins.line } else { self.line(ins.place, frame) };
        if self.flat.places.last() != Some(&line) {
            self.flat.places.push(line);
        }
        self.flat.places.len() as u32 - 1
    }

    fn line(&self, place: u32, frame: &Frame) -> u32 {
        let last = || self.flat.places.last().copied().unwrap_or(0);
        let Some(loc) = self.unit.locs.get(place as usize).filter(|_| place != 0) else { return last() };
        let mut at = (loc.file, loc.line, loc.column);
        let mut next = loc.inlined;
        for _ in 0..MOST_CALLS {
            if Some(at.0) == self.file && at.1 != 0 {
                return at.1;
            }
            let Some(outer) = next else { break };
            at = outer;
            next = self.chain.get(&outer).copied().flatten().filter(|o| *o != outer);
        }
        if at.1 == 0 || frame.end.is_none() { last() } else { frame.line }
    }
}

fn around(func: &Func, scope: u32) -> Option<u32> {
    let outer = *func.scopes.get(scope as usize)?;
    (outer != scope).then_some(outer)
}

fn find(frame: &Frame, name: &str, scope: u32, line: u32) -> Res<u32> {
    let mut at = scope;
    loop {
        if let Some(&label) = frame.labels.get(&(name, at)) {
            return Ok(label);
        }
        match around(frame.func, at) {
            Some(outer) => at = outer,
            None => return Err(Fault::new(line, format!("no label `{name}`"))),
        }
    }
}

fn rename(arg: &Arg, frame: &Frame) -> Arg {
    let inner = |a: &Arg| Box::new(rename(a, frame));
    match arg {
        Arg::Reg(reg) => Arg::Reg(reg + frame.regs),
        Arg::Var(var) => Arg::Var(frame.vars.get(*var as usize).copied().unwrap_or(0)),
        Arg::List(all) => Arg::List(all.iter().map(|a| rename(a, frame)).collect()),
        Arg::Addr(base, offset) => Arg::Addr(inner(base), *offset),
        Arg::Pair(a, b) => Arg::Pair(inner(a), inner(b)),
        Arg::Not(a) => Arg::Not(inner(a)),
        other => other.clone(),
    }
}
