//! Which variables and parameters a pointer of a kernel may point into: what it was made of, and what was stored where
//! it was loaded from. Variables that are only read and written as a whole need no memory.

use super::decode::Inst;
use super::module::{Function, Module, Type};
use spirv::{Op, StorageClass};
use std::collections::{HashMap, HashSet};

/// A set of variables and parameters, by number; the highest bit is for those that are not told apart.
type Set = u128;

const OTHERS: usize = 127;

/// What pointers may point into.
#[derive(Debug, Default)]
pub struct Origins {
    sets: HashMap<u32, Set>,
    /// The variable or parameter of each bit.
    roots: Vec<u32>,
    /// What pointers that are stored in each of them point into.
    held: HashMap<usize, Set>,
    changed: bool,
}

impl Origins {
    /// Those of all pointers of a module, for an entry point.
    pub fn new(module: &Module, entry: u32) -> Origins {
        let mut out = Origins::default();
        for inst in &module.variables {
            out.root(inst.id);
        }
        for function in module.functions.values() {
            if function.id == entry {
                let pointer = |ty: &u32| matches!(module.types.get(ty), Some(Type::Pointer { .. }));
                function.params.iter().filter(|(_, ty)| pointer(ty)).for_each(|(id, _)| out.root(*id));
            }
            insts(function).filter(|inst| inst.op == Op::Variable).for_each(|inst| out.root(inst.id));
        }
        out.changed = true;
        while std::mem::take(&mut out.changed) {
            for function in module.functions.values() {
                insts(function).for_each(|inst| out.flow(module, function, inst));
            }
        }
        out
    }

    /// The variables and parameters that a pointer may point into; nothing where that is not known.
    pub fn of(&self, id: u32) -> Option<Vec<u32>> {
        let set = self.sets.get(&id).copied().unwrap_or(0);
        let known = set != 0 && set >> OTHERS == 0;
        known.then(|| {
            (0..self.roots.len()).filter(|bit| set >> bit & 1 == 1).map(|bit| self.roots[bit]).collect()
        })
    }

    fn root(&mut self, id: u32) {
        let bit = if self.roots.len() < OTHERS { self.roots.len() } else { OTHERS };
        if bit < OTHERS {
            self.roots.push(id);
        }
        self.sets.insert(id, 1 << bit);
    }

    fn set(&self, id: u32) -> Set {
        self.sets.get(&id).copied().unwrap_or(0)
    }

    fn add(&mut self, id: u32, set: Set) {
        let old = self.sets.entry(id).or_default();
        self.changed |= *old | set != *old;
        *old |= set;
    }

    fn hold(&mut self, places: Set, set: Set) {
        for bit in (0..=OTHERS).filter(|bit| places >> bit & 1 == 1) {
            let old = self.held.entry(bit).or_default();
            self.changed |= *old | set != *old;
            *old |= set;
        }
    }

    fn content(&self, places: Set) -> Set {
        let bits = (0..=OTHERS).filter(|bit| places >> bit & 1 == 1);
        bits.fold(0, |set, bit| set | self.held.get(&bit).copied().unwrap_or(0))
    }

    fn flow(&mut self, module: &Module, function: &Function, inst: &Inst) {
        let all = |own: &Origins| inst.args.iter().fold(0, |set, &arg| set | own.set(arg));
        match inst.op {
            Op::Variable => {}
            Op::Store => self.hold(self.set(inst.arg(0)), self.set(inst.arg(1))),
            Op::CopyMemory | Op::CopyMemorySized => {
                self.hold(self.set(inst.arg(0)), self.content(self.set(inst.arg(1))));
            }
            Op::Load => self.add(inst.id, self.content(self.set(inst.arg(0)))),
            Op::ReturnValue => self.add(function.id, self.set(inst.arg(0))),
            Op::FunctionCall => {
                let called = module.functions.get(&inst.arg(0));
                let params = called.map_or(&[][..], |called| &called.params);
                for (&(param, _), &arg) in params.iter().zip(inst.args.iter().skip(1)) {
                    self.add(param, self.set(arg));
                }
                self.add(inst.id, self.set(inst.arg(0)));
            }
            _ if inst.id != 0 => self.add(inst.id, all(self)),
            _ => {}
        }
    }
}

fn insts(function: &Function) -> impl Iterator<Item = &Inst> {
    function.blocks.iter().flat_map(|block| &block.insts)
}

/// Variables of functions whose address is more than the place of a load or a store: they lie in memory.
pub fn addressed(module: &Module) -> HashSet<u32> {
    // constants, and which of them are zero
    let null = |inst: &Inst| inst.op == Op::ConstantNull || inst.args.iter().all(|&word| word == 0);
    let constants: HashMap<u32, bool> = module.constants.iter().map(|inst| (inst.id, null(inst))).collect();
    let is_zero = |id: &u32| constants.get(id) == Some(&true);
    let mut out = HashSet::new();
    for function in module.functions.values() {
        let mut roots: HashMap<u32, u32> = HashMap::new();
        for inst in insts(function) {
            let root = |id: u32| roots.get(&id).copied();
            match inst.op {
                Op::Variable if inst.arg(0) == StorageClass::Function as u32 => {
                    roots.insert(inst.id, inst.id);
                }
                Op::Load | Op::LifetimeStart | Op::LifetimeStop => {}
                Op::Store => out.extend(root(inst.arg(1))),
                Op::PtrAccessChain
                | Op::InBoundsPtrAccessChain
                | Op::AccessChain
                | Op::InBoundsAccessChain
                    if root(inst.arg(0)).is_some() =>
                {
                    let steps = matches!(inst.op, Op::PtrAccessChain | Op::InBoundsPtrAccessChain);
                    let still = !steps || inst.args.get(1).is_some_and(is_zero);
                    let from = root(inst.arg(0));
                    match still && inst.args.iter().skip(1).all(|id| constants.contains_key(id)) {
                        true => roots.extend(from.map(|from| (inst.id, from))),
                        false => out.extend(from),
                    }
                }
                _ => out.extend(inst.args.iter().filter_map(|&id| root(id))),
            }
        }
    }
    out
}
