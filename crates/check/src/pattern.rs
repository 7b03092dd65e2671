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
use words::{fails_when, near_one, rounded};

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
    /// Those that are the same whatever they are said of.
    fn sentence(&self) -> Option<&'static str> {
        Some(match self {
            What::NeverWritten => "every wrong element was never written",
            What::Remembers => {
                "this case passes alone: what the kernel keeps from earlier launches makes it wrong"
            }
            What::AllNan => "every wrong element is NaN",
            What::AllZero => "every wrong element is zero",
            What::OthersOfEquals => {
                "every wrong element is the place of another of equal elements: ties are broken differently"
            }
            What::OtherOrder => "every row holds the right elements in another order",
            What::WrongSign => "every wrong element has the wrong sign",
            What::Transposed => "the output is transposed: its last two indices are swapped",
            What::EveryElement => "every element is wrong",
            What::Subgroups => {
                "fails only where a subgroup does not have 32 lanes: if it needs them, promise subgroup = 32"
            }
            _ => return None,
        })
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

    /// Those that say where elements are wrong.
    fn say_where(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::Where { index, place } => write!(f, "wrong exactly where {index} {place}"),
            What::WhereEither { places: [one, At { index, place }] } => {
                write!(f, "wrong exactly where {} {}, and where {index} {place}", one.index, one.place)
            }
            What::Border { indices: [row, column] } => {
                write!(f, "wrong only at the border, where {row} or {column} is the first or the last")
            }
            What::WhereRead { read, relation, limit } => {
                write!(f, "wrong exactly where {read} {relation} {limit}")
            }
            What::WhereDue { due, relation, limit } => {
                write!(f, "wrong exactly where abs({due}) {relation} {limit} is due")
            }
            // the others have words of their own
            _ => Ok(()),
        }
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(sentence) = self.sentence() {
            return f.write_str(sentence);
        }
        match self {
            What::AllOne { number } => write!(f, "every wrong element is {}", rounded(*number)),
            What::EqualTo { element } => write!(f, "every wrong element equals {element}"),
            What::EqualToInput { input } => write!(f, "every wrong element equals the input {input}"),
            What::Factor { factor: by } => write!(f, "{OFF_BY} factor {}", near_one(*by)),
            What::Offset { offset: by } => write!(f, "{OFF_BY} {}", rounded(*by)),
            What::Coarse { digits } => words::coarse(f, *digits),
            What::Wraps { bits } => {
                let by = 1u64 << bits;
                write!(
                    f,
                    "every wrong element is off by a multiple of {by}: a number of {bits} bits overflows"
                )
            }
            What::Formula { was, now } => write!(f, "matches the op with `{was}` read as `{now}`"),
            What::FormulaOfFailing { was, now } => {
                write!(f, "matches the op with `{was}` read as `{now}`, in the cases that fail")
            }
            What::OtherOp { op, title } if title.is_empty() => write!(f, "matches another op: {op}"),
            What::OtherOp { op, title } => write!(f, "matches another op: {op}, {title}"),
            What::KeptIn { dtype } => write!(f, "every element is the right one as {dtype} keeps it"),
            What::RoundedBy { how, dtype } => how.say(f, dtype),
            What::RowsApart { dim } => write!(f, "the rows of the output are written {dim} elements apart"),
            What::Misread { input, how } => how.say(f, input),
            What::LaidOut { tensors } => laid_out::say(f, tensors),
            What::Changed { shows } => write!(f, "{shows}"),
            What::FailsWhen { rule } => fails_when(f, rule),
            What::FailsOnlyWhen { rule, failing, of } => {
                write!(f, "fails only where {rule}, in {failing} of {of} such cases")
            }
            What::FailsWhenever { rule } => write!(f, "fails whenever {rule}"),
            What::FailsOnlyOn { data } => write!(f, "fails only on numbers {}", data.words()),
            What::SeveralGroups { failing, of, rule } => words::several(f, [*failing, *of], rule.as_ref()),
            What::Runs { lines, text } => words::runs(f, lines, text),
            what => what.say_where(f),
        }
    }
}

const OFF_BY: &str = "every wrong element is off by a constant";

#[cfg(test)]
mod tests;
