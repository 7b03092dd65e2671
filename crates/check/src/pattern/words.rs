//! Parts of what is said of patterns: rules, factors, digits.

use std::fmt;

use ktwin_num::math;

use super::Rule;

/// The rule that failing cases obey: where sizes between were not run, only what is known.
pub fn fails_when(f: &mut fmt::Formatter<'_>, rule: &Rule) -> fmt::Result {
    match rule {
        Rule::AtLeast { dim, size, below } if below + 1 < *size => {
            write!(f, "fails when {dim} >= {size}, passes when {dim} <= {below}")
        }
        Rule::Elements { dims, least, below } if below + 1 < *least => {
            let all = dims.join(" * ");
            write!(f, "fails when {all} >= {least}, passes when {all} <= {below}")
        }
        Rule::AtMost { dim, size, above } if size + 1 < *above => {
            write!(f, "fails when {dim} <= {size}, passes when {dim} >= {above}")
        }
        rule => write!(f, "fails exactly when {rule}{}", apart(rule)),
    }
}

/// The rule that failing cases obey, as some do that pass.
pub fn fails_only_when(f: &mut fmt::Formatter<'_>, rule: &Rule, [failing, of]: [usize; 2]) -> fmt::Result {
    write!(f, "fails only where {rule}, in {failing} of {of} such cases{}", apart(rule))
}

/// What it often means where two sizes must be equal.
fn apart(rule: &Rule) -> &'static str {
    match rule {
        Rule::Apart { .. } => ": one may be used in the place of the other, as a stride or a bound",
        _ => "",
    }
}

/// Which of the cases with several workgroups fail, and from which size on there are several.
pub fn several(f: &mut fmt::Formatter<'_>, [failing, of]: [usize; 2], rule: Option<&Rule>) -> fmt::Result {
    let rule = rule.map_or(String::new(), |rule| format!(" ({rule})"));
    match failing == of {
        true => write!(f, "fails exactly when several workgroups run{rule}"),
        false => {
            write!(f, "fails only where several workgroups run{rule}, in {failing} of {of} such cases")
        }
    }
}

/// The lines that only failing cases run.
pub fn runs(f: &mut fmt::Formatter<'_>, lines: &str, text: &str) -> fmt::Result {
    let (word, on) = if lines.parse::<u32>().is_ok() { ("line", "") } else { ("lines", " ...") };
    write!(f, "every failing case runs {word} {lines}, and no passing case does")?;
    if text.is_empty() { Ok(()) } else { write!(f, ": `{text}`{on}") }
}

/// The number that others stop at.
pub fn saturates(f: &mut fmt::Formatter<'_>, number: f64, dtype: &str) -> fmt::Result {
    let (end, due) = if number > 0.0 { ("largest", "more") } else { ("least", "less") };
    write!(
        f,
        "every wrong element is {number}, the {end} number of {dtype}, where {due} is due: it saturates"
    )
}

/// That the scales of blocks do not fit.
pub fn scales(f: &mut fmt::Formatter<'_>, minima: bool) -> fmt::Result {
    let (scales, fit) = if minima { ("scale and minimum", "these do") } else { ("scale", "that does") };
    write!(f, "in every wrong block the codes are the nearest for its {scales}: {fit} not fit its numbers")
}

/// That the codes of blocks are others than the nearest, and which way they are cut.
pub fn codes(f: &mut fmt::Formatter<'_>, cut: Option<&str>) -> fmt::Result {
    match cut {
        Some(way) => write!(f, "codes of blocks are cut {way}, where the nearest is due"),
        None => {
            f.write_str("every wrong element has another code than the nearest for the scale of its block")
        }
    }
}

/// That an index begins again.
pub fn wraps(f: &mut fmt::Formatter<'_>, index: Option<&str>, count: u64) -> fmt::Result {
    let what = index.unwrap_or("the number of an element");
    write!(f, "{what} wraps around at {count}: what is due from there on is written {count} places earlier")
}

/// How many digits are right.
pub fn coarse(f: &mut fmt::Formatter<'_>, digits: f64) -> fmt::Result {
    write!(
        f,
        "the wrong elements agree to {digits:.1} digits of the largest value: {}a function is approximated, or \
         precision is lost",
        narrow(digits)
    )
}

/// Types that keep about so many digits.
fn narrow(digits: f64) -> &'static str {
    match digits {
        _ if digits < 2.6 => "numbers are rounded to bf16 on the way, or ",
        _ if digits < 3.7 => "numbers are rounded to f16 or tf32 on the way, or ",
        _ => "",
    }
}

/// A factor with the digits that tell it from 1.
pub fn near_one(factor: f64) -> String {
    match (factor - 1.0).abs() {
        off if off < 1e-3 => format!("{factor:.*}", (1.0 - math::log10(off).floor()) as usize),
        _ => rounded(factor),
    }
}

/// A number as people write it.
pub fn rounded(x: f64) -> String {
    let whole = x.round();
    match x.abs() {
        size if size < 1e7 && (x - whole).abs() < 5e-4 * x.abs() && whole != 0.0 => format!("{whole}"),
        size if !(0.01..1e7).contains(&size) => format!("{x:.3e}"),
        _ => format!("{x:.4}"),
    }
}
