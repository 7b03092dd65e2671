//! The constants of a drafted contract: what the source says they are, a size of the op by the same name, or a guess.

use ktwin_check::interface::{Interface, Spread};
use ktwin_lang::Op;

use crate::contract::MARK;
use crate::sizes::size;

/// The line that gives a kernel its constants, where it takes any.
pub(crate) fn constants(op: &Op, interface: &Interface) -> Option<String> {
    let each = interface.constants.iter().map(|(name, default)| {
        let (value, guess) = value(op, interface.spread, name, default);
        (format!("{name} = {value}"), guess.then_some(name.as_str()))
    });
    let (set, guesses): (Vec<String>, Vec<Option<&str>>) = each.unzip();
    let guesses: Vec<&str> = guesses.into_iter().flatten().collect();
    let remark = match &guesses[..] {
        [] => String::new(),
        names => format!(" {MARK} what does the host set {} to?", names.join(", ")),
    };
    (!set.is_empty()).then(|| format!("define  = {{ {} }}{remark}", set.join(", ")))
}

/// A constant as a contract writes it, and whether it is a guess.
fn value(op: &Op, spread: Spread, name: &str, default: &str) -> (String, bool) {
    if !default.is_empty() {
        return (literal(default), false);
    }
    if let Some(dim) = size(op, spread, name) {
        return (format!("\"{dim}\""), true);
    }
    let small = name.to_lowercase();
    let is_block = small.contains("block") && !small.contains("num");
    let asks =
        ["use", "is_", "has", "do_", "with", "apply", "enable"].iter().any(|word| small.contains(word));
    let mut planes = op.outputs.iter().chain(&op.inputs).filter(|tensor| tensor.axes.len() > 1);
    let guess = match (spread, planes.next().and_then(|plane| plane.axes.last())) {
        (Spread::Rows, Some(last)) if is_block => format!("\"int(exp2(ceil(log2({last}))))\""),
        (Spread::Plane, _) if is_block => "32".to_owned(),
        _ if is_block => "1024".to_owned(),
        _ if asks => "false".to_owned(),
        _ => "1".to_owned(),
    };
    (guess, true)
}

/// A literal, of Python too, as TOML writes it.
fn literal(text: &str) -> String {
    let bare = text.trim_matches(['"', '\'']);
    match text {
        "True" | "true" => "true".to_owned(),
        "False" | "false" => "false".to_owned(),
        _ if text.parse::<f64>().is_ok() => text.to_owned(),
        _ => format!("{{ text = \"{bare}\" }}"),
    }
}
