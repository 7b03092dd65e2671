//! Vectors in memory of which a kernel means some components only. clang loads and stores them whole: `v.x = a` is a
//! load of `v`, an insertion and a store of all of `v`, and `a = v.x` a load of all of it. What is found here is what
//! the kernel says.

use super::decode::Inst;
use super::module::{Block, Function, Module, Type};
use spirv::{MemoryAccess, Op};
use std::collections::{HashMap, HashSet};

/// A component of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// The one of this number.
    Known(u32),
    /// The one whose number is this id's value.
    Id(u32),
}

/// A component that a store changes, and what is put there: a component of the value of this id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Put {
    pub at: At,
    pub from: u32,
    pub component: u32,
}

/// What is meant of vectors in memory, where that is less than all of them.
#[derive(Debug, Default)]
pub struct Parts {
    /// Loads, by their results: the components that something takes.
    pub read: HashMap<u32, Vec<bool>>,
    /// Values that are made only to be stored where they were loaded: the components that change.
    pub written: HashMap<u32, Vec<Put>>,
}

impl Parts {
    /// Those of all functions of a module.
    pub fn of(module: &Module) -> Parts {
        let mut parts = Parts::default();
        for function in module.functions.values() {
            let uses = uses(function);
            for block in &function.blocks {
                parts.stores(module, block, &uses);
            }
            parts.loads(module, function, &uses);
        }
        parts
    }

    /// Stores of a block that put back what was loaded there, but for some components.
    fn stores(&mut self, module: &Module, block: &Block, uses: &Uses) {
        for (at, store) in block.insts.iter().enumerate() {
            let (pointer, value) = (store.arg(0), store.arg(1));
            if store.op != Op::Store || is_volatile(store, 2) {
                continue;
            }
            // back to the last instruction that may have written there
            let before = block.insts[..at].iter().rev().take_while(|inst| !may_write(inst));
            let near: HashMap<u32, &Inst> = before.map(|inst| (inst.id, inst)).collect();
            let Some(made) = near.get(&value).filter(|_| uses.count(value) == 1) else { continue };
            let is_old =
                |id: u32| near.get(&id).is_some_and(|load| loads(load, pointer) && load.ty == made.ty);
            if let Some(puts) = puts(module, made, is_old) {
                self.written.insert(value, puts);
            } else if let Some(unused) = near.values().find(|i| loads(i, pointer) && uses.count(i.id) == 0) {
                // all components change: what clang loaded is for nothing
                self.read.insert(unused.id, vec![false; width(module, unused.ty).unwrap_or(0)]);
            }
        }
    }

    /// Loads of vectors of which only some components are taken.
    fn loads(&mut self, module: &Module, function: &Function, uses: &Uses) {
        let all = function.blocks.iter().flat_map(|block| &block.insts);
        for load in all.filter(|inst| inst.op == Op::Load && !is_volatile(inst, 1)) {
            let (Some(len), Some(users)) = (width(module, load.ty), uses.by.get(&load.id)) else { continue };
            let mut taken = vec![false; len];
            let known = users.iter().all(|user| match self.written.contains_key(&user.id) {
                true => puts_of(self.written.get(&user.id), load.id, &mut taken),
                false => takes(user, load.id, &mut taken),
            });
            if known && taken.contains(&false) {
                self.read.insert(load.id, taken);
            }
        }
    }
}

/// Who uses the results of a function's instructions.
struct Uses<'f> {
    by: HashMap<u32, Vec<&'f Inst>>,
}

impl Uses<'_> {
    fn count(&self, id: u32) -> usize {
        self.by.get(&id).map_or(0, Vec::len)
    }
}

fn uses(function: &Function) -> Uses<'_> {
    let mut by: HashMap<u32, Vec<&Inst>> = HashMap::new();
    for inst in function.blocks.iter().flat_map(|block| &block.insts) {
        // literals look like ids here: at worst they make one more use
        let ids: HashSet<u32> = inst.args.iter().copied().collect();
        for id in ids {
            by.entry(id).or_default().push(inst);
        }
    }
    Uses { by }
}

fn is_volatile(inst: &Inst, at: usize) -> bool {
    MemoryAccess::from_bits_truncate(inst.arg(at)).contains(MemoryAccess::VOLATILE)
}

fn loads(inst: &Inst, pointer: u32) -> bool {
    inst.op == Op::Load && inst.arg(0) == pointer && !is_volatile(inst, 1)
}

/// Whether an instruction may write to memory, or let others see it or write to it.
fn may_write(inst: &Inst) -> bool {
    use Op::*;
    let quiet = matches!(
        inst.op,
        Load | CompositeInsert
            | CompositeExtract
            | CompositeConstruct
            | VectorInsertDynamic
            | VectorExtractDynamic
            | VectorShuffle
            | Bitcast
            | AccessChain
            | InBoundsAccessChain
            | PtrAccessChain
            | InBoundsPtrAccessChain
            | SConvert
            | UConvert
            | FConvert
    );
    !quiet
}

/// Components of a vector type, of which OpenCL has 16 at most.
fn width(module: &Module, ty: u32) -> Option<usize> {
    match module.types.get(&ty) {
        Some(Type::Vector { len, .. }) => Some(*len as usize).filter(|len| *len <= 16),
        _ => None,
    }
}

/// The components in which a value differs from what was there; none where that is not known, or all do.
fn puts(module: &Module, made: &Inst, is_old: impl Fn(u32) -> bool) -> Option<Vec<Put>> {
    let len = width(module, made.ty)?;
    match (made.op, &made.args[..]) {
        (Op::CompositeInsert, &[from, old, at]) if is_old(old) => {
            Some(vec![Put { at: At::Known(at), from, component: 0 }])
        }
        (Op::VectorInsertDynamic, &[old, from, at]) if is_old(old) => {
            Some(vec![Put { at: At::Id(at), from, component: 0 }])
        }
        (Op::VectorShuffle, &[old, from, ref picks @ ..]) if is_old(old) && !is_old(from) => {
            let mut puts = Vec::new();
            for (at, &pick) in (0..).zip(picks) {
                match (pick as usize).checked_sub(len) {
                    None if pick == at => {}
                    Some(component) if pick != u32::MAX => {
                        puts.push(Put { at: At::Known(at), from, component: component as u32 });
                    }
                    _ => return None,
                }
            }
            Some(puts)
        }
        _ => None,
    }
}

/// What a partial store takes of a loaded vector that it also puts somewhere; of the one it changes, nothing.
fn puts_of(puts: Option<&Vec<Put>>, load: u32, taken: &mut [bool]) -> bool {
    let own = puts.into_iter().flatten().filter(|put| put.from == load);
    own.fold(true, |all, put| all & take(put.component, taken))
}

/// What an instruction takes of a loaded vector; false where that may be anything.
fn takes(user: &Inst, load: u32, taken: &mut [bool]) -> bool {
    match (user.op, &user.args[..]) {
        (Op::CompositeExtract, &[from, at]) if from == load => take(at, taken),
        // a second operand of which nothing is known may be the same
        (Op::VectorShuffle, &[from, other, ref picks @ ..]) if from == load && other != load => {
            for &pick in picks {
                take(pick, taken);
            }
            true
        }
        _ => false,
    }
}

fn take(at: u32, taken: &mut [bool]) -> bool {
    taken.get_mut(at as usize).is_some_and(|one| {
        *one = true;
        true
    })
}
