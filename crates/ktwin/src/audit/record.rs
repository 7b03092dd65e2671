//! The newest record that `ktwin bench --save` made of a kernel's very text.

use std::path::{Path, PathBuf};

use ktwin_check::audit::Bench;
use ktwin_check::{Kernel, hash_of};
use serde_json::Value;

use crate::bench::saved::FOLDER;

/// The record, where there is one seen from here.
pub fn newest(kernel: &Kernel) -> Option<Bench> {
    let content = hash_of(&[&kernel.source.bytes]);
    let files = std::fs::read_dir(FOLDER).ok()?.flatten().map(|entry| entry.path());
    let mut records: Vec<(std::time::SystemTime, PathBuf, Value)> =
        files.filter_map(|file| read(&file)).collect();
    let same = |record: &Value| record["content"] == content && record["op"] == kernel.content.hash;
    records.retain(|(_, _, record)| same(record));
    let (_, file, record) = records.into_iter().max_by_key(|(changed, ..)| *changed)?;
    told(&file, &record)
}

fn read(file: &Path) -> Option<(std::time::SystemTime, PathBuf, Value)> {
    let changed = file.metadata().ok()?.modified().ok()?;
    let record = serde_json::from_str(&ktwin_check::read_text(file).ok()?).ok()?;
    Some((changed, file.to_path_buf(), record))
}

fn told(file: &Path, record: &Value) -> Option<Bench> {
    let cases = record["cases"].as_array()?;
    let bytes = |case: &&Value| case["bytes"].as_f64().unwrap_or(0.0);
    let largest = cases.iter().max_by(|a, b| bytes(a).total_cmp(&bytes(b)))?;
    let times = largest["times"].as_array().into_iter().flatten().filter_map(|time| {
        Some(format!("{} {:.0} ns", time["cache"].as_str()?, time["median_ns"].as_f64()?))
    });
    let mut parts = vec![format!("{} on {}", largest["case"].as_str()?, record["device"].as_str()?)];
    parts.extend(times);
    let compared = cases.iter().flat_map(|case| case["against"].as_array().into_iter().flatten());
    let against = compared
        .filter_map(|one| Some((one["what"].as_str()?.to_string(), one["outcome"].as_str()? == "slower")));
    Some(Bench { record: file.display().to_string(), largest: parts.join(", "), against: against.collect() })
}
