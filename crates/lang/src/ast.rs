//! An op as it was written: names not yet resolved, types not yet known. Plain data.

use ktwin_num::Sorted;

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

impl ExprKind {
    /// The expressions that it is made of, but for the ranges of a reduction's indices.
    pub fn children(&self) -> Vec<&Expr> {
        match self {
            ExprKind::Int(_) | ExprKind::Real(_) | ExprKind::Bool(_) | ExprKind::Name(_) => Vec::new(),
            ExprKind::Index(_, all) | ExprKind::Call(_, all) => all.iter().collect(),
            ExprKind::Padded(a, b) | ExprKind::Binary(_, a, b) => vec![a, b],
            ExprKind::Reduce(_, _, condition, body) => {
                condition.iter().map(|c| &**c).chain([&**body]).collect()
            }
            ExprKind::Neg(a) | ExprKind::Not(a) => vec![a],
            ExprKind::If(c, a, b) => vec![c, a, b],
        }
    }
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
    /// From 0 to it, rising: `splits N`
    Splits(Expr),
}

#[derive(Clone, Debug)]
pub struct TensorDecl {
    pub name: Ident,
    pub dims: Vec<Expr>,
    pub domain: Option<DomainDecl>,
    /// `rising` or `distinct`
    pub order: Option<Sorted>,
}

impl TensorDecl {
    /// How its values relate to each other.
    pub fn sorted(&self) -> Option<Sorted> {
        match self.domain {
            Some(DomainDecl::Splits(_)) => Some(Sorted::Splits),
            _ => self.order,
        }
    }
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

/// A random variable: `u = random[r, d] in 0.0..1.0`, one draw for each of its indices.
#[derive(Clone, Debug)]
pub struct RandomDecl {
    pub name: Ident,
    pub indices: Vec<IndexDecl>,
    pub range: Range,
}

/// A definition by a call of another op: `h, y = add_rmsnorm(x, res, w; eps)`.
#[derive(Clone, Debug)]
pub struct OpCall {
    pub results: Vec<Ident>,
    pub op: Ident,
    pub args: Vec<Ident>,
    /// What the called op's scalars are given, and dimensions that no tensor says.
    pub settings: Vec<(Ident, Expr)>,
    pub span: Span,
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

/// Which elements of an output are promised: `valid y[n]: n < count`.
#[derive(Clone, Debug)]
pub struct ValidDecl {
    pub name: Ident,
    pub indices: Vec<IndexDecl>,
    pub condition: Expr,
}

/// A whole op.
#[derive(Clone, Debug)]
pub struct File {
    pub name: Ident,
    pub tensors: Vec<TensorDecl>,
    pub scalars: Vec<ScalarDecl>,
    pub outputs: Vec<TensorDecl>,
    pub constraints: Vec<Expr>,
    pub definitions: Vec<Definition>,
    pub calls: Vec<OpCall>,
    pub random: Vec<RandomDecl>,
    pub ties: Vec<TiesDecl>,
    pub valid: Vec<ValidDecl>,
    pub forms: Vec<FormDecl>,
}

impl File {
    /// What it declares and defines, without the lines that say more of its outputs.
    pub fn without_lines(&self) -> File {
        File { forms: Vec::new(), ties: Vec::new(), valid: Vec::new(), ..self.clone() }
    }
}
