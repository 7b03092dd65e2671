//! What shows when a kernel is run again on changed inputs or buffers.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One such thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Shows {
    /// Wrong elements stay the same where elements of an input that the op reads there are changed.
    LeftOut {
        /// Such an element of the output: `y[r, d]`.
        element: String,
        /// What it does not hang on: `x[r, 6..=7]`.
        read: String,
    },
    /// Wrong elements hang on elements of an input in the place of those that the op reads there.
    Instead {
        /// Such an element of the output.
        element: String,
        /// What it does not hang on.
        due: String,
        /// What it hangs on.
        read: String,
    },
    /// Wrong elements change with elements of an input that the op does not read there.
    ReadToo {
        /// Such an element of the output.
        element: String,
        /// What it hangs on.
        read: String,
    },
    /// They are right once what counts most along a dimension comes first.
    RightWhenFirst {
        /// The index of the dimension.
        index: String,
    },
    /// They are right once an input holds nothing of a kind.
    RightWithout {
        /// The input.
        read: String,
        /// The kind.
        of: Odd,
    },
    /// They are right once buffers that the kernel should write hold zeros before the launch.
    RightWhenZero {
        /// Their names.
        buffers: Vec<String>,
    },
}

/// Numbers in inputs that a kernel may take wrongly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Odd {
    /// Minus zero.
    MinusZero,
    /// Numbers that occur more than once.
    Equal,
    /// Integers near the ends of their type.
    Large,
}

impl fmt::Display for Shows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shows::LeftOut { element, read } => {
                let place = |text: &str| text.split_once('[').map(|(_, axes)| axes.to_owned());
                let own = if place(element).is_some_and(|own| Some(own) == place(read)) {
                    "its own element"
                } else {
                    "it"
                };
                write!(f, "{element} stays the same whatever {read} is: {own} is left out")
            }
            Shows::Instead { element, due, read } if due == read => {
                write!(f, "{element} is made of other elements of {}", read.split('[').next().unwrap_or(read))
            }
            Shows::Instead { element, due, read } => {
                write!(f, "{element} is made of {read}, in the place of {due}")
            }
            Shows::ReadToo { element, read } => {
                write!(f, "{element} changes with {read}, and should not")
            }
            Shows::RightWhenFirst { index } => write!(
                f,
                "right if the {index} that counts most comes first: what was summed is not rescaled when the maximum \
                 rises"
            ),
            Shows::RightWithout { read, of: Odd::MinusZero } => {
                write!(f, "right if {read} holds no minus zero")
            }
            Shows::RightWithout { read, of: Odd::Equal } => {
                write!(f, "right if {read} holds no equal elements: ties are broken differently")
            }
            Shows::RightWithout { read, of: Odd::Large } => {
                write!(f, "right if {read} is four times as small: an integer overflows on the way")
            }
            Shows::RightWhenZero { buffers } => {
                let verb = if buffers.len() == 1 { "holds" } else { "hold" };
                let names = buffers.join(" and ");
                write!(
                    f,
                    "right if {names} {verb} zeros before the launch: the kernel adds to what is there, or never \
                     sets it"
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_of_the_same_place_is_its_own() {
        let said = |read: &str| Shows::LeftOut { element: "y[n]".into(), read: read.into() }.to_string();
        assert_eq!(said("x[n]"), "y[n] stays the same whatever x[n] is: its own element is left out");
        assert_eq!(said("x[n - 1]"), "y[n] stays the same whatever x[n - 1] is: it is left out");
        let whole = Shows::LeftOut { element: "c".into(), read: "a".into() };
        assert_eq!(whole.to_string(), "c stays the same whatever a is: it is left out");
    }
}
