//! The bars of every op of the catalogue, from both sides: honest evaluations inside, coarser ones out.

use ktwin_lang::{Op, Promised, prove};
use ktwin_num::{Float, Regime};
use rayon::prelude::*;

fn folder() -> String {
    format!("{}/../../ops", env!("CARGO_MANIFEST_DIR"))
}

/// The ops whose outputs have values; kernels of the others are judged by their law.
fn catalogue() -> Vec<Op> {
    let mut paths: Vec<_> = std::fs::read_dir(folder()).unwrap().map(|f| f.unwrap().path()).collect();
    paths.sort();
    let find = |name: &str| {
        let file = format!("{}/{name}.op", folder());
        Some((file.clone(), std::fs::read_to_string(file).ok()?))
    };
    let parse = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        Op::parse_with(&path.display().to_string(), &text, &find).unwrap()
    };
    let ops = paths.iter().filter(|p| p.extension().is_some_and(|e| e == "op")).map(parse);
    ops.filter(|op| !op.is_random()).collect()
}

/// An op with the variants of `ops/variants` as forms of its own after those that it has.
fn with_variants(op: &Op) -> Option<Op> {
    let forms = std::fs::read_to_string(format!("{}/variants/{}.forms", folder(), op.name)).ok()?;
    Some(Op::parse(&op.file, &format!("{}\n{forms}", op.text)).unwrap())
}

/// The variants alone, each named.
fn variants(op: &Op) -> Vec<Op> {
    let all = with_variants(op).map_or(Vec::new(), |all| all.forms);
    let named = all.into_iter().skip(op.forms.len());
    named.map(|form| Op { name: form.name.unwrap_or_default(), ..form.op }).collect()
}

/// Every op with its variants, and every form of each as an op of its own.
fn written() -> Vec<(Op, Vec<Op>)> {
    let forms = |op: &Op| op.forms.iter().map(|form| (form.op.clone(), Vec::new())).collect::<Vec<_>>();
    catalogue().iter().flat_map(|op| [vec![(op.clone(), variants(op))], forms(op)].concat()).collect()
}

#[test]
fn forms_agree_with_their_ops() {
    let ops = catalogue();
    assert!(ops.iter().filter(|op| !op.forms.is_empty()).count() >= 5);
    let varied: Vec<Op> = ops.iter().filter_map(with_variants).collect();
    assert!(varied.len() >= 18);
    let wrong: Vec<String> = ops.par_iter().chain(&varied).filter_map(Op::disagreement).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn proved(promised: &[Promised]) {
    proved_of(promised, |_| true);
}

fn proved_of(promised: &[Promised], wanted: impl Fn(&Op) -> bool) {
    let written: Vec<(Op, Vec<Op>)> = written().into_iter().filter(|(op, _)| wanted(op)).collect();
    let tried: Vec<_> = written.iter().flat_map(|op| promised.iter().map(move |p| (op, *p))).collect();
    let failures: Vec<String> = tried
        .par_iter()
        .map(|((op, variants), promised)| prove(op, variants, *promised, &Regime::ALL))
        .filter(|proof| !proof.sound() || proof.honest == 0)
        .map(|p| {
            let promised = p.promised.name();
            format!("{} ({promised}): {:.3} at {} {:?}", p.op, p.honest_worst, p.honest_at, p.problem)
        })
        .collect();
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), tried.len(), failures.join("\n"));
}

#[test]
fn honest_f32_kernels_stay_inside() {
    proved(&[Promised::f32(Float::F32)]);
}

#[test]
#[ignore = "long: run by .ci/run"]
fn honest_kernels_of_f16_data_stay_inside() {
    proved(&[Promised::f32(Float::F16)]);
}

/// `ktwin ops --prove` takes every op through every promise; here a few ops go through all of them.
#[test]
#[ignore = "long: run by .ci/run"]
fn honest_kernels_of_other_promises_stay_inside() {
    let few = ["add", "mean", "sgd", "silu", "softmax_backward"];
    proved_of(&Promised::ALL, |op| few.contains(&op.name.as_str()));
}
