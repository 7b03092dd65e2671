//! Which variables and buffers the value of each register can be an address in: what it was made of by additions
//! and copies.

use crate::ptx::ast::{Arg, Instr};
use crate::ptx::flat::{Flat, Step};
use std::collections::HashMap;

/// A set of objects, by number; the highest bit is for one that is not known.
pub type Set = u128;

/// Loaded from memory: it could point anywhere.
pub const UNKNOWN: Set = 1 << 127;

/// Objects at most.
pub const MOST: usize = 120;

/// What variables and parameters are the addresses of.
pub struct Origins<'a> {
    pub var: &'a dyn Fn(u32) -> Set,
    pub name: &'a dyn Fn(&str) -> Set,
    /// A pointer in the parameter memory, by variable and byte.
    pub param: &'a dyn Fn(u32, i64) -> Option<Set>,
}

/// For each register, what it may be an address in.
pub fn sets(flat: &Flat, origins: &Origins) -> Vec<Set> {
    let mut sets = vec![0; flat.regs.len()];
    let mut slots: HashMap<(u32, i64), Set> = HashMap::new();
    let mut changed = true;
    while changed {
        changed = false;
        for step in &flat.steps {
            let Step::Instr(ins) = step else { continue };
            let Some((dst, set)) = flow(ins, &sets, &mut slots, origins) else { continue };
            each_reg(dst, &mut |reg| {
                if let Some(slot) = sets.get_mut(reg as usize) {
                    changed |= *slot | set != *slot;
                    *slot |= set;
                }
            });
        }
    }
    sets
}

fn each_reg(arg: &Arg, f: &mut dyn FnMut(u32)) {
    match arg {
        Arg::Reg(reg) => f(*reg),
        Arg::List(all) => all.iter().for_each(|a| each_reg(a, f)),
        Arg::Pair(a, _) => each_reg(a, f),
        _ => {}
    }
}

fn of(arg: &Arg, sets: &[Set], origins: &Origins) -> Set {
    match arg {
        Arg::Reg(reg) => sets.get(*reg as usize).copied().unwrap_or(0),
        Arg::Var(var) => (origins.var)(*var),
        Arg::Name(name, _) => (origins.name)(name),
        Arg::List(all) => all.iter().fold(0, |set, a| set | of(a, sets, origins)),
        Arg::Addr(base, _) => of(base, sets, origins),
        Arg::Pair(a, _) => of(a, sets, origins),
        _ => 0,
    }
}

/// The destination of an instruction, and what its value may be an address in.
fn flow<'a>(
    ins: &'a Instr,
    sets: &[Set],
    slots: &mut HashMap<(u32, i64), Set>,
    origins: &Origins,
) -> Option<(&'a Arg, Set)> {
    let (dst, rest) = ins.args.split_first()?;
    let all = |args: &[Arg]| args.iter().fold(0, |set, a| set | of(a, sets, origins));
    let wide = ins.op.last().is_some_and(|t| matches!(t.as_str(), "u64" | "b64" | "s64"));
    match ins.name() {
        "mov" | "cvta" | "add" | "sub" | "and" | "or" | "xor" | "min" | "max" | "selp" | "cvt" | "shfl"
        | "slct" => Some((dst, all(rest))),
        "mad" => Some((dst, rest.get(2).map_or(0, |c| of(c, sets, origins)))),
        "st" if ins.has("param") => {
            if let Arg::Addr(base, offset) = dst
                && let Arg::Var(var) = **base
            {
                let set = all(rest);
                *slots.entry((var, *offset)).or_default() |= set;
            }
            None
        }
        "ld" if ins.has("param") => match rest {
            [Arg::Addr(base, offset), ..] => match **base {
                Arg::Var(var) => {
                    let known = (origins.param)(var, *offset);
                    Some((dst, known.unwrap_or_else(|| slots.get(&(var, *offset)).copied().unwrap_or(0))))
                }
                _ => wide.then_some((dst, UNKNOWN)),
            },
            _ => None,
        },
        "ld" | "ldu" | "atom" => wide.then_some((dst, UNKNOWN)),
        _ => None,
    }
}
