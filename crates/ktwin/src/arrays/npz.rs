//! Reads one array of an .npz file: a zip archive of .npy files.

use std::fs::File;

use ktwin_num::{DType, Tensor};

use super::zip::{self, Entry};
use super::{Made, distinct, npy};

/// The names of all arrays, without their `.npy`.
pub fn names(entries: &[Entry]) -> Made<Vec<String>> {
    let names: Vec<String> = entries.iter().map(|entry| name(entry).to_string()).collect();
    distinct(&names, "arrays")?;
    match names.is_empty() {
        true => Err("it holds no array".into()),
        false => Ok(names),
    }
}

/// The array of this name.
pub fn read(file: &File, wanted_name: &str, wanted: Option<DType>) -> Made<Tensor> {
    let found = zip::entries(file)?.into_iter().find(|entry| name(entry) == wanted_name);
    let Some(found) = found else { return Err("it is gone".into()) };
    zip::read(file, &found, |mut reader, most| npy::read(&mut reader, most, wanted))
}

fn name(entry: &Entry) -> &str {
    entry.path.strip_suffix(".npy").unwrap_or(&entry.path)
}
