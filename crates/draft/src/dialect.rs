//! What differs between the languages that drafts are written in.

use ktwin_lang::{Func, Ty};

/// What differs between the languages. Where most write it as C does, that is what is written.
pub trait Dialect {
    /// A type's name.
    fn ty(&self, ty: Ty) -> &'static str;
    /// A real constant.
    fn real(&self, value: f64) -> String;
    /// A name for a value that stays as it is.
    fn constant(&self, ty: Ty, name: &str, value: &str) -> String {
        format!("const {} {name} = {value};", self.ty(ty))
    }
    /// A variable, without a value where it gets one later.
    fn variable(&self, ty: Ty, name: &str, value: Option<&str>) -> String {
        match value {
            Some(value) => format!("{} {name} = {value};", self.ty(ty)),
            None => format!("{} {name};", self.ty(ty)),
        }
    }
    /// The head of a loop.
    fn range(&self, name: &str, lo: &str, hi: &str) -> String {
        format!("for ({} {name} = {lo}; {name} < {hi}; {name}++)", self.ty(Ty::Int))
    }
    /// `if` with its condition.
    fn when(&self, condition: &str) -> String {
        format!("if ({condition})")
    }
    /// One of two values that may both be computed.
    fn choose(&self, condition: &str, yes: &str, no: &str) -> String {
        format!("({condition} ? {yes} : {no})")
    }
    /// A value as another type.
    fn cast(&self, to: Ty, value: &str) -> String;
    /// A function of this language; reals or integers.
    fn call(&self, func: Func, ty: Ty, args: &[String]) -> String;
    /// An element of a buffer.
    fn element(&self, buffer: &str, place: &str) -> String {
        format!("{buffer}[{place}]")
    }
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

/// A function of a shading language, which takes reals and integers under one name: its own name, or that of the op
/// language.
pub fn shading(func: Func, args: &[String], own: &[(Func, &'static str)]) -> String {
    if func == Func::Sigmoid {
        return format!("1.0 / (1.0 + exp(-({})))", args[0]);
    }
    let name = own.iter().find(|(other, _)| *other == func).map_or_else(|| function(func), |(_, name)| name);
    format!("{name}({})", args.join(", "))
}

/// The functions that a language lacks and a text uses, each known by a word of its text.
pub fn helpers<'h>(all: &'h [(&str, &str)], code: &str) -> Vec<&'h str> {
    all.iter().filter(|(word, _)| code.contains(word)).map(|(_, text)| *text).collect()
}
