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
    /// Whether a case obeys it.
    pub fn holds(&self, case: &Case) -> bool {
        let size = |dim: &String| case.dims.iter().find(|(name, _)| name == dim).map_or(0, |(_, size)| *size);
        match self {
            Rule::Multiple { dim, of } => size(dim) % of == 0,
            Rule::NotMultiple { dim, of } => size(dim) % of != 0,
            Rule::Remainder { dim, of, rest, past } => size(dim) % of == *rest && (!past || size(dim) >= *of),
            Rule::Size { dim, is } => size(dim) == *is,
            Rule::AtLeast { dim, size: least, .. } => size(dim) >= *least,
            Rule::AtMost { dim, size: most, .. } => size(dim) <= *most,
            Rule::Regime { is } => case.regime == *is,
            Rule::Scalar { name, is } => case.scalars.iter().any(|(n, v)| n == name && v == is),
            Rule::Layout { tensor, is } => case.layout(tensor) == *is,
        }
    }
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
            Rule::Size { dim, is } => write!(f, "{dim} = {is}"),
            Rule::AtLeast { dim, size, .. } => write!(f, "{dim} >= {size}"),
            Rule::AtMost { dim, size, .. } => write!(f, "{dim} <= {size}"),
            Rule::Regime { is } => write!(f, "the regime is {is}"),
            Rule::Scalar { name, is } => write!(f, "{name} = {}", short(*is)),
            Rule::Layout { tensor, is } => write!(f, "{tensor} is {is}"),
        }
    }
}
