//! Limits on dimensions, as contracts write them: `1..=16384`, `multiple of 32`, `power of two`, `64 | 128`. Plain
//! words to data.

use super::{Limit, Side, Sizes};

/// What a limit looks like, for messages.
pub const FORMS: &str =
    "\"1..=16384\", \"..=4096\", \"64\", \"64 | 128\", \"multiple of 32\" or \"power of two\"";

/// Reads one limit.
pub fn parse(text: &str) -> Option<Limit> {
    let text = text.trim();
    if let Some(number) = text.strip_prefix("multiple of ") {
        return number.trim().parse().ok().filter(|n| *n > 0).map(Limit::Multiple);
    }
    if text == "power of two" {
        return Some(Limit::PowerOfTwo);
    }
    if text.contains('|') {
        return one_of(text).map(Limit::OneOf);
    }
    if let Some((lo, hi)) = text.split_once("..") {
        let lo = bound(lo)?;
        let (shut, hi) = hi.strip_prefix('=').map_or((false, hi), |hi| (true, hi));
        let hi = match bound(hi)? {
            Some(n) if !shut => Some(n.checked_sub(1)?),
            hi => hi,
        };
        return Some(Limit::Range(lo, hi));
    }
    let exactly = text.parse().ok()?;
    Some(Limit::Range(Some(exactly), Some(exactly)))
}

/// Sizes with bars between them.
fn one_of(text: &str) -> Option<Sizes> {
    let mut sizes: Vec<i64> = text.split('|').map(|size| size.trim().parse().ok()).collect::<Option<_>>()?;
    sizes.sort_unstable();
    sizes.dedup();
    let last = *sizes.last().filter(|_| sizes[0] > 0)?;
    sizes.resize(sizes.len().max(Sizes::default().len()), last);
    sizes.try_into().ok()
}

/// A side of a range: a number, or nothing at all.
fn bound(text: &str) -> Option<Side> {
    match text.trim() {
        "" => Some(None),
        number => number.replace('_', "").parse().ok().filter(|n| *n >= 0).map(Some),
    }
}

impl Limit {
    /// Whether a size is within it.
    pub fn allows(self, size: i64) -> bool {
        match self {
            Limit::Range(lo, hi) => lo.is_none_or(|lo| size >= lo) && hi.is_none_or(|hi| size <= hi),
            Limit::Multiple(n) => size % n == 0,
            Limit::PowerOfTwo => size > 0 && size & (size - 1) == 0,
            Limit::OneOf(sizes) => sizes.contains(&size),
        }
    }

    /// Whether no size at all is within it.
    pub fn is_empty(self) -> bool {
        matches!(self, Limit::Range(lo, Some(hi)) if hi < lo.unwrap_or(1).max(1))
    }

    /// What it says of a size so many times of which is within it; none where nothing can be said.
    pub fn over(self, times: i64) -> Option<Limit> {
        Some(match self {
            Limit::Range(lo, hi) => {
                Limit::Range(lo.map(|lo| (lo.max(1) - 1) / times + 1), hi.map(|hi| hi / times))
            }
            Limit::Multiple(n) => Limit::Multiple(n / common(n, times)),
            Limit::PowerOfTwo => Limit::PowerOfTwo,
            Limit::OneOf(sizes) => {
                let of: Vec<i64> =
                    sizes.iter().filter(|size| *size % times == 0).map(|size| size / times).collect();
                let last = *of.last()?;
                Limit::OneOf(std::array::from_fn(|at| of.get(at).copied().unwrap_or(last)))
            }
        })
    }

    /// The nearest size to this one that is within it: above, unless only below there is one.
    pub fn nearest(self, size: i64) -> i64 {
        match self {
            Limit::Range(lo, hi) => size.min(hi.unwrap_or(i64::MAX)).max(lo.unwrap_or(1)),
            Limit::Multiple(n) => {
                let up = (size.max(1) - 1) / n + 1;
                up.checked_mul(n).unwrap_or(i64::MAX / n * n)
            }
            Limit::PowerOfTwo => i64::try_from((size.max(1) as u64).next_power_of_two()).unwrap_or(1),
            Limit::OneOf(sizes) => *sizes.iter().find(|own| **own >= size).unwrap_or(&sizes[sizes.len() - 1]),
        }
    }
}

/// The largest number that divides both.
fn common(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { common(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_a_product_are_limits_of_its_factor() {
        assert_eq!(Limit::Multiple(256).over(8), Some(Limit::Multiple(32)));
        assert_eq!(Limit::Multiple(4).over(6), Some(Limit::Multiple(2)));
        assert_eq!(Limit::Range(Some(9), Some(31)).over(8), Some(Limit::Range(Some(2), Some(3))));
        assert_eq!(parse("64 | 96 | 100").unwrap().over(32), parse("2 | 3"));
        assert_eq!(parse("64 | 96").unwrap().over(5), None);
    }

    #[test]
    fn every_form() {
        assert_eq!(parse("1..=16384"), Some(Limit::Range(Some(1), Some(16384))));
        assert_eq!(parse("..=4096"), Some(Limit::Range(None, Some(4096))));
        assert_eq!(parse("2.."), Some(Limit::Range(Some(2), None)));
        assert_eq!(parse("2..9"), Some(Limit::Range(Some(2), Some(8))));
        assert_eq!(parse("64"), Some(Limit::Range(Some(64), Some(64))));
        assert_eq!(parse("multiple of 32"), Some(Limit::Multiple(32)));
        assert_eq!(parse("power of two"), Some(Limit::PowerOfTwo));
        let sizes = Limit::OneOf([64, 96, 128, 128, 128, 128, 128, 128]);
        assert_eq!(parse("128 | 64|96"), Some(sizes));
        assert_eq!(sizes.to_string(), "64 | 96 | 128");
        for (text, empty) in
            [("9..3", true), ("3..3", true), ("0", true), ("..=0", true), ("3..4", false), ("5..", false)]
        {
            assert_eq!(parse(text).map(Limit::is_empty), Some(empty), "{text}");
        }
        for wrong in [
            "",
            "many",
            "multiple of",
            "multiple of 0",
            "a..b",
            "1..x",
            "-5..=3",
            "64 |",
            "0 | 64",
            "1|2|3|4|5|6|7|8|9",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn nearest_sizes_are_allowed() {
        for limit in ["1..=20", "8..", "multiple of 6", "power of two", "7", "3 | 20 | 33"] {
            let limit = parse(limit).unwrap();
            for size in 1..40 {
                assert!(limit.allows(limit.nearest(size)), "{limit:?} {size}");
            }
        }
    }
}
