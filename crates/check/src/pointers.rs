//! Refuses a kernel that takes pointers to pointers where its contract has a tensor, before anything is compiled: on a
//! device the numbers would be taken for addresses.

use ktwin_lang::Diagnostic;

use crate::contract::Arg;
use crate::interface::Foreign;
use crate::kernel::Kernel;
use crate::languages::Code;
use crate::signature;

/// A mistake for each of them, at the tensor in `args`.
pub fn mistakes(kernel: &Kernel) -> Vec<Diagnostic> {
    let row = kernel.source.kind.row();
    if row.comments.is_none() || row.code == Code::Shader {
        return Vec::new();
    }
    let text = kernel.source.text();
    let all = signature::functions(&text, kernel.source.kind);
    let mut found = Vec::new();
    for link in &kernel.contract.chain {
        let plain = signature::plain(&link.entry);
        let mut named = all.iter().filter(|f| plain.is_empty() || f.entry == plain);
        let (Some(function), None) = (named.next(), named.next()) else { continue };
        if function.params.len() != link.args.len() {
            continue;
        }
        for unfit in function.unfit.iter().filter(|unfit| unfit.why == Foreign::Pointers) {
            // a null pointer is a number
            let Some(Arg::Tensor(name)) = link.args.get(unfit.at) else { continue };
            let line = text.lines().position(|line| line.contains(&unfit.declared));
            let place = line.map(|at| format!(" (line {})", at + 1)).unwrap_or_default();
            let message = format!("in `{}`, {}{place}", function.entry, unfit.is());
            found.push(kernel.mistake(name.spot, name, message, Some(unfit.remedy().to_owned())));
        }
    }
    found
}
