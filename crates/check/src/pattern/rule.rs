//! What all failing cases may be, and no passing one: a size, a remainder, a regime, a scalar, a layout.

use std::fmt;

use ktwin_lang::Value;
use ktwin_num::{Layout, Regime};
use serde::{Deserialize, Serialize};

use crate::case::{Case, short};
use crate::json;

/// A rule on cases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// A size that is a multiple of a number.
    Multiple {
        /// The dimension.
        dim: String,
        /// The number.
        of: i64,
    },
    /// A size that is not a multiple of a number.
    NotMultiple {
        /// The dimension.
        dim: String,
        /// The number.
        of: i64,
    },
    /// What a size leaves when it is divided.
    Remainder {
        /// The dimension.
        dim: String,
        /// By which number.
        of: i64,
        /// What is left.
        rest: i64,
        /// Only sizes that are not below that number.
        past: bool,
    },
    /// A size that is a power of two, or one that is not.
    PowerOfTwo {
        /// The dimension.
        dim: String,
        /// Whether it is.
        is: bool,
    },
    /// One size.
    Size {
        /// The dimension.
        dim: String,
        /// Its size.
        is: i64,
    },
    /// A least size.
    AtLeast {
        /// The dimension.
        dim: String,
        /// The size.
        size: i64,
        /// The largest size below that does not obey it and was tried.
        below: i64,
    },
    /// A largest size.
    AtMost {
        /// The dimension.
        dim: String,
        /// The size.
        size: i64,
        /// The smallest size above that does not obey it and was tried.
        above: i64,
    },
    /// A least number of elements of a tensor with several dimensions.
    Elements {
        /// Its dimensions.
        dims: Vec<String>,
        /// The number.
        least: i64,
        /// The largest number below that does not obey it and was tried.
        below: i64,
    },
    /// Two sizes that are not the same.
    Apart {
        /// The one dimension.
        dim: String,
        /// The other.
        other: String,
    },
    /// A size that is below another.
    Below {
        /// The smaller one's dimension.
        dim: String,
        /// That of the larger one.
        other: String,
    },
    /// One regime.
    Regime {
        /// Which.
        #[serde(serialize_with = "json::out", deserialize_with = "json::back")]
        #[cfg_attr(test, schemars(schema_with = "json::regimes"))]
        is: Regime,
    },
    /// One value of a scalar.
    Scalar {
        /// Its name.
        name: String,
        /// Its value.
        #[serde(serialize_with = "json::out", deserialize_with = "json::back")]
        #[cfg_attr(test, schemars(with = "json::Scalar"))]
        is: Value,
    },
    /// A scalar below zero.
    Negative {
        /// Its name.
        name: String,
    },
    /// A least value of a scalar.
    From {
        /// Its name.
        name: String,
        /// The value.
        #[serde(serialize_with = "json::out", deserialize_with = "json::back")]
        #[cfg_attr(test, schemars(with = "json::Number"))]
        least: f64,
        /// The largest value below that does not obey it and was tried.
        #[serde(serialize_with = "json::out", deserialize_with = "json::back")]
        #[cfg_attr(test, schemars(with = "json::Number"))]
        below: f64,
    },
    /// A largest value of a scalar.
    To {
        /// Its name.
        name: String,
        /// The value.
        #[serde(serialize_with = "json::out", deserialize_with = "json::back")]
        #[cfg_attr(test, schemars(with = "json::Number"))]
        most: f64,
        /// The smallest value above that does not obey it and was tried.
        #[serde(serialize_with = "json::out", deserialize_with = "json::back")]
        #[cfg_attr(test, schemars(with = "json::Number"))]
        above: f64,
    },
    /// One layout of a tensor.
    Layout {
        /// Its name.
        tensor: String,
        /// The layout.
        #[serde(serialize_with = "json::out", deserialize_with = "json::back")]
        #[cfg_attr(test, schemars(schema_with = "json::layouts"))]
        is: Layout,
    },
}

impl Rule {
    /// What it is said of: two rules of one subject are one mistake in two halves, more often than two.
    pub fn subject(&self) -> (&str, bool) {
        match self {
            Rule::Multiple { dim, .. }
            | Rule::NotMultiple { dim, .. }
            | Rule::Remainder { dim, .. }
            | Rule::PowerOfTwo { dim, .. } => (dim, true),
            Rule::Size { dim, .. } | Rule::AtLeast { dim, .. } | Rule::AtMost { dim, .. } => (dim, false),
            Rule::Regime { .. } | Rule::Apart { .. } | Rule::Below { .. } | Rule::Elements { .. } => {
                ("", false)
            }
            Rule::Scalar { name, .. } | Rule::Negative { name } => (name, false),
            Rule::From { name, .. } | Rule::To { name, .. } => (name, false),
            Rule::Layout { tensor, .. } => (tensor, true),
        }
    }

    /// Whether it is of what sizes leave when they are divided.
    pub fn is_of_rests(&self) -> bool {
        matches!(self, Rule::Multiple { .. } | Rule::NotMultiple { .. } | Rule::Remainder { .. })
    }

    /// Whether a case obeys it.
    pub fn holds(&self, case: &Case) -> bool {
        let value = |name: &String| case.scalars.iter().find(|(own, _)| own == name).map(|(_, v)| v.to_f64());
        let size = |dim: &String| case.dims.iter().find(|(name, _)| name == dim).map_or(0, |(_, size)| *size);
        match self {
            Rule::Multiple { dim, of } => size(dim) % of == 0,
            Rule::NotMultiple { dim, of } => size(dim) % of != 0,
            Rule::Remainder { dim, of, rest, past } => size(dim) % of == *rest && (!past || size(dim) >= *of),
            Rule::PowerOfTwo { dim, is } => (size(dim).count_ones() == 1) == *is,
            Rule::Size { dim, is } => size(dim) == *is,
            Rule::AtLeast { dim, size: least, .. } => size(dim) >= *least,
            Rule::AtMost { dim, size: most, .. } => size(dim) <= *most,
            Rule::Elements { dims, least, .. } => elements(dims, case) >= *least,
            Rule::Apart { dim, other } => size(dim) != size(other),
            Rule::Below { dim, other } => size(dim) < size(other),
            Rule::Regime { is } => case.regime == *is,
            Rule::Scalar { name, is } => case.scalars.iter().any(|(n, v)| n == name && v == is),
            Rule::Negative { name } => value(name).is_some_and(|value| value < 0.0),
            Rule::From { name, least, .. } => value(name).is_some_and(|value| value >= *least),
            Rule::To { name, most, .. } => value(name).is_some_and(|value| value <= *most),
            Rule::Layout { tensor, is } => case.layout(tensor) == *is,
        }
    }
}

/// The product of some sizes of a case.
pub fn elements(dims: &[String], case: &Case) -> i64 {
    let sizes = case.dims.iter().filter(|(name, _)| dims.contains(name)).map(|(_, size)| *size);
    sizes.fold(1, i64::saturating_mul)
}

/// A number as f32 has it.
fn brief(number: f64) -> String {
    let whole = number.fract() == 0.0 && number.abs() < 1e9;
    short(if whole { Value::Int(number as i64) } else { Value::Real(f64::from(number as f32)) })
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rule::Multiple { dim, of } => write!(f, "{dim} is a multiple of {of}"),
            Rule::NotMultiple { dim, of } => write!(f, "{dim} is not a multiple of {of}"),
            Rule::Remainder { dim, of, rest, past: false } => write!(f, "{dim} % {of} == {rest}"),
            Rule::Remainder { dim, of, rest, past: true } => {
                write!(f, "{dim} % {of} == {rest} and {dim} >= {of}")
            }
            Rule::PowerOfTwo { dim, is: true } => write!(f, "{dim} is a power of two"),
            Rule::PowerOfTwo { dim, is: false } => write!(f, "{dim} is not a power of two"),
            Rule::Size { dim, is } => write!(f, "{dim} = {is}"),
            Rule::AtLeast { dim, size, .. } => write!(f, "{dim} >= {size}"),
            Rule::AtMost { dim, size, .. } => write!(f, "{dim} <= {size}"),
            Rule::Elements { dims, least, .. } => write!(f, "{} >= {least}", dims.join(" * ")),
            Rule::Apart { dim, other } => write!(f, "{dim} != {other}"),
            Rule::Below { dim, other } => write!(f, "{dim} < {other}"),
            Rule::Regime { is } => write!(f, "the regime is {is}"),
            Rule::Scalar { name, is } => write!(f, "{name} = {}", short(*is)),
            Rule::Negative { name } => write!(f, "{name} < 0"),
            Rule::From { name, least, below } => {
                write!(f, "{name} >= {} (it passes at {})", brief(*least), brief(*below))
            }
            Rule::To { name, most, above } => {
                write!(f, "{name} <= {} (it passes at {})", brief(*most), brief(*above))
            }
            Rule::Layout { tensor, is } => write!(f, "{tensor} is {is}"),
        }
    }
}
