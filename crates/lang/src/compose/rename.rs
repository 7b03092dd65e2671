//! Writes expressions of a called op as those of its caller.

use std::collections::BTreeMap;

use crate::ast::{
    Definition, Expr, ExprKind, File, Ident, IndexDecl, OpCall, RandomDecl, Range, TiesDecl, ValidDecl,
};
use crate::check::is_dimension;
use crate::diagnostic::{Checked, Mistake, Span};
use crate::parse::MAX_HEIGHT;

use super::sizes::by_letter;

/// What the names of a called op are to the caller.
pub struct Rename<'a> {
    callee: &'a File,
    op: String,
    span: Span,
    /// Dimensions and scalars.
    values: BTreeMap<String, Expr>,
    /// Tensors and definitions where they are read.
    reads: BTreeMap<String, String>,
    /// Definitions where they are defined.
    defines: BTreeMap<String, Ident>,
    /// Every name of the caller's, which indices keep clear of.
    taken: Vec<String>,
    prefix: String,
}

impl<'a> Rename<'a> {
    /// `results` are the names of what the caller's calls give, whichever of them are written out by now.
    pub fn new(
        (file, results): (&File, &[Ident]),
        call: &OpCall,
        callee: &'a File,
        values: BTreeMap<String, Expr>,
    ) -> Rename<'a> {
        let tensors = file.tensors.iter().chain(&file.outputs).map(|t| &t.name);
        let others = file.scalars.iter().map(|s| &s.name).chain(file.definitions.iter().map(|d| &d.name));
        let named = tensors.chain(others).chain(file.random.iter().map(|r| &r.name)).chain(results);
        let mut rename = Rename {
            callee,
            op: call.op.name.clone(),
            span: call.span,
            values,
            reads: BTreeMap::new(),
            defines: BTreeMap::new(),
            taken: named.map(|n| n.name.clone()).collect(),
            prefix: call.results.iter().map(|r| r.name.clone()).next().unwrap_or_default(),
        };
        let outputs: BTreeMap<&str, &Ident> =
            callee.outputs.iter().map(|o| o.name.name.as_str()).zip(&call.results).collect();
        let forms = callee.forms.iter().flat_map(|f| &f.definitions);
        let defined = callee.definitions.iter().chain(forms).map(|d| &d.name);
        for Ident { name, .. } in callee.random.iter().map(|r| &r.name).chain(defined) {
            if rename.defines.contains_key(name) {
                continue;
            }
            let new = match outputs.get(name.as_str()) {
                Some(result) => (*result).clone(),
                None => Ident { name: rename.fresh(name), span: call.span },
            };
            rename.taken.push(new.name.clone());
            rename.reads.insert(name.clone(), new.name.clone());
            rename.defines.insert(name.clone(), new);
        }
        // what is read under the name of an input is the input, also where an output has it
        for (tensor, arg) in callee.tensors.iter().zip(&call.args) {
            rename.reads.insert(tensor.name.name.clone(), arg.name.clone());
        }
        rename
    }

    /// A name that the caller does not have.
    fn fresh(&self, name: &str) -> String {
        let mut made = format!("{}_{name}", self.prefix);
        while self.taken.contains(&made) {
            made.push('_');
        }
        made
    }

    pub fn definition(&mut self, definition: &Definition) -> Checked<Definition> {
        let name = self.defines.get(&definition.name.name).cloned();
        let name = name.unwrap_or_else(|| Ident { span: self.span, ..definition.name.clone() });
        let indices = self.indices(&definition.indices)?;
        Ok(Definition { name, indices, body: self.expr(&definition.body)? })
    }

    pub fn random(&mut self, random: &RandomDecl) -> Checked<RandomDecl> {
        let name = self.defines.get(&random.name.name).cloned().unwrap_or_else(|| random.name.clone());
        let indices = self.indices(&random.indices)?;
        let range = &random.range;
        let lo = range.lo.as_ref().map(|lo| self.expr(lo)).transpose()?;
        Ok(RandomDecl { name, indices, range: Range { lo, hi: self.expr(&range.hi)? } })
    }

    pub fn valid(&mut self, valid: &ValidDecl) -> Checked<ValidDecl> {
        let name = self.defines.get(&valid.name.name).cloned().unwrap_or_else(|| valid.name.clone());
        let indices = self.indices(&valid.indices)?;
        Ok(ValidDecl { name, indices, condition: self.expr(&valid.condition)? })
    }

    pub fn ties(&mut self, ties: &TiesDecl) -> Checked<TiesDecl> {
        let name = self.defines.get(&ties.name.name).cloned().unwrap_or_else(|| ties.name.clone());
        let indices = self.indices(&ties.indices)?;
        let distinct = ties.distinct.as_ref().map(|index| self.ident(&index.name));
        Ok(TiesDecl { name, indices, any: ties.any, distinct, key: self.expr(&ties.key)? })
    }

    fn indices(&mut self, indices: &[IndexDecl]) -> Checked<Vec<IndexDecl>> {
        indices.iter().map(|index| self.index(index)).collect()
    }

    fn index(&mut self, index: &IndexDecl) -> Checked<IndexDecl> {
        let range = match &index.range {
            Some(Range { lo, hi }) => {
                let lo = lo.as_ref().map(|lo| self.expr(lo)).transpose()?;
                Some(Range { lo, hi: self.expr(hi)? })
            }
            None => match by_letter(self.callee, &index.name.name, self.span) {
                Some(size) => Some(Range { lo: None, hi: self.expr(&size)? }),
                None => None,
            },
        };
        Ok(IndexDecl { name: self.ident(&index.name.name), range })
    }

    /// An index by its own name, unless the caller means something else by it.
    fn ident(&self, index: &str) -> Ident {
        let name = match self.taken.iter().any(|t| t == index) {
            true => self.fresh(index),
            false => index.to_string(),
        };
        Ident { name, span: self.span }
    }

    fn read(&self, name: &Ident) -> Ident {
        let name = self.reads.get(&name.name).unwrap_or(&name.name).clone();
        Ident { name, span: self.span }
    }

    fn all(&mut self, exprs: &[Expr]) -> Checked<Vec<Expr>> {
        exprs.iter().map(|e| self.expr(e)).collect()
    }

    fn boxed(&mut self, expr: &Expr) -> Checked<Box<Expr>> {
        Ok(Box::new(self.expr(expr)?))
    }

    /// An expression of the called op. All of it stands where the call stands.
    pub fn expr(&mut self, expr: &Expr) -> Checked<Expr> {
        let kind = match &expr.kind {
            ExprKind::Int(_) | ExprKind::Real(_) | ExprKind::Bool(_) => expr.kind.clone(),
            ExprKind::Name(name) => return self.name(name),
            ExprKind::Index(name, indices) => ExprKind::Index(self.read(name), self.all(indices)?),
            ExprKind::Padded(read, other) => ExprKind::Padded(self.boxed(read)?, self.boxed(other)?),
            ExprKind::Call(name, args) => {
                ExprKind::Call(Ident { span: self.span, ..name.clone() }, self.all(args)?)
            }
            ExprKind::Reduce(name, over, condition, body) => {
                let name = Ident { span: self.span, ..name.clone() };
                let over = self.indices(over)?;
                let condition = condition.as_ref().map(|c| self.boxed(c)).transpose()?;
                ExprKind::Reduce(name, over, condition, self.boxed(body)?)
            }
            ExprKind::Neg(a) => ExprKind::Neg(self.boxed(a)?),
            ExprKind::Not(a) => ExprKind::Not(self.boxed(a)?),
            ExprKind::Binary(sign, a, b) => ExprKind::Binary(sign, self.boxed(a)?, self.boxed(b)?),
            ExprKind::If(c, a, b) => ExprKind::If(self.boxed(c)?, self.boxed(a)?, self.boxed(b)?),
        };
        self.made(kind)
    }

    fn name(&mut self, name: &str) -> Checked<Expr> {
        if let Some(value) = self.values.get(name) {
            return Ok(Expr { span: self.span, ..value.clone() });
        }
        if let Some(read) = self.reads.get(name) {
            return self.made(ExprKind::Name(read.clone()));
        }
        if is_dimension(name) {
            let message = format!("the tensors given to `{}` do not say what `{name}` is", self.op);
            return Err(Mistake::with_help(
                self.span,
                message,
                format!("give it after a `;`: `; {name} = ...`"),
            ));
        }
        let index = self.ident(name);
        self.made(ExprKind::Name(index.name))
    }

    fn made(&self, kind: ExprKind) -> Checked<Expr> {
        let height = 1 + kind.children().iter().map(|e| e.height).max().unwrap_or(0);
        if height > MAX_HEIGHT {
            let message =
                format!("written out, `{}` is longer or deeper than {MAX_HEIGHT} operations", self.op);
            return Err(Mistake::with_help(self.span, message, "give it definitions instead of expressions"));
        }
        Ok(Expr { kind, span: self.span, height })
    }
}
