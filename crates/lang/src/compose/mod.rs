//! Ops of ops: the definitions of a called op in the place of the call, its dimensions, scalars and names those of the
//! caller. What comes out is an op like any other, so that bars, costs and everything else follow.

mod rename;
pub(crate) mod sizes;

use std::collections::BTreeMap;

use ktwin_num::{Sorted, plural};

use crate::ast::{
    Definition, DomainDecl, Expr, ExprKind, File, FormDecl, Ident, OpCall, TensorDecl, TiesDecl, ValidDecl,
};
use crate::diagnostic::{Checked, Mistake, Span};
use crate::sources::Sources;

use rename::Rename;
use sizes::Sizes;

/// Most definitions that an op has once the ops that it calls are written out.
const MAX_DEFINITIONS: usize = 512;

/// The first op of a text without calls, and where its calls stood.
pub(crate) fn compose(sources: &Sources) -> Checked<(File, Vec<(Span, String)>)> {
    sources.ops.iter().try_for_each(crate::check::limits)?;
    let mut done = BTreeMap::new();
    let file = expanded(sources, 0, &mut Vec::new(), &mut done)?;
    let calls = sources.ops[0].calls.iter().map(|call| (call.span, call.op.name.clone())).collect();
    Ok((file, calls))
}

/// One op of the text without calls. `open` are those that wait for it.
fn expanded(
    sources: &Sources,
    at: usize,
    open: &mut Vec<usize>,
    done: &mut BTreeMap<usize, File>,
) -> Checked<File> {
    if let Some(file) = done.get(&at) {
        return Ok(file.clone());
    }
    let mut file = sources.ops[at].clone();
    let mut calls = std::mem::take(&mut file.calls);
    let results: Vec<Ident> = calls.iter().flat_map(|c| &c.results).cloned().collect();
    open.push(at);
    while !calls.is_empty() {
        let defined_later = |name: &str| calls.iter().any(|c| c.results.iter().any(|r| r.name == name));
        let own = |name: &str| file.tensors.iter().any(|t| t.name.name == name);
        let ready = |call: &OpCall| call.args.iter().all(|arg| own(&arg.name) || !defined_later(&arg.name));
        let Some(next) = calls.iter().position(ready) else {
            let message = format!("what `{}` is given needs its own result", calls[0].op.name);
            return Err(Mistake::with_help(calls[0].span, message, "calls of ops run in one direction"));
        };
        let call = calls.remove(next);
        match sources.ops.iter().position(|op| op.name.name == call.op.name) {
            Some(called) if open.contains(&called) => return Err(in_a_circle(sources, &call, open, called)),
            Some(called) => {
                let callee = expanded(sources, called, open, done)?;
                inline(&mut file, &call, &callee, &results)?;
            }
            None => unknown(&mut file, call)?,
        }
    }
    open.pop();
    done.insert(at, file.clone());
    Ok(file)
}

fn in_a_circle(sources: &Sources, call: &OpCall, open: &[usize], called: usize) -> Box<Mistake> {
    let from = open.iter().position(|at| *at == called).unwrap_or(0);
    let chain: Vec<&str> =
        open[from..].iter().chain([&called]).map(|at| sources.ops[*at].name.name.as_str()).collect();
    let message = format!("`{}` is made of itself: {}", call.op.name, chain.join(" calls "));
    Mistake::with_help(call.op.span, message, "an op calls others that do not call it")
}

/// A call of what is not an op: a function, for all that is known, unless it is given what functions are not.
fn unknown(file: &mut File, call: OpCall) -> Checked<()> {
    let tensor = |arg: &Ident| shape(file, &arg.name).is_some_and(|dims| !dims.is_empty());
    if !call.settings.is_empty() || call.results.len() > 1 || call.args.iter().any(tensor) {
        let message = format!("there is no op `{}`", call.op.name);
        let help = format!(
            "name one that `ktwin ops` lists, or write {}.op beside this file; functions take elements, `{}(x[n])`",
            call.op.name, call.op.name
        );
        return Err(Mistake::with_help(call.op.span, message, help));
    }
    let arg = |a: Ident| Expr { kind: ExprKind::Name(a.name), span: a.span, height: 1 };
    let kind = ExprKind::Call(call.op, call.args.into_iter().map(arg).collect());
    let body = Expr { kind, span: call.span, height: 2 };
    let name = call.results.into_iter().next().unwrap_or_else(|| file.name.clone());
    file.definitions.push(Definition { name, indices: Vec::new(), body });
    Ok(())
}

/// The sizes of a tensor or a definition of this op.
fn shape(file: &File, name: &str) -> Option<Vec<Expr>> {
    if let Some(tensor) = file.tensors.iter().find(|t| t.name.name == name) {
        return Some(tensor.dims.clone());
    }
    if let Some(random) = file.random.iter().find(|r| r.name.name == name) {
        return random.indices.iter().map(|index| sizes::extent(file, index)).collect();
    }
    let definition = file.definitions.iter().find(|d| d.name.name == name)?;
    definition.indices.iter().map(|index| sizes::extent(file, index)).collect()
}

/// Writes a called op's definitions into the caller.
fn inline(file: &mut File, call: &OpCall, callee: &File, results: &[Ident]) -> Checked<()> {
    counted(call, callee)?;
    let mut sizes = Sizes::new(call, callee);
    for (tensor, arg) in callee.tensors.iter().zip(&call.args) {
        let dims = shape(file, &arg.name).ok_or_else(|| not_a_tensor(file, arg))?;
        sizes.unify(tensor, arg, &dims)?;
        domain(file, tensor, arg, callee, &mut sizes)?;
    }
    let values = sizes.values(file)?;
    let mut rename = Rename::new((file, results), call, callee, values);
    for (compound, size) in sizes.compounds {
        let compound = rename.expr(&compound)?;
        if !sizes::same(&compound, &size) {
            let kind = ExprKind::Binary("==", Box::new(compound), Box::new(size));
            file.constraints.push(Expr { kind, span: call.span, height: 3 });
        }
    }
    for constraint in &callee.constraints {
        file.constraints.push(rename.expr(constraint)?);
    }
    for random in &callee.random {
        file.random.push(rename.random(random)?);
    }
    for definition in &callee.definitions {
        file.definitions.push(rename.definition(definition)?);
    }
    if file.definitions.len() > MAX_DEFINITIONS {
        let message = format!("with the ops that it calls this has more than {MAX_DEFINITIONS} definitions");
        return Err(Mistake::new(call.span, message));
    }
    forms(file, callee, &mut rename)?;
    let ties = callee.ties.iter().map(|ties| rename.ties(ties)).collect::<Checked<Vec<_>>>()?;
    let given = |name: &Ident| file.outputs.iter().any(|output| output.name.name == name.name);
    let ties: Vec<TiesDecl> = ties.into_iter().filter(|ties| given(&ties.name)).collect();
    let valid = callee.valid.iter().map(|valid| rename.valid(valid)).collect::<Checked<Vec<_>>>()?;
    let valid: Vec<ValidDecl> = valid.into_iter().filter(|valid| given(&valid.name)).collect();
    file.ties.extend(ties);
    file.valid.extend(valid);
    Ok(())
}

/// As many tensors and results as the called op has.
fn counted(call: &OpCall, callee: &File) -> Checked<()> {
    let listed = |decls: &[TensorDecl]| -> Vec<String> {
        decls.iter().map(|t| sizes::shown(&t.name.name, &t.dims)).collect()
    };
    let name = &call.op.name;
    if call.args.len() != callee.tensors.len() {
        let (wanted, given) = (callee.tensors.len(), call.args.len());
        let message = format!("`{name}` takes {wanted} tensors, this gives {given}");
        return Err(Mistake::with_help(
            call.span,
            message,
            format!("they are {}", listed(&callee.tensors).join(", ")),
        ));
    }
    if call.results.len() != callee.outputs.len() {
        let (wanted, given) = (callee.outputs.len(), call.results.len());
        let message = format!("`{name}` gives {}, this names {given}", plural(wanted, "result"));
        let help = format!("they are {}", listed(&callee.outputs).join(", "));
        return Err(Mistake::with_help(call.results[0].span, message, help));
    }
    Ok(())
}

fn not_a_tensor(file: &File, arg: &Ident) -> Box<Mistake> {
    if file.scalars.iter().any(|s| s.name.name == arg.name) {
        let message = format!("`{}` is a scalar", arg.name);
        return Mistake::with_help(arg.span, message, "scalars follow a `;`");
    }
    if file.definitions.iter().any(|d| d.name.name == arg.name) {
        let message = format!("`{}` has an index that does not begin at 0", arg.name);
        return Mistake::with_help(arg.span, message, "give a definition whose indices all begin at 0");
    }
    Mistake::with_help(arg.span, format!("`{}` is not known here", arg.name), "give an input or a definition")
}

/// What the called op wants of a tensor's values must be said of the caller's input: inputs are made from it.
fn domain(file: &File, tensor: &TensorDecl, arg: &Ident, callee: &File, sizes: &mut Sizes) -> Checked<()> {
    let Some(own) = file.tensors.iter().find(|t| t.name.name == arg.name) else { return Ok(()) };
    ordered(tensor, own, callee)?;
    let Some(wanted) = &tensor.domain else { return Ok(()) };
    match (wanted, &own.domain) {
        (DomainDecl::Range(wanted), Some(DomainDecl::Range(own))) => sizes.domain(&wanted.hi, &own.hi, arg),
        (DomainDecl::Splits(wanted), Some(DomainDecl::Splits(own))) => sizes.domain(wanted, own, arg),
        (_, Some(_)) => Ok(()),
        (_, None) => {
            let message =
                format!("`{}` takes values for `{}` that have a domain", callee.name.name, tensor.name.name);
            let help =
                format!("declare it with one: `{}{}`", arg.name, sizes::domain_shown(wanted, tensor.order));
            Err(Mistake::with_help(arg.span, message, help))
        }
    }
}

/// The same of the order of its values.
fn ordered(tensor: &TensorDecl, own: &TensorDecl, callee: &File) -> Checked<()> {
    let Some(due) = tensor.sorted() else { return Ok(()) };
    let rises = |order| due == Sorted::Rising && order == Sorted::Splits;
    if own.sorted().is_some_and(|order| order == due || rises(order)) {
        return Ok(());
    }
    let how = if due == Sorted::Distinct { "that are all different" } else { "in order" };
    let message = format!("`{}` takes values for `{}` {how}", callee.name.name, tensor.name.name);
    let shown = match &tensor.domain {
        Some(domain) => sizes::domain_shown(domain, tensor.order),
        None => "[...] rising".into(),
    };
    let help = format!("declare it so: `{}{shown}`", own.name.name);
    Err(Mistake::with_help(own.name.span, message, help))
}

/// What the called op may be written as, the caller may be written as.
fn forms(file: &mut File, callee: &File, rename: &mut Rename) -> Checked<()> {
    for form in &callee.forms {
        let definitions: Vec<Definition> =
            form.definitions.iter().map(|d| rename.definition(d)).collect::<Checked<_>>()?;
        let named = |own: &&mut FormDecl| match (&own.name, &form.name) {
            (Some(own), Some(its)) => own.name == its.name,
            _ => false,
        };
        match file.forms.iter_mut().find(named) {
            Some(own) => own.definitions.extend(definitions),
            None => file.forms.push(FormDecl { name: form.name.clone(), definitions }),
        }
    }
    Ok(())
}
