//! Numbers mistyped: neighbours of whole ones, slips in the digits of others.

use super::edits::Made;

/// A whole number taken for another.
pub(super) fn whole(value: i64, out: &mut Made) {
    let near = [value.checked_add(1), value.checked_sub(1), value.checked_mul(2), Some(value / 2)];
    let mut told = vec![value];
    for other in near.into_iter().flatten() {
        if !told.contains(&other) {
            told.push(other);
            out.plain(if other < 0 { format!("({other})") } else { other.to_string() });
        }
    }
}

/// A real number: of another magnitude, or with a slip in its digits.
pub(super) fn real(text: &str, out: &mut Made) {
    match text {
        "inf" => ["0", "1", "1e4", "1e9"].iter().for_each(|other| out.plain((*other).into())),
        "nan" => out.plain("0".into()),
        "pi" => {
            for other in ["3.14", "3.1416", "3.14159", "(2 * pi)", "(pi / 2)"] {
                out.plain(other.into());
            }
        }
        _ => {
            for by in ["10", "0.1", "2", "0.5", "0", "(-1)"] {
                out.plain(format!("({text} * {by})"));
            }
            slips(text).into_iter().for_each(|other| out.plain(other));
        }
    }
}

/// A number with one digit changed, left out or exchanged with the next. The exponent stays.
fn slips(text: &str) -> Vec<String> {
    let end = text.find(['e', 'E']).unwrap_or(text.len());
    let digits: Vec<usize> = (0..end).filter(|at| text.as_bytes()[*at].is_ascii_digit()).collect();
    let mut out: Vec<String> = Vec::new();
    for pair in digits.windows(2) {
        let mut bytes = text.as_bytes().to_vec();
        bytes.swap(pair[0], pair[1]);
        out.extend(String::from_utf8(bytes));
    }
    let point = text.find('.').unwrap_or(end);
    // a digit left out of the fraction, or all from there on
    for at in digits.iter().copied().filter(|at| *at > point && digits.len() > 2) {
        out.push([&text[..at], &text[at + 1..]].concat());
        if at > point + 1 {
            out.push([&text[..at], &text[end..]].concat());
        }
    }
    for at in digits {
        let others = (b'0'..=b'9').filter(|digit| *digit != text.as_bytes()[at]).map(char::from);
        out.extend(others.map(|digit| format!("{}{digit}{}", &text[..at], &text[at + 1..])));
    }
    let same = |other: &String| other.parse::<f64>().ok() == text.parse::<f64>().ok();
    out.retain(|other| !same(other) && !other.ends_with('.') && !other.contains(".e"));
    out.sort();
    out.dedup();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_slip() {
        let all = slips("0.044715");
        for slip in ["0.044175", "0.04475", "0.0447", "0.044716", "0.04715"] {
            assert!(all.iter().any(|s| s == slip), "{slip}: {all:?}");
        }
        assert!(slips("1e-5").iter().any(|s| s == "2e-5"));
        assert!(!all.iter().any(|s| s.parse::<f64>().unwrap() == 0.044715));
    }
}
