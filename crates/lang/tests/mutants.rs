//! The verifier verified: every op of the catalogue with one sign, function or number changed. The vectors must
//! notice each such mutant, or it must be listed here with the reason why it is still the same op.

mod support;

use ktwin_lang::Op;
use support::vectors::{cases, complaint};
use support::{find, folder, stems};

/// What is changed into what, one place at a time.
const CHANGES: &[(&str, &str)] = &[
    (" + ", " - "),
    (" - ", " + "),
    (" * ", " / "),
    (" / ", " * "),
    (" // ", " % "),
    (" % ", " // "),
    (" < ", " <= "),
    (" <= ", " < "),
    (" > ", " >= "),
    (" >= ", " > "),
    (" == ", " != "),
    (" != ", " == "),
    (" and ", " or "),
    (" or ", " and "),
    ("sum[", "max["),
    ("max[", "min["),
    ("argmax[", "argmin["),
    ("max(", "min("),
    ("exp(", "exp2("),
    ("log(", "log2("),
    ("sqrt(", "abs("),
    ("tanh(", "sigmoid("),
    ("sigmoid(", "tanh("),
    ("cos(", "sin("),
    ("sin(", "cos("),
    ("abs(", "("),
    ("^2", "^3"),
    ("^3", "^2"),
    ("0.", "1."),
    (" 1 ", " 2 "),
    (", 0)", ", 1)"),
    ("else 0", "else 1"),
    ("-inf", "inf"),
    ("(-", "("),
];

/// Op, change, and why the changed op is the same op.
const SAME: &[(&str, &str, &str)] = &[
    ("categorical", "log(", "the base of the inner logarithm moves all noise alike"),
    ("dropout", " < ", "no draw of the vectors is p itself"),
    ("leaky_relu", " > ", "at 0 both branches are 0"),
    ("multinomial", " - ", "the last sum is above every draw"),
    ("multinomial", " < ", "the last sum is above every draw"),
    ("multinomial", " <= ", "no draw of the vectors is a sum itself"),
    ("sample_min_p", " >= ", "no share of the vectors is min_p itself"),
    ("sample_min_p", "log(", "the base of the inner logarithm moves all noise alike"),
    ("sample_top_k", "log(", "the base of the inner logarithm moves all noise alike"),
    ("sample_top_p", " - ", "what all numbers are multiplied by cancels"),
    ("sample_top_p", " < ", "no sum of the vectors is the share itself"),
    ("sample_top_p", "log(", "the base of the inner logarithm moves all noise alike"),
    ("sample_top_p", "max[", "what all numbers are multiplied by cancels"),
    ("sort", "max[", "exactly one element has each rank"),
    ("topk", "max[", "exactly one element has each rank"),
];

/// Where the definitions begin: after the first empty line after the signature.
fn definitions(text: &str) -> usize {
    let signature = text.find("\nop ").expect("a signature");
    signature + text[signature..].find("\n\n").expect("an empty line")
}

/// Where they end: forms are held against their op, and `proof.rs` sees to that; what is valid is no value.
fn end(text: &str) -> usize {
    let forms = ["\nalso ", "\nform ", "\nvalid "].iter().filter_map(|word| text.find(word));
    forms.min().unwrap_or(text.len())
}

/// Every mutant of an op: the change, and the new text.
fn mutants(text: &str) -> Vec<(&'static str, String)> {
    let start = definitions(text);
    let mut out = Vec::new();
    for (from, to) in CHANGES {
        for (at, _) in text[start..end(text)].match_indices(from) {
            let place = start + at;
            let line = text[..place].rsplit('\n').next().unwrap_or_default();
            // what a draw may be is the law's to see, and comments say nothing
            if line.contains("random[") || line.starts_with('#') {
                continue;
            }
            out.push((*from, format!("{}{to}{}", &text[..place], &text[place + from.len()..])));
        }
    }
    out
}

#[test]
fn the_vectors_notice_every_mutant() {
    let (mut made, mut missed) = (0, Vec::new());
    let mut unneeded: Vec<(&str, &str)> = SAME.iter().map(|(op, change, _)| (*op, *change)).collect();
    for name in stems(&folder("ops"), "op") {
        let cases = cases(&name);
        let (_, text) = find(&name).expect("an op of the catalogue");
        for (change, text) in mutants(&text) {
            made += 1;
            let Ok(mutant) = Op::parse_with("mutant.op", &text, &find) else { continue };
            let mutant = mutant.with_draws();
            if cases.iter().any(|case| complaint(&mutant, case).is_some()) {
                continue;
            }
            match SAME.iter().any(|(op, same, _)| *op == name && *same == change) {
                true => unneeded.retain(|(op, same)| *op != name || *same != change),
                false => missed.push(format!("{change:?} changed:\n{}", &text[definitions(&text)..])),
            }
        }
    }
    assert!(made > 500, "only {made} mutants");
    assert!(missed.is_empty(), "{} of {made} mutants are not noticed\n{}", missed.len(), missed.join("\n"));
    assert!(unneeded.is_empty(), "listed as the same op, but noticed: {unneeded:?}");
}
