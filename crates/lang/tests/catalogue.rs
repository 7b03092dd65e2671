//! Every op of the catalogue against vectors that NumPy made from other formulations
//! (`scripts/vectors/make.py`). Reads ops/ and tests/vectors/.

mod support;

use serde_json::Value as Json;
use support::vectors::{array, cases, complaint, number, vectors};
use support::{folder, op, stems};

#[test]
fn every_op_parses_under_its_own_name_and_says_what_it_is() {
    let names = stems(&folder("ops"), "op");
    assert!(names.len() >= 100, "only {} ops", names.len());
    for name in names {
        let op = op(&name);
        assert_eq!(op.name, name, "the file's name is the op's");
        assert!(!op.summary().is_empty(), "{name} has no summary");
        assert!(op.description[0].starts_with(&format!("{name} -- ")), "{name}: first line");
    }
}

#[test]
fn every_op_has_vectors_and_all_vectors_have_an_op() {
    assert_eq!(stems(&folder("ops"), "op"), stems(&vectors(), "json"));
}

#[test]
fn vectors_give_every_size_and_scalar_and_vary_them() {
    for name in stems(&vectors(), "json") {
        let (op, cases) = (op(&name), cases(&name));
        assert!(cases.len() >= 2, "{name} has {} cases", cases.len());
        for case in &cases {
            let count = |key: &str| case[key].as_object().expect("an object").len();
            let given = (count("dims"), count("scalars"), count("inputs"));
            assert_eq!(given, (op.dims.len(), op.scalars.len(), op.inputs.len()), "{name}");
        }
        let same = |key: &str| cases.iter().all(|c| c[key] == cases[0][key]);
        assert!(!same("dims"), "{name}: all cases have the same sizes");
        assert!(op.scalars.is_empty() || !same("scalars"), "{name}: all cases have the same scalars");
    }
}

#[test]
fn twins_agree_with_the_vectors() {
    let mut wrong = Vec::new();
    for name in stems(&vectors(), "json") {
        for (at, case) in cases(&name).iter().enumerate() {
            wrong.extend(complaint(&op(&name), case).map(|what| format!("{name}, case {at}: {what}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// One element of one output moved by a billionth of the largest.
fn disturbed(case: &Json) -> Json {
    let mut out = case.clone();
    let outputs = out["outputs"].as_object_mut().expect("an object");
    let tensor = outputs.values_mut().next().expect("an output");
    let scale = array(tensor).values.iter().filter(|v| v.is_finite()).fold(0.0, |a: f64, b| a.max(b.abs()));
    let data = tensor["data"].as_array_mut().expect("a list");
    let whole = data[0].is_i64();
    let moved = if whole { number(&data[0]) + 1.0 } else { number(&data[0]) + 1e-9 * scale.max(1e-300) };
    data[0] = if whole { (moved as i64).into() } else { moved.into() };
    out
}

#[test]
fn a_disturbed_vector_is_noticed_for_every_op() {
    for name in stems(&vectors(), "json") {
        let cases = cases(&name);
        let noticed = cases.iter().any(|case| complaint(&op(&name), &disturbed(case)).is_some());
        assert!(noticed, "{name}: vectors that were made wrong still pass");
    }
}
