//! What is known while one function is lowered: its arguments, its variables, the values of its expressions.

pub use crate::emit::Value;
use crate::emit::place::Place;
use naga::valid::FunctionInfo;
use naga::{Expression, Function, Handle, LocalVariable};
use std::collections::HashMap;

/// A value or a pointer.
#[derive(Clone, Debug)]
pub enum Item {
    Value(Value),
    Place(Place),
}

/// A function being lowered; calls open a frame within a frame.
pub struct Frame<'a> {
    pub function: &'a Function,
    pub info: &'a FunctionInfo,
    pub arguments: Vec<Item>,
    pub items: HashMap<Handle<Expression>, Item>,
    pub locals: HashMap<Handle<LocalVariable>, Place>,
    /// Where `return` goes and the registers that it fills; the entry point has none.
    pub exit: Option<(u32, Value)>,
    /// Where `break` and `continue` go, the innermost last.
    pub breaks: Vec<u32>,
    pub continues: Vec<u32>,
    /// Calls that are open.
    pub depth: u32,
}
