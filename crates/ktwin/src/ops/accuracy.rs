//! A language's promise of a function, in words.

use ktwin_num::{Accuracy, Float, Function, Language, accuracy, note};

/// What every language promises of a function in f32: `c 1 ulp, wgsl 3 + 2 |x| ulp`.
pub fn by_language(function: Function) -> String {
    let promise = |(name, language): &(&str, Language)| {
        format!("{name} {}", words(accuracy(*language, function, Float::F32)))
    };
    Language::ALL.iter().map(promise).collect::<Vec<_>>().join(", ")
}

/// Where a figure is not the language's own word: what it stands on, each said once.
pub fn notes(function: Function) -> Vec<String> {
    let mut out: Vec<(&str, String)> = Vec::new();
    for (name, language) in Language::ALL {
        let Some(text) = note(*language, function).filter(|text| !text.starts_with("f16:")) else { continue };
        match out.iter_mut().find(|(t, _)| *t == text) {
            Some((_, names)) => *names += &format!(", {name}"),
            None => out.push((text, name.to_string())),
        }
    }
    out.into_iter().map(|(text, names)| format!("({names}: {text})")).collect()
}

fn words(accuracy: Accuracy) -> String {
    match accuracy {
        Accuracy::Exact => "exact".into(),
        Accuracy::CorrectlyRounded => "0.5 ulp".into(),
        Accuracy::Ulp(n) => format!("{n} ulp"),
        Accuracy::UlpOfArg { base, slope } => format!("{base} + {slope} |x| ulp"),
        Accuracy::UlpWithin { ulps, lo, hi } => {
            format!("{ulps} ulp for divisors of {} to {}", power(lo), power(hi))
        }
        Accuracy::AbsoluteWithin { error, lo, hi, .. } => {
            format!("{} for x in {} to {}", power(error), round(lo), round(hi))
        }
        Accuracy::AbsoluteGrowing { error, from, .. } => {
            format!("{} for |x| up to {}, growing beyond", power(error), round(from))
        }
        Accuracy::Inherited { function, .. } => format!("that of {}", function.expression()),
        Accuracy::Unbounded => "no promise".into(),
    }
}

/// Powers of two as such.
fn power(x: f64) -> String {
    let exponent = x.log2();
    if exponent.fract() == 0.0 { format!("2^{exponent}") } else { round(x) }
}

fn round(x: f64) -> String {
    let short = format!("{x:.4}");
    let short = short.trim_end_matches('0').trim_end_matches('.');
    if x != 0.0 && x.abs() < 1e-3 { format!("{x:.2e}") } else { short.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promises_in_words() {
        assert_eq!(words(Accuracy::UlpOfArg { base: 3.0, slope: 2.0 }), "3 + 2 |x| ulp");
        assert_eq!(
            words(Accuracy::UlpWithin { ulps: 2.5, lo: 2f64.powi(-126), hi: 2f64.powi(126) }),
            "2.5 ulp for divisors of 2^-126 to 2^126"
        );
        let pi = std::f64::consts::PI;
        let sine = Accuracy::AbsoluteWithin { error: 2f64.powi(-11), lo: -pi, hi: pi, ulps: 1.0 };
        assert_eq!(words(sine), "2^-11 for x in -3.1416 to 3.1416");
        assert!(by_language(Function::Exp).contains("wgsl 3 + 2 |x| ulp"));
        assert!(notes(Function::Erf).iter().any(|n| n.starts_with("(wgsl: no built-in")));
        // one text of two languages is said once; what is about f16 alone does not belong here
        assert!(notes(Function::Sigmoid)[0].starts_with("(c, cuda, cuda-fast, opencl, wgsl: no built-in"));
        assert!(notes(Function::Exp).iter().all(|n| !n.contains("f16")), "{:?}", notes(Function::Exp));
    }
}
