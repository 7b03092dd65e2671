//! Whether a kernel is given every tensor of its op.

use ktwin_lang::Diagnostic;

use crate::kernel::Kernel;

/// The tensors that it is not given.
pub fn mistakes(kernel: &Kernel) -> Vec<Diagnostic> {
    let (op, contract) = (&kernel.op, &kernel.contract);
    let held = contract.globals.iter().flat_map(|(_, arg)| arg.pointers());
    let given = contract.chain.iter().flat_map(|link| link.pointers()).chain(held);
    let returned = contract.chain.iter().filter_map(|link| link.returns.as_deref());
    let bound: Vec<&str> = given.chain(returned).collect();
    let is_bound = |name: &str| bound.contains(&name);
    // an output that is written over an input, and that input, are one
    let is_paired = |name: &str| {
        let mut pairs =
            contract.inplace.iter().filter(|(output, input)| **output == *name || **input == *name);
        pairs.any(|(output, input)| is_bound(output) || is_bound(input))
    };
    let mut tensors: Vec<&str> = op.inputs.iter().chain(&op.outputs).map(|t| &*t.name).collect();
    tensors.dedup();
    tensors.retain(|name| !is_bound(name) && !is_paired(name));
    tensors.into_iter().map(|name| missing(kernel, name)).collect()
}

fn missing(kernel: &Kernel, name: &str) -> Diagnostic {
    let (op, at) = (&kernel.op, &kernel.contract.op);
    let is_number = op.output(name).is_some_and(|output| op.outputs[output].axes.is_empty());
    let or = match is_number && kernel.source.kind.takes("returns") {
        true => format!(", or write returns = \"{name}\" where the function returns it"),
        false => String::new(),
    };
    let message = format!("tensor `{name}` of op `{}` is missing from `args`", op.name);
    kernel.mistake(at.spot, at, message, Some(format!("add \"{name}\" to `args`{or}")))
}
