//! Colour, where standard output is a terminal and NO_COLOR does not forbid it.

use std::io::{IsTerminal, stdout};

/// When text is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum When {
    /// On terminals, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// A colour, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Right.
    Green,
    /// Wrong.
    Red,
    /// Worth a look.
    Yellow,
    /// Aside.
    Dim,
}

/// Paints text, or leaves it as it is.
#[derive(Clone, Copy, Debug)]
pub struct Paint {
    on: bool,
}

impl Paint {
    /// As the user wants it, and by default the terminal.
    pub fn new(when: When) -> Paint {
        let forbidden = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        Paint {
            on: match when {
                When::Always => true,
                When::Never => false,
                When::Auto => stdout().is_terminal() && !forbidden,
            },
        }
    }

    /// The text in a colour.
    pub fn paint(self, colour: Colour, text: &str) -> String {
        let code = match colour {
            Colour::Green => 32,
            Colour::Red => 31,
            Colour::Yellow => 33,
            Colour::Dim => 2,
        };
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }
}
