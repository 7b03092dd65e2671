//! Which kernels are tested: those of the paths that every filter of the command line lets through.

use std::path::PathBuf;

use ktwin::catalogue;
use ktwin::suite::{self, FindError};
use ktwin_check::languages::LANGUAGES;
use ktwin_check::{SourceKind, Terms};
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
        let kinds = args.language.iter().map(|name| kind(name)).collect::<Result<Vec<_>, _>>()?;
        files.retain(|file| SourceKind::of_path(file).is_some_and(|kind| kinds.contains(&kind)));
    }
    if !args.op.is_empty() {
        files = computing(files, &args.op, terms)?;
    }
    if args.last_failed {
        files = last::only(files);
    }
    if let Some((part, parts)) = args.shard {
        let mine = files.into_iter().enumerate().filter(|(at, _)| at % parts == part - 1);
        files = mine.map(|(_, file)| file).collect();
        if files.is_empty() {
            return Err(nothing(format!("part {part} of {parts} is empty: there are {all} kernels")));
        }
    }
    match (files.is_empty(), args.last_failed) {
        (false, _) => Ok(files),
        (true, true) => Err(nothing(format!("no kernel of {all} failed when it last ran from this folder"))),
        (true, false) => Err(nothing(format!("no kernel of {all} matches --op and --language"))),
    }
}

/// The kind of source that a name means: a language, or an extension.
fn kind(name: &str) -> Result<SourceKind, Failure> {
    if let Some(kind) = SourceKind::of_name(name).or_else(|| SourceKind::of_extension(name)) {
        return Ok(kind);
    }
    let mut known: Vec<&str> = LANGUAGES.iter().map(|row| row.name).chain(SourceKind::extensions()).collect();
    known.sort_unstable();
    known.dedup();
    let near = did_you_mean(name, known.iter().copied());
    Err(Failure::usage(format!("--language {name}: no such language{near} (there are {})", known.join(", "))))
}

/// The kernels that compute one of these ops. One that cannot be loaded might: its error is worth seeing.
fn computing(files: Vec<PathBuf>, ops: &[String], terms: Option<&Terms>) -> Result<Vec<PathBuf>, Failure> {
    let op = |file: &PathBuf| suite::load(file, terms).ok().map(|kernel| kernel.op.name);
    let computed: Vec<Option<String>> = files.iter().map(op).collect();
    for name in ops {
        if catalogue::text(name).is_none() && !computed.iter().flatten().any(|op| op == name) {
            let known = catalogue::OPS
                .iter()
                .map(|(name, _)| *name)
                .chain(computed.iter().flatten().map(String::as_str));
            let near = did_you_mean(name, known);
            let what = "no kernel here computes it, and the catalogue has no such op";
            return Err(Failure::usage(format!("--op {name}: {what}{near} (`ktwin ops` lists it)")));
        }
    }
    let wanted = |op: &Option<String>| op.as_ref().is_none_or(|op| ops.contains(op));
    Ok(files.into_iter().zip(computed).filter(|(_, op)| wanted(op)).map(|(file, _)| file).collect())
}
