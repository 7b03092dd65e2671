//! The op language: parse, check, evaluate, cost. An op is mathematics alone; it knows no language, no
//! device, no tile.

mod ast;
mod case;
mod check;
mod code;
mod cost;
mod diagnostic;
mod eval;
mod evaluate;
mod example;
mod explain;
mod expression;
mod fold;
mod form;
mod free;
mod func;
mod lower;
mod node;
mod op;
mod order;
mod parse;
mod parse_expr;
mod parse_form;
mod prove;
mod resolve;
mod rounds;
mod scalar;
mod sharp;
mod show;
mod sizes;
mod token;
mod writing;

pub use case::{Case, CaseError, inside};
pub use cost::Cost;
pub use diagnostic::Diagnostic;
pub use eval::bar_function::stored_integer;
pub use evaluate::{Elements, EvalError, Meaning, Order, Output, Progress, Promise, Rounding};
pub use example::Example;
pub use explain::Facts;
pub use expression::Expression;
pub use form::Form;
pub use func::Func;
pub use node::{Fold, Node, NodeKind, Read, Reduce, Source, Ty, Var};
pub use op::{Dim, DomainNode, Op, Role, Scalar, Stage, StageKind, TensorInfo, Value};
pub use prove::{Coarse, Promised, Proof, prove};
pub use rounds::Rounds;
