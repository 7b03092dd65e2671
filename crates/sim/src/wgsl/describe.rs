//! What a module says of itself: entry points, bindings, overrides.

use super::Wgsl;
use crate::api::module::{BindingInfo, BindingKind, EntryPoint, Held, OverrideInfo};
use naga::proc::Layouter;
use naga::{
    AddressSpace, ArraySize, Binding, BuiltIn, Expression, Function, GlobalVariable, Module, ScalarKind,
    ShaderStage, StorageAccess, TypeInner,
};

pub fn overrides(parsed: &Wgsl) -> Vec<OverrideInfo> {
    let all = parsed.module.overrides.iter();
    all.map(|(_, o)| OverrideInfo {
        name: o.name.clone().unwrap_or_default(),
        id: o.id,
        required: o.init.is_none(),
    })
    .collect()
}

pub fn entry_points(parsed: &Wgsl) -> Vec<EntryPoint> {
    let module = &parsed.module;
    let mut layouter = Layouter::default();
    let sized = layouter.update(module.to_ctx()).is_ok();
    let mut out = Vec::new();
    for (i, point) in module.entry_points.iter().enumerate() {
        if point.stage != ShaderStage::Compute {
            continue;
        }
        let uses = parsed.info.get_entry_point(i);
        let subgroups = uses_subgroups(module, &point.function);
        let (name, workgroup) = (point.name.clone(), point.workgroup_size);
        let mut entry = EntryPoint { name, workgroup, subgroups, ..EntryPoint::default() };
        for (handle, var) in module.global_variables.iter() {
            if uses[handle].is_empty() {
                continue;
            }
            let size = if sized { layouter[var.ty].size } else { 0 };
            let kind = match var.space {
                AddressSpace::WorkGroup => {
                    entry.shared += size;
                    continue;
                }
                AddressSpace::Immediate => {
                    entry.push = size;
                    entry.pushed = holds(module, &module.types[var.ty].inner);
                    continue;
                }
                AddressSpace::Uniform => BindingKind::Uniform,
                AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => {
                    BindingKind::ReadWrite
                }
                AddressSpace::Storage { .. } => BindingKind::Read,
                _ => continue,
            };
            let Some(binding) = var.binding else { continue };
            entry.bindings.push(BindingInfo {
                name: name_of(module, var),
                group: binding.group,
                binding: binding.binding,
                kind,
                min_size: u64::from(size),
                stride: open_stride(module, &module.types[var.ty].inner),
                holds: holds(module, &module.types[var.ty].inner),
            });
        }
        entry.bindings.sort_by_key(|b| (b.group, b.binding));
        out.push(entry);
    }
    out
}

/// Whether an entry point, or any function that it could call, has operations of subgroups or reads their size.
fn uses_subgroups(module: &Module, entry: &Function) -> bool {
    let results = |f: &Function| {
        let mut all = f.expressions.iter();
        all.any(|(_, e)| {
            matches!(e, Expression::SubgroupBallotResult | Expression::SubgroupOperationResult { .. })
        })
    };
    let arguments = entry.arguments.iter();
    let size = |b: &Option<Binding>| {
        matches!(b, Some(Binding::BuiltIn(BuiltIn::SubgroupSize | BuiltIn::NumSubgroups)))
    };
    results(entry)
        || module.functions.iter().any(|(_, f)| results(f))
        || arguments.into_iter().any(|argument| size(&argument.binding))
}

/// The numbers of a vector; one of anything else.
fn count(inner: &TypeInner) -> u32 {
    if let TypeInner::Vector { size, .. } = inner { *size as u32 } else { 1 }
}

/// The elements of an array, or the members of a struct; a struct of one array is that array.
fn holds(module: &Module, inner: &TypeInner) -> Vec<Held> {
    let of = |name: &Option<String>, ty| {
        let inner = &module.types[ty].inner;
        Held { name: name.clone().unwrap_or_default(), scalar: scalar(module, inner), count: count(inner) }
    };
    match inner {
        TypeInner::Array { base, .. } => vec![of(&None, *base)],
        TypeInner::Struct { members, .. } => match &members[..] {
            [one] if matches!(module.types[one.ty].inner, TypeInner::Array { .. }) => {
                holds(module, &module.types[one.ty].inner)
            }
            all => all.iter().map(|member| of(&member.name, member.ty)).collect(),
        },
        other => vec![Held { name: String::new(), scalar: scalar(module, other), count: count(other) }],
    }
}

/// The number type of a scalar, a vector or a matrix; of an array, that of its elements.
fn scalar(module: &Module, inner: &TypeInner) -> String {
    let found = match inner {
        TypeInner::Scalar(scalar) | TypeInner::Vector { scalar, .. } | TypeInner::Matrix { scalar, .. } => {
            *scalar
        }
        TypeInner::Atomic(scalar) => *scalar,
        TypeInner::Array { base, .. } => return self::scalar(module, &module.types[*base].inner),
        _ => return String::new(),
    };
    let bits = u32::from(found.width) * 8;
    match found.kind {
        ScalarKind::Float => format!("f{bits}"),
        ScalarKind::Sint => format!("i{bits}"),
        ScalarKind::Uint => format!("u{bits}"),
        _ => String::new(),
    }
}

/// Bytes of one element of the runtime-sized array at the end of a type; 0 where there is none.
fn open_stride(module: &naga::Module, inner: &TypeInner) -> u32 {
    match inner {
        TypeInner::Array { size: ArraySize::Dynamic, stride, .. } => *stride,
        TypeInner::Struct { members, .. } => {
            members.last().map_or(0, |m| open_stride(module, &module.types[m.ty].inner))
        }
        _ => 0,
    }
}

/// What a variable is called: by its own name, by its type's where compilers leave it without, or by its place.
pub fn name_of(module: &Module, var: &GlobalVariable) -> String {
    let named = |name: &Option<String>| name.clone().filter(|n| !n.is_empty());
    let place = || var.binding.as_ref().map(|b| format!("binding {}", b.binding));
    named(&var.name).or_else(|| named(&module.types[var.ty].name)).or_else(place).unwrap_or_default()
}
