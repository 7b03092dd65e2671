//! An op as it was written: names not yet resolved, types not yet known. Plain data.

use crate::diagnostic::Span;

/// A name and its place.
#[derive(Clone, Debug)]
pub struct Ident {
    pub name: String,
    pub span: Span,
}

/// An expression as written.
#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
    /// Height of this tree; the parser limits it, so that walking it never runs out of stack.
    pub height: u32,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Int(i64),
    Real(f64),
    Bool(bool),
    Name(String),
    /// `x[i, j]`
    Index(Ident, Vec<Expr>),
    /// `(x[i, j] else a)`
    Padded(Box<Expr>, Box<Expr>),
    /// `f(a, b)`
    Call(Ident, Vec<Expr>),
    /// `sum[d where c](a)`
    Reduce(Ident, Vec<IndexDecl>, Option<Box<Expr>>, Box<Expr>),
    Neg(Box<Expr>),
    Not(Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
}

/// An index, by its dimension's letter or declared: `d`, `m in N`, `i in 0..3`.
#[derive(Clone, Debug)]
pub struct IndexDecl {
    pub name: Ident,
    pub range: Option<Range>,
}

/// `hi` or `lo..hi`, the end excluded.
#[derive(Clone, Debug)]
pub struct Range {
    pub lo: Option<Expr>,
    pub hi: Expr,
}

/// What values a tensor or scalar may have.
#[derive(Clone, Debug)]
pub enum DomainDecl {
    Range(Range),
    /// `> 0`, `>= 0`, `< 1`, `<= 1`
    Side(&'static str, Expr),
}

#[derive(Clone, Debug)]
pub struct TensorDecl {
    pub name: Ident,
    pub dims: Vec<Expr>,
    pub domain: Option<DomainDecl>,
}

#[derive(Clone, Debug)]
pub struct ScalarDecl {
    pub name: Ident,
    pub domain: Option<DomainDecl>,
    pub default: Option<Expr>,
}

/// `name[indices] = body`
#[derive(Clone, Debug)]
pub struct Definition {
    pub name: Ident,
    pub indices: Vec<IndexDecl>,
    pub body: Expr,
}

/// Other definitions for some of the names: `also y[n] = ...`, `form folded: y[n] = ...`.
#[derive(Clone, Debug)]
pub struct FormDecl {
    /// The form's name; none where it is accepted from every kernel.
    pub name: Option<Ident>,
    pub definitions: Vec<Definition>,
}

/// What of an output may be chosen otherwise: `ties idx[r, k] distinct k: x[r, idx[r, k]]`.
#[derive(Clone, Debug)]
pub struct TiesDecl {
    pub name: Ident,
    pub indices: Vec<IndexDecl>,
    /// Whether every kernel may.
    pub any: bool,
    pub distinct: Option<Ident>,
    pub key: Expr,
}

/// A whole file.
#[derive(Clone, Debug)]
pub struct File {
    pub name: Ident,
    pub tensors: Vec<TensorDecl>,
    pub scalars: Vec<ScalarDecl>,
    pub outputs: Vec<TensorDecl>,
    pub constraints: Vec<Expr>,
    pub definitions: Vec<Definition>,
    pub ties: Vec<TiesDecl>,
    pub forms: Vec<FormDecl>,
}
