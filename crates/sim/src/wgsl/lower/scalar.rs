//! Operators: unary and binary, on scalars, vectors and matrices.

use super::build::{Lower, Res};
use super::frame::{Frame, Value};
use crate::emit::comparison;
use crate::ir::{Bin, Op, Reg, Ty, Un};
use naga::{BinaryOperator, Expression, Handle, TypeInner, UnaryOperator};

impl<'a> Lower<'a> {
    pub fn unary(
        &mut self,
        frame: &mut Frame<'a>,
        op: UnaryOperator,
        expr: Handle<Expression>,
    ) -> Res<Value> {
        let ty = self.scalar_of(frame, expr)?;
        let un = match op {
            UnaryOperator::Negate => Un::Neg,
            UnaryOperator::LogicalNot | UnaryOperator::BitwiseNot => Un::Not,
        };
        let value = self.value(frame, expr)?;
        value.iter().map(|&v| self.emit(Op::Un(un, ty), ty, &[v])).collect()
    }

    pub fn binary(
        &mut self,
        frame: &mut Frame<'a>,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Res<Value> {
        let (a, b) = (self.value(frame, left)?, self.value(frame, right)?);
        let ty = self.scalar_of(frame, left)?;
        if op == BinaryOperator::Multiply {
            let (l, r) = (self.ty(frame, left), self.ty(frame, right));
            if let Some(value) = self.matrix_product(l, r, ty, &a, &b)? {
                return Ok(value);
            }
        }
        let bin = self.operator(op, &b);
        let out = if comparison(bin) { Ty::Bool } else { ty };
        self.zip(Op::Bin(bin, ty), out, &a, &b)
    }

    /// Shifts by constants in range need no check while running.
    fn operator(&self, op: BinaryOperator, right: &[Reg]) -> Bin {
        let in_range = right.iter().all(|&r| {
            // the width of the left side is at least 16 bits; wider shifts are checked
            self.known(r).is_some_and(|bits| bits < 16)
        });
        match op {
            BinaryOperator::Add => Bin::Add,
            BinaryOperator::Subtract => Bin::Sub,
            BinaryOperator::Multiply => Bin::Mul,
            BinaryOperator::Divide => Bin::Div,
            BinaryOperator::Modulo => Bin::Rem,
            BinaryOperator::Equal => Bin::Eq,
            BinaryOperator::NotEqual => Bin::Ne,
            BinaryOperator::Less => Bin::Lt,
            BinaryOperator::LessEqual => Bin::Le,
            BinaryOperator::Greater => Bin::Gt,
            BinaryOperator::GreaterEqual => Bin::Ge,
            BinaryOperator::And | BinaryOperator::LogicalAnd => Bin::And,
            BinaryOperator::ExclusiveOr => Bin::Xor,
            BinaryOperator::InclusiveOr | BinaryOperator::LogicalOr => Bin::Or,
            BinaryOperator::ShiftLeft if in_range => Bin::ShlFixed,
            BinaryOperator::ShiftRight if in_range => Bin::ShrFixed,
            BinaryOperator::ShiftLeft => Bin::Shl,
            BinaryOperator::ShiftRight => Bin::Shr,
        }
    }

    fn matrix_product(
        &mut self,
        left: &TypeInner,
        right: &TypeInner,
        ty: Ty,
        a: &[Reg],
        b: &[Reg],
    ) -> Res<Option<Value>> {
        let row = |r: usize, rows: usize| a.iter().skip(r).step_by(rows).copied().collect::<Vec<_>>();
        let value = match (left, right) {
            (
                TypeInner::Matrix { columns, rows, .. },
                TypeInner::Vector { .. } | TypeInner::Matrix { .. },
            ) => {
                let (columns, rows) = (*columns as usize, *rows as usize);
                let mut out = Vec::new();
                for column in b.chunks(columns) {
                    for r in 0..rows {
                        out.push(self.dot(ty, &row(r, rows), column)?);
                    }
                }
                out
            }
            (TypeInner::Vector { size, .. }, TypeInner::Matrix { .. }) => {
                b.chunks(*size as usize).map(|column| self.dot(ty, a, column)).collect::<Res<_>>()?
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }
}
