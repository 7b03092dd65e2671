//! Whether what an entry point does may depend on how many lanes a subgroup has.

use super::decode::Inst;
use super::types::Types;
use super::uses::{reached, used};
use spirv::{BuiltIn, Decoration, Op, Scope};

/// Whether an entry point, or a function that it calls, has operations or barriers of subgroups, or reads a built-in
/// that tells of them.
pub fn used_by(types: Types, function: u32) -> bool {
    let module = types.module;
    let works = |inst: &Inst| inst.args.first().is_some_and(|scope| works(types, inst.op, *scope));
    let named = used(module, function);
    let mut variables = module.variables.iter().filter(|v| named.contains(&v.id));
    reached(module, function).iter().flat_map(|f| &f.blocks).flat_map(|b| &b.insts).any(works)
        || variables.any(|v| module.number(v.id, Decoration::BuiltIn).is_some_and(tells))
}

/// Whether lanes of a subgroup do this together.
fn works(types: Types, op: Op, scope: u32) -> bool {
    let name = format!("{op:?}");
    let scoped = op == Op::ControlBarrier || name.starts_with("Group");
    let among = types.consts.u32(scope).is_ok_and(|scope| scope == Scope::Subgroup as u32);
    scoped && among || name.starts_with("Subgroup")
}

/// Whether a built-in depends on how wide subgroups are.
fn tells(built_in: u32) -> bool {
    BuiltIn::from_u32(built_in).is_some_and(|b| format!("{b:?}").contains("Subgroup"))
}
