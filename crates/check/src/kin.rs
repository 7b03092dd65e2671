//! Ops of the catalogue that take and give the same tensors as another one: the exact gelu beside the approximate one,
//! one layout of rotary embeddings beside the other.

use crate::kernel::Catalogue;

/// The names and texts of those that are like an op of this text.
pub fn of(name: &str, text: &str, catalogue: &Catalogue) -> Vec<(String, String)> {
    let Some(own) = tensors(text) else { return Vec::new() };
    let others =
        catalogue.iter().filter(|(other, text)| *other != name && tensors(text).as_ref() == Some(&own));
    others.map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

/// The tensors of a declaration, in order: `x[N]`, `w[D]` and `y[N]`, without domains and scalars.
fn tensors(text: &str) -> Option<[Vec<String>; 2]> {
    let header = text.lines().find_map(|line| line.strip_prefix("op "))?;
    let (inputs, outputs) = header.split_once("->")?;
    let (_, inputs) = inputs.split_once('(')?;
    let inputs = inputs.rsplit_once(')')?.0;
    Some([list(inputs.split(';').next()?), list(outputs)])
}

/// The tensors of a list: each to the end of its dimensions.
fn list(text: &str) -> Vec<String> {
    let (mut out, mut depth, mut one) = (Vec::new(), 0, String::new());
    for c in text.chars().chain([',']) {
        match c {
            ',' if depth == 0 => {
                let end = one.find(']').map_or(one.len(), |at| at + 1);
                out.push(one[..end].split_whitespace().collect::<String>());
                one.clear();
                continue;
            }
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            _ => {}
        }
        one.push(c);
    }
    out.retain(|one| !one.is_empty());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kin_have_the_same_tensors() {
        let catalogue = [
            ("a", "# a\nop a(x[R, D] > 0, w[D]; eps = 1e-5) -> y[R, D]\ny[r, d] = x[r, d]\n"),
            ("b", "op b(x[R,D], w[D] in 0.0..1.0) -> y[R, D]\n"),
            ("c", "op c(x[R, D], w[D]) -> z[R, D]\n"),
            ("d", "op d(x[R, D]) -> y[R, D]\n"),
        ];
        let names = |name: &str, text: &str| {
            of(name, text, &catalogue).into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        assert_eq!(names("a", catalogue[0].1), ["b"]);
        assert_eq!(names("own", "op own(x[R, D], w[D]; k = 1) -> y[R, D]\n"), ["a", "b"]);
        assert!(names("d", catalogue[3].1).is_empty() && names("e", "nothing").is_empty());
    }
}
