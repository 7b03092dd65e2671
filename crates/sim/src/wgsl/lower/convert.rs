//! Conversions between scalar types, and bit casts.

use super::build::{Lower, Res};
use super::frame::{Frame, Value};
use super::types::scalar_ty;
use crate::ir::{Op, Reg, Ty};
use naga::{Expression, Handle, Scalar, ScalarKind};

impl<'a> Lower<'a> {
    pub fn convert_as(
        &mut self,
        frame: &mut Frame<'a>,
        expr: Handle<Expression>,
        kind: ScalarKind,
        convert: Option<u8>,
    ) -> Res<Value> {
        let value = self.value(frame, expr)?;
        let from = self.scalar_of(frame, expr)?;
        let width = convert.unwrap_or(if from.bits() == 1 { 4 } else { (from.bits() / 8) as u8 });
        let to = scalar_ty(Scalar { kind, width })?;
        value
            .iter()
            .map(|&v| if convert.is_some() { self.convert(from, to, v) } else { self.bitcast(from, to, v) })
            .collect()
    }

    fn bitcast(&mut self, from: Ty, to: Ty, value: Reg) -> Res<Reg> {
        let packed = |ty| matches!(ty, Ty::F16 | Ty::I16 | Ty::U16);
        if from == to || !packed(from) || !packed(to) {
            return Ok(value);
        }
        self.emit(Op::Bitcast(from, to), to, &[value])
    }
}
