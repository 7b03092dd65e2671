//! Finds the ops that an op calls: in a file beside it, then in the catalogue. Touches files only.

use std::path::Path;

use crate::kernel::Catalogue;

/// The file and the text of an op that one in the file `beside` calls, or one of the catalogue where there is no file.
pub fn find(name: &str, beside: Option<&Path>, catalogue: &Catalogue) -> Option<(String, String)> {
    let own = beside.map(|file| file.with_file_name(format!("{name}.op"))).filter(|file| file.is_file());
    let read = own.and_then(|file| Some((file.display().to_string(), crate::read::text(&file).ok()?)));
    let listed = || catalogue.iter().find(|(n, _)| *n == name);
    read.or_else(|| listed().map(|(name, text)| (format!("{name}.op"), text.to_string())))
}
