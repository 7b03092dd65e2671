//! Reads the op that a contract names, and finds those that an op calls: in a file beside it, then in the catalogue.
//! Touches files only.

use std::path::Path;

use ktwin_lang::{Diagnostic, Op};

use crate::kernel::Catalogue;

/// Why a file gives no op.
pub enum NoOp {
    /// It cannot be read, or is none, in words that tell nothing of what is in it.
    File(String),
    /// It has a mistake.
    Mistake(Diagnostic),
}

/// Reads the op in a file. Whoever names it may have no right to know what other files hold.
pub fn read(path: &Path, catalogue: &Catalogue) -> Result<Op, NoOp> {
    let file = path.display().to_string();
    let none = |why: String| NoOp::File(format!("{file}: {why}"));
    let text = crate::read::text(path).map_err(|e| none(e.to_string()))?;
    if !is_named_op(path) {
        return Err(none("the name of an op's file ends in .op".to_owned()));
    }
    Op::parse_with(&file, &text, &|name| find(name, Some(path), catalogue)).map_err(|mistake| {
        let begun = |line: &str| line.trim_start().starts_with("op ");
        match mistake.file != file || text.lines().take(mistake.line).any(begun) {
            true => NoOp::Mistake(mistake),
            false => none(format!("line {} does not begin an op: op NAME(tensors) -> outputs", mistake.line)),
        }
    })
}

/// Whether a file is named as ops are, and so is what a link leads to.
fn is_named_op(path: &Path) -> bool {
    path.canonicalize().is_ok_and(|whole| whole.extension().is_some_and(|e| e == "op"))
}

/// The file and the text of an op that one in the file `beside` calls, or one of the catalogue where there is no file.
pub fn find(name: &str, beside: Option<&Path>, catalogue: &Catalogue) -> Option<(String, String)> {
    let own = beside
        .map(|file| file.with_file_name(format!("{name}.op")))
        .filter(|file| file.is_file() && is_named_op(file));
    let read = own.and_then(|file| Some((file.display().to_string(), crate::read::text(&file).ok()?)));
    let listed = || catalogue.iter().find(|(n, _)| *n == name);
    read.or_else(|| listed().map(|(name, text)| (format!("{name}.op"), text.to_string())))
}
