//! Buffers and variables as memory objects: where each lies, and what it holds before the kernel runs.

use super::build::{Lower, Object};
use super::origin;
use crate::ir::{MemObject, MemSpace};
use crate::params::{self, Layout, buffer_base};
use crate::ptx::ast::{Arg, Func, Init, Space, Unit, Var};
use crate::ptx::flat::{Flat, Step};
use crate::ptx::parse::Res;
use std::collections::{HashMap, HashSet};

/// The registers that hold the address of the barrier of a grid that is launched together: its upper half, its lower.
pub const HALVES: [&str; 2] = ["%envreg1", "%envreg2"];
/// Bytes of that barrier: its size, and what counts those that have come.
const GRID_BARRIER: u32 = 8;

impl Lower {
    /// Makes memory objects of buffers and variables.
    pub fn declare(&mut self, unit: &Unit, func: &Func, layout: &Layout, params: u32) -> Res<()> {
        let mut bindings: Vec<u32> = layout.pointers.iter().map(|p| p.1).collect();
        bindings.sort_unstable();
        bindings.dedup();
        for (n, &binding) in bindings.iter().enumerate() {
            let name = self.buffer_name(func, layout, binding);
            let object = MemObject { binding: Some((0, binding)), ..memory(name, MemSpace::Global, 0) };
            self.add(object, Space::Global, buffer_base(n), buffer_base(n))?;
        }
        self.prog.bindings = bindings;
        let mut tops: HashMap<Space, u64> = HashMap::new();
        let entry_params = func.params.len();
        let vars: Vec<(Option<u32>, Var)> = unit.vars.iter().map(|v| (None, v.clone())).collect();
        let own = self.flat.vars.iter().enumerate().skip(entry_params);
        let own: Vec<(Option<u32>, Var)> = own.map(|(i, v)| (Some(i as u32), v.clone())).collect();
        let used = self.names_used(unit);
        // what the launch sizes comes last
        let (mut open, sized): (Vec<_>, Vec<_>) = vars.into_iter().chain(own).partition(|(_, v)| v.size == 0);
        // whatever they are called, such arrays in shared memory begin at one address
        let mut shared: Vec<&mut Var> =
            open.iter_mut().map(|(_, var)| var).filter(|var| var.space == Space::Shared).collect();
        let align = shared.iter().map(|var| var.align).max().unwrap_or(1);
        shared.iter_mut().for_each(|var| var.align = align);
        for (number, var) in sized.into_iter().chain(open) {
            if var.space == Space::Param || number.is_none() && !used.contains(&var.name) {
                continue;
            }
            self.variable(number, &var, layout, &mut tops)?;
        }
        let votes =
            |step: &Step| matches!(step, Step::Instr(ins) if ins.has("red") && ins.name().starts_with("bar"));
        if self.flat.steps.iter().any(votes) {
            let raw = tops.get(&Space::Shared).copied().unwrap_or(0).next_multiple_of(4);
            let object = MemObject { zeroed: true, ..memory("votes".to_owned(), MemSpace::Shared, 4) };
            let at = self.add(object, Space::Shared, params::SHARED + raw, raw)?;
            self.by_name.insert(super::sync::VOTES.to_owned(), at);
        }
        if HALVES.iter().any(|half| used.contains(*half)) {
            let base = buffer_base(self.objects.len());
            let object = memory("the barrier of the grid".to_owned(), MemSpace::Global, GRID_BARRIER);
            let words = vec![0; GRID_BARRIER as usize / 4];
            let at = self.add(MemObject { words, ..object }, Space::Global, base, base)?;
            self.prog.together = true;
            self.by_name.extend(HALVES.map(|half| (half.to_owned(), at)));
        }
        self.prog.param_mem = Some(self.prog.mems.len() as u32);
        self.prog.param_starts = self.params.clone();
        let object = memory("the parameters".to_owned(), MemSpace::Constant, params);
        self.add(object, Space::Param, params::PARAM, 0)?;
        self.initialise(unit)
    }

    fn buffer_name(&self, func: &Func, layout: &Layout, binding: u32) -> String {
        if let Some((_, name)) = layout.names.iter().find(|(of, _)| *of == binding) {
            return name.clone();
        }
        let at = layout.pointers.iter().find(|p| p.1 == binding).map_or(0, |p| p.0);
        let param = self.params.iter().rposition(|&start| start <= at).unwrap_or(0);
        let name = func.params.get(param).map_or("", |p| &p.name);
        // NVRTC calls them NAME_param_0; the source's own names are not in the PTX
        match name.rsplit_once("_param_") {
            Some((_, number)) => format!("parameter {number}"),
            None => name.to_owned(),
        }
    }

    /// The names that the code and the initial values mention.
    fn names_used(&self, unit: &Unit) -> std::collections::HashSet<String> {
        let mut out = std::collections::HashSet::new();
        for step in &self.flat.steps {
            if let Step::Instr(ins) = step {
                ins.args.iter().for_each(|arg| names(arg, &mut out));
            }
        }
        let mut size = usize::MAX;
        while size != out.len() {
            size = out.len();
            for var in unit.vars.iter().chain(&self.flat.vars) {
                if out.contains(&var.name) {
                    let all = var.init.iter().filter_map(|init| match init {
                        Init::Address(name, _) => Some(name.clone()),
                        Init::Bits(_) => None,
                    });
                    out.extend(all);
                }
            }
        }
        out
    }

    fn variable(
        &mut self,
        number: Option<u32>,
        var: &Var,
        layout: &Layout,
        tops: &mut HashMap<Space, u64>,
    ) -> Res<()> {
        let dynamic = var.size == 0 && var.space == Space::Shared;
        let known = self.objects.iter().position(|object| self.prog.mems[object.mem as usize].dynamic);
        if let Some(at) = known.filter(|_| dynamic) {
            self.know(number, var, at);
            return Ok(());
        }
        let size = if dynamic { layout.dynamic } else { var.size };
        let top = tops.entry(var.space).or_default();
        let raw = top.next_multiple_of(u64::from(var.align.max(1)));
        if !dynamic {
            *top = raw + u64::from(size);
        }
        let (space, raw, generic) = match var.space {
            Space::Shared => (MemSpace::Shared, raw, params::SHARED + raw),
            Space::Local => (MemSpace::Private, raw, params::LOCAL + raw),
            Space::Const => (MemSpace::Constant, raw, params::CONST + raw),
            _ => {
                let base = buffer_base(self.objects.len());
                (MemSpace::Global, base, base)
            }
        };
        let name = if dynamic { "dynamic shared memory".to_owned() } else { plain_name(&var.name) };
        let object = MemObject { dynamic, ..memory(name, space, size) };
        let at = self.add(object, var.space, generic, raw)?;
        if matches!(space, MemSpace::Global | MemSpace::Constant) {
            self.prog.globals.push((self.objects[at].mem, var.name.clone()));
        }
        self.know(number, var, at);
        self.objects[at].size = size;
        Ok(())
    }

    /// Remembers the object that a variable is.
    fn know(&mut self, number: Option<u32>, var: &Var, at: usize) {
        match number {
            Some(number) => self.by_var.insert(number, at),
            None => self.by_name.insert(var.name.clone(), at),
        };
    }

    fn add(&mut self, object: MemObject, space: Space, generic: u64, raw: u64) -> Res<usize> {
        if self.objects.len() >= origin::MOST {
            return self.fail(format!("more than {} buffers and variables in memory", origin::MOST));
        }
        let size = object.size;
        self.objects.push(Object { mem: self.prog.mems.len() as u32, space, generic, raw, size });
        self.prog.mems.push(object);
        Ok(self.objects.len() - 1)
    }

    /// Writes initial values.
    fn initialise(&mut self, unit: &Unit) -> Res<()> {
        let named: Vec<(usize, Var)> =
            unit.vars.iter().filter_map(|v| Some((*self.by_name.get(&v.name)?, v.clone()))).collect();
        let own = self.by_var.iter().map(|(&v, &at)| (at, self.flat.vars[v as usize].clone()));
        let all: Vec<(usize, Var)> = named.into_iter().chain(own).collect();
        for (at, var) in all {
            let mem = self.objects[at].mem as usize;
            let space = self.prog.mems[mem].space;
            if !matches!(space, MemSpace::Global | MemSpace::Constant) {
                continue;
            }
            let mut bytes = vec![0u8; (var.size as usize).next_multiple_of(4)];
            for (i, init) in var.init.iter().enumerate() {
                let bits = match init {
                    Init::Bits(bits) => *bits,
                    Init::Address(name, offset) => match self.by_name.get(name) {
                        Some(&to) => self.objects[to].generic.wrapping_add(*offset as u64),
                        None => {
                            return self.fail(format!(
                                "`{}` begins with the address of `{name}`, which is not a variable",
                                var.name
                            ));
                        }
                    },
                };
                let size = var.ty.bytes() as usize;
                if let Some(slot) = bytes.get_mut(i * size..(i + 1) * size) {
                    slot.copy_from_slice(&bits.to_le_bytes()[..size.min(8)]);
                }
            }
            self.prog.mems[mem].words = crate::exec::words_of(&bytes);
        }
        Ok(())
    }
}

/// Registers that hold one number throughout.
pub fn fixed(flat: &Flat) -> HashMap<u32, u64> {
    let (mut found, mut spoilt) = (HashMap::new(), HashSet::new());
    for step in &flat.steps {
        let Step::Instr(ins) = step else { continue };
        match (ins.name(), &ins.args[..]) {
            ("mov", [Arg::Reg(dst), Arg::Int(value)]) if ins.guard.is_none() && !found.contains_key(dst) => {
                found.insert(*dst, *value);
            }
            (_, [Arg::Reg(dst), ..]) => {
                spoilt.insert(*dst);
            }
            _ => {}
        }
    }
    found.retain(|reg, _| !spoilt.contains(reg));
    found
}

fn names(arg: &Arg, out: &mut HashSet<String>) {
    match arg {
        Arg::Name(name, _) => {
            out.insert(name.clone());
        }
        Arg::List(all) => all.iter().for_each(|a| names(a, out)),
        Arg::Addr(base, _) | Arg::Not(base) => names(base, out),
        Arg::Pair(a, b) => {
            names(a, out);
            names(b, out);
        }
        _ => {}
    }
}

/// The window of a space in the generic address space.
pub fn window(space: Space) -> u64 {
    match space {
        Space::Shared => params::SHARED,
        Space::Local => params::LOCAL,
        Space::Const => params::CONST,
        Space::Param => params::PARAM,
        Space::Generic | Space::Global => 0,
    }
}

fn memory(name: String, space: MemSpace, size: u32) -> MemObject {
    MemObject {
        name,
        space,
        binding: None,
        size,
        zeroed: false,
        writable: false,
        dynamic: false,
        in_place: false,
        words: Vec::new(),
    }
}

/// `_ZZ1kE4tile` is `tile`; a name that is not mangled stays.
fn plain_name(name: &str) -> String {
    let Some((_, rest)) = name.strip_prefix("_ZZ").and_then(|n| n.rsplit_once('E')) else {
        return name.strip_prefix("__local_depot").map_or(name, |_| "local memory").to_owned();
    };
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let len: usize = rest[..digits].parse().unwrap_or(0);
    rest.get(digits..digits + len).filter(|n| !n.is_empty()).unwrap_or(name).to_owned()
}

/// Registers that are operands of something.
pub fn read(flat: &Flat) -> HashSet<u32> {
    fn collect(arg: &Arg, out: &mut HashSet<u32>) {
        match arg {
            Arg::Reg(reg) => {
                out.insert(*reg);
            }
            Arg::List(all) => all.iter().for_each(|a| collect(a, out)),
            Arg::Addr(inner, _) | Arg::Not(inner) => collect(inner, out),
            Arg::Pair(a, b) => {
                collect(a, out);
                collect(b, out);
            }
            _ => {}
        }
    }
    let mut out = HashSet::new();
    for step in &flat.steps {
        match step {
            Step::Instr(ins) => {
                out.extend(ins.guard.map(|g| g.0));
                // a register that comes first is a result
                let first = usize::from(matches!(ins.args.first(), Some(Arg::Reg(_) | Arg::Pair(..))));
                ins.args.iter().skip(first).for_each(|arg| collect(arg, &mut out));
            }
            Step::Branch { guard, .. } => out.extend(guard.map(|g| g.0)),
            Step::Switch { by, .. } => {
                out.insert(*by);
            }
            Step::Label(_) => {}
        }
    }
    out
}
