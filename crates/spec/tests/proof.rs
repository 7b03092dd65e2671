//! The bars of every op of the catalogue, from both sides: honest evaluations inside, coarser ones out.

use ktwin_num::{Float, Regime};
use ktwin_spec::{Op, prove};
use rayon::prelude::*;

fn catalogue() -> Vec<Op> {
    let folder = format!("{}/../../ops", env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    paths.sort();
    let parse = |path: &std::path::PathBuf| {
        Op::parse(&path.display().to_string(), &std::fs::read_to_string(path).unwrap()).unwrap()
    };
    paths.iter().filter(|p| p.extension().is_some_and(|e| e == "op")).map(parse).collect()
}

/// Every op, and every form of each as an op of its own.
fn written() -> Vec<Op> {
    let forms = |op: &Op| op.forms.iter().map(|form| form.op.clone()).collect::<Vec<_>>();
    catalogue().iter().flat_map(|op| [vec![op.clone()], forms(op)].concat()).collect()
}

#[test]
fn forms_agree_with_their_ops() {
    let ops = catalogue();
    assert!(ops.iter().filter(|op| !op.forms.is_empty()).count() >= 5);
    let wrong: Vec<String> = ops.iter().filter_map(Op::disagreement).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn proved(storage: Float) {
    let failures: Vec<String> = written()
        .par_iter()
        .map(|op| prove(op, storage, &Regime::ALL))
        .filter(|proof| !proof.sound() || proof.honest == 0)
        .map(|p| format!("{}: {:.3} at {} {:?}", p.op, p.honest_worst, p.honest_at, p.problem))
        .collect();
    assert!(failures.is_empty(), "{} ops:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn honest_f32_kernels_stay_inside() {
    proved(Float::F32);
}

#[test]
fn honest_kernels_of_f16_data_stay_inside() {
    proved(Float::F16);
}
