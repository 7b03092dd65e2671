//! Colour, where standard output is a terminal and NO_COLOR does not forbid it.

use std::io::{IsTerminal, stdout};

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
    /// As the terminal and its user want it.
    pub fn of_terminal() -> Paint {
        let forbidden = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        Paint { on: stdout().is_terminal() && !forbidden }
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
