//! What the dimensions and scalars of a called op are to its caller.

use std::collections::BTreeMap;

use ktwin_num::Sorted;

use crate::ast::{DomainDecl, Expr, ExprKind, File, Ident, IndexDecl, OpCall, Range, TensorDecl};
use crate::check::is_dimension;
use crate::diagnostic::{Checked, Mistake, Span};

/// The dimensions of a called op as its tensors give them.
pub struct Sizes<'a> {
    call: &'a OpCall,
    callee: &'a File,
    /// Each with the tensor of the caller that gave it.
    found: BTreeMap<String, (Expr, String)>,
    /// Sizes that are expressions of the called op's, each with the caller's.
    pub compounds: Vec<(Expr, Expr)>,
}

impl<'a> Sizes<'a> {
    pub fn new(call: &'a OpCall, callee: &'a File) -> Sizes<'a> {
        Sizes { call, callee, found: BTreeMap::new(), compounds: Vec::new() }
    }

    /// Takes in that a tensor of the called op is one of the caller's.
    pub fn unify(&mut self, tensor: &TensorDecl, arg: &Ident, dims: &[Expr]) -> Checked<()> {
        let (op, name) = (&self.call.op.name, &tensor.name.name);
        if tensor.dims.len() != dims.len() {
            let message = format!(
                "`{name}` of `{op}` has {} dimensions, `{}` has {}",
                tensor.dims.len(),
                arg.name,
                dims.len()
            );
            let help = format!("`{op}` takes {}", shown(name, &tensor.dims));
            return Err(Mistake::with_help(arg.span, message, help));
        }
        for (dim, size) in tensor.dims.iter().zip(dims) {
            match &dim.kind {
                ExprKind::Name(name) if is_dimension(name) => self.dim(name, size, arg)?,
                _ => self.compounds.push((dim.clone(), size.clone())),
            }
        }
        Ok(())
    }

    fn dim(&mut self, name: &str, size: &Expr, arg: &Ident) -> Checked<()> {
        let Some((before, from)) = self.found.get(name) else {
            self.found.insert(name.to_string(), (size.clone(), arg.name.clone()));
            return Ok(());
        };
        if same(before, size) {
            return Ok(());
        }
        let op = &self.call.op.name;
        let message =
            format!("`{name}` of `{op}` is {} by `{from}`, {} by `{}`", text(before), text(size), arg.name);
        Err(Mistake::with_help(arg.span, message, "give both the same size"))
    }

    /// Takes in that a range of values in the called op is one of the caller's.
    pub fn domain(&mut self, wanted: &Expr, own: &Expr, arg: &Ident) -> Checked<()> {
        match &wanted.kind {
            ExprKind::Name(name) if is_dimension(name) => self.dim(name, own, arg),
            _ => Ok(()),
        }
    }

    /// What stands for each dimension and scalar of the called op.
    pub fn values(&self, file: &File) -> Checked<BTreeMap<String, Expr>> {
        let mut values: BTreeMap<String, Expr> = BTreeMap::new();
        for (name, (size, _)) in &self.found {
            values.insert(name.clone(), size.clone());
        }
        for (name, value) in &self.call.settings {
            self.setting(file, name, value, &mut values)?;
        }
        for scalar in &self.callee.scalars {
            let name = &scalar.name.name;
            if values.contains_key(name) {
                continue;
            }
            let Some(default) = &scalar.default else {
                let message = format!("`{}` has a scalar `{name}` without a default", self.call.op.name);
                let help = format!("give it after a `;`: `; {name} = ...`");
                return Err(Mistake::with_help(self.call.span, message, help));
            };
            values.insert(name.clone(), self.typed(name, default));
        }
        Ok(values)
    }

    fn setting(
        &self,
        file: &File,
        name: &Ident,
        value: &Expr,
        values: &mut BTreeMap<String, Expr>,
    ) -> Checked<()> {
        let op = &self.call.op.name;
        let known = self.callee.scalars.iter().any(|s| s.name.name == name.name) || is_dimension(&name.name);
        if !known {
            let names: Vec<&str> = self.callee.scalars.iter().map(|s| s.name.name.as_str()).collect();
            let message = format!("`{op}` has no scalar `{}`", name.name);
            let help =
                if names.is_empty() { "it has none".into() } else { format!("it has {}", names.join(", ")) };
            return Err(Mistake::with_help(name.span, message, help));
        }
        if let Some(tensor) = reads(file, value) {
            let message = format!("a scalar is given dimensions, scalars and numbers, `{tensor}` is neither");
            return Err(Mistake::with_help(value.span, message, "give what does not depend on elements"));
        }
        if values.insert(name.name.clone(), self.typed(&name.name, value)).is_some() {
            return Err(Mistake::new(name.span, format!("`{}` is given twice", name.name)));
        }
        Ok(())
    }

    /// A whole number for a real is a real.
    fn typed(&self, name: &str, value: &Expr) -> Expr {
        let scalar = self.callee.scalars.iter().find(|s| s.name.name == name);
        let whole = scalar.is_none_or(|s| {
            let int = |e: &Expr| matches!(e.kind, ExprKind::Int(_) | ExprKind::Name(_) | ExprKind::Neg(_));
            match (&s.domain, &s.default) {
                (Some(DomainDecl::Range(range)), _) => range.lo.as_ref().is_none_or(int) && int(&range.hi),
                (Some(_), _) => false,
                (None, default) => {
                    default.as_ref().is_some_and(|d| matches!(d.kind, ExprKind::Int(_) | ExprKind::Bool(_)))
                }
            }
        });
        match value.kind {
            ExprKind::Int(number) if !whole => Expr { kind: ExprKind::Real(number as f64), ..value.clone() },
            _ => value.clone(),
        }
    }
}

/// A tensor or definition that an expression names.
fn reads(file: &File, expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Name(name) => {
            let known = is_dimension(name) || file.scalars.iter().any(|s| s.name.name == *name);
            (!known).then(|| name.clone())
        }
        ExprKind::Index(name, _) | ExprKind::Reduce(name, ..) => Some(name.name.clone()),
        other => other.children().into_iter().find_map(|e| reads(file, e)),
    }
}

/// The size of what an index ranges over, if it begins at 0.
pub fn extent(file: &File, index: &IndexDecl) -> Option<Expr> {
    match &index.range {
        Some(Range { lo: None, hi }) => Some(hi.clone()),
        Some(Range { lo: Some(lo), hi }) if matches!(lo.kind, ExprKind::Int(0)) => Some(hi.clone()),
        Some(_) => None,
        None => by_letter(file, &index.name.name, index.name.span),
    }
}

/// The dimension of an index's letter.
pub fn by_letter(file: &File, index: &str, span: Span) -> Option<Expr> {
    let sizes = file.tensors.iter().chain(&file.outputs).flat_map(|t| &t.dims);
    let ends = file.tensors.iter().filter_map(|t| match &t.domain {
        Some(DomainDecl::Range(Range { hi, .. }) | DomainDecl::Splits(hi)) => Some(hi),
        _ => None,
    });
    let mut names = Vec::new();
    sizes.chain(ends).chain(&file.constraints).for_each(|e| dimensions(e, &mut names));
    let name = names.into_iter().find(|name| name.to_lowercase() == index)?;
    Some(Expr { kind: ExprKind::Name(name), span, height: 1 })
}

fn dimensions(expr: &Expr, names: &mut Vec<String>) {
    match &expr.kind {
        ExprKind::Name(name) if is_dimension(name) => names.push(name.clone()),
        other => other.children().into_iter().for_each(|e| dimensions(e, names)),
    }
}

/// Whether two sizes are written alike.
pub fn same(a: &Expr, b: &Expr) -> bool {
    text(a) == text(b)
}

/// A tensor as it is declared.
pub fn shown(name: &str, dims: &[Expr]) -> String {
    match dims.is_empty() {
        true => name.to_string(),
        false => format!("{name}[{}]", dims.iter().map(text).collect::<Vec<_>>().join(", ")),
    }
}

/// A domain as it is declared.
pub fn domain_shown(domain: &DomainDecl, order: Option<Sorted>) -> String {
    let order = match order {
        Some(Sorted::Rising) => " rising",
        Some(Sorted::Distinct) => " distinct",
        Some(Sorted::Splits) | None => "",
    };
    match domain {
        DomainDecl::Range(Range { lo, hi }) => {
            format!("[...] in {}..{}{order}", lo.as_ref().map_or(String::new(), text), text(hi))
        }
        DomainDecl::Side(sign, side) => format!("[...] {sign} {}{order}", text(side)),
        DomainDecl::Splits(whole) => format!("[...] splits {}", text(whole)),
    }
}

/// A size as messages show it; enough to tell any two apart.
fn text(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Real(value) => format!("{value:?}"),
        ExprKind::Name(name) => name.clone(),
        ExprKind::Neg(a) => format!("-{}", text(a)),
        ExprKind::Binary(sign, a, b) => format!("({} {sign} {})", text(a), text(b)),
        ExprKind::Call(name, args) => {
            format!("{}({})", name.name, args.iter().map(text).collect::<Vec<_>>().join(", "))
        }
        other => format!("{other:?}"),
    }
}
