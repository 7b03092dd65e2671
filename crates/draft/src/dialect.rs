//! What differs between the languages that drafts are written in.

use ktwin_lang::{Func, Ty};

/// What differs between the languages.
pub trait Dialect {
    /// A type's name.
    fn ty(&self, ty: Ty) -> &'static str;
    /// A real constant.
    fn real(&self, value: f64) -> String;
    /// A name for a value that stays as it is.
    fn constant(&self, ty: Ty, name: &str, value: &str) -> String;
    /// A variable, without a value where it gets one later.
    fn variable(&self, ty: Ty, name: &str, value: Option<&str>) -> String;
    /// The head of a loop.
    fn range(&self, name: &str, lo: &str, hi: &str) -> String;
    /// `if` with its condition.
    fn when(&self, condition: &str) -> String;
    /// One of two values that may both be computed.
    fn choose(&self, condition: &str, yes: &str, no: &str) -> String;
    /// A value as another type.
    fn cast(&self, to: Ty, value: &str) -> String;
    /// A function of this language; reals or integers.
    fn call(&self, func: Func, ty: Ty, args: &[String]) -> String;
    /// A truth value that a buffer or a struct holds as a number.
    fn truth(&self, value: &str) -> String {
        format!("{value} != 0")
    }
    /// The largest integer and its opposite.
    fn extreme(&self, largest: bool) -> String;
}

/// The name that the op language and most languages give a function.
pub fn function(func: Func) -> &'static str {
    func.name().unwrap_or_default()
}
