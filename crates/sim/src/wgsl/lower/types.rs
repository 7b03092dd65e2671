//! What naga's types look like in registers and in memory.

use super::build::{Lower, Res};
use crate::api::error::RunError;
pub use crate::emit::Leaf;
use crate::ir::Ty;
use naga::{ArraySize, Handle, Scalar, ScalarKind, TypeInner};

/// The most registers that one value may take.
const LARGEST_VALUE: usize = 1 << 14;

/// The register type of a scalar.
pub fn scalar_ty(scalar: Scalar) -> Res<Ty> {
    Ok(match (scalar.kind, scalar.width) {
        (ScalarKind::Bool, _) => Ty::Bool,
        (ScalarKind::Sint, 2) => Ty::I16,
        (ScalarKind::Sint, 4) => Ty::I32,
        (ScalarKind::Sint, 8) => Ty::I64,
        (ScalarKind::Uint, 2) => Ty::U16,
        (ScalarKind::Uint, 4) => Ty::U32,
        (ScalarKind::Uint, 8) => Ty::U64,
        (ScalarKind::Float, 2) => Ty::F16,
        (ScalarKind::Float, 4) => Ty::F32,
        (ScalarKind::Float, 8) => Ty::F64,
        (kind, width) => {
            return Err(RunError::Unsupported(format!("the simulator has no {kind:?} of {width} bytes")));
        }
    })
}

impl Lower<'_> {
    /// The scalars of a type in memory, in order, starting at `offset`.
    pub fn leaves(&self, inner: &TypeInner, offset: u32) -> Res<Vec<Leaf>> {
        let mut out = Vec::new();
        self.add_leaves(inner, offset, &mut out)?;
        Ok(out)
    }

    fn add_leaves(&self, inner: &TypeInner, offset: u32, out: &mut Vec<Leaf>) -> Res<()> {
        if out.len() > LARGEST_VALUE {
            let text = format!("a value of more than {LARGEST_VALUE} scalars is held in registers: use less");
            return Err(RunError::Limit(text));
        }
        match *inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => {
                out.push(Leaf::new(offset, scalar_ty(scalar)?));
            }
            TypeInner::Vector { size, scalar } => {
                for i in 0..size as u32 {
                    out.push(Leaf::new(offset + i * u32::from(scalar.width), scalar_ty(scalar)?));
                }
            }
            TypeInner::Matrix { columns, rows, scalar } => {
                for c in 0..columns as u32 {
                    let column = offset + c * self.column_stride(rows, scalar);
                    self.add_leaves(&TypeInner::Vector { size: rows, scalar }, column, out)?;
                }
            }
            TypeInner::Array { base, size, stride } => {
                for i in 0..self.array_len(size)? {
                    let base = &self.module.types[base].inner;
                    self.add_leaves(base, offset.saturating_add(i.saturating_mul(stride)), out)?;
                }
            }
            TypeInner::Struct { ref members, .. } => {
                for member in members {
                    let base = &self.module.types[member.ty].inner;
                    self.add_leaves(base, offset.saturating_add(member.offset), out)?;
                }
            }
            ref other => return Err(unsupported(other)),
        }
        Ok(())
    }

    /// Bytes from one column of a matrix to the next.
    pub fn column_stride(&self, rows: naga::VectorSize, scalar: Scalar) -> u32 {
        let rows = if rows as u32 == 3 { 4 } else { rows as u32 };
        rows * u32::from(scalar.width)
    }

    /// How many scalars a value of the type has.
    pub fn width_of(&self, inner: &TypeInner) -> Res<usize> {
        Ok(match *inner {
            TypeInner::Scalar(_) | TypeInner::Atomic(_) => 1,
            TypeInner::Vector { size, .. } => size as usize,
            TypeInner::Matrix { columns, rows, .. } => columns as usize * rows as usize,
            TypeInner::Array { base, size, .. } => {
                let each = self.width_of(&self.module.types[base].inner)?;
                each.saturating_mul(self.array_len(size)? as usize)
            }
            TypeInner::Struct { ref members, .. } => {
                let mut sum = 0usize;
                for member in members {
                    sum = sum.saturating_add(self.width_of(&self.module.types[member.ty].inner)?);
                }
                sum
            }
            ref other => return Err(unsupported(other)),
        })
    }

    /// The register types of a value, one a scalar.
    pub fn scalars(&self, inner: &TypeInner) -> Res<Vec<Ty>> {
        if self.width_of(inner)? > LARGEST_VALUE {
            let text = format!("a value of more than {LARGEST_VALUE} scalars is held in registers: use less");
            return Err(RunError::Limit(text));
        }
        Ok(self.leaves(inner, 0)?.into_iter().map(|leaf| leaf.ty).collect())
    }

    /// The length of an array; 0 where it is open.
    pub fn array_len(&self, size: ArraySize) -> Res<u32> {
        match size.resolve(self.module.to_ctx()) {
            Ok(naga::proc::IndexableLength::Known(len)) => Ok(len),
            Ok(naga::proc::IndexableLength::Dynamic) => Ok(0),
            Err(error) => Err(RunError::Launch(error.to_string())),
        }
    }

    /// Bytes of a type in memory.
    pub fn size_of(&self, ty: Handle<naga::Type>) -> u32 {
        self.layouter[ty].size
    }

    /// The element type of an indexable type, as (its inner type, how many, bytes between).
    pub fn element(&self, inner: &TypeInner) -> Res<(TypeInner, u32, u32)> {
        Ok(match *inner {
            TypeInner::Vector { size, scalar } => {
                (TypeInner::Scalar(scalar), size as u32, u32::from(scalar.width))
            }
            TypeInner::Matrix { columns, rows, scalar } => {
                let stride = self.column_stride(rows, scalar);
                (TypeInner::Vector { size: rows, scalar }, columns as u32, stride)
            }
            TypeInner::Array { base, size, stride } => {
                (self.module.types[base].inner.clone(), self.array_len(size)?, stride)
            }
            ref other => return Err(unsupported(other)),
        })
    }
}

/// The refusal of a type.
pub fn unsupported(inner: &TypeInner) -> RunError {
    let what = match inner {
        TypeInner::Image { .. } => "textures",
        TypeInner::Sampler { .. } => "samplers",
        TypeInner::BindingArray { .. } => "arrays of bindings",
        TypeInner::AccelerationStructure { .. } | TypeInner::RayQuery { .. } => "ray queries",
        TypeInner::CooperativeMatrix { .. } => "cooperative matrices",
        TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. } => "pointers inside of values",
        _ => "values of this type",
    };
    RunError::Unsupported(format!("the simulator has no {what}: compute with buffers"))
}
