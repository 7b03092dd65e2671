//! The order in which definitions can be resolved: each after those that it uses. Those that use each other come
//! together, as a recurrence.

use crate::ast::{Expr, ExprKind, File};
use crate::diagnostic::Checked;
use crate::recurrence::{Running, running};
use crate::resolve::Names;

/// What is resolved at once.
#[derive(Clone, Debug)]
pub enum Group {
    One(usize),
    Recurrence(Running),
}

/// The definitions in an order in which each group depends on earlier ones only.
pub fn dependency_order(tree: &File, names: &Names) -> Checked<Vec<Group>> {
    let uses: Vec<Vec<usize>> = tree.definitions.iter().map(|d| used(&d.body, names)).collect();
    let count = uses.len();
    let mut search = Search {
        uses: &uses,
        number: vec![None; count],
        low: vec![0; count],
        open: Vec::new(),
        found: Vec::new(),
    };
    for at in 0..count {
        if search.number[at].is_none() {
            search.visit(at);
        }
    }
    let group = |members: Vec<usize>| match members[..] {
        [one] if !uses[one].contains(&one) => Ok(Group::One(one)),
        _ => running(tree, &members).map(Group::Recurrence),
    };
    search.found.into_iter().map(group).collect()
}

/// Tarjan's search for definitions that depend on each other. There are few definitions: it may recurse.
struct Search<'a> {
    uses: &'a [Vec<usize>],
    number: Vec<Option<usize>>,
    low: Vec<usize>,
    open: Vec<usize>,
    found: Vec<Vec<usize>>,
}

impl Search<'_> {
    fn visit(&mut self, at: usize) {
        let own = self.number.iter().flatten().count();
        (self.number[at], self.low[at]) = (Some(own), own);
        self.open.push(at);
        for next in &self.uses[at] {
            match self.number[*next] {
                None => {
                    self.visit(*next);
                    self.low[at] = self.low[at].min(self.low[*next]);
                }
                Some(number) if self.open.contains(next) => self.low[at] = self.low[at].min(number),
                Some(_) => {}
            }
        }
        if self.low[at] == own
            && let Some(first) = self.open.iter().position(|d| *d == at)
        {
            let mut members = self.open.split_off(first);
            members.sort_unstable();
            self.found.push(members);
        }
    }
}

/// The definitions that an expression uses.
fn used(expr: &Expr, names: &Names) -> Vec<usize> {
    let mut used = Vec::new();
    used_names(expr, &mut used);
    // a name that is an input is the input, also where an output is written over it
    let input = |name: &String| names.inputs.iter().any(|t| t.name == *name);
    let definition = |name: &String| names.definitions.iter().position(|d| d == name);
    used.iter().filter(|name| !input(name)).filter_map(definition).collect()
}

/// Whether an expression names this.
pub fn reads(expr: &Expr, name: &str) -> bool {
    let mut used = Vec::new();
    used_names(expr, &mut used);
    used.iter().any(|own| own == name)
}

fn used_names(expr: &Expr, out: &mut Vec<String>) {
    match &expr.kind {
        ExprKind::Name(name) => out.push(name.clone()),
        ExprKind::Index(name, args) => {
            out.push(name.name.clone());
            args.iter().for_each(|a| used_names(a, out));
        }
        ExprKind::Call(_, args) => args.iter().for_each(|a| used_names(a, out)),
        ExprKind::Neg(a) | ExprKind::Not(a) => used_names(a, out),
        ExprKind::Padded(a, b) | ExprKind::Binary(_, a, b) => [a, b].iter().for_each(|e| used_names(e, out)),
        ExprKind::If(c, a, b) => [c, a, b].iter().for_each(|e| used_names(e, out)),
        ExprKind::Reduce(_, _, condition, body) => {
            condition.iter().chain([body]).for_each(|e| used_names(e, out));
        }
        _ => {}
    }
}
