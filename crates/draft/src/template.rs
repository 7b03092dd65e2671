//! The entry point of a drafted contract: its namespace, and arguments for the parameters of its template.

use ktwin_check::interface::Interface;

use crate::contract::MARK;

/// The line that names the entry point, where the file has others or it is a template.
pub(crate) fn entry(interface: &Interface, is_alone: bool) -> Option<String> {
    let name = match interface.space.as_str() {
        "" => interface.entry.clone(),
        space => format!("{space}::{}", interface.entry),
    };
    if interface.template.is_empty() {
        return (!is_alone).then(|| format!("entry   = \"{name}\""));
    }
    let given: Vec<&str> = interface.template.iter().map(|param| argument(param, &interface.bound)).collect();
    let (given, all) = (given.join(", "), interface.template.join(", "));
    Some(format!("entry   = \"{name}<{given}>\" {MARK} the arguments of its template ({all})"))
}

/// How many lanes the source allows a workgroup, where it says so.
pub(crate) fn bound(interface: &Interface) -> Option<u32> {
    let own = interface.template.iter().find(|param| is_named(param, &interface.bound));
    own.map_or(interface.bound.as_str(), |param| argument(param, &interface.bound)).parse().ok()
}

/// An argument for a parameter of a template: its default, or one of its kind; lanes are many.
fn argument<'p>(param: &'p str, bound: &str) -> &'p str {
    let (declared, default) = param.split_once('=').unwrap_or((param, ""));
    match declared.split_whitespace().next().unwrap_or_default() {
        _ if !default.is_empty() => default.trim(),
        "typename" | "class" => "float",
        "bool" => "false",
        _ if is_named(param, bound) => "256",
        _ => "32",
    }
}

fn is_named(param: &str, name: &str) -> bool {
    let declared = param.split('=').next().unwrap_or(param);
    !name.is_empty() && declared.split_whitespace().next_back() == Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_numbers_of_the_template_too() {
        let kernel = |template: &[&str], bound: &str| Interface {
            entry: "k".into(),
            space: "a::b".into(),
            template: template.iter().map(|param| (*param).to_owned()).collect(),
            bound: bound.to_owned(),
            ..Interface::default()
        };
        let open = kernel(&["typename T", "int B", "int N"], "B");
        assert!(
            entry(&open, true)
                .is_some_and(|line| line.starts_with("entry   = \"a::b::k<float, 256, 32>\" #"))
        );
        assert_eq!(bound(&open), Some(256));
        assert_eq!(bound(&kernel(&["int B = 128"], "B")), Some(128));
        let plain = kernel(&[], "96");
        assert_eq!((bound(&plain), entry(&plain, true)), (Some(96), None));
        assert_eq!(entry(&plain, false).as_deref(), Some("entry   = \"a::b::k\""));
        assert_eq!(bound(&kernel(&[], "LANES")), None);
    }
}
