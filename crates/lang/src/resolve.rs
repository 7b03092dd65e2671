//! Resolves the names of an expression and gives every part its type.

use ktwin_num::{nearest, plural};

use crate::ast::{Expr, ExprKind, Ident, IndexDecl, Range};
use crate::calls::joined;
use crate::case::MAX_ELEMENTS;
use crate::check::is_dimension;
use crate::diagnostic::{Checked, Mistake, Span};
use crate::func::Func;
use crate::node::{Fold, Node, NodeKind, Read, Reduce, Source, Ty, Var};
use crate::op::{Dim, Scalar, TensorInfo, Value};

/// Everything that has a name.
#[derive(Clone, Default)]
pub struct Names {
    pub dims: Vec<Dim>,
    pub scalars: Vec<Scalar>,
    pub inputs: Vec<TensorInfo>,
    pub outputs: Vec<String>,
    pub definitions: Vec<String>,
    /// Number of indices of each definition.
    pub ranks: Vec<usize>,
    /// Types of the definitions resolved so far.
    pub types: Vec<Option<Ty>>,
    pub vars: Vec<Var>,
}

/// The indices in scope, innermost last.
pub struct Scope<'a> {
    names: &'a mut Names,
    vars: Vec<usize>,
}

impl<'a> Scope<'a> {
    /// A scope without indices.
    pub fn constants(names: &'a mut Names) -> Scope<'a> {
        Scope { names, vars: Vec::new() }
    }

    /// The indices declared so far.
    pub fn declared(&self) -> Vec<usize> {
        self.vars.clone()
    }

    /// Declares an index in this scope.
    pub fn declare(&mut self, index: &IndexDecl) -> Checked<usize> {
        let name = &index.name;
        if is_dimension(&name.name) {
            let help = format!("an index begins with a lower-case letter: `{}`", name.name.to_lowercase());
            return Err(Mistake::with_help(name.span, format!("`{}` is a dimension", name.name), help));
        }
        if self.names.scalars.iter().any(|s| s.name == name.name) {
            let help = "choose another letter";
            return Err(Mistake::with_help(
                name.span,
                format!("`{}` is a scalar of this op", name.name),
                help,
            ));
        }
        let var = match &index.range {
            Some(range) => self.ranged(name, range)?,
            None => self.by_letter(name)?,
        };
        self.names.vars.push(var);
        self.vars.push(self.names.vars.len() - 1);
        Ok(self.names.vars.len() - 1)
    }

    fn ranged(&mut self, name: &Ident, range: &Range) -> Checked<Var> {
        let mut outside = Scope::constants(self.names);
        let hi = outside.integer(&range.hi, "the end of an index")?;
        let lo = match &range.lo {
            Some(lo) => outside.integer(lo, "the start of an index")?,
            None => Node::int(0, name.span),
        };
        let ends = crate::fold::constant(&lo).zip(crate::fold::constant(&hi));
        if let Some((Value::Int(first), Value::Int(end))) = ends
            && end.saturating_sub(first) > MAX_ELEMENTS as i64
        {
            let message = format!("`{}` takes more values than any case can have", name.name);
            let help = format!("let it range over a dimension, or over at most {MAX_ELEMENTS} numbers");
            return Err(Mistake::with_help(range.hi.span, message, help));
        }
        let dim = match (&hi.kind, &lo.kind) {
            (NodeKind::Dim(dim), NodeKind::Int(0)) => Some(*dim),
            _ => None,
        };
        Ok(Var { name: name.name.clone(), lo, hi, dim })
    }

    fn by_letter(&self, name: &Ident) -> Checked<Var> {
        match self.names.dims.iter().position(|d| d.name.to_lowercase() == name.name) {
            Some(dim) => {
                let hi = Node::new(NodeKind::Dim(dim), Ty::Int, name.span);
                Ok(Var { name: name.name.clone(), lo: Node::int(0, name.span), hi, dim: Some(dim) })
            }
            None => {
                let message =
                    format!("no dimension `{}` for the index `{}`", name.name.to_uppercase(), name.name);
                Err(Mistake::with_help(name.span, message, format!("declare it: `{} in ...`", name.name)))
            }
        }
    }

    /// An expression that must be an integer.
    pub fn integer(&mut self, expr: &Expr, what: &str) -> Checked<Node> {
        let node = self.resolve(expr)?;
        match node.ty {
            Ty::Int => Ok(node),
            ty => Err(self.not_integer(expr, what, ty)),
        }
    }

    fn not_integer(&self, expr: &Expr, what: &str, ty: Ty) -> Box<Mistake> {
        let message = format!("{what} is an integer, this is {}", ty.shown());
        match &expr.kind {
            ExprKind::Binary("/", a, _) => {
                let help = "`/` is real division: write `//`";
                Mistake::with_help(a.span.to(expr.span), message, help)
            }
            _ if ty == Ty::Real => {
                Mistake::with_help(expr.span, message, "write `int(floor(...))`, or `//` for `/`")
            }
            _ => Mistake::new(expr.span, message),
        }
    }

    /// Resolves an expression.
    pub fn resolve(&mut self, expr: &Expr) -> Checked<Node> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Int(value) => Ok(Node::int(*value, span)),
            ExprKind::Real(value) => Ok(Node::new(NodeKind::Real(*value), Ty::Real, span)),
            ExprKind::Bool(value) => Ok(Node::new(NodeKind::Bool(*value), Ty::Bool, span)),
            ExprKind::Name(name) => self.name(name, span),
            ExprKind::Index(name, indices) => self.read(name, indices, span),
            ExprKind::Padded(read, other) => self.padded(read, other, span),
            ExprKind::Call(name, args) => self.call(name, args, span),
            ExprKind::Reduce(name, over, condition, body) => {
                self.reduce(name, over, condition.as_deref(), body, span)
            }
            ExprKind::Neg(a) => {
                let a = self.number(a)?;
                Ok(Node::apply(Func::Neg, vec![a], span))
            }
            ExprKind::Not(a) => {
                let a = self.truth(a, "`not` takes")?;
                Ok(Node::apply(Func::Not, vec![a], span))
            }
            ExprKind::Binary(sign, a, b) => self.binary(sign, a, b, span),
            ExprKind::If(c, a, b) => {
                let c = self.truth(c, "`if` takes")?;
                let (a, b) = self.same_type(a, b)?;
                let ty = a.ty;
                Ok(Node::new(NodeKind::If(Box::new([c, a, b])), ty, span))
            }
        }
    }

    pub(crate) fn number(&mut self, expr: &Expr) -> Checked<Node> {
        let node = self.resolve(expr)?;
        match node.ty {
            Ty::Bool => {
                let help = "write `if ... then 1 else 0`";
                Err(Mistake::with_help(expr.span, "a number is wanted, this is a truth value", help))
            }
            _ => Ok(node),
        }
    }

    fn truth(&mut self, expr: &Expr, what: &str) -> Checked<Node> {
        let node = self.resolve(expr)?;
        match node.ty {
            Ty::Bool => Ok(node),
            ty => {
                let message = format!("{what} a truth value, this is {}", ty.shown());
                Err(Mistake::with_help(expr.span, message, "compare: for example `... != 0`"))
            }
        }
    }

    fn same_type(&mut self, a: &Expr, b: &Expr) -> Checked<(Node, Node)> {
        let (spans, a, b) = ((a.span, b.span), self.resolve(a)?, self.resolve(b)?);
        match (a.ty, b.ty) {
            (x, y) if x == y => Ok((a, b)),
            (Ty::Bool, _) | (_, Ty::Bool) => {
                let message = format!("one branch is {}, the other {}", a.ty.shown(), b.ty.shown());
                Err(Mistake::new(spans.0.to(spans.1), message))
            }
            _ => Ok((a.into_real(), b.into_real())),
        }
    }

    fn name(&mut self, name: &str, span: Span) -> Checked<Node> {
        if let Some(var) = self.vars.iter().rev().find(|v| self.names.vars[**v].name == name) {
            return Ok(Node::var(*var, span));
        }
        if let Some(dim) = self.names.dims.iter().position(|d| d.name == name) {
            return Ok(Node::new(NodeKind::Dim(dim), Ty::Int, span));
        }
        if let Some(scalar) = self.names.scalars.iter().position(|s| s.name == name) {
            return Ok(Node::new(NodeKind::Scalar(scalar), self.names.scalars[scalar].ty, span));
        }
        let ident = Ident { name: name.to_string(), span };
        if self.names.definitions.iter().any(|d| d == name)
            || self.names.inputs.iter().any(|t| t.name == name)
        {
            return self.read(&ident, &[], span);
        }
        Err(self.unknown(&ident))
    }

    fn unknown(&self, name: &Ident) -> Box<Mistake> {
        let names = &*self.names;
        let vars = self.vars.iter().map(|v| names.vars[*v].name.as_str());
        let known = vars
            .chain(names.dims.iter().map(|d| d.name.as_str()))
            .chain(names.scalars.iter().map(|s| s.name.as_str()))
            .chain(names.inputs.iter().map(|t| t.name.as_str()))
            .chain(names.definitions.iter().map(String::as_str));
        let message = format!("`{}` is not known here", name.name);
        let dimension = names.dims.iter().any(|d| d.name.to_lowercase() == name.name);
        match nearest(&name.name, known) {
            _ if name.name == crate::parse_random::WORD => {
                let message = "a random variable has no place in an expression";
                Mistake::with_help(name.span, message, crate::parse_random::HELP)
            }
            _ if dimension => {
                let help = format!(
                    "it is an index: put it on the left side or in a reduction, `sum[{}](...)`",
                    name.name
                );
                Mistake::with_help(name.span, message, help)
            }
            Some(near) => Mistake::with_help(name.span, message, format!("did you mean `{near}`?")),
            None => Mistake::new(name.span, message),
        }
    }

    fn read(&mut self, name: &Ident, indices: &[Expr], span: Span) -> Checked<Node> {
        let (source, rank, ty) = self.source(name)?;
        if rank != indices.len() {
            let gives = match indices.len() {
                1 => "1 index".to_string(),
                many => format!("{many} indices"),
            };
            let has = plural(rank, "dimension");
            let message = format!("`{}` has {has}, this gives {gives}", name.name);
            return Err(Mistake::new(span, message));
        }
        let indices = indices.iter().map(|e| self.integer(e, "an index")).collect::<Checked<Vec<_>>>()?;
        Ok(Node::new(NodeKind::Read(Box::new(Read { source, indices, otherwise: None })), ty, span))
    }

    pub(crate) fn source(&self, name: &Ident) -> Checked<(Source, usize, Ty)> {
        if let Some(at) = self.names.inputs.iter().position(|t| t.name == name.name) {
            let tensor = &self.names.inputs[at];
            let ty = if tensor.integer { Ty::Int } else { Ty::Real };
            return Ok((Source::Tensor(at), tensor.dims.len(), ty));
        }
        if let Some(at) = self.names.definitions.iter().position(|d| *d == name.name) {
            let ty = self.names.types.get(at).copied().flatten();
            let Some(ty) = ty else { return Err(self.unknown(name)) };
            return Ok((Source::Stage(at), self.names.ranks[at], ty));
        }
        Err(self.unknown(name))
    }

    fn padded(&mut self, read: &Expr, other: &Expr, span: Span) -> Checked<Node> {
        let (read, other) = self.same_type(read, other)?;
        let ty = read.ty;
        // an integer tensor read where the padding is real: the conversion moves outside the read
        match read.kind {
            NodeKind::Read(mut inner) => {
                inner.otherwise = Some(other);
                Ok(Node::new(NodeKind::Read(inner), ty, span))
            }
            _ => {
                let help = "give both the same type, for example `else 0`";
                Err(Mistake::with_help(other.span, "the tensor holds integers, the padding is a real", help))
            }
        }
    }

    fn binary(&mut self, sign: &str, a: &Expr, b: &Expr, span: Span) -> Checked<Node> {
        let func =
            Func::of_sign(sign).ok_or_else(|| Mistake::new(span, format!("`{sign}` is not an operator")))?;
        match func {
            Func::And | Func::Or => {
                let what = format!("`{sign}` takes");
                let args = vec![self.truth(a, &what)?, self.truth(b, &what)?];
                Ok(Node::apply(func, args, span))
            }
            Func::IntDiv | Func::Mod => {
                let what = format!("`{sign}` takes integers: each side");
                let args = vec![self.integer(a, &what)?, self.integer(b, &what)?];
                not_by_zero(&args[1])?;
                Ok(Node::apply(func, args, span))
            }
            Func::Div => {
                let (a, b) = (self.number(a)?, self.number(b)?);
                if a.ty == Ty::Int && b.ty == Ty::Int {
                    not_by_zero(&b)?;
                }
                Ok(Node::apply(func, vec![a.into_real(), b.into_real()], span))
            }
            _ => {
                let (a, b) = (self.number(a)?, self.number(b)?);
                Ok(joined(func, a, b, span))
            }
        }
    }

    fn reduce(
        &mut self,
        name: &Ident,
        over: &[IndexDecl],
        condition: Option<&Expr>,
        body: &Expr,
        span: Span,
    ) -> Checked<Node> {
        let fold = Fold::named(&name.name).ok_or_else(|| self.no_function(name))?;
        let depth = self.vars.len();
        let over = over.iter().map(|index| self.declare(index)).collect::<Checked<Vec<_>>>()?;
        let condition = condition.map(|c| self.truth(c, "`where` takes")).transpose()?;
        let term = match fold {
            Fold::Any => self.truth(body, "`any` takes")?,
            Fold::Mean => self.number(body)?.into_real(),
            _ => self.number(body)?,
        };
        self.vars.truncate(depth);
        if matches!(fold, Fold::ArgMax | Fold::ArgMin) && over.len() != 1 {
            return Err(Mistake::new(name.span, format!("`{}` reduces over one index", name.name)));
        }
        let ty = match fold {
            Fold::ArgMax | Fold::ArgMin => Ty::Int,
            Fold::Any => Ty::Bool,
            Fold::Max | Fold::Min if condition.is_some() => Ty::Real,
            _ => term.ty,
        };
        let term = if ty == Ty::Real { term.into_real() } else { term };
        Ok(Node::new(NodeKind::Reduce(Box::new(Reduce { fold, over, condition, term })), ty, span))
    }
}

/// Refuses what divides integers by 0 in every case.
fn not_by_zero(divisor: &Node) -> Checked<()> {
    match crate::fold::constant(divisor) {
        Some(Value::Int(0)) => {
            Err(Mistake::with_help(divisor.span, "this divides by 0", "divide by a number that is not 0"))
        }
        _ => Ok(()),
    }
}
