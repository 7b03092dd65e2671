//! What functions do with variables: which they name, which they index while running, which are only tables.

use super::module::{Function, Module};
use spirv::Op;
use std::collections::{HashMap, HashSet};

/// A function and all that it calls, each once.
pub fn reached(module: &Module, function: u32) -> Vec<&Function> {
    let (mut out, mut seen) = (Vec::new(), HashSet::new());
    let mut stack = vec![function];
    while let Some(id) = stack.pop() {
        let Some(function) = module.functions.get(&id).filter(|_| seen.insert(id)) else { continue };
        let insts = function.blocks.iter().flat_map(|block| &block.insts);
        stack.extend(insts.filter(|inst| inst.op == Op::FunctionCall).map(|inst| inst.arg(0)));
        out.push(function);
    }
    out
}

/// The ids that a function and those that it calls name.
pub fn used(module: &Module, function: u32) -> HashSet<u32> {
    let blocks = reached(module, function).into_iter().flat_map(|function| &function.blocks);
    blocks.flat_map(|block| &block.insts).flat_map(|inst| inst.args.iter().copied()).collect()
}

/// Variables in which something is chosen by an index that is not constant, or whose address a call passes on.
pub fn indexed(module: &Module) -> HashSet<u32> {
    let constants: HashSet<u32> = module.constants.iter().map(|inst| inst.id).collect();
    let mut out = HashSet::new();
    for function in module.functions.values() {
        let mut roots: HashMap<u32, u32> = HashMap::new();
        for inst in function.blocks.iter().flat_map(|block| &block.insts) {
            let root = |id: u32| roots.get(&id).copied().unwrap_or(id);
            match inst.op {
                Op::AccessChain
                | Op::InBoundsAccessChain
                | Op::PtrAccessChain
                | Op::InBoundsPtrAccessChain => {
                    let from = root(inst.arg(0));
                    if inst.args.iter().skip(1).any(|index| !constants.contains(index)) {
                        out.insert(from);
                    }
                    roots.insert(inst.id, from);
                }
                Op::FunctionCall => out.extend(inst.args.iter().skip(1).map(|&arg| root(arg))),
                _ => {}
            }
        }
    }
    out
}

/// Variables that hold one constant from their first use on: what it is.
pub fn tables(module: &Module) -> HashMap<u32, u32> {
    let constants: HashSet<u32> = module.constants.iter().map(|inst| inst.id).collect();
    let mut held: HashMap<u32, Option<u32>> = HashMap::new();
    let mut hold = |variable: u32, value: Option<u32>| {
        let value = value.filter(|id| constants.contains(id));
        held.entry(variable)
            .and_modify(|before| *before = before.filter(|_| *before == value))
            .or_insert(value);
    };
    for inst in &module.variables {
        if let Some(&init) = inst.args.get(1) {
            hold(inst.id, Some(init));
        }
    }
    for function in module.functions.values() {
        stores(function, &mut hold);
    }
    held.into_iter().filter_map(|(variable, value)| Some((variable, value?))).collect()
}

/// Tells of everything that a function writes to variables.
fn stores(function: &Function, hold: &mut impl FnMut(u32, Option<u32>)) {
    let mut roots: HashMap<u32, u32> = HashMap::new();
    for inst in function.blocks.iter().flat_map(|block| &block.insts) {
        let root = |id: u32| roots.get(&id).copied().unwrap_or(id);
        match inst.op {
            Op::Variable => {
                if let Some(&init) = inst.args.get(1) {
                    hold(inst.id, Some(init));
                }
            }
            Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                roots.insert(inst.id, root(inst.arg(0)));
            }
            Op::Load | Op::ArrayLength => {}
            Op::Store => {
                let whole = root(inst.arg(0)) == inst.arg(0);
                hold(root(inst.arg(0)), Some(inst.arg(1)).filter(|_| whole));
                hold(root(inst.arg(1)), None);
            }
            // whatever else names a variable may write to it
            _ => inst.args.iter().for_each(|&id| hold(root(id), None)),
        }
    }
}
