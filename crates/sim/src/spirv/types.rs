//! What types look like in registers and in memory. Lengths of arrays may come from specialisation constants.

use super::consts::Consts;
use super::module::{Module, Type};
use crate::api::error::RunError;
use crate::emit::{Leaf, Res};
use crate::ir::{Fmt, Ty};
use spirv::{Decoration, Op};

/// The most registers that one value may take.
const LARGEST_VALUE: usize = 1 << 14;
/// Types inside each other at most.
const DEEPEST: u32 = 64;

/// A scalar. Integers of 8 and 16 bits are held in 32, the upper ones zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    Bool,
    Int { width: u32, signed: bool },
    Float { width: u32 },
}

impl Scalar {
    /// The type of the register that holds it.
    pub fn ty(self) -> Ty {
        match self {
            Scalar::Bool => Ty::Bool,
            Scalar::Int { width: 64, signed: true } => Ty::I64,
            Scalar::Int { width: 64, .. } => Ty::U64,
            Scalar::Int { width: 32, signed: true } => Ty::I32,
            Scalar::Int { .. } => Ty::U32,
            Scalar::Float { width: 16 } => Ty::F16,
            Scalar::Float { width: 64 } => Ty::F64,
            Scalar::Float { .. } => Ty::F32,
        }
    }

    pub fn width(self) -> u32 {
        match self {
            Scalar::Bool => 1,
            Scalar::Int { width, .. } | Scalar::Float { width } => width,
        }
    }

    pub fn fmt(self) -> Fmt {
        match self {
            Scalar::Bool | Scalar::Int { width: 8, .. } => Fmt::Byte,
            Scalar::Int { width: 16, .. } => Fmt::UShort,
            Scalar::Float { width: 16 } => Fmt::Half,
            other if other.width() == 64 => Fmt::Wide,
            _ => Fmt::Word,
        }
    }
}

/// How the matrices inside of a place lie, and the components of a vector that is a row's part of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Bytes from one column to the next, or from one row; 0 for one after the other.
    pub stride: u32,
    pub by_rows: bool,
    /// Bytes from one component to the next; 0 for one after the other.
    pub component: u32,
}

/// An element of a composite: its type, how many there are (0: an open end), bytes between them.
pub struct Element {
    pub ty: u32,
    pub len: u32,
    pub stride: u32,
}

impl Element {
    /// Whether there is one of this number.
    pub fn holds(&self, at: u32) -> bool {
        at < self.len || self.len == 0
    }
}

/// The types of a module, with the values of its constants.
#[derive(Clone, Copy)]
pub struct Types<'a> {
    pub module: &'a Module,
    pub consts: &'a Consts,
}

pub fn broken(text: String) -> RunError {
    RunError::Launch(format!("this is not valid SPIR-V: {text}"))
}

impl<'a> Types<'a> {
    pub fn get(&self, ty: u32) -> Res<&'a Type> {
        self.module.ty(ty).map_err(broken)
    }

    /// The scalar of a scalar, a vector or a matrix.
    pub fn scalar(&self, ty: u32) -> Res<Scalar> {
        Ok(match self.get(ty)? {
            Type::Bool => Scalar::Bool,
            Type::Int { width, signed } => Scalar::Int { width: *width, signed: *signed },
            Type::Float { width } => Scalar::Float { width: *width },
            Type::Pointer { .. } if self.module.kernel => Scalar::Int { width: 64, signed: false },
            // of a sampler only its mode is known: images, which it is for, are refused
            Type::Other(Op::TypeSampler) if self.module.kernel => Scalar::Int { width: 32, signed: false },
            Type::Vector { elem, .. } => match self.get(*elem)? {
                Type::Vector { .. } | Type::Matrix { .. } => {
                    return Err(broken(format!("%{ty} is a vector of vectors")));
                }
                _ => self.scalar(*elem)?,
            },
            Type::Matrix { column, .. } => match self.get(*column)? {
                Type::Vector { .. } => self.scalar(*column)?,
                _ => return Err(broken(format!("%{ty} is a matrix of something other than vectors"))),
            },
            other => return Err(unsupported(other)),
        })
    }

    pub fn pointee(&self, ty: u32) -> Res<u32> {
        match self.get(ty)? {
            Type::Pointer { to, .. } => Ok(*to),
            _ => Err(broken(format!("%{ty} is not a pointer type"))),
        }
    }

    /// How many scalars a value has.
    pub fn width(&self, ty: u32) -> Res<usize> {
        let width = self.count(ty, 0)?;
        if width > LARGEST_VALUE {
            let text = format!("a value of more than {LARGEST_VALUE} scalars is held in registers: use less");
            return Err(RunError::Limit(text));
        }
        Ok(width)
    }

    fn count(&self, ty: u32, depth: u32) -> Res<usize> {
        if depth > DEEPEST {
            return Err(broken(format!("types nest deeper than {DEEPEST}")));
        }
        Ok(match self.get(ty)? {
            Type::Bool | Type::Int { .. } | Type::Float { .. } => 1,
            Type::Pointer { .. } | Type::Other(Op::TypeSampler) if self.module.kernel => 1,
            Type::Vector { len, .. } => *len as usize,
            Type::Matrix { column, len } => *len as usize * self.count(*column, depth + 1)?,
            Type::Array { elem, len } => {
                self.count(*elem, depth + 1)?.saturating_mul(self.consts.length(*len)? as usize)
            }
            Type::Open { .. } => 0,
            Type::Struct { members } => {
                let mut sum = 0usize;
                for &member in members {
                    sum = sum.saturating_add(self.count(member, depth + 1)?);
                }
                sum
            }
            other => return Err(unsupported(other)),
        })
    }

    /// The scalars of a value, in order.
    pub fn scalars(&self, ty: u32) -> Res<Vec<Scalar>> {
        let mut out = Vec::new();
        self.width(ty)?;
        self.add_scalars(ty, &mut out)?;
        Ok(out)
    }

    fn add_scalars(&self, ty: u32, out: &mut Vec<Scalar>) -> Res<()> {
        match self.get(ty)? {
            Type::Array { elem, len } => {
                let first = out.len();
                self.add_scalars(*elem, out)?;
                let one = out[first..].to_vec();
                out.truncate(first);
                for _ in 0..self.consts.length(*len)? {
                    out.extend_from_slice(&one);
                }
            }
            Type::Open { .. } => {}
            Type::Struct { members } => {
                for &member in members {
                    self.add_scalars(member, out)?;
                }
            }
            _ => {
                let scalar = self.scalar(ty)?;
                out.extend(std::iter::repeat_n(scalar, self.count(ty, 0)?));
            }
        }
        Ok(())
    }

    /// The scalars of a type in memory, in order, from the place's beginning.
    pub fn leaves(&self, ty: u32, layout: Layout) -> Res<Vec<Leaf>> {
        self.width(ty)?;
        let mut out = Vec::new();
        self.add_leaves(ty, 0, layout, &mut out)?;
        Ok(out)
    }

    fn add_leaves(&self, ty: u32, offset: u32, layout: Layout, out: &mut Vec<Leaf>) -> Res<()> {
        match self.get(ty)? {
            Type::Bool | Type::Int { .. } | Type::Float { .. } | Type::Pointer { .. } => {
                let scalar = self.scalar(ty)?;
                out.push(Leaf { offset, ty: scalar.ty(), fmt: scalar.fmt() });
            }
            Type::Struct { members } => {
                for (i, &member) in members.iter().enumerate() {
                    let (at, layout) = self.member(ty, i as u32)?;
                    self.add_leaves(member, offset.saturating_add(at), layout, out)?;
                }
            }
            Type::Open { .. } => {}
            _ => {
                let (element, inner) = self.element(ty, layout)?;
                for i in 0..element.len {
                    let at = offset.saturating_add(i.saturating_mul(element.stride));
                    self.add_leaves(element.ty, at, inner, out)?;
                }
            }
        }
        Ok(())
    }

    /// The elements of an indexable type in memory, and how what is in them lies.
    pub fn element(&self, ty: u32, layout: Layout) -> Res<(Element, Layout)> {
        Ok(match *self.get(ty)? {
            Type::Vector { elem, len } => {
                let size = self.scalar(ty)?.fmt().bytes();
                let stride = if layout.component == 0 { size } else { layout.component };
                (Element { ty: elem, len, stride }, Layout::default())
            }
            Type::Matrix { column, len } => {
                let scalar = self.scalar(ty)?.fmt().bytes();
                let rows = self.count(column, 0)? as u32;
                let along = if layout.by_rows { len } else { rows };
                let natural = scalar * if along == 3 { 4 } else { along };
                let stride = if layout.stride == 0 { natural } else { layout.stride };
                match layout.by_rows {
                    true => (
                        Element { ty: column, len, stride: scalar },
                        Layout { component: stride, ..Layout::default() },
                    ),
                    false => (Element { ty: column, len, stride }, Layout::default()),
                }
            }
            Type::Array { elem, len } => {
                let len = self.consts.length(len)?;
                (Element { ty: elem, len, stride: self.array_stride(ty, elem)? }, layout)
            }
            Type::Open { elem } => {
                (Element { ty: elem, len: 0, stride: self.array_stride(ty, elem)? }, layout)
            }
            ref other => return Err(unsupported(other)),
        })
    }

    fn array_stride(&self, array: u32, elem: u32) -> Res<u32> {
        match self.module.number(array, Decoration::ArrayStride) {
            Some(stride) => Ok(stride),
            None => self.spaced(elem),
        }
    }

    /// Where a member lies in its struct, and how.
    pub fn member(&self, ty: u32, at: u32) -> Res<(u32, Layout)> {
        let Type::Struct { members } = self.get(ty)? else {
            return Err(broken(format!("%{ty} is not a struct")));
        };
        let layout = Layout {
            stride: self.module.member_number(ty, at, Decoration::MatrixStride).unwrap_or(0),
            by_rows: self.module.member_has(ty, at, Decoration::RowMajor),
            component: 0,
        };
        if let Some(offset) = self.module.member_number(ty, at, Decoration::Offset) {
            return Ok((offset, layout));
        }
        let mut offset = 0u32;
        let packed = self.module.decoration(ty, Decoration::CPacked).is_some();
        for (i, &member) in members.iter().enumerate().take(at as usize + 1) {
            offset = offset.next_multiple_of(if packed { 1 } else { self.align(member)? });
            if i < at as usize {
                offset = offset.saturating_add(self.size(member, Layout::default())?).min(1 << 30);
            }
        }
        Ok((offset, layout))
    }

    /// The alignment of what has no decorated layout: that of its scalars.
    pub fn align(&self, ty: u32) -> Res<u32> {
        Ok(match self.get(ty)? {
            Type::Struct { members } => {
                let mut most = 1;
                let packed = self.module.decoration(ty, Decoration::CPacked).is_some();
                for &member in members.iter().filter(|_| !packed) {
                    most = most.max(self.align(member)?);
                }
                most
            }
            Type::Array { elem, .. } | Type::Open { elem } => self.align(*elem)?,
            Type::Vector { len, .. } if self.module.kernel => {
                len.next_power_of_two() * self.scalar(ty)?.fmt().bytes()
            }
            _ => self.scalar(ty)?.fmt().bytes(),
        })
    }

    /// Bytes from one element of an array of these to the next: what `sizeof` says in OpenCL C.
    pub fn spaced(&self, ty: u32) -> Res<u32> {
        let size = self.size(ty, Layout::default())?;
        Ok(size.checked_next_multiple_of(self.align(ty)?).unwrap_or(u32::MAX))
    }

    /// Bytes of a variable: one of OpenCL is as large as `sizeof` says, a vector of three as one of four.
    pub fn held(&self, ty: u32) -> Res<u32> {
        if self.module.kernel { self.spaced(ty) } else { self.size(ty, Layout::default()) }
    }

    /// Bytes in memory; an open end counts as one element.
    pub fn size(&self, ty: u32, layout: Layout) -> Res<u32> {
        self.count(ty, 0)?;
        Ok(match self.get(ty)? {
            Type::Struct { members } => {
                let mut end = 0;
                for (i, &member) in members.iter().enumerate() {
                    let (at, layout) = self.member(ty, i as u32)?;
                    end = end.max(at.saturating_add(self.size(member, layout)?));
                }
                end
            }
            Type::Bool | Type::Int { .. } | Type::Float { .. } | Type::Pointer { .. } => {
                self.scalar(ty)?.fmt().bytes()
            }
            Type::Matrix { len, .. } if layout.by_rows => {
                let (element, inner) = self.element(ty, layout)?;
                self.size(element.ty, inner)?.saturating_add((len - 1) * element.stride)
            }
            _ => {
                let (element, inner) = self.element(ty, layout)?;
                let last = element.len.max(1) - u32::from(element.len.max(1) > 0);
                last.saturating_mul(element.stride).saturating_add(self.size(element.ty, inner)?)
            }
        })
    }

    /// Bytes of one element of the open array at the end of a type; 0 where there is none.
    pub fn open_stride(&self, ty: u32) -> u32 {
        match self.get(ty) {
            Ok(Type::Open { elem }) => self.array_stride(ty, *elem).unwrap_or(0),
            Ok(Type::Struct { members }) => members.last().map_or(0, |&m| self.open_stride(m)),
            _ => 0,
        }
    }

    pub fn has_array(&self, ty: u32) -> bool {
        match self.get(ty) {
            Ok(Type::Array { .. }) => true,
            Ok(Type::Struct { members }) => members.iter().any(|&m| self.has_array(m)),
            _ => false,
        }
    }
}

/// The refusal of a type.
pub fn unsupported(ty: &Type) -> RunError {
    let what = match ty {
        Type::Other(Op::TypeImage | Op::TypeSampledImage | Op::TypeSampler) => {
            "textures and samplers (OpTypeImage)".into()
        }
        Type::Other(Op::TypeCooperativeMatrixKHR | Op::TypeCooperativeMatrixNV) => {
            "cooperative matrices (OpTypeCooperativeMatrixKHR)".into()
        }
        Type::Other(op) => format!("values of Op{op:?}"),
        Type::Pointer { .. } => "pointers inside of values".into(),
        _ => "values of this type".to_owned(),
    };
    RunError::Unsupported(format!("the simulator has no {what}"))
}
