//! Expressions as source text, and the statements that must stand before them.

use std::collections::{BTreeSet, HashMap};

use ktwin_lang::{Func, Node, NodeKind, Op, Ty};

use crate::dialect::Dialect;
use crate::names::Names;
use crate::steps::Steps;
use crate::stores::Stores;

/// A text and how tightly its outermost sign binds.
#[derive(Clone, Debug)]
pub struct Text {
    pub text: String,
    pub level: u8,
}

pub const ATOM: u8 = 9;
const SIGNED: u8 = 6;

/// Writes the statements of one step.
pub struct Writer<'a> {
    pub op: &'a Op,
    pub steps: &'a Steps,
    pub stores: &'a Stores,
    pub dialect: &'a dyn Dialect,
    pub names: Names,
    pub lines: Vec<String>,
    pub depth: usize,
    /// Indices by what they are called, or what stands for them.
    pub(super) env: HashMap<usize, Text>,
    /// Definitions that were written out in the blocks around.
    pub(super) known: Vec<HashMap<String, Text>>,
    /// Dimensions and scalars that are used.
    dims: BTreeSet<usize>,
    scalars: BTreeSet<usize>,
}

impl<'a> Writer<'a> {
    pub fn new(
        op: &'a Op,
        steps: &'a Steps,
        stores: &'a Stores,
        dialect: &'a dyn Dialect,
        names: &Names,
    ) -> Writer<'a> {
        Writer {
            op,
            steps,
            stores,
            dialect,
            names: names.clone(),
            lines: Vec::new(),
            depth: 1,
            env: HashMap::new(),
            known: vec![HashMap::new()],
            dims: BTreeSet::new(),
            scalars: BTreeSet::new(),
        }
    }

    /// The names of the dimensions and scalars that were used.
    pub fn sizes(&self) -> Vec<String> {
        let dims = self.dims.iter().map(|d| &self.op.dims[*d].name);
        let all = dims.chain(self.scalars.iter().map(|s| &self.op.scalars[*s].name));
        all.map(|name| self.names.size(name).to_string()).collect()
    }

    pub fn line(&mut self, text: &str) {
        self.lines.push(format!("{}{text}", "    ".repeat(self.depth)));
    }

    pub fn open(&mut self, text: &str) {
        self.line(&format!("{text} {{"));
        self.enter();
    }

    /// A block for its own sake.
    pub fn block(&mut self) {
        self.line("{");
        self.enter();
    }

    fn enter(&mut self) {
        self.depth += 1;
        self.known.push(HashMap::new());
    }

    pub fn close(&mut self) {
        self.depth -= 1;
        self.known.pop();
        self.line("}");
    }

    /// An expression, in parentheses where what stands around it binds as tightly.
    pub fn text(&mut self, node: &Node, around: u8) -> String {
        let made = self.node(node);
        if made.level < around { format!("({})", made.text) } else { made.text }
    }

    pub(super) fn node(&mut self, node: &Node) -> Text {
        let atom = |text: String| Text { text, level: ATOM };
        match &node.kind {
            NodeKind::Int(v) => Text { text: v.to_string(), level: if *v < 0 { SIGNED } else { ATOM } },
            NodeKind::Real(v) => {
                Text { text: self.dialect.real(*v), level: if *v < 0.0 { SIGNED } else { ATOM } }
            }
            NodeKind::Bool(v) => atom(v.to_string()),
            NodeKind::Var(var) => self.env.get(var).cloned().unwrap_or_else(|| atom(format!("v{var}"))),
            NodeKind::Dim(dim) => {
                self.dims.insert(*dim);
                atom(self.names.size(&self.op.dims[*dim].name).to_string())
            }
            NodeKind::Scalar(scalar) => {
                self.scalars.insert(*scalar);
                let info = &self.op.scalars[*scalar];
                let name = self.names.size(&info.name).to_string();
                match info.ty {
                    Ty::Bool => Text { text: self.dialect.truth(&name), level: 3 },
                    _ => atom(name),
                }
            }
            NodeKind::Read(read) => self.read(read, node.ty),
            NodeKind::Apply(func, args) => self.apply(*func, args, node.ty),
            NodeKind::If(parts) => self.conditional(parts, node.ty),
            NodeKind::Reduce(reduce) => atom(self.reduce(reduce)),
        }
    }

    fn apply(&mut self, func: Func, args: &[Node], ty: Ty) -> Text {
        match (func, args) {
            (Func::And | Func::Or, [a, b]) => self.junction(func, a, b),
            (Func::Not, [a]) => Text { text: format!("!{}", self.text(a, 7)), level: SIGNED },
            (Func::Neg, [a]) => {
                let inner = self.text(a, 7);
                let inner = if inner.starts_with('-') { format!("({inner})") } else { inner };
                Text { text: format!("-{inner}"), level: SIGNED }
            }
            (Func::ToReal, [a]) => self.cast(Ty::Real, a),
            (Func::ToInt, [a]) => self.cast(Ty::Int, a),
            (Func::IntDiv | Func::Mod, [a, b]) if !(self.never_below(a) && self.never_below(b)) => {
                self.called(func, ty, args)
            }
            (Func::Pow, [a, Node { kind: NodeKind::Int(n @ 2..=8), .. }]) => self.power(a, *n, ty),
            (_, [a, b]) if func.sign().is_some() && func != Func::Pow => self.signed(func, a, b),
            _ => self.called(func, ty, args),
        }
    }

    fn called(&mut self, func: Func, ty: Ty, args: &[Node]) -> Text {
        let args: Vec<String> = args.iter().map(|a| self.text(a, 0)).collect();
        let text = self.dialect.call(func, ty, &args);
        Text { text, level: if func == Func::Sigmoid || func == Func::Rsqrt { 5 } else { ATOM } }
    }

    fn cast(&mut self, to: Ty, value: &Node) -> Text {
        let inner = self.text(value, 0);
        Text { text: self.dialect.cast(to, &inner), level: ATOM }
    }

    fn signed(&mut self, func: Func, a: &Node, b: &Node) -> Text {
        let level = match func {
            f if f.compares() => 3,
            Func::Add | Func::Sub => 4,
            _ => 5,
        };
        let sign = match func {
            Func::IntDiv => "/",
            _ => func.sign().unwrap_or("?"),
        };
        let (a, b) = (self.text(a, level + u8::from(func.compares())), self.text(b, level + 1));
        Text { text: format!("{a} {sign} {b}"), level }
    }

    /// A whole power as a product.
    fn power(&mut self, base: &Node, n: i64, ty: Ty) -> Text {
        let base = self.node(base);
        let simple = base.level == ATOM && base.text.chars().all(|c| c.is_alphanumeric() || c == '_');
        let name = if simple { base.text } else { self.named(ty, "factor", &base.text) };
        Text { text: vec![name; n as usize].join(" * "), level: 5 }
    }

    pub(super) fn named(&mut self, ty: Ty, like: &str, value: &str) -> String {
        let name = self.names.fresh(like);
        let line = self.dialect.constant(ty, &name, value);
        self.line(&line);
        name
    }

    /// What `make` writes, in statements of its own that are put aside.
    pub(super) fn aside<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> (T, Vec<String>) {
        let before = std::mem::take(&mut self.lines);
        self.known.push(HashMap::new());
        self.depth += 1;
        let made = make(self);
        self.depth -= 1;
        self.known.pop();
        (made, std::mem::replace(&mut self.lines, before))
    }

    /// The right side counts only where the left does not decide.
    fn junction(&mut self, func: Func, a: &Node, b: &Node) -> Text {
        let (sign, level) = if func == Func::And { ("&&", 2) } else { ("||", 1) };
        // languages want parentheses where the two meet
        let side = |w: &mut Self, n: &Node| {
            let other = matches!(&n.kind, NodeKind::Apply(f @ (Func::And | Func::Or), _) if *f != func);
            w.text(n, if other { ATOM } else { level })
        };
        let left = side(self, a);
        let (right, before) = self.aside(|w| side(w, b));
        if before.is_empty() {
            return Text { text: format!("{left} {sign} {right}"), level };
        }
        let name = self.names.fresh("holds");
        let line = self.dialect.variable(Ty::Bool, &name, Some(&left));
        self.line(&line);
        let head = self.dialect.when(&if func == Func::And { name.clone() } else { format!("!{name}") });
        self.open(&head);
        self.lines.extend(before);
        self.line(&format!("{name} = {right};"));
        self.close();
        Text { text: name, level: ATOM }
    }

    /// Only the taken branch is computed, unless both are harmless.
    fn conditional(&mut self, parts: &[Node; 3], ty: Ty) -> Text {
        let condition = self.text(&parts[0], 0);
        let (yes, before_yes) = self.aside(|w| w.text(&parts[1], 0));
        let (no, before_no) = self.aside(|w| w.text(&parts[2], 0));
        let harmless = before_yes.is_empty() && before_no.is_empty();
        if harmless && !reads(&parts[1]) && !reads(&parts[2]) {
            return Text { text: self.dialect.choose(&condition, &yes, &no), level: ATOM };
        }
        let name = self.names.fresh("value");
        let line = self.dialect.variable(ty, &name, None);
        self.line(&line);
        let head = self.dialect.when(&condition);
        self.open(&head);
        self.lines.extend(before_yes);
        self.line(&format!("{name} = {yes};"));
        self.depth -= 1;
        self.line("} else {");
        self.depth += 1;
        self.lines.extend(before_no);
        self.line(&format!("{name} = {no};"));
        self.close();
        Text { text: name, level: ATOM }
    }
}

/// In parentheses where it binds less tightly.
pub fn around(text: &Text, level: u8) -> String {
    if text.level < level { format!("({})", text.text) } else { text.text.clone() }
}

/// Whether computing this reads memory.
fn reads(node: &Node) -> bool {
    let mut found = false;
    node.walk(&mut |n| found |= matches!(n.kind, NodeKind::Read(_)));
    found
}
