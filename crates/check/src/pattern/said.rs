//! What is said of patterns.

use std::fmt;

use super::words::{self, fails_when, near_one, rounded};
use super::{At, What, laid_out};

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
            What::PastF64 => {
                "every wrong element is right as far as f64 holds it: 64-bit integers pass through f64, which keeps 53 \
                 bits"
            }
            What::Subgroups => {
                "fails only where a subgroup does not have 32 lanes: if it needs them, promise subgroup = 32"
            }
            _ => return None,
        })
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
            What::WhereRead { read, relation, limit, part } => {
                let how = if *part { "only" } else { "exactly" };
                write!(f, "wrong {how} where {read} {relation} {limit}")
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
            What::Formula { was, now, cancels } => {
                let cancels = if *cancels { ", which cancels" } else { "" };
                write!(f, "matches the op with `{was}` read as `{now}`{cancels}")
            }
            What::Saturates { number, dtype } => words::saturates(f, *number, dtype),
            What::ScalesOfBlocks { minima } => words::scales(f, *minima),
            What::CodesOfBlocks { cut } => words::codes(f, cut.as_deref()),
            What::Subnormal { of } => {
                write!(f, "wrong only where {of} is subnormal, too small for a full mantissa")
            }
            What::FormulaOfFailing { was, now } => {
                write!(f, "matches the op with `{was}` read as `{now}`, in the cases that fail")
            }
            What::OtherOp { op, title } if title.is_empty() => write!(f, "matches another op: {op}"),
            What::OtherOp { op, title } => write!(f, "matches another op: {op}, {title}"),
            What::KeptIn { dtype } => write!(f, "every element is the right one as {dtype} keeps it"),
            What::RoundedBy { how, dtype, part } => how.say(f, dtype, *part),
            What::IndexWraps { index, count } => words::wraps(f, index.as_deref(), *count),
            What::RowsApart { dim } => write!(f, "the rows of the output are written {dim} elements apart"),
            What::Misread { input, how } => how.say(f, input),
            What::LaidOut { tensors } => laid_out::say(f, tensors),
            What::Changed { shows } => write!(f, "{shows}"),
            What::FailsWhen { rule } => fails_when(f, rule),
            What::FailsOnlyWhen { rule, failing, of } => words::fails_only_when(f, rule, [*failing, *of]),
            What::FailsWhenever { rule } => write!(f, "fails whenever {rule}"),
            What::FailsOnlyOn { data } => write!(f, "fails only on numbers {}", data.words()),
            What::SeveralGroups { failing, of, rule } => words::several(f, [*failing, *of], rule.as_ref()),
            What::Runs { lines, text } => words::runs(f, lines, text),
            what => what.say_where(f),
        }
    }
}

const OFF_BY: &str = "every wrong element is off by a constant";
