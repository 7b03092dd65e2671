//! The newest record that `ktwin bench --save` made of a kernel's very text.

use std::path::{Path, PathBuf};

use ktwin_check::audit::Bench;
use ktwin_check::bench::Outcome;
use ktwin_check::{Kernel, hash_of};
use serde_json::Value;

use crate::bench::saved::{self, FOLDER};

/// The record, where there is one seen from here.
pub fn newest(kernel: &Kernel) -> Option<Bench> {
    let content = hash_of(&[&kernel.source.bytes]);
    let files = std::fs::read_dir(FOLDER).ok()?.flatten().map(|entry| entry.path());
    let mut records: Vec<Record> = files.filter_map(|file| read(&file)).collect();
    let same = |record: &Value| record["content"] == content && record["op"] == kernel.content.hash;
    records.retain(|record| same(&record.value));
    told(&records.into_iter().max_by_key(|record| record.changed)?)
}

/// A file of figures.
struct Record {
    file: PathBuf,
    changed: std::time::SystemTime,
    value: Value,
    untouched: Option<bool>,
}

fn read(file: &Path) -> Option<Record> {
    let changed = file.metadata().ok()?.modified().ok()?;
    let text = ktwin_check::read_text(file).ok()?;
    let value = serde_json::from_str(&text).ok()?;
    Some(Record { file: file.to_path_buf(), changed, value, untouched: saved::untouched(&text) })
}

fn told(Record { file, value: record, untouched, .. }: &Record) -> Option<Bench> {
    let cases = record["cases"].as_array()?;
    let bytes = |case: &&Value| case["bytes"].as_f64().unwrap_or(0.0);
    let largest = cases.iter().max_by(|a, b| bytes(a).total_cmp(&bytes(b)))?;
    let times = largest["times"].as_array().into_iter().flatten().filter_map(|time| {
        Some(format!("{} {:.0} ns", time["cache"].as_str()?, time["median_ns"].as_f64()?))
    });
    let device = record["device"].as_str()?;
    let times: Vec<String> = times.collect();
    let timed = !times.is_empty();
    let mut parts = vec![format!("{} on {device}", largest["case"].as_str()?)];
    parts.extend(times);
    let compared = cases.iter().flat_map(|case| {
        let all = case["against"].as_array().into_iter().flatten();
        all.map(|one| (case["case"].as_str().unwrap_or_default(), one))
    });
    let against = compared.filter_map(|(case, one)| {
        Some((format!("{case}, {}", one["what"].as_str()?), Outcome::parse(one["outcome"].as_str()?)?))
    });
    let (record, largest) = (file.display().to_string(), parts.join(", "));
    let names = cases.iter().filter_map(|case| Some(case["case"].as_str()?.to_owned())).collect();
    let (device, against) = (device.to_owned(), against.collect());
    Some(Bench { record, device, largest, timed, cases: names, against, untouched: *untouched })
}
