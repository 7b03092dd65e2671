//! Numbers mistyped: neighbours of whole ones, slips in the digits of others, and what a kernel writes for them.

use ktwin_num::math;

use super::edits::Made;
use crate::ast::{Expr, ExprKind};

/// Two numbers closer than this are one, written with the digits that f32 has.
const SAME: f64 = 5e-7;
/// A number from here on may mean infinity.
const BEYOND: f64 = 50.0;
/// What lies between these may be a factor.
const FACTORS: std::ops::RangeInclusive<f64> = 0.05..=20.0;
/// What lies below is there to keep something from being zero.
const TINY: f64 = 2e-2;
/// A whole number from here on is looked at digit by digit.
const LONG: i64 = 100_000;
/// Numbers farther apart than by this factor do not mean the same.
const FAR: f64 = 2.0;

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
    if value >= LONG {
        mistyped(value).into_iter().for_each(|other| out.plain(other));
    }
}

/// A long whole number with two digits exchanged, decimal or hexadecimal, or one left out.
fn mistyped(value: i64) -> Vec<String> {
    let mut out = Vec::new();
    for (digits, prefix) in [(value.to_string(), ""), (format!("{value:x}"), "0x")] {
        for at in 0..digits.len() - 1 {
            let mut bytes = digits.clone().into_bytes();
            bytes.swap(at, at + 1);
            out.extend(String::from_utf8(bytes).map(|text| format!("{prefix}{text}")));
            out.push(format!("{prefix}{}{}", &digits[..at], &digits[at + 1..]));
        }
    }
    let own = [value.to_string(), format!("0x{value:x}")];
    out.retain(|text| !own.contains(text));
    out.sort();
    out.dedup();
    out
}

/// A real number: of another magnitude, or with a slip in its digits.
pub(super) fn real(text: &str, numbers: &[f64], out: &mut Made) {
    match text {
        "inf" => {
            ["0", "1", "1e4", "1e9"].iter().for_each(|other| out.plain((*other).into()));
            far(numbers).for_each(|other| out.plain(other));
        }
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

/// Numbers that a kernel may write for one that none reaches.
pub(super) fn far(numbers: &[f64]) -> impl Iterator<Item = String> {
    numbers
        .iter()
        .filter(|number| **number >= BEYOND && number.is_finite())
        .map(|number| format!("{number:e}"))
}

/// Numbers that a kernel may scale by.
pub(super) fn factors(numbers: &[f64]) -> impl Iterator<Item = &f64> {
    numbers.iter().filter(|number| FACTORS.contains(number) && **number != 1.0)
}

/// Numbers that a kernel may keep out of a division by zero.
pub(super) fn tiny(numbers: &[f64]) -> impl Iterator<Item = &f64> {
    numbers.iter().filter(|number| **number > 0.0 && **number < TINY)
}

/// Numbers that a kernel writes, where they are near that of an op and not the same, or both are tiny.
pub(super) fn written(expr: &Expr, numbers: &[f64], out: &mut Made) {
    let Some(due) = value(expr).filter(|due| due.is_finite() && *due != 0.0) else { return };
    let near = |other: &&f64| {
        let factor = **other / due.abs();
        let alike = factor < FAR && factor > 1.0 / FAR || **other > 0.0 && **other < TINY && due.abs() < TINY;
        alike && (factor - 1.0).abs() > SAME
    };
    let sign = if due < 0.0 { "-" } else { "" };
    numbers.iter().filter(near).for_each(|other| out.near(format!("{sign}{other}")));
}

/// The value of an expression that is made of real numbers: `sqrt(2 / pi)`. Whole numbers alone are sizes and counts.
fn value(expr: &Expr) -> Option<f64> {
    fn of(expr: &Expr, real: &mut bool) -> Option<f64> {
        Some(match &expr.kind {
            ExprKind::Int(value) => *value as f64,
            ExprKind::Real(value) => {
                *real = true;
                *value
            }
            ExprKind::Neg(a) => -of(a, real)?,
            ExprKind::Binary(sign, a, b) => {
                let (a, b) = (of(a, real)?, of(b, real)?);
                match *sign {
                    "+" => a + b,
                    "-" => a - b,
                    "*" => a * b,
                    "/" => a / b,
                    _ => return None,
                }
            }
            ExprKind::Call(name, args) => {
                let [arg] = &args[..] else { return None };
                let x = of(arg, real)?;
                match name.name.as_str() {
                    "sqrt" => x.sqrt(),
                    "rsqrt" => 1.0 / x.sqrt(),
                    "exp" => math::exp(x),
                    "log" => math::log(x),
                    _ => return None,
                }
            }
            _ => return None,
        })
    }
    let mut real = false;
    of(expr, &mut real).filter(|_| real)
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
        let whole = mistyped(2_891_336_453);
        assert!(
            ["2891336435", "289136453", "0xac564b50"].iter().all(|s| whole.iter().any(|w| w == s)),
            "{whole:?}"
        );
        assert!(!all.iter().any(|s| s.parse::<f64>().unwrap() == 0.044715));
    }
}
