//! One case as plain data, and as the line of text that repeats it.

use std::fmt;

use ktwin_lang::{Case as OpCase, CaseError, Op, Ty, Value};
use ktwin_num::{Domain, Layout, Regime, did_you_mean};
use serde::{Deserialize, Serialize};

use crate::device::Number;
use crate::json;
use crate::kernel::Kernel;

/// One op at one shape, with scalars, layouts, a regime and a seed. Types come from the contract.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Case {
    /// Sizes of the dimensions that do not follow from others.
    #[serde(with = "json::pairs")]
    #[cfg_attr(test, schemars(with = "std::collections::BTreeMap<String, i64>"))]
    pub dims: Vec<(String, i64)>,
    /// The op's scalars.
    #[serde(with = "json::pairs")]
    #[cfg_attr(test, schemars(with = "std::collections::BTreeMap<String, json::Scalar>"))]
    pub scalars: Vec<(String, Value)>,
    /// How inputs are filled.
    #[serde(serialize_with = "json::out", deserialize_with = "json::back")]
    #[cfg_attr(test, schemars(schema_with = "json::regimes"))]
    pub regime: Regime,
    /// Which input carries the bits in the regime `exact`, the NaN in `nan`: its number among the real ones, and
    /// beyond them which kind of the regime it is (`far`).
    pub chosen: usize,
    /// The seed of the inputs.
    pub seed: u64,
    /// Layouts other than `row`.
    #[serde(with = "json::pairs")]
    #[cfg_attr(test, schemars(with = "std::collections::BTreeMap<String, String>"))]
    pub layouts: Vec<(String, Layout)>,
}

/// The seed of the inputs, whatever scalars the op has.
const OWN_SEED: &str = "case.seed";
/// What says how inputs are made: each stands once.
const DATA: [&str; 4] = ["regime", "chosen", "seed", OWN_SEED];

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // an op may have a scalar of that name
        let own = self.scalars.iter().any(|(name, _)| name == "seed");
        write!(f, "{},{}={}", self.seedless(), if own { OWN_SEED } else { "seed" }, self.seed)
    }
}

impl Case {
    /// Gives a scalar a value, whether it has one or not.
    pub(crate) fn set_scalar(&mut self, name: &str, value: Value) {
        self.scalars.retain(|(other, _)| other != name);
        self.scalars.push((name.to_string(), value));
    }

    /// Its sizes in words.
    pub fn sizes(&self) -> String {
        self.each_size().collect::<Vec<_>>().join(",")
    }

    fn each_size(&self) -> impl Iterator<Item = String> {
        self.dims.iter().map(|(name, size)| format!("{name}={size}"))
    }

    /// The case without its seed, which says all but the numbers in its inputs.
    pub fn seedless(&self) -> String {
        let scalars = self.scalars.iter().map(|(name, value)| format!("{name}={}", short(*value)));
        let mut parts: Vec<String> = self.each_size().chain(scalars).collect();
        parts.push(format!("regime={}", self.regime));
        if self.chosen != 0 {
            parts.push(format!("chosen={}", self.chosen));
        }
        if !self.layouts.is_empty() {
            let each: Vec<String> = self.layouts.iter().map(|(n, l)| format!("{n}:{l}")).collect();
            parts.push(format!("layout={}", each.join("+")));
        }
        parts.join(",")
    }
}

/// Scalars travel as f32: the shortest text that leads back to the same.
pub(crate) fn short(value: Value) -> String {
    match value {
        Value::Real(v) if f64::from(v as f32) == v => format!("{:?}", v as f32),
        other => other.to_string(),
    }
}

impl Case {
    /// Reads a case of a kernel as it is written: `R=4,D=896,eps=1e-5,regime=normal,seed=7,layout=x:strided`.
    pub fn parse(kernel: &Kernel, text: &str) -> Result<Case, String> {
        let mut case = Case::of_op(&kernel.op, text)?;
        for (name, value) in &mut case.scalars {
            *value = crate::scalars::as_passed(kernel, name, *value);
        }
        // what is not named keeps the value that the contract fixes
        for (name, value) in &kernel.contract.fix {
            if let (Some(_), Number::Int(size)) = (kernel.op.dim(name), value)
                && !case.dims.iter().any(|(n, _)| **n == **name)
            {
                case.dims.push((name.text.clone(), *size));
            }
            if kernel.op.scalar(name).is_some() && !case.scalars.iter().any(|(n, _)| **n == **name) {
                case.scalars.push((name.text.clone(), crate::scalars::as_value(*value)));
            }
        }
        Ok(case)
    }

    /// Reads a case of an op, whoever computes it.
    pub fn of_op(op: &Op, text: &str) -> Result<Case, String> {
        let mut case = Case {
            dims: Vec::new(),
            scalars: Vec::new(),
            regime: Regime::Normal,
            chosen: 0,
            seed: 0,
            layouts: Vec::new(),
        };
        let mut seen = Vec::new();
        for part in text.split(',').map(str::trim).filter(|p| !p.is_empty()) {
            let Some((name, value)) = part.split_once('=') else {
                return Err(format!(
                    "`{part}` does not belong in a case: write NAME=VALUE, as in R=4,regime=normal"
                ));
            };
            let name = name.trim();
            // of two seeds, the first is the op's own
            let again = seen.iter().filter(|other| **other == name).count();
            if DATA.contains(&name) && again > usize::from(op.scalar(name).is_some()) {
                return Err(format!("the case names {name} twice"));
            }
            seen.push(name);
            case.set(op, name, value.trim())?;
        }
        Ok(case)
    }

    fn set(&mut self, op: &Op, name: &str, value: &str) -> Result<(), String> {
        let number = |what: &str| format!("{name}={value}: {what}");
        // where the op has a scalar of that name, the first `seed` is the scalar's, and a second the inputs'
        let own = op.scalar(name).is_some() && !self.scalars.iter().any(|(n, _)| n == name);
        match name {
            "seed" if own => self.scalar(op, name, value)?,
            "regime" => self.regime = Regime::parse(value)?,
            "seed" | OWN_SEED => self.seed = value.parse().map_err(|_| number("a seed is a whole number"))?,
            "chosen" => self.chosen = value.parse().map_err(|_| number("an input's number"))?,
            "layout" => {
                for one in value.split('+') {
                    let (tensor, layout) = one.split_once(':').ok_or(number("write layout=x:strided"))?;
                    self.layouts.push((tensor.to_string(), Layout::parse(layout)?));
                }
            }
            _ if op.dim(name).is_some() => {
                let size = value.parse().map_err(|_| number("a size is a whole number"))?;
                self.dims.push((name.to_string(), size));
            }
            _ => self.scalar(op, name, value)?,
        }
        Ok(())
    }

    fn scalar(&mut self, op: &Op, name: &str, value: &str) -> Result<(), String> {
        let Some(scalar) = op.scalar(name) else { return Err(unknown(op, name)) };
        let none = || format!("{name}={value}: no such value");
        let value = scalar_value(op.scalars[scalar].ty, value).ok_or_else(none)?;
        self.scalars.push((name.to_string(), value));
        Ok(())
    }

    /// The op at this case's sizes.
    pub fn bind<'a>(&self, op: &'a Op) -> Result<OpCase<'a>, CaseError> {
        let dims: Vec<(&str, i64)> = self.dims.iter().map(|(n, v)| (n.as_str(), *v)).collect();
        let scalars: Vec<(&str, Value)> = self.scalars.iter().map(|(n, v)| (n.as_str(), *v)).collect();
        op.bind(&dims, &scalars)
    }

    /// How much work the op is, in points of the twin; without end where it does not take the case.
    pub fn points(&self, op: &Op) -> f64 {
        self.bind(op).map_or(f64::INFINITY, |at| at.points())
    }

    /// The values that a scalar may have beside the rest of the case, if the op takes it.
    pub fn domain_of(&self, op: &Op, scalar: usize) -> Option<Domain> {
        let dims: Vec<(&str, i64)> = self.dims.iter().map(|(n, v)| (n.as_str(), *v)).collect();
        let scalars: Vec<(&str, Value)> = self.scalars.iter().map(|(n, v)| (n.as_str(), *v)).collect();
        op.domain_beside(&dims, &scalars, scalar)
    }

    /// The layout of a tensor.
    pub fn layout(&self, tensor: &str) -> Layout {
        self.layouts.iter().find(|(n, _)| n == tensor).map_or(Layout::Row, |(_, l)| *l)
    }
}

fn unknown(op: &Op, name: &str) -> String {
    let dims = op.dims.iter().map(|d| d.name.as_str());
    let scalars = op.scalars.iter().map(|s| s.name.as_str());
    let all: Vec<&str> =
        dims.chain(scalars).chain(["regime", "seed", OWN_SEED, "layout", "chosen"]).collect();
    let near = did_you_mean(name, all.iter().copied());
    format!("no `{name}` in a case of op {}{near} (there are {})", op.name, all.join(", "))
}

fn scalar_value(ty: Ty, text: &str) -> Option<Value> {
    match ty {
        Ty::Int => text.parse().ok().map(Value::Int),
        Ty::Real => text.parse().ok().map(Value::Real),
        Ty::Bool => text.parse().ok().map(Value::Bool),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scalar_called_seed_is_told_from_the_seed_of_the_inputs() {
        let text = "op drop(x[N]; seed in 0..9) -> y[N]\n\ny[n] = x[n] + seed\n";
        let drop = Op::parse("drop.op", text).unwrap();
        let of = |text: &str| Case::of_op(&drop, text).unwrap();
        let both = of("N=4,seed=3,case.seed=7");
        assert_eq!((&both.scalars[..], both.seed), (&[("seed".to_string(), Value::Int(3))][..], 7));
        assert_eq!(both.to_string(), "N=4,seed=3,regime=normal,case.seed=7");
        assert_eq!(of(&both.to_string()), both);
        // lines of before, and either alone
        assert_eq!(of("N=4,seed=3,regime=normal,seed=7"), both);
        assert_eq!((of("N=4,seed=3").scalars.len(), of("N=4,seed=3").seed), (1, 0));
        assert_eq!((of("N=4,case.seed=7").scalars.len(), of("N=4,case.seed=7").seed), (0, 7));
        let plain = Op::parse("one.op", "op one(x[N]) -> y[N]\n\ny[n] = x[n]\n").unwrap();
        assert_eq!(Case::of_op(&plain, "N=4,case.seed=7").unwrap().to_string(), "N=4,regime=normal,seed=7");
    }
}
