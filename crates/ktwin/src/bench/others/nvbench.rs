//! The JSON of nvbench: `benchmarks` with `states`, each with `summaries` that have a tag and a value, in seconds.

use serde_json::Value;

use super::{Other, rate};

/// The tags of a call's mean time, the first that is there: with empty caches, in batches, on the host alone.
const TIMES: [&str; 3] = ["nv/cold/time/gpu/mean", "nv/batch/time/gpu/mean", "nv/cpu_only/time/cpu/mean"];
/// Those of rates.
const BYTES: [&str; 2] = ["nv/cold/bw/global/bytes_per_second", "nv/cpu_only/bw/global/bytes_per_second"];
const ITEMS: [&str; 2] = ["nv/cold/bw/item_rate", "nv/cpu_only/bw/item_rate"];

/// The states in a text, where it is such JSON.
pub fn read(text: &str) -> Option<Vec<Other>> {
    let document: Value = serde_json::from_str(text).ok()?;
    let all = document["benchmarks"].as_array()?;
    if !all.iter().any(|one| one["states"].is_array()) {
        return None;
    }
    let states = all.iter().flat_map(|one| {
        let states = one["states"].as_array().into_iter().flatten();
        states.filter_map(|state| figures(one["name"].as_str()?, state))
    });
    Some(states.collect())
}

fn figures(benchmark: &str, state: &Value) -> Option<Other> {
    if state["is_skipped"] == true {
        return None;
    }
    let tagged = |tags: &[&str]| tags.iter().find_map(|tag| value(state, tag));
    let what =
        [&state["name"], &state["description"]].into_iter().find_map(Value::as_str).unwrap_or_default();
    Some(Other {
        name: format!("{benchmark} {what}").trim_end().to_owned(),
        from: "nvbench",
        ns: tagged(&TIMES)? * 1e9,
        gflops: None,
        gbytes: rate(tagged(&BYTES), 1e-9),
        gitems: rate(tagged(&ITEMS), 1e-9),
    })
}

/// The value of a summary. It is a number in quotation marks, so that none of its digits is lost.
fn value(state: &Value, tag: &str) -> Option<f64> {
    let summary = state["summaries"].as_array()?.iter().find(|one| one["tag"] == tag)?;
    let data = summary["data"].as_array()?.iter().find(|one| one["name"] == "value")?;
    data["value"].as_f64().or_else(|| data["value"].as_str()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_named_and_their_seconds_read() {
        let text = r#"{ "meta": {}, "devices": [], "benchmarks": [ { "name": "copy", "states": [
            { "name": "Device=0 N=2^20", "is_skipped": false, "summaries": [
              { "tag": "nv/cold/sample_size", "data": [ { "name": "value", "type": "int64", "value": "512" } ] },
              { "tag": "nv/cold/time/gpu/mean", "name": "GPU Time", "hint": "duration",
                "data": [ { "name": "value", "type": "float64", "value": "1.25e-05" } ] },
              { "tag": "nv/cold/bw/global/bytes_per_second",
                "data": [ { "name": "value", "type": "float64", "value": 6.4e11 } ] } ] },
            { "name": "Device=0 N=2^40", "is_skipped": true, "skip_reason": "too large", "summaries": null } ] } ] }"#;
        let all = read(text).unwrap();
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].name, "copy Device=0 N=2^20");
        assert!(
            (all[0].ns - 12_500.0).abs() < 1e-6 && all[0].gbytes.is_some_and(|n| (n - 640.0).abs() < 1e-9)
        );
        assert!(read("{ \"benchmarks\": [ { \"name\": \"a\", \"real_time\": 1 } ] }").is_none());
    }
}
