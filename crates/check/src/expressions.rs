//! The expressions of a contract: parsed once, when the kernel is loaded, and asked for what they say in a case.

use std::collections::HashMap;

use ktwin_lang::{Case as OpCase, Diagnostic, Expression, Value};

use crate::contract::{Define, Expr};
use crate::device::Constant;
use crate::kernel::Kernel;
use crate::places::Place;
use crate::scalars;

/// The expressions of a contract by their texts; what cannot be parsed is left out, and `sound` says why.
#[derive(Clone, Debug, Default)]
pub struct Compiled(HashMap<String, Expression>);

impl Compiled {
    /// Those of a kernel.
    pub fn of(kernel: &Kernel) -> Compiled {
        let parsed = |expr: &Expr| Some((expr.text.clone(), kernel.expression(expr).ok()?));
        Compiled(kernel.contract.expressions().filter_map(parsed).collect())
    }
}

impl Kernel {
    /// An expression of the contract, checked.
    pub(crate) fn expression(&self, expr: &Expr) -> Result<Expression, Box<Diagnostic>> {
        if let Some(known) = self.compiled.0.get(&expr.text) {
            return Ok(known.clone());
        }
        let text = self.with_constants(&expr.text);
        let counters = self.contract.counters().into_iter().map(str::to_owned);
        let beside: Vec<String> = counters.chain(self.places.iter().map(Place::name)).collect();
        Expression::parse(&self.op, &beside, &self.file, &text).map_err(|mut d| {
            // the parser saw the expression alone: back to its place in the file
            if text != expr.text {
                (d.column, d.width) = (1, expr.text.chars().count());
            }
            d.column = match d.line {
                1 => d.column + expr.spot.column - 1,
                _ => d.column,
            };
            d.line += expr.spot.line - 1;
            d.source = self.text.lines().nth(d.line - 1).unwrap_or("").to_string();
            Box::new(d)
        })
    }

    /// An expression with the constants that `define` names in their places; one set by its number has no name.
    fn with_constants(&self, text: &str) -> String {
        let own = |name: &str| {
            let known =
                self.op.dims.iter().any(|d| d.name == name) || self.op.scalars.iter().any(|s| s.name == name);
            let free = !known && !name.starts_with(|c: char| c.is_ascii_digit());
            let found = self.contract.define.iter().find(|(other, _)| free && other.text == name);
            found.and_then(|(_, define)| define.value()).map(|expr| format!("({})", expr.text))
        };
        let mut text = text.to_owned();
        // constants may be made of others; one that is made of itself stays unknown
        for _ in 0..4 {
            let word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
            let mut out = String::new();
            let mut rest = text.as_str();
            while let Some(start) = rest.find(word) {
                let len = rest[start..].find(|c| !word(c)).unwrap_or(rest.len() - start);
                let name = &rest[start..start + len];
                out.push_str(&rest[..start]);
                out.push_str(&own(name).unwrap_or_else(|| name.to_owned()));
                rest = &rest[start + len..];
            }
            out.push_str(rest);
            if out == text || out.len() > 4096 {
                break;
            }
            text = out;
        }
        text
    }

    /// What a compile-time constant is in a case.
    pub(crate) fn constant(&self, define: &Define, at: &OpCase) -> Result<Constant, String> {
        match define {
            Define::Value(expr) => Ok(Constant::Number(scalars::as_number(self.value(expr, at)?))),
            Define::Text(text, _) => Ok(Constant::Text(text.clone())),
        }
    }

    /// What an expression of the contract says in a case.
    pub fn value(&self, expr: &Expr, at: &OpCase) -> Result<Value, String> {
        self.value_of(expr, &at.dims, &at.scalars)
    }

    /// The same where more is known: the numbers of the chain's counters and, after them, where tensors lie, in the
    /// order of [`Kernel::places`].
    pub(crate) fn value_beside(&self, expr: &Expr, at: &OpCase, beside: &[Value]) -> Result<Value, String> {
        self.value_of(expr, &at.dims, &[&at.scalars, beside].concat())
    }

    /// What an expression of the contract says at these sizes and scalars, in the op's order.
    pub(crate) fn value_of(&self, expr: &Expr, dims: &[i64], scalars: &[Value]) -> Result<Value, String> {
        let value = self.compiled.0.get(&expr.text).and_then(|parsed| parsed.value(dims, scalars));
        value.ok_or_else(|| format!("`{}` has no value here (line {})", expr.text, expr.spot.line))
    }

    /// What an expression says that must be a whole number.
    pub fn whole(&self, expr: &Expr, at: &OpCase) -> Result<i64, String> {
        self.whole_beside(expr, at, &[])
    }

    /// The same where more is known.
    pub(crate) fn whole_beside(&self, expr: &Expr, at: &OpCase, beside: &[Value]) -> Result<i64, String> {
        match self.value_beside(expr, at, beside)? {
            Value::Int(v) => Ok(v),
            Value::Real(v) if v.fract() == 0.0 && v.abs() < 9e15 => Ok(v as i64),
            other => {
                let Expr { text, spot } = expr;
                let hint = if matches!(other, Value::Real(_)) {
                    format!(": write ceil({text}) or `//`")
                } else {
                    String::new()
                };
                Err(format!("`{text}` is {other} here (line {}), but must be whole{hint}", spot.line))
            }
        }
    }
}
