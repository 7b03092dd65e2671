//! Which kernels are tested: those of the paths that every filter of the command line lets through.

use std::path::{Path, PathBuf};

use ktwin::suite::{self, FindError};
use ktwin_check::{LANGUAGES, SourceKind, Terms};
use ktwin_num::did_you_mean;

use super::NO_EVIDENCE;
use super::args::Args;
use super::last;
use crate::outcome::Failure;

/// The files, at least one.
pub fn files(args: &Args, terms: Option<&Terms>) -> Result<Vec<PathBuf>, Failure> {
    let nothing = |message| Failure { message: Some(message), code: NO_EVIDENCE };
    let mut files = suite::kernels(&args.paths, args.filter.as_deref()).map_err(|error| match error {
        FindError::Nothing(message) => nothing(message),
        FindError::Path(message) => Failure::usage(message),
    })?;
    let all = files.len();
    if !args.language.is_empty() {
        let kinds: Vec<Vec<SourceKind>> =
            args.language.iter().map(|name| kinds(name)).collect::<Result<_, _>>()?;
        files.retain(|file| suite::kind_of(file).is_some_and(|kind| kinds.concat().contains(&kind)));
    }
    if !args.op.is_empty() {
        files.retain(|file| computes(file, &args.op, terms));
    }
    if args.last_failed {
        files = last::only(files);
    }
    match (files.is_empty(), args.last_failed) {
        (false, _) => Ok(files),
        (true, true) => Err(nothing(format!("no kernel of {all} failed when it last ran from this folder"))),
        (true, false) => Err(nothing(format!("no kernel of {all} matches --op and --language"))),
    }
}

/// The kinds of source that a name means: a language, or an extension.
fn kinds(name: &str) -> Result<Vec<SourceKind>, Failure> {
    let named = LANGUAGES.iter().filter(|(language, _)| *language == name).map(|(_, kind)| *kind);
    let found: Vec<SourceKind> = named.chain(SourceKind::of_extension(name)).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let names = || LANGUAGES.iter().chain(SourceKind::EXTENSIONS).map(|(name, _)| *name);
    let mut known: Vec<&str> = names().collect();
    known.sort_unstable();
    known.dedup();
    let near = did_you_mean(name, names());
    Err(Failure::usage(format!("--language {name}: no such language{near} (there are {})", known.join(", "))))
}

/// Whether a kernel computes one of these ops. One that cannot be loaded might: its error is worth seeing.
fn computes(file: &Path, ops: &[String], terms: Option<&Terms>) -> bool {
    suite::load(file, terms).map_or(true, |kernel| ops.contains(&kernel.op.name))
}
