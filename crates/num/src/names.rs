//! "Did you mean": the nearest of a list of names. Touches nothing else.

/// The candidate nearest to `name`, unless even that one is far away.
///
/// ```
/// assert_eq!(ktwin_num::nearest("flot16", ["f16", "float16", "bf16"]), Some("float16"));
/// assert_eq!(ktwin_num::nearest("banana", ["f16", "bf16"]), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    let limit = name.chars().count().div_ceil(2).min(3);
    let scored = candidates.into_iter().map(|c| (distance(&lower, &c.to_lowercase(), limit), c));
    scored.min_by_key(|(d, _)| *d).filter(|(d, _)| *d <= limit).map(|(_, c)| c)
}

/// ", did you mean `x`?" for the end of an error, or nothing.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, candidates).map_or_else(String::new, |n| format!(", did you mean `{n}`?"))
}

// Insertions, deletions, substitutions and swaps of neighbours; `usize::MAX` where the lengths alone say
// too far.
fn distance(a: &str, b: &str, limit: usize) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > limit {
        return usize::MAX;
    }
    let mut rows = [vec![0; b.len() + 1], (0..=b.len()).collect(), vec![0; b.len() + 1]];
    for i in 1..=a.len() {
        rows[2][0] = i;
        for j in 1..=b.len() {
            let step = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (rows[1][j - 1] + step).min(rows[1][j] + 1).min(rows[2][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[0][j - 2] + 1);
            }
            rows[2][j] = best;
        }
        rows.rotate_left(1);
    }
    rows[1][b.len()]
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
    fn distances() {
        for (a, b, d) in [("", "", 0), ("a", "", 1), ("ab", "ba", 1), ("kitten", "sitting", 3)] {
            assert_eq!(distance(a, b, 9), d, "{a} {b}");
            assert_eq!(distance(b, a, 9), d, "{b} {a}");
        }
    }
}
