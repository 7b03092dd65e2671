//! Expressions: values taken apart into scalars.

use super::build::{Lower, Res};
use super::frame::{Frame, Item, Value};
use super::types::scalar_ty;
use crate::api::error::RunError;
use crate::ir::{AtomicFun, Op, Reg, Special, Ty, Un};
use naga::{BuiltIn, Expression, FunctionArgument, Handle, Literal, RelationalFunction, TypeInner};

impl<'a> Lower<'a> {
    /// Evaluates the expressions of an `Emit`.
    pub fn emit_range(&mut self, frame: &mut Frame<'a>, range: naga::Range<Expression>) -> Res<()> {
        for handle in range {
            self.locate(frame.function.expressions.get_span(handle));
            frame.items.remove(&handle); // a case that another fell through to is lowered twice
            let item = self.evaluate(frame, handle)?;
            frame.items.insert(handle, item);
        }
        Ok(())
    }

    /// A value or a pointer, evaluated now if it is not yet.
    pub fn item(&mut self, frame: &mut Frame<'a>, handle: Handle<Expression>) -> Res<Item> {
        if let Some(item) = frame.items.get(&handle) {
            return Ok(item.clone());
        }
        let item = self.evaluate(frame, handle)?;
        frame.items.insert(handle, item.clone());
        Ok(item)
    }

    pub fn value(&mut self, frame: &mut Frame<'a>, handle: Handle<Expression>) -> Res<Value> {
        match self.item(frame, handle)? {
            Item::Value(value) => Ok(value),
            Item::Place(_) => Err(RunError::Unsupported("a pointer is used as a value".into())),
        }
    }

    /// The one scalar of a value.
    pub fn one(&mut self, frame: &mut Frame<'a>, handle: Handle<Expression>) -> Res<Reg> {
        let value = self.value(frame, handle)?;
        value.first().copied().ok_or_else(|| RunError::Unsupported("a value without scalars".into()))
    }

    /// The type of an expression.
    pub fn ty(&self, frame: &Frame<'a>, handle: Handle<Expression>) -> &'a TypeInner {
        frame.info[handle].ty.inner_with(&self.module.types)
    }

    /// The scalar type of an expression whose scalars are all the same.
    pub fn scalar_of(&self, frame: &Frame<'a>, handle: Handle<Expression>) -> Res<Ty> {
        match *self.ty(frame, handle) {
            TypeInner::Scalar(scalar)
            | TypeInner::Atomic(scalar)
            | TypeInner::Vector { scalar, .. }
            | TypeInner::Matrix { scalar, .. } => scalar_ty(scalar),
            ref other => Err(super::types::unsupported(other)),
        }
    }

    fn evaluate(&mut self, frame: &mut Frame<'a>, handle: Handle<Expression>) -> Res<Item> {
        let expression = &frame.function.expressions[handle];
        Ok(Item::Value(match *expression {
            Expression::GlobalVariable(_)
            | Expression::LocalVariable(_)
            | Expression::Access { .. }
            | Expression::AccessIndex { .. } => return self.access(frame, expression),
            Expression::FunctionArgument(index) => return Ok(frame.arguments[index as usize].clone()),
            Expression::Literal(literal) => vec![self.literal(literal)?],
            Expression::Constant(constant) => self.global_value(self.module.constants[constant].init)?,
            Expression::ZeroValue(ty) => self.zero(ty)?,
            Expression::Compose { ref components, .. } => {
                let mut value = Vec::new();
                for &component in components {
                    value.extend(self.value(frame, component)?);
                }
                value
            }
            Expression::Splat { size, value } => vec![self.one(frame, value)?; size as usize],
            Expression::Swizzle { size, vector, pattern } => {
                let vector = self.value(frame, vector)?;
                pattern[..size as usize].iter().map(|&c| vector[c as usize]).collect()
            }
            Expression::Load { pointer } => {
                let place = self.pointer(frame, pointer)?;
                let inner = self.pointee(frame, pointer)?;
                match inner {
                    TypeInner::Atomic(scalar) => {
                        let ty = scalar_ty(scalar)?;
                        let dst = self.prog.reg(ty, false);
                        self.push_atomic(&place, AtomicFun::Load, ty, &[], &[dst])?;
                        vec![dst]
                    }
                    _ => self.load_leaves(&place, &inner)?,
                }
            }
            Expression::Unary { op, expr } => self.unary(frame, op, expr)?,
            Expression::Binary { op, left, right } => self.binary(frame, op, left, right)?,
            Expression::Select { condition, accept, reject } => {
                let condition = self.value(frame, condition)?;
                let (yes, no) = (self.value(frame, accept)?, self.value(frame, reject)?);
                self.select(&condition, &yes, &no)?
            }
            Expression::Relational { fun, argument } => self.relational(frame, fun, argument)?,
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                self.math(frame, fun, [Some(arg), arg1, arg2, arg3])?
            }
            Expression::As { expr, kind, convert } => self.convert_as(frame, expr, kind, convert)?,
            Expression::ArrayLength(pointer) => vec![self.array_length(frame, pointer)?],
            _ => {
                let text = format!("the simulator has no {expression:?}");
                return Err(RunError::Unsupported(text.chars().take(120).collect()));
            }
        }))
    }

    pub fn zero(&mut self, ty: Handle<naga::Type>) -> Res<Value> {
        let scalars = self.scalars(&self.module.types[ty].inner)?;
        Ok(scalars.into_iter().map(|ty| self.constant(ty, 0)).collect())
    }

    pub fn literal(&mut self, literal: Literal) -> Res<Reg> {
        let (ty, bits) = match literal {
            Literal::F64(v) => (Ty::F64, v.to_bits()),
            Literal::F32(v) => (Ty::F32, u64::from(v.to_bits())),
            Literal::F16(v) => (Ty::F16, u64::from(v.to_f32().to_bits())),
            Literal::U16(v) => (Ty::U16, u64::from(v)),
            Literal::I16(v) => (Ty::I16, u64::from(i32::from(v) as u32)),
            Literal::U32(v) => (Ty::U32, u64::from(v)),
            Literal::I32(v) => (Ty::I32, u64::from(v as u32)),
            Literal::U64(v) => (Ty::U64, v),
            Literal::I64(v) => (Ty::I64, v as u64),
            Literal::Bool(v) => (Ty::Bool, u64::from(v)),
            Literal::AbstractInt(_) | Literal::AbstractFloat(_) => {
                return Err(RunError::Unsupported("a literal without a concrete type".into()));
            }
        };
        Ok(self.constant(ty, bits))
    }

    /// The value of a constant expression of the module.
    pub fn global_value(&mut self, handle: Handle<Expression>) -> Res<Value> {
        Ok(match self.module.global_expressions[handle] {
            Expression::Literal(literal) => vec![self.literal(literal)?],
            Expression::Constant(constant) => self.global_value(self.module.constants[constant].init)?,
            Expression::ZeroValue(ty) => self.zero(ty)?,
            Expression::Splat { size, value } => vec![self.global_value(value)?[0]; size as usize],
            Expression::Compose { ref components, .. } => {
                let mut value = Vec::new();
                for &component in components {
                    value.extend(self.global_value(component)?);
                }
                value
            }
            ref other => {
                let text = format!("a constant that naga did not evaluate: {other:?}");
                return Err(RunError::Unsupported(text.chars().take(120).collect()));
            }
        })
    }

    fn relational(
        &mut self,
        frame: &mut Frame<'a>,
        fun: RelationalFunction,
        argument: Handle<Expression>,
    ) -> Res<Value> {
        let value = self.value(frame, argument)?;
        let un = match fun {
            RelationalFunction::All | RelationalFunction::Any => {
                let op =
                    if fun == RelationalFunction::All { crate::ir::Bin::And } else { crate::ir::Bin::Or };
                return Ok(vec![self.fold(op, Ty::Bool, &value)?]);
            }
            RelationalFunction::IsNan => Un::IsNan,
            RelationalFunction::IsInf => Un::IsInf,
        };
        let ty = self.scalar_of(frame, argument)?;
        value.iter().map(|&v| self.emit(Op::Un(un, ty), Ty::Bool, &[v])).collect()
    }

    /// The built-in values that an argument of the entry point names.
    pub fn builtin_argument(&mut self, argument: &FunctionArgument) -> Res<Value> {
        let builtin = match &argument.binding {
            Some(naga::Binding::BuiltIn(builtin)) => *builtin,
            Some(_) => return Err(RunError::Unsupported("a compute shader has no @location inputs".into())),
            None => {
                let TypeInner::Struct { members, .. } = &self.module.types[argument.ty].inner else {
                    return Err(RunError::Unsupported(
                        "an argument of the entry point is not a built-in value".into(),
                    ));
                };
                let mut value = Vec::new();
                for member in members {
                    let member =
                        FunctionArgument { name: None, ty: member.ty, binding: member.binding.clone() };
                    if member.binding.is_none() {
                        return Err(RunError::Unsupported(
                            "a member of an argument is not a built-in value".into(),
                        ));
                    }
                    value.extend(self.builtin_argument(&member)?);
                }
                return Ok(value);
            }
        };
        let triple = |make: fn(u8) -> Special| vec![make(0), make(1), make(2)];
        let specials = match builtin {
            BuiltIn::GlobalInvocationId => triple(Special::GlobalId),
            BuiltIn::LocalInvocationId => triple(Special::LocalId),
            BuiltIn::LocalInvocationIndex => vec![Special::LocalIndex],
            BuiltIn::WorkGroupId => triple(Special::WorkgroupId),
            BuiltIn::WorkGroupSize => triple(Special::WorkgroupSize),
            BuiltIn::NumWorkGroups => triple(Special::NumWorkgroups),
            BuiltIn::NumSubgroups => vec![Special::NumSubgroups],
            BuiltIn::SubgroupId => vec![Special::SubgroupId],
            BuiltIn::SubgroupSize => vec![Special::SubgroupSize],
            BuiltIn::SubgroupInvocationId => vec![Special::SubgroupLane],
            other => return Err(RunError::Unsupported(format!("a compute shader has no {other:?}"))),
        };
        specials.into_iter().map(|s| self.emit(Op::Special(s), Ty::U32, &[])).collect()
    }
}
