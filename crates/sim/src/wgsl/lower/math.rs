//! Built-in functions: which instructions each one is.

use super::build::{Lower, Res};
use super::frame::{Frame, Value};
use crate::api::error::RunError;
use naga::{Expression, Handle, MathFunction as M, TypeInner};

impl<'a> Lower<'a> {
    pub fn math(
        &mut self,
        frame: &mut Frame<'a>,
        fun: M,
        arguments: [Option<Handle<Expression>>; 4],
    ) -> Res<Value> {
        let mut args: Vec<Value> = Vec::new();
        for argument in arguments.into_iter().flatten() {
            args.push(self.value(frame, argument)?);
        }
        let first =
            arguments[0].ok_or_else(|| RunError::Unsupported("a function without arguments".into()))?;
        let ty = self.scalar_of(frame, first)?;
        let rows = match *self.ty(frame, first) {
            TypeInner::Matrix { rows, .. } => rows as usize,
            _ => 1,
        };
        let value = self.function_of(fun, ty, rows, &args)?;
        value.ok_or_else(|| RunError::Unsupported(format!("the simulator has no built-in {fun:?}")))
    }
}
