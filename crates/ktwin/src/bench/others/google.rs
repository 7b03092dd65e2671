//! The JSON of Google Benchmark: `benchmarks` is a list of runs, each with `real_time` in its `time_unit`.

use serde_json::Value;

use super::{Other, rate};

/// What of a repeated run is a time of a call.
const TIMES: [&str; 2] = ["mean", "median"];

/// The runs in a text, where it is such JSON.
pub fn read(text: &str) -> Option<Vec<Other>> {
    let document: Value = serde_json::from_str(text).ok()?;
    let all = document["benchmarks"].as_array()?;
    // nvbench has such a list too, of benchmarks with states
    if all.iter().any(|one| !one["states"].is_null()) {
        return None;
    }
    Some(all.iter().filter_map(run).collect())
}

fn run(one: &Value) -> Option<Other> {
    let is_time = one["aggregate_name"].as_str().is_none_or(|what| TIMES.contains(&what));
    if !is_time || one["error_occurred"] == true {
        return None;
    }
    let unit = match one["time_unit"].as_str().unwrap_or("ns") {
        "ns" => 1.0,
        "us" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => return None,
    };
    Some(Other {
        name: one["name"].as_str()?.to_owned(),
        from: "Google Benchmark",
        ns: one["real_time"].as_f64()? * unit,
        gflops: None,
        gbytes: rate(one["bytes_per_second"].as_f64(), 1e-9),
        gitems: rate(one["items_per_second"].as_f64(), 1e-9),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_have_their_units_and_repetitions_are_summed_up() {
        let text = r#"{ "context": { "num_cpus": 2 }, "benchmarks": [
            { "name": "silu/4096", "run_type": "iteration", "real_time": 2.5, "cpu_time": 2.4, "time_unit": "us",
              "bytes_per_second": 1.3e10, "items_per_second": 1.6e9 },
            { "name": "silu/64_mean", "run_type": "aggregate", "aggregate_name": "mean", "real_time": 30.0,
              "time_unit": "ns" },
            { "name": "silu/64_cv", "run_type": "aggregate", "aggregate_name": "cv", "real_time": 0.01,
              "time_unit": "ns" },
            { "name": "bad", "error_occurred": true, "error_message": "no", "real_time": 1.0, "time_unit": "ns" } ] }"#;
        let all = read(text).unwrap();
        let seen: Vec<(&str, f64)> = all.iter().map(|o| (o.name.as_str(), o.ns)).collect();
        assert_eq!(seen, [("silu/4096", 2500.0), ("silu/64_mean", 30.0)]);
        assert_eq!((all[0].gbytes, all[1].gbytes), (Some(13.0), None));
        assert!(all[0].gitems.is_some_and(|n| (n - 1.6).abs() < 1e-9));
    }
}
