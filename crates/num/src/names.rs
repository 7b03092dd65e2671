//! Words: the nearest of a list of names ("did you mean"), counts of things, the first word of a text. Touches
//! nothing else.

use strsim::osa_distance;

/// The candidate nearest to `name`, unless even that one is far away.
///
/// ```
/// assert_eq!(ktwin_num::nearest("flot16", ["f16", "float16", "bf16"]), Some("float16"));
/// assert_eq!(ktwin_num::nearest("banana", ["f16", "bf16"]), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    let limit = name.chars().count().div_ceil(2).min(3);
    let scored = candidates.into_iter().map(|c| (osa_distance(&lower, &c.to_lowercase()), c));
    scored.min_by_key(|(d, _)| *d).filter(|(d, _)| *d <= limit).map(|(_, c)| c)
}

/// ", did you mean `x`?" for the end of an error, or nothing.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, candidates).map_or_else(String::new, |n| format!(", did you mean `{n}`?"))
}

/// A count of things: "1 case", "2 cases".
pub fn plural(count: usize, what: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {what}{s}")
}

/// The first word of a text, or the one character before it, and what follows; nothing of an empty text.
///
/// ```
/// assert_eq!(ktwin_num::first_word("eps_2 + x"), Some(("eps_2", " + x")));
/// assert_eq!(ktwin_num::first_word("+ x"), Some(("+", " x")));
/// ```
pub fn first_word(text: &str) -> Option<(&str, &str)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let first = text.chars().next()?;
    let length = text.find(|c| !is_word(c)).unwrap_or(text.len()).max(first.len_utf8());
    Some(text.split_at(length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant() {
        let names = ["normal", "uniform", "zeros", "ones", "constant"];
        assert_eq!(nearest("nromal", names), Some("normal"));
        assert_eq!(nearest("UNIFROM", names), Some("uniform"));
        assert_eq!(nearest("zero", names), Some("zeros"));
        assert_eq!(nearest("", names), None);
        assert_eq!(nearest("a thing of another kind", names), None);
        assert_eq!(did_you_mean("constnat", names), ", did you mean `constant`?");
    }

    #[test]
    fn one_is_not_several() {
        assert_eq!(["case", "size"].map(|what| plural(1, what)), ["1 case", "1 size"]);
        assert_eq!(plural(0, "case") + &plural(2, " kernel"), "0 cases2  kernels");
    }
}
