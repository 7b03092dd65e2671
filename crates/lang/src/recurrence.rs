//! Recurrences: definitions that read themselves, or each other, at an earlier place of one index. Which index that is,
//! and in which order the definitions are computed at one place of it. Every read must be shown to lie before the place
//! that it is for (or everywhere behind it), whatever the data are.

use crate::ast::{Definition, Expr, ExprKind, File, Ident, IndexDecl};
use crate::check::is_dimension;
use crate::diagnostic::{Checked, Mistake, Span};

/// Definitions that are computed together, one place of an index after another.
#[derive(Clone, Debug)]
pub struct Running {
    /// The definitions, each after those that it reads at the same place.
    pub members: Vec<usize>,
    /// The index's name.
    pub index: String,
    /// Whether it runs from its end to its start.
    pub backwards: bool,
}

/// Where a read stands, seen from the place that it is for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Before,
    Same,
    After,
}

/// The recurrence that these definitions are, each of which depends on itself.
pub fn running(tree: &File, members: &[usize]) -> Checked<Running> {
    let definitions = || members.iter().map(|m| &tree.definitions[*m]);
    let first = &tree.definitions[members[0]];
    let shared = |name: &&str| definitions().all(|d| position(d, name).is_some());
    let candidates: Vec<&str> =
        first.indices.iter().map(|i| i.name.name.as_str()).filter(|name| shared(name)).collect();
    let mut refused = None;
    for index in &candidates {
        match along(tree, members, index) {
            Ok(running) => return Ok(running),
            Err(mistake) => refused = refused.or(Some(mistake)),
        }
    }
    Err(refused
        .filter(|_| candidates.len() == 1)
        .unwrap_or_else(|| depends(first, members.len(), &candidates)))
}

fn depends(first: &Definition, members: usize, candidates: &[&str]) -> Box<Mistake> {
    let message = format!("`{}` depends on itself", first.name.name);
    let help = match candidates {
        [] if members > 1 => {
            "definitions that depend on each other have one index of the same name, \
                              and read each other at earlier places of it"
        }
        [] => "only a definition with an index can, at an earlier place: `h[t - 1]`",
        _ => {
            "along one of its indices every read must stand earlier: `h[t - 1, d]`, or `h[s, d]` in \
              `sum[s in T where s < t](...)`"
        }
    };
    Mistake::with_help(first.name.span, message, help)
}

fn position(definition: &Definition, index: &str) -> Option<usize> {
    definition.indices.iter().position(|i| i.name.name == index)
}

/// The recurrence along an index, if it is one.
fn along(tree: &File, members: &[usize], index: &str) -> Checked<Running> {
    let mut reads = Vec::new();
    for member in members {
        let mut walk = Walk { tree, members, index, scope: Vec::new(), reads: Vec::new() };
        walk.expr(&tree.definitions[*member].body)?;
        reads.extend(walk.reads.into_iter().map(|(of, step, span)| (*member, of, step, span)));
    }
    let backwards = reads.iter().any(|r| r.2 == Step::After);
    if backwards && let Some(other) = reads.iter().find(|r| r.2 == Step::Before) {
        let message = format!("this reads before `{index}`, another read of the same recurrence after it");
        return Err(Mistake::with_help(other.3, message, "a recurrence runs in one direction"));
    }
    let same: Vec<(usize, usize)> =
        reads.iter().filter(|r| r.2 == Step::Same).map(|(by, of, ..)| (*by, *of)).collect();
    let mut order: Vec<usize> = Vec::new();
    while order.len() < members.len() {
        let ready = |m: &&usize| {
            let waits = same.iter().any(|(by, of)| by == *m && !order.contains(of));
            !order.contains(m) && !waits
        };
        match members.iter().find(ready) {
            Some(next) => order.push(*next),
            None => {
                let span = reads.iter().find(|r| r.2 == Step::Same).map_or(Span::default(), |r| r.3);
                let left = members.iter().filter(|member| !order.contains(member));
                let names: Vec<String> =
                    left.map(|member| format!("`{}`", tree.definitions[*member].name.name)).collect();
                let message = match &names[..] {
                    [one] => format!("{one} depends on itself at the same `{index}`"),
                    all => format!("{} depend on each other at the same `{index}`", all.join(" and ")),
                };
                return Err(Mistake::with_help(
                    span,
                    message,
                    format!("read an earlier place: `{index} - 1`"),
                ));
            }
        }
    }
    Ok(Running { members: order, index: index.to_string(), backwards })
}

/// How far from the running index a value is at least and at most; `of` says whether it moves with that index.
#[derive(Clone, Copy, Debug)]
struct Offset {
    of: bool,
    lo: i64,
    hi: i64,
}

const FAR: i64 = i64::MAX / 4;

impl Offset {
    fn plus(self, other: Offset, sign: i64) -> Option<Offset> {
        let (lo, hi) = if sign > 0 { (other.lo, other.hi) } else { (-other.hi, -other.lo) };
        let add = |a: i64, b: i64| a.saturating_add(b).clamp(-FAR, FAR);
        match (self.of, other.of, sign) {
            (true, true, _) | (false, true, -1) => None,
            (of, other, _) => Some(Offset { of: of || other, lo: add(self.lo, lo), hi: add(self.hi, hi) }),
        }
    }
}

/// Finds the reads of the members in an expression.
struct Walk<'a> {
    tree: &'a File,
    members: &'a [usize],
    index: &'a str,
    /// The indices of the reductions around, innermost last.
    scope: Vec<(String, Offset)>,
    reads: Vec<(usize, Step, Span)>,
}

impl Walk<'_> {
    fn expr(&mut self, expr: &Expr) -> Checked<()> {
        match &expr.kind {
            ExprKind::Name(name) => self.read(&Ident { name: name.clone(), span: expr.span }, &[]),
            ExprKind::Index(name, args) => {
                self.read(name, args)?;
                args.iter().try_for_each(|a| self.expr(a))
            }
            ExprKind::Padded(a, b) | ExprKind::Binary(_, a, b) => {
                self.expr(a)?;
                self.expr(b)
            }
            ExprKind::Call(_, args) => args.iter().try_for_each(|a| self.expr(a)),
            ExprKind::Neg(a) | ExprKind::Not(a) => self.expr(a),
            ExprKind::If(c, a, b) => [c, a, b].into_iter().try_for_each(|e| self.expr(e)),
            ExprKind::Reduce(_, over, condition, body) => self.reduction(over, condition.as_deref(), body),
            ExprKind::Int(_) | ExprKind::Real(_) | ExprKind::Bool(_) => Ok(()),
        }
    }

    fn reduction(&mut self, over: &[IndexDecl], condition: Option<&Expr>, body: &Expr) -> Checked<()> {
        let depth = self.scope.len();
        self.scope.extend(over.iter().map(|i| (i.name.name.clone(), range(i))));
        if let Some(condition) = condition {
            self.expr(condition)?;
            self.narrow(condition, depth);
        }
        self.expr(body)?;
        self.scope.truncate(depth);
        Ok(())
    }

    /// Takes what a condition says of the indices of its reduction.
    fn narrow(&mut self, condition: &Expr, depth: usize) {
        let ExprKind::Binary(sign, a, b) = &condition.kind else { return };
        if *sign == "and" {
            self.narrow(a, depth);
            return self.narrow(b, depth);
        }
        let mirrored = match *sign {
            "<" => ">",
            "<=" => ">=",
            ">" => "<",
            ">=" => "<=",
            other => other,
        };
        self.bound(a, sign, b, depth);
        self.bound(b, mirrored, a, depth);
    }

    fn bound(&mut self, left: &Expr, sign: &str, right: &Expr, depth: usize) {
        let ExprKind::Name(name) = &left.kind else { return };
        let Some(right) = self.offset(right).filter(|o| o.of) else { return };
        let Some(at) = self.scope.iter().rposition(|(n, _)| n == name).filter(|at| *at >= depth) else {
            return;
        };
        let before = self.scope[at].1;
        let before = if before.of { before } else { Offset { of: true, lo: -FAR, hi: FAR } };
        let (lo, hi) = match sign {
            "<" => (before.lo, before.hi.min(right.hi - 1)),
            "<=" => (before.lo, before.hi.min(right.hi)),
            ">" => (before.lo.max(right.lo + 1), before.hi),
            ">=" => (before.lo.max(right.lo), before.hi),
            "==" => (before.lo.max(right.lo), before.hi.min(right.hi)),
            _ => return,
        };
        self.scope[at].1 = Offset { of: true, lo, hi };
    }

    fn read(&mut self, name: &Ident, args: &[Expr]) -> Checked<()> {
        let of = self.tree.definitions.iter().position(|d| d.name.name == name.name);
        let hidden = self.tree.tensors.iter().any(|t| t.name.name == name.name);
        let Some(of) = of.filter(|of| self.members.contains(of) && !hidden) else { return Ok(()) };
        let place = position(&self.tree.definitions[of], self.index).and_then(|at| args.get(at));
        let span = place.map_or(name.span, |p| p.span);
        let step = match place.and_then(|p| self.offset(p)).filter(|o| o.of) {
            Some(Offset { lo: 0, hi: 0, .. }) => Step::Same,
            Some(Offset { hi: ..=-1, .. }) => Step::Before,
            Some(Offset { lo: 1.., .. }) => Step::After,
            _ => {
                let (name, index) = (&name.name, self.index);
                let message = format!("`{name}` depends on itself, and this may not stand before `{index}`");
                let help =
                    format!("write `{index} - 1`, or `s` in a reduction over `s in ... where s < {index}`");
                return Err(Mistake::with_help(span, message, help));
            }
        };
        self.reads.push((of, step, span));
        Ok(())
    }

    fn offset(&self, expr: &Expr) -> Option<Offset> {
        match &expr.kind {
            ExprKind::Int(v) => Some(Offset { of: false, lo: *v, hi: *v }),
            ExprKind::Name(name) => match self.scope.iter().rev().find(|(n, _)| n == name) {
                Some((_, offset)) => Some(*offset),
                None if name == self.index => Some(Offset { of: true, lo: 0, hi: 0 }),
                None if is_dimension(name) => Some(Offset { of: false, lo: 1, hi: FAR }),
                None => None,
            },
            ExprKind::Binary("+", a, b) => self.offset(a)?.plus(self.offset(b)?, 1),
            ExprKind::Binary("-", a, b) => self.offset(a)?.plus(self.offset(b)?, -1),
            ExprKind::Binary("%", _, by) => match by.kind {
                ExprKind::Int(by @ 1..) => Some(Offset { of: false, lo: 0, hi: by - 1 }),
                _ => None,
            },
            _ => None,
        }
    }
}

/// What an index may be, as far as its declaration says so in numbers.
fn range(index: &IndexDecl) -> Offset {
    let number = |expr: &Expr| if let ExprKind::Int(v) = expr.kind { Some(v) } else { None };
    let (lo, hi) = match &index.range {
        None => (Some(0), None),
        Some(range) => (range.lo.as_ref().map_or(Some(0), number), number(&range.hi).map(|hi| hi - 1)),
    };
    Offset { of: false, lo: lo.unwrap_or(-FAR).max(-FAR), hi: hi.unwrap_or(FAR).min(FAR) }
}
