//! From a tree to a checked op: declarations, names, types. Expressions are resolved in `resolve`.

use ktwin_num::Sorted;

use crate::ast::{DomainDecl, Expr, ExprKind, File, Ident, Range, ScalarDecl, TensorDecl};
use crate::define;
use crate::diagnostic::{Checked, Mistake};
use crate::func::Func;
use crate::node::{Node, NodeKind, Ty};
use crate::op::{Dim, DomainNode, Op, Role, Scalar, TensorInfo, Value};
use crate::resolve::{Names, Scope};

const MAX_RANK: usize = 8;
const MAX_ITEMS: usize = 64;

/// Whether an op as it is written, with its calls, has more of anything than ops may have.
pub fn limits(tree: &File) -> Checked<()> {
    let counts = [
        (tree.tensors.len(), "tensors"),
        (tree.scalars.len(), "scalars"),
        (tree.outputs.len(), "outputs"),
        (tree.constraints.len(), "constraints"),
        (tree.definitions.len() + tree.calls.len(), "definitions"),
    ];
    match counts.iter().find(|(n, _)| *n > MAX_ITEMS) {
        Some((n, what)) => {
            Err(Mistake::new(tree.name.span, format!("an op has at most {MAX_ITEMS} {what}, this has {n}")))
        }
        None => Ok(()),
    }
}

/// Checks a whole file.
pub fn check(tree: &File, file: &str, text: &str) -> Checked<Op> {
    let mut names = Names::default();
    dimensions(tree, &mut names);
    for decl in &tree.scalars {
        scalar(decl, &mut names)?;
    }
    for decl in &tree.tensors {
        input(decl, &mut names)?;
    }
    let own = names.inputs.len();
    crate::random::declare(tree, &mut names)?;
    let mut outputs = Vec::new();
    for decl in &tree.outputs {
        outputs.push(output(decl, &names, &outputs)?);
    }
    let mut constraints =
        tree.constraints.iter().map(|e| constraint(e, &mut names)).collect::<Checked<Vec<_>>>()?;
    for (decl, info) in tree.tensors.iter().zip(&names.inputs) {
        constraints.extend(room(decl, info)?);
    }
    crate::bounds::possible(&constraints, &names.dims)?;
    let defined = define::definitions(tree, &mut names, &mut outputs)?;
    let mut random = names.inputs.split_off(own);
    random.iter_mut().for_each(|info| info.drawn = true);
    let op = crate::lower::lower(
        Op {
            name: tree.name.name.clone(),
            description: description(text),
            text: text.to_string(),
            file: file.to_string(),
            dims: names.dims,
            scalars: names.scalars,
            inputs: names.inputs,
            random,
            outputs,
            constraints,
            vars: names.vars,
            stages: Vec::new(),
            recurrences: Vec::new(),
            output_stages: Vec::new(),
            ties: Vec::new(),
            valid: Vec::new(),
            forms: Vec::new(),
        },
        defined,
    )?;
    crate::random::read(tree, &op)?;
    Ok(op)
}

/// The comment lines before anything else.
fn description(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim).take_while(|l| l.is_empty() || l.starts_with('#'));
    lines.filter_map(|l| l.strip_prefix('#')).map(|l| l.trim().to_string()).collect()
}

/// Whether a name is a dimension's.
pub fn is_dimension(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
}

/// Every dimension, in the order in which tensors, then domains, name them.
fn dimensions(tree: &File, names: &mut Names) {
    let sides = tree.tensors.iter().filter_map(|t| match &t.domain {
        Some(DomainDecl::Range(Range { hi, .. }) | DomainDecl::Splits(hi)) => Some(hi),
        _ => None,
    });
    let sides = sides.chain(tree.random.iter().map(|r| &r.range.hi));
    let tensors = tree.tensors.iter().chain(&tree.outputs).flat_map(|t| &t.dims);
    for expr in tensors.chain(sides).chain(&tree.constraints) {
        collect_dimensions(expr, &mut names.dims);
    }
}

fn collect_dimensions(expr: &Expr, dims: &mut Vec<Dim>) {
    match &expr.kind {
        ExprKind::Name(name) if is_dimension(name) && !dims.iter().any(|d| d.name == *name) => {
            dims.push(Dim { name: name.clone() });
        }
        ExprKind::Neg(a) | ExprKind::Not(a) => collect_dimensions(a, dims),
        ExprKind::Binary(_, a, b) => {
            collect_dimensions(a, dims);
            collect_dimensions(b, dims);
        }
        ExprKind::Call(_, args) => args.iter().for_each(|a| collect_dimensions(a, dims)),
        ExprKind::If(c, a, b) => [c, a, b].iter().for_each(|e| collect_dimensions(e, dims)),
        _ => {}
    }
}

pub fn unused_name(name: &Ident, names: &Names) -> Checked<()> {
    if names.scalars.iter().any(|s| s.name == name.name) || names.inputs.iter().any(|t| t.name == name.name) {
        return Err(Mistake::new(name.span, format!("`{}` is declared twice", name.name)));
    }
    if crate::parse_expr::REDUCTIONS.contains(&name.name.as_str()) {
        let message = format!("`{}` is the name of a reduction", name.name);
        return Err(Mistake::with_help(name.span, message, "choose another name"));
    }
    if is_dimension(&name.name) {
        let message = format!("`{}` begins with a capital, as dimensions do", name.name);
        return Err(Mistake::with_help(name.span, message, format!("write `{}`", name.name.to_lowercase())));
    }
    Ok(())
}

fn scalar(decl: &ScalarDecl, names: &mut Names) -> Checked<()> {
    unused_name(&decl.name, names)?;
    let domain = match &decl.domain {
        Some(domain) => self::domain(domain, names)?,
        None => DomainNode::default(),
    };
    let default = decl.default.as_ref().map(|e| literal(e, names)).transpose()?;
    if let (Some(Value::Bool(_)), Some(_), Some(expr)) = (default, &decl.domain, &decl.default) {
        let message = "the domain is of numbers, the default is a truth value";
        return Err(Mistake::with_help(expr.span, message, "write a number, or leave the domain out"));
    }
    let ty = match (default, domain.integer) {
        (Some(Value::Bool(_)), _) => Ty::Bool,
        (Some(Value::Int(_)), _) if decl.domain.is_none() || domain.integer => Ty::Int,
        (None, true) => Ty::Int,
        _ => Ty::Real,
    };
    let default = match (default, ty) {
        (Some(Value::Int(v)), Ty::Real) => Some(Value::Real(v as f64)),
        (Some(Value::Real(_)), Ty::Int) => {
            let help = "write a whole number, or a domain with reals: `0.0..1.0`";
            return Err(Mistake::with_help(
                decl.name.span,
                "the domain is of integers, the default is not",
                help,
            ));
        }
        (default, _) => default,
    };
    if let (Some(value), Some(expr)) = (default, &decl.default) {
        inside(value, expr, &domain)?;
    }
    names.scalars.push(Scalar { name: decl.name.name.clone(), ty, default, domain });
    Ok(())
}

/// A default lies in its domain, where the domain's ends are numbers.
fn inside(value: Value, expr: &Expr, domain: &DomainNode) -> Checked<()> {
    let end = |side: &Option<Node>| side.as_ref().and_then(crate::fold::constant).map(|v| v.to_f64());
    let value = value.to_f64();
    if !value.is_finite() && (domain.lo.is_some() || domain.hi.is_some()) {
        return Err(Mistake::with_help(
            expr.span,
            "the default lies outside its domain",
            "write a finite number",
        ));
    }
    let beyond = |by: f64, open: bool| if by == 0.0 { open } else { by > 0.0 };
    if end(&domain.lo).is_some_and(|lo| beyond(lo - value, domain.lo_open)) {
        return Err(Mistake::with_help(
            expr.span,
            "the default lies below its range",
            "begin the range lower",
        ));
    }
    if end(&domain.hi).is_some_and(|hi| beyond(value - hi, domain.hi_open)) {
        let message = "the default lies past the end of its range, which does not belong to it";
        return Err(Mistake::with_help(expr.span, message, "end the range higher"));
    }
    Ok(())
}

/// An expression over sizes and scalars: what tensors hold is known only when the op is evaluated.
fn sizes_alone(expr: &Expr, names: &mut Names, what: &str) -> Checked<Node> {
    let node = Scope::constants(names).resolve(expr)?;
    let mut found = None;
    node.walk(&mut |n| {
        let holds = matches!(n.kind, NodeKind::Read(_) | NodeKind::Reduce(_));
        found = found.or(holds.then_some(n.span));
    });
    let message = format!("{what} is of sizes and scalars, not of what tensors hold");
    let help = "give the tensor a domain: `x[N] > 0`, `i[N] in 0..V`";
    found.map_or(Ok(node), |span| Err(Mistake::with_help(span, message, help)))
}

fn literal(expr: &Expr, names: &mut Names) -> Checked<Value> {
    let node = Scope::constants(names).resolve(expr)?;
    match (&node.kind, node.ty) {
        (NodeKind::Bool(v), _) => Ok(Value::Bool(*v)),
        _ => match crate::fold::constant(&node) {
            Some(value) => Ok(value),
            None => Err(Mistake::with_help(
                expr.span,
                "a default is a number or a truth value",
                "for example `= 1e-5`",
            )),
        },
    }
}

fn domain(decl: &DomainDecl, names: &mut Names) -> Checked<DomainNode> {
    let number = |expr: &Expr, names: &mut Names| -> Checked<Node> {
        let node = sizes_alone(expr, names, "a domain's side")?;
        let endless = crate::fold::constant(&node).is_some_and(|side| !side.to_f64().is_finite());
        match node.ty {
            Ty::Bool => Err(Mistake::new(expr.span, "a domain's side is a number")),
            _ if endless => {
                let help = "write a finite number, or leave the side out";
                Err(Mistake::with_help(expr.span, "a domain's side is a finite number", help))
            }
            _ => Ok(node),
        }
    };
    match decl {
        DomainDecl::Range(range) => {
            let lo = range.lo.as_ref().map(|e| number(e, names)).transpose()?;
            let hi = number(&range.hi, names)?;
            let integer = hi.ty == Ty::Int && lo.as_ref().is_none_or(|n| n.ty == Ty::Int);
            let ends = lo.as_ref().and_then(crate::fold::constant).zip(crate::fold::constant(&hi));
            if ends.is_some_and(|(lo, hi)| lo.to_f64() >= hi.to_f64()) {
                let span = range.lo.as_ref().map_or(range.hi.span, |lo| lo.span.to(range.hi.span));
                let help = "write the smaller end first: `0..10`";
                return Err(Mistake::with_help(span, "the range is empty", help));
            }
            Ok(DomainNode { lo, hi: Some(hi), lo_open: false, hi_open: true, integer, sorted: None })
        }
        DomainDecl::Splits(whole) => {
            let most = number(whole, names)?;
            let (lo, integer) = (Some(Node::int(0, whole.span)), most.ty == Ty::Int);
            Ok(DomainNode { lo, hi: Some(most), integer, ..DomainNode::default() })
        }
        DomainDecl::Side(sign, expr) => {
            let side = Some(number(expr, names)?);
            let open = !sign.ends_with('=');
            Ok(match sign.starts_with('>') {
                true => DomainNode { lo: side, lo_open: open, ..DomainNode::default() },
                false => DomainNode { hi: side, hi_open: open, ..DomainNode::default() },
            })
        }
    }
}

fn tensor_dims(decl: &TensorDecl, names: &Names) -> Checked<Vec<Node>> {
    if decl.dims.len() > MAX_RANK {
        return Err(Mistake::new(decl.name.span, format!("a tensor has at most {MAX_RANK} dimensions")));
    }
    let mut names = names.clone();
    decl.dims.iter().map(|expr| size(expr, &mut names)).collect()
}

fn size(expr: &Expr, names: &mut Names) -> Checked<Node> {
    if let ExprKind::Name(name) = &expr.kind
        && !is_dimension(name)
        && !names.scalars.iter().any(|scalar| scalar.name == *name)
    {
        let message = format!("`{name}` is neither a size nor a scalar");
        let capital = name[..1].to_uppercase() + &name[1..];
        return Err(Mistake::with_help(
            expr.span,
            message,
            format!("sizes begin with a capital: `{capital}`"),
        ));
    }
    sizes_alone(expr, names, "a tensor's size")?;
    Scope::constants(names).integer(expr, "a tensor's size")
}

fn axes(dims: &[Node], names: &Names) -> Vec<String> {
    dims.iter().map(|d| crate::show::node(d, &names.dims, &names.scalars, &names.vars)).collect()
}

pub fn input(decl: &TensorDecl, names: &mut Names) -> Checked<()> {
    unused_name(&decl.name, names)?;
    let dims = tensor_dims(decl, names)?;
    let domain = match &decl.domain {
        Some(domain) => self::domain(domain, names)?,
        None => DomainNode::default(),
    };
    let domain = DomainNode { sorted: decl.sorted(), ..domain };
    let axes = axes(&dims, names);
    let integer = domain.integer;
    names.inputs.push(TensorInfo {
        name: decl.name.name.clone(),
        dims,
        axes,
        integer,
        domain,
        role: Role::Input,
        drawn: false,
    });
    Ok(())
}

fn output(decl: &TensorDecl, names: &Names, before: &[TensorInfo]) -> Checked<TensorInfo> {
    let name = &decl.name;
    if before.iter().any(|t| t.name == name.name) {
        return Err(Mistake::new(name.span, format!("output `{}` is declared twice", name.name)));
    }
    let same = names.inputs.iter().find(|t| t.name == name.name);
    if same.is_none() {
        unused_name(name, names)?;
    }
    let dims = tensor_dims(decl, names)?;
    let axes = axes(&dims, names);
    if let Some(input) = same.filter(|input| input.axes != axes) {
        let message = format!("`{}` is written in place, so it has the input's dimensions", name.name);
        return Err(Mistake::with_help(name.span, message, format!("write `{input}`")));
    }
    let role = if same.is_some() { Role::InPlace } else { Role::Output };
    let domain = DomainNode::default();
    Ok(TensorInfo { name: name.name.clone(), dims, axes, integer: false, domain, role, drawn: false })
}

/// What the sizes must be for an input whose elements are distinct: its range has that many integers.
fn room(decl: &TensorDecl, info: &TensorInfo) -> Checked<Option<Node>> {
    if info.domain.sorted != Some(Sorted::Distinct) {
        return Ok(None);
    }
    let span = decl.name.span;
    let (Some(length), Some(lo), Some(hi), true) =
        (info.dims.last(), &info.domain.lo, &info.domain.hi, info.integer)
    else {
        let help = format!("for example `{}[N] in 0..M distinct`", info.name);
        return Err(Mistake::with_help(span, "only integers of a range can be distinct", help));
    };
    let count = match lo.kind {
        NodeKind::Int(0) => hi.clone(),
        _ => Node::apply(Func::Sub, vec![hi.clone(), lo.clone()], span),
    };
    let same = matches!((&length.kind, &count.kind), (NodeKind::Dim(a), NodeKind::Dim(b)) if a == b);
    Ok((!same).then(|| Node::apply(Func::Le, vec![length.clone(), count], span)))
}

fn constraint(expr: &Expr, names: &mut Names) -> Checked<Node> {
    let node = sizes_alone(expr, names, "a constraint")?;
    match node.ty {
        Ty::Bool => Ok(node),
        _ => Err(Mistake::with_help(expr.span, "a constraint compares", "for example `H % G == 0`")),
    }
}
