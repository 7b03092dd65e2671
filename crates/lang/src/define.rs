//! Resolves the definitions of a file: their indices, their bodies and their types, recurrences all at once.

use crate::ast::{Definition, File, IndexDecl};
use crate::check::unused_name;
use crate::diagnostic::{Checked, Mistake, Span};
use crate::node::{Node, NodeKind, Ty, Var};
use crate::op::TensorInfo;
use crate::order::{Group, dependency_order};
use crate::recurrence::Running;
use crate::resolve::{Names, Scope};

/// A definition, resolved.
pub struct Defined {
    /// Its place in the file, by which reads name it.
    pub number: usize,
    pub name: String,
    pub space: Vec<usize>,
    pub body: Node,
}

/// A definition, or those of a recurrence in the order in which they are computed at one place.
pub struct Resolved {
    pub definitions: Vec<Defined>,
    pub running: Option<Running>,
}

/// Every definition, in groups of which each uses earlier ones alone.
pub fn definitions(tree: &File, names: &mut Names, outputs: &mut [TensorInfo]) -> Checked<Vec<Resolved>> {
    names.definitions = tree.definitions.iter().map(|d| d.name.name.clone()).collect();
    names.ranks = tree.definitions.iter().map(|d| d.indices.len()).collect();
    names.outputs = outputs.iter().map(|t| t.name.clone()).collect();
    for (at, definition) in tree.definitions.iter().enumerate() {
        definition_name(definition, at, names)?;
        crate::shadow::refuse(definition)?;
    }
    for (output, decl) in outputs.iter().zip(&tree.outputs) {
        if !names.definitions.contains(&output.name) {
            let axes = output.axes.iter().map(|axis| axis.to_lowercase()).collect();
            let help = format!("add `{} = ...`", TensorInfo { axes, ..output.clone() });
            return Err(Mistake::with_help(
                decl.name.span,
                format!("output `{}` is never defined", output.name),
                help,
            ));
        }
    }
    names.types = vec![None; tree.definitions.len()];
    let mut out = Vec::new();
    for group in dependency_order(tree, names)? {
        out.push(match group {
            Group::One(at) => {
                let made = definition(at, &tree.definitions[at], names, outputs)?;
                names.types[at] = Some(made.body.ty);
                Resolved { definitions: vec![made], running: None }
            }
            Group::Recurrence(running) => recurrence(tree, running, names, outputs)?,
        });
    }
    Ok(out)
}

/// The definitions of a recurrence. What they are made of decides whether they are integers, and that is partly
/// themselves: all are taken for integers until one is seen to be a real.
fn recurrence(
    tree: &File,
    running: Running,
    names: &mut Names,
    outputs: &mut [TensorInfo],
) -> Checked<Resolved> {
    let vars = names.vars.len();
    let mut types = vec![Ty::Int; running.members.len()];
    loop {
        names.vars.truncate(vars);
        running.members.iter().zip(&types).for_each(|(at, ty)| names.types[*at] = Some(*ty));
        let made: Checked<Vec<Defined>> = running
            .members
            .iter()
            .map(|at| definition(*at, &tree.definitions[*at], names, outputs))
            .collect();
        let all_real = types.iter().all(|ty| *ty == Ty::Real);
        match made {
            Err(mistake) if all_real => return Err(mistake),
            Err(_) => types.fill(Ty::Real),
            Ok(definitions) => {
                let real = |(d, ty): (&Defined, &Ty)| d.body.ty == Ty::Real && *ty == Ty::Int;
                if !definitions.iter().zip(&types).any(real) {
                    let typed = |(d, ty): (Defined, &Ty)| match ty {
                        Ty::Real => Defined { body: d.body.into_real(), ..d },
                        _ => d,
                    };
                    let definitions = definitions.into_iter().zip(&types).map(typed).collect();
                    return Ok(Resolved { definitions, running: Some(running) });
                }
                for (definition, ty) in definitions.iter().zip(&mut types) {
                    *ty = if definition.body.ty == Ty::Real { Ty::Real } else { *ty };
                }
            }
        }
    }
}

fn definition_name(definition: &Definition, at: usize, names: &Names) -> Checked<()> {
    let name = &definition.name;
    if names.definitions[..at].contains(&name.name) {
        return Err(Mistake::new(name.span, format!("`{}` is defined twice", name.name)));
    }
    if names.outputs.contains(&name.name) {
        return Ok(());
    }
    if names.inputs.iter().any(|t| t.name == name.name) {
        let help = format!("an output of the same name makes it in place: `-> {}[...]`", name.name);
        return Err(Mistake::with_help(name.span, format!("`{}` is an input", name.name), help));
    }
    unused_name(name, names)
}

fn definition(
    number: usize,
    definition: &Definition,
    names: &mut Names,
    outputs: &mut [TensorInfo],
) -> Checked<Defined> {
    let mut scope = Scope::constants(names);
    for index in &definition.indices {
        scope.declare(index)?;
    }
    let space = scope.declared();
    let body = scope.resolve(&definition.body)?;
    crate::worthless::refuse(&body)?;
    crate::outside::refuse(&body, &space, names)?;
    if body.ty == Ty::Bool {
        let help = "write `if ... then 1 else 0`";
        return Err(Mistake::with_help(
            definition.body.span,
            "a definition is a number, this is a truth value",
            help,
        ));
    }
    let name = definition.name.name.clone();
    if let Some(output) = outputs.iter_mut().find(|t| t.name == name) {
        output_indices(definition, output, &space, &names.vars)?;
        let integer_input = names.inputs.iter().find(|t| t.name == name).map(|t| t.integer);
        if integer_input == Some(true) && body.ty == Ty::Real {
            let help = "write `int(...)`";
            return Err(Mistake::with_help(
                definition.body.span,
                "this tensor holds integers, the value is a real",
                help,
            ));
        }
        output.integer = integer_input.unwrap_or(body.ty == Ty::Int);
    }
    Ok(Defined { number, name, space, body })
}

fn output_indices(
    definition: &Definition,
    output: &TensorInfo,
    space: &[usize],
    vars: &[Var],
) -> Checked<()> {
    let span = definition.name.span;
    if space.len() != output.dims.len() {
        let message = format!("output `{output}` has {} dimensions", output.dims.len());
        return Err(Mistake::with_help(span, message, format!("this gives it {} indices", space.len())));
    }
    for ((dim, var), decl) in output.dims.iter().zip(space).zip(&definition.indices) {
        mismatch(dim, &vars[*var], decl)?;
    }
    Ok(())
}

/// An index that plainly ranges over another dimension than the output's; the rest is checked with the sizes.
fn mismatch(dim: &Node, var: &Var, decl: &IndexDecl) -> Checked<()> {
    let span: Span = decl.name.span;
    match (&dim.kind, var.dim) {
        (NodeKind::Dim(want), Some(have)) if *want != have => Err(Mistake::with_help(
            span,
            format!("index `{}` does not range over the output's dimension here", var.name),
            "write the indices in the order of the output's dimensions",
        )),
        _ => Ok(()),
    }
}
