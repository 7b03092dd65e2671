//! The catalogue: every file of `ops/`, held in the binary. Finds an op by its name or by the path of a file.

use std::fmt;
use std::fs;
use std::path::Path;

use ktwin_lang::{Diagnostic, Form, Op};
use ktwin_num::did_you_mean;

/// Every op's name and text, sorted by name.
pub const OPS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/catalogue.rs"));

/// Other ways of writing some of them, as forms to be put after the op's text.
const VARIANTS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/variants.rs"));

/// Most bytes that a file is read for; the language itself allows fewer.
const MOST_BYTES: u64 = 1 << 20;

/// Why an op was not found.
#[derive(Clone, Debug)]
pub enum CatalogueError {
    /// Its text has a mistake.
    Op(Box<Diagnostic>),
    /// The name or the file does not exist.
    Missing(String),
}

impl fmt::Display for CatalogueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CatalogueError::Op(diagnostic) => diagnostic.fmt(f),
            CatalogueError::Missing(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for CatalogueError {}

/// The text of an op of the catalogue.
pub fn text(name: &str) -> Option<&'static str> {
    OPS.binary_search_by_key(&name, |(n, _)| n).ok().map(|at| OPS[at].1)
}

/// The op of this name, or the one in the file of this path. What ends in `.op` or holds a `/` is a path.
pub fn op(name_or_path: &str) -> Result<Op, CatalogueError> {
    let is_path = name_or_path.ends_with(".op") || name_or_path.contains(['/', '\\']);
    match text(name_or_path) {
        _ if is_path => file(Path::new(name_or_path)),
        Some(text) => parse(&format!("{name_or_path}.op"), text, None),
        None => Err(CatalogueError::Missing(unknown(name_or_path))),
    }
}

/// Other ways of writing an op of the catalogue that its bars are proved with, each an op of its own. A path has none.
pub fn variants(name_or_path: &str) -> Result<Vec<Op>, CatalogueError> {
    let (Some(text), Ok(at)) =
        (text(name_or_path), VARIANTS.binary_search_by_key(&name_or_path, |(name, _)| name))
    else {
        return Ok(Vec::new());
    };
    let own = op(name_or_path)?.forms.len();
    let all = parse(&format!("variants/{name_or_path}.forms"), &format!("{text}\n{}", VARIANTS[at].1), None)?;
    let named = |form: Form| Op { name: form.name.unwrap_or_default(), ..form.op };
    Ok(all.forms.into_iter().skip(own).map(named).collect())
}

/// The op in a file.
pub fn file(path: &Path) -> Result<Op, CatalogueError> {
    let shown = path.display().to_string();
    let refused = |why: String| Err(CatalogueError::Missing(format!("{shown}: {why}")));
    match fs::metadata(path) {
        Ok(data) if data.len() > MOST_BYTES => {
            return refused(format!("{} bytes is too large for an op", data.len()));
        }
        Ok(data) if !data.is_file() => return refused("this is not a file".into()),
        _ => {}
    }
    match fs::read(path).map(String::from_utf8) {
        Ok(Ok(text)) => parse(&shown, &text, Some(path)),
        Ok(Err(_)) => refused("this is not text (UTF-8)".into()),
        Err(error) => refused(format!("cannot read it: {}", ktwin_num::reason(&error))),
    }
}

/// An op of this text; those that it calls lie beside it or in the catalogue.
fn parse(file: &str, text: &str, beside: Option<&Path>) -> Result<Op, CatalogueError> {
    let find = |name: &str| ktwin_check::find_op(name, beside, OPS);
    Op::parse_with(file, text, &find).map_err(|d| CatalogueError::Op(Box::new(d)))
}

fn unknown(name: &str) -> String {
    let hint = did_you_mean(name, OPS.iter().map(|(n, _)| *n));
    let hint = if hint.is_empty() { ", `ktwin ops` lists them; a path ends in .op".into() } else { hint };
    format!("no op `{name}`{hint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_op_is_found_by_its_name_and_sorted() {
        assert!(OPS.is_sorted_by(|a, b| a.0 < b.0));
        assert!(OPS.len() >= 90, "{}", OPS.len());
        assert!(VARIANTS.is_sorted_by(|a, b| a.0 < b.0));
        assert!(VARIANTS.iter().all(|(name, _)| variants(name).is_ok_and(|found| !found.is_empty())));
        for (name, _) in OPS {
            assert_eq!(op(name).unwrap_or_else(|e| panic!("{e}")).name, *name);
        }
    }

    #[test]
    fn unknown_names_suggest_the_nearest() {
        assert_eq!(op("rmsnrom").unwrap_err().to_string(), "no op `rmsnrom`, did you mean `rmsnorm`?");
        assert!(op("nothing like it").unwrap_err().to_string().contains("`ktwin ops` lists them"));
        assert!(op("no/such.op").unwrap_err().to_string().starts_with("no/such.op: cannot read it"));
    }
}
