//! The signature of a kernel of OpenCL: how each parameter is passed, and what a launch must know of all.

use super::module::{Entry, Module, Type};
use super::subgroups;
use super::types::{Types, broken};
use super::uses::used;
use crate::api::error::RunError;
use crate::api::module::{EntryPoint, ParamInfo};
use crate::emit::Res;
use spirv::{Decoration, FunctionParameterAttribute, StorageClass};

/// How a parameter comes to its kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// Bytes, or the address of a buffer.
    Value,
    /// A struct of this type, by a pointer to a copy of its own.
    Struct(u32),
    /// A pointer to local memory, which no argument gives.
    Local,
}

/// How a parameter of this type is passed.
pub fn passed(types: Types, id: u32, ty: u32) -> Res<Passed> {
    let by_value = FunctionParameterAttribute::ByVal as u32;
    match (class(types, ty), types.module.number(id, Decoration::FuncParamAttr)) {
        (Some(StorageClass::Workgroup), _) => Ok(Passed::Local),
        (Some(StorageClass::Function), Some(attribute)) if attribute == by_value => {
            Ok(Passed::Struct(types.pointee(ty)?))
        }
        (Some(StorageClass::CrossWorkgroup | StorageClass::UniformConstant) | None, _) => Ok(Passed::Value),
        (Some(class), _) => {
            Err(RunError::Unsupported(format!("a parameter that points to {class:?} memory")))
        }
    }
}

/// The kind of memory that a pointer points to.
pub fn class(types: Types, ty: u32) -> Option<StorageClass> {
    match types.get(ty) {
        Ok(Type::Pointer { class, .. }) => Some(*class),
        _ => None,
    }
}

/// What a variable or a parameter is called: `tile` of the kernel `k` is `k.tile`.
pub fn name(module: &Module, id: u32) -> String {
    let name = module.names.get(&id).cloned().unwrap_or_default();
    match name.rsplit_once('.') {
        Some((_, own)) if !own.is_empty() && !own.starts_with(|c: char| c.is_ascii_digit()) => own.to_owned(),
        _ => name,
    }
}

/// A kernel as launches see it.
pub fn describe(types: Types, entry: &Entry) -> Res<EntryPoint> {
    let module = types.module;
    let function = module.functions.get(&entry.function);
    let function = function.ok_or_else(|| broken(format!("%{} is not a function", entry.function)))?;
    let mut params = Vec::new();
    let mut local = 0;
    for &(id, ty) in &function.params {
        let of = match passed(types, id, ty)? {
            Passed::Local => {
                local += 1;
                continue;
            }
            Passed::Struct(of) => of,
            Passed::Value => ty,
        };
        params.push(ParamInfo { name: name(module, id), size: types.spaced(of)?, align: 16 });
    }
    let used = used(module, entry.function);
    let shared = module.variables.iter().filter(|v| used.contains(&v.id));
    let shared = shared.filter(|v| v.arg(0) == StorageClass::Workgroup as u32);
    let size = |ty: u32| types.held(types.pointee(ty)?);
    Ok(EntryPoint {
        name: entry.name.clone(),
        workgroup: entry.size.unwrap_or([0; 3]),
        locals: local,
        subgroups: subgroups::used_by(types, entry.function),
        subgroup: entry.subgroup,
        params,
        shared: shared.fold(0u32, |sum, v| sum.saturating_add(size(v.ty).unwrap_or(0))),
        ..EntryPoint::default()
    })
}
