//! What a contract gets wrong of its kernel, with the contract's line. Plain text.

use crate::kernel::Kernel;

/// The keys that a misfit may name.
const KEYS: [&str; 4] = ["args", "block", "shared", "types"];

/// What does not fit, with the line of the key that it names, or of the function.
pub fn told(kernel: &Kernel, text: &str) -> String {
    let entries: Vec<&str> = kernel.contract.chain.iter().map(|link| link.entry.as_str()).collect();
    let own = kernel.source.holds_contract().then(|| kernel.source.text());
    match own.and_then(|source| line(text, &source, &entries)) {
        Some(line) => format!("{text} (line {line})"),
        None => text.to_owned(),
    }
}

fn line(text: &str, source: &str, entries: &[&str]) -> Option<usize> {
    let named = |name: &&&str| !name.is_empty() && text.contains(&format!("`{name}`"));
    let place = |wanted: &dyn Fn(&str) -> bool| source.lines().position(wanted).map(|at| at + 1);
    let of_key = |line: &str, key: &str| {
        let own = line.trim_start_matches(['/', '*', '#', ' ']);
        own.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    let of_entry = |line: &str, entry: &str| {
        let quoted = [format!("\"{entry}\""), format!("'{entry}'")];
        line.contains("entry") && quoted.iter().any(|name| line.contains(name.as_str()))
    };
    let mut keys = KEYS.iter().filter(named).map(|key| place(&|line| of_key(line, key)));
    let mut functions = entries.iter().filter(named).map(|entry| place(&|line| of_entry(line, entry)));
    keys.find_map(|at| at).or_else(|| functions.find_map(|at| at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misfits_have_the_line_of_what_they_name() {
        let source = "/*--- ktwin\nop = \"add\"\nargs  = [\"a\"]\nentry = \"sum\"\n---*/\n";
        let at = |text| line(text, source, &["", "sum"]);
        assert_eq!(at("`sum` has 4 parameters, but `args` gives 1"), Some(3));
        assert_eq!(at("no kernel `sum`"), Some(4));
        assert_eq!(at("`block` is missing"), None);
        assert_eq!(at("no kernel `other`"), None);
    }
}
