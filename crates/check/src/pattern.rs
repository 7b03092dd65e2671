//! What the wrong elements of an output, or the failing cases of a kernel, have in common: as data that can be
//! tested, and in words.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::case::Case;
use crate::json;

mod data;
mod direction;
mod laid_out;
mod misread;
mod neighbour;
mod place;
mod relation;
mod rule;
mod said;
mod shows;
mod words;

pub use data::Data;
pub use direction::Direction;
pub use laid_out::LaidOut;
pub use misread::Misread;
pub use neighbour::Neighbour;
pub use place::Place;
pub use relation::Relation;
pub use rule::{Rule, elements};
pub use shows::{Odd, Shows};

/// One thing in common.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Pattern {
    /// The output, where there are several.
    pub output: Option<String>,
    /// What they have in common.
    #[serde(flatten)]
    pub what: What,
    /// The case that it is said of alone: one that is not the smallest, or the smallest where others are wrong in
    /// another way.
    pub case: Option<Case>,
}

/// What wrong elements or failing cases have in common.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "pattern", rename_all = "snake_case")]
pub enum What {
    /// The kernel never wrote them.
    NeverWritten,
    /// They are right where the case runs by itself.
    Remembers,
    /// They are the end of a type, where something beyond it is due.
    Saturates {
        /// The number that they stop at.
        #[serde(serialize_with = "json::out", deserialize_with = "json::back")]
        #[cfg_attr(test, schemars(with = "json::Number"))]
        number: f64,
        /// The type.
        dtype: String,
    },
    /// They are 64-bit integers that are right as far as f64 holds them.
    PastF64,
    /// They are subnormal, or made of what is.
    Subnormal {
        /// The output or the input that is subnormal there.
        of: String,
    },
    /// They lie in blocks whose codes are the nearest for the scales that they have: those do not fit.
    ScalesOfBlocks {
        /// Whether the format has minima, too.
        minima: bool,
    },
    /// They lie in blocks whose codes are not the nearest for their scales.
    CodesOfBlocks {
        /// Which way they are cut, if it is always the same.
        cut: Option<String>,
    },
    /// They are integers off by multiples of a power of two.
    Wraps {
        /// Which one.
        bits: u32,
    },
    /// They are NaN.
    AllNan,
    /// They are 0.
    AllZero,
    /// They are one number, where several are due.
    AllOne {
        /// The number.
        #[serde(serialize_with = "json::out", deserialize_with = "json::back")]
        #[cfg_attr(test, schemars(with = "json::Number"))]
        number: f64,
    },
    /// They are places of elements that equal those at the right places.
    OthersOfEquals,
    /// Every row holds the right elements, in another order.
    OtherOrder,
    /// They have the wrong sign.
    WrongSign,
    /// They equal other elements of the right output.
    EqualTo {
        /// Which.
        element: Neighbour,
    },
    /// They equal an input.
    EqualToInput {
        /// Its name.
        input: String,
    },
    /// The last two indices are swapped.
    Transposed,
    /// They are the right ones times a constant.
    Factor {
        /// The constant.
        #[serde(serialize_with = "json::out", deserialize_with = "json::back")]
        #[cfg_attr(test, schemars(with = "json::Number"))]
        factor: f64,
    },
    /// They are the right ones plus a constant.
    Offset {
        /// The constant.
        #[serde(serialize_with = "json::out", deserialize_with = "json::back")]
        #[cfg_attr(test, schemars(with = "json::Number"))]
        offset: f64,
    },
    /// They are off by little.
    Coarse {
        /// The decimal digits that are right in all of them.
        #[serde(serialize_with = "json::out", deserialize_with = "json::back")]
        #[cfg_attr(test, schemars(with = "json::Number"))]
        digits: f64,
    },
    /// All elements are wrong.
    EveryElement,
    /// They are in one place along a dimension.
    Where {
        /// The index of the dimension.
        index: String,
        /// Which values of it.
        place: Place,
    },
    /// They are in two places.
    WhereEither {
        /// Which.
        places: [At; 2],
    },
    /// They are at the border of the last two dimensions.
    Border {
        /// The indices of the two.
        indices: [String; 2],
    },
    /// They are where an input has certain numbers.
    WhereRead {
        /// The number at the element's place: `x[n]`.
        read: String,
        /// How it compares.
        relation: Relation,
        /// With what: a number, or the name of a scalar.
        limit: String,
        /// Whether some right elements are there as well.
        #[serde(default)]
        part: bool,
    },
    /// They are where numbers of certain sizes are due.
    WhereDue {
        /// Of which output.
        due: String,
        /// How the right number's size compares.
        relation: Relation,
        /// With what.
        limit: String,
    },
    /// Only subgroups of other than 32 lanes fail.
    Subgroups,
    /// They are what the op gives with one thing changed, and so is every right element.
    Formula {
        /// The part that is changed, as the op has it.
        was: String,
        /// What it is changed into.
        now: String,
        /// Whether numbers cancel in it.
        #[serde(default)]
        cancels: bool,
    },
    /// In the failing cases, all elements are what the op gives with one thing changed.
    FormulaOfFailing {
        /// The part that is changed, as the op has it.
        was: String,
        /// What it is changed into.
        now: String,
    },
    /// They are what another op of the catalogue gives, and so is every right element.
    OtherOp {
        /// Its name.
        op: String,
        /// What the catalogue says of it.
        title: String,
    },
    /// They are the right ones in a type that does not hold them.
    KeptIn {
        /// The type.
        dtype: String,
    },
    /// They are the right ones, stored by another way of rounding.
    RoundedBy {
        /// The way.
        how: Direction,
        /// The type that they are stored in.
        dtype: String,
        /// Whether right elements are not.
        #[serde(default)]
        part: bool,
    },
    /// They hold what is due so many places further on.
    IndexWraps {
        /// Along which index; of all elements, where there is none.
        index: Option<String>,
        /// How many places.
        count: u64,
    },
    /// The rows of the output are laid out with the size of another dimension between them.
    RowsApart {
        /// The dimension.
        dim: String,
    },
    /// They are what the op gives where a packed input is read in another way, and so is every right element.
    Misread {
        /// Its name.
        input: String,
        /// The way.
        how: Misread,
    },
    /// They are what the op gives where tensors lie in memory in another order of their axes, and so is every right
    /// element.
    LaidOut {
        /// The tensors, each with its order.
        tensors: Vec<LaidOut>,
    },
    /// What shows when inputs, or what buffers hold before the launch, are changed.
    Changed {
        /// What.
        shows: Shows,
    },
    /// A rule that all failing cases obey and no passing one.
    FailsWhen {
        /// The rule.
        rule: Rule,
    },
    /// A rule that all failing cases obey, and few of those that pass.
    FailsOnlyWhen {
        /// The rule.
        rule: Rule,
        /// The cases that fail.
        failing: usize,
        /// Those that obey the rule.
        of: usize,
    },
    /// A rule that some failing cases obey and no passing one, where others fail for another reason.
    FailsWhenever {
        /// The rule.
        rule: Rule,
    },
    /// Only cases with one kind of data fail, so many of them that it is no accident.
    FailsOnlyOn {
        /// Which.
        data: Data,
    },
    /// Only cases in which several workgroups run fail.
    SeveralGroups {
        /// How many of them.
        failing: usize,
        /// Of how many.
        of: usize,
        /// The size from which on several run.
        #[serde(default)]
        rule: Option<Rule>,
    },
    /// Lines that all failing cases run and no passing one.
    Runs {
        /// The lines: `12`, or `12, 15-18`.
        lines: String,
        /// The text of the first of them.
        #[serde(default)]
        text: String,
    },
}

/// A place along a dimension.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct At {
    /// The index of the dimension.
    pub index: String,
    /// Which values of it.
    pub place: Place,
}

impl From<What> for Pattern {
    fn from(what: What) -> Pattern {
        Pattern { output: None, what, case: None }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(output) = &self.output {
            write!(f, "{output}: ")?;
        }
        write!(f, "{}", self.what)?;
        self.case.as_ref().map_or(Ok(()), |case| write!(f, " (in {case})"))
    }
}

impl What {
    /// Whether it says what the kernel computes instead of its op, in every case.
    pub fn explains_all(&self) -> bool {
        matches!(
            self,
            What::Formula { .. } | What::OtherOp { .. } | What::Misread { .. } | What::LaidOut { .. }
        )
    }

    /// Whether it is of inputs that are read too much, or left out here and there.
    pub fn is_strewn(&self) -> bool {
        match self {
            What::Changed { shows: Shows::ReadToo { .. } } => true,
            What::Changed { shows: Shows::LeftOut { read, .. } | Shows::Instead { read, .. } } => {
                read.contains(" or ")
            }
            _ => false,
        }
    }

    /// The order in which they are told: what explains everything, when it fails, where, what it hangs on, and what
    /// anybody sees.
    pub fn rank(&self) -> u8 {
        match self {
            What::FailsWhen { .. }
            | What::FailsOnlyWhen { .. }
            | What::FailsWhenever { .. }
            | What::FailsOnlyOn { .. }
            | What::SeveralGroups { .. }
            | What::Subgroups
            | What::Runs { .. } => 1,
            What::Where { .. }
            | What::WhereEither { .. }
            | What::Border { .. }
            | What::WhereRead { .. }
            | What::WhereDue { .. } => 2,
            What::Changed {
                shows: Shows::LeftOut { .. } | Shows::Instead { .. } | Shows::ReadToo { .. },
            }
            | What::Factor { .. }
            | What::WrongSign
            | What::Coarse { .. } => 3,
            What::AllNan | What::AllZero | What::AllOne { .. } | What::EveryElement => 4,
            What::Offset { .. } | What::NeverWritten => 5,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests;
