//! The vectors of the catalogue: reading them, and what an op's twin has to say to them.

use std::path::PathBuf;

use ktwin_lang::{Op, Value};
use serde_json::Value as Json;

use super::{Array, Call, disagreement, folder};

/// What f64 arithmetic may lose in the few dozen operations of a small case.
const LIMIT: f64 = 1e-12;

/// The folder of the vectors.
pub fn vectors() -> PathBuf {
    folder("crates/lang/tests/vectors")
}

/// The cases of an op.
pub fn cases(name: &str) -> Vec<Json> {
    let path = vectors().join(format!("{name}.json"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let json: Json = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
    json.as_array().expect("a list of cases").clone()
}

/// A number, or the word for what JSON has none for.
pub fn number(json: &Json) -> f64 {
    match json.as_str() {
        Some(word) => word.parse().expect("inf, -inf or nan"),
        None => json.as_f64().expect("a number"),
    }
}

/// A tensor of a vectors file.
pub fn array(json: &Json) -> Array {
    let list = |key: &str| json[key].as_array().expect("a list").clone();
    let shape: Vec<usize> = list("shape").iter().map(|v| v.as_u64().expect("a size") as usize).collect();
    Array::new(&shape, list("data").iter().map(number).collect())
}

/// A scalar of a vectors file.
pub fn scalar(json: &Json) -> Value {
    match json {
        Json::Bool(value) => Value::Bool(*value),
        other => match other.as_i64() {
            Some(value) => Value::Int(value),
            None => Value::Real(number(other)),
        },
    }
}

fn entries(json: &Json) -> impl Iterator<Item = (&String, &Json)> {
    json.as_object().expect("an object").iter()
}

/// A case as a call of its op.
pub fn call_of(op: &Op, case: &Json) -> Call {
    let mut call = Call::new(op.clone());
    for (dim, size) in entries(&case["dims"]) {
        call = call.dim(dim, size.as_u64().expect("a size") as usize);
    }
    for (scalar_name, value) in entries(&case["scalars"]) {
        call = call.scalar(scalar_name, scalar(value));
    }
    for (input, value) in entries(&case["inputs"]) {
        call = call.input(input, &array(value));
    }
    call
}

/// What is wrong with one case, if anything.
pub fn complaint(op: &Op, case: &Json) -> Option<String> {
    let call = call_of(op, case);
    let outputs = match call.run() {
        Ok(outputs) => outputs,
        Err(error) => return Some(error),
    };
    let wanted = case["outputs"].as_object().expect("an object");
    if wanted.len() != outputs.len() {
        return Some(format!("{} outputs, the vectors have {}", outputs.len(), wanted.len()));
    }
    outputs.iter().zip(&call.op.outputs).find_map(|((output, got), info)| {
        let Some(json) = wanted.get(output) else { return Some(format!("no vectors for {output}")) };
        let whole = json["data"].as_array().expect("a list").iter().all(Json::is_i64);
        if whole != info.integer {
            return Some(format!("{output}: integer is {}, in the vectors {whole}", info.integer));
        }
        let limit = if whole { 0.0 } else { LIMIT };
        disagreement(got, &array(json), limit).map(|what| format!("{output}: {what}"))
    })
}
