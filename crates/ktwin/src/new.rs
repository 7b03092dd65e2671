//! `ktwin new`: writes a kernel with its contract that runs at once, to go on from there.

use std::path::{Path, PathBuf};

use ktwin::catalogue;
use ktwin::starters::STARTERS;
use ktwin_check::SourceKind;
use ktwin_check::languages::LANGUAGES;
use ktwin_lang::Op;

use crate::outcome::{DONE, Failure, Outcome, say};

/// Write a kernel with its contract that runs at once: this project's own, or plain loops made of the formula
///
/// Exit codes: 0 written, 2 no such op, a file that is there already.
#[derive(clap::Args)]
pub struct Args {
    /// The file's name, without its extension
    name: String,
    /// The op to compute: a name that `ktwin ops` lists, or the path of an .op file
    #[arg(long)]
    op: String,
    /// The language: wgsl, glsl, c, cpp, cuda ... (as `ktwin test --language` lists them)
    #[arg(long, value_name = "LANGUAGE", default_value = "wgsl", value_parser = language)]
    lang: SourceKind,
}

/// The language of this name, among those that kernels are written in by hand.
fn language(name: &str) -> Result<SourceKind, String> {
    let all = || LANGUAGES.iter().filter(|row| row.comments.is_some());
    all().find(|row| row.name == name).map(|row| row.kind).ok_or_else(|| {
        let names: Vec<&str> = all().map(|row| row.name).collect();
        format!("languages are {}", names.join(", "))
    })
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Outcome {
    let op = catalogue::op(&args.op)?;
    let extension = args.lang.row().extensions[0];
    let path = PathBuf::from(&args.name);
    let path = if path.extension().is_some_and(|e| e == extension) {
        path
    } else {
        PathBuf::from(format!("{}.{extension}", args.name))
    };
    if path.exists() {
        return Err(Failure::usage(format!("{} is there already", path.display())));
    }
    if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty() && !p.is_dir()) {
        return Err(Failure::usage(format!("there is no folder {}: make it first", folder.display())));
    }
    let name = seen_from(&path, &args.op);
    let text = starter(&op, &name, extension).or_else(|| ktwin_draft::kernel(&op, &name, args.lang));
    let text = text.ok_or_else(|| nothing(&op, args.lang))?;
    std::fs::write(&path, text).map_err(|e| Failure::usage(format!("{}: {e}", path.display())))?;
    say(&format!("wrote {0}; test it with: ktwin test {0}\n", path.display()));
    Ok(DONE)
}

/// What `ktwin new` begins with: this project's own kernel, a draft, or nothing.
pub fn begins_with(op: &Op, lang: SourceKind) -> Option<&'static str> {
    let own = starter(op, &op.name, lang.row().extensions[0]).map(|_| "own");
    own.or_else(|| ktwin_draft::kernel(op, &op.name, lang).map(|_| "draft"))
}

/// Why no first kernel can be written.
fn nothing(op: &Op, lang: SourceKind) -> Failure {
    let drafted: Vec<&str> = LANGUAGES.iter().filter(|row| row.draft.is_some()).map(|row| row.name).collect();
    let lang = lang.row().name;
    if !ktwin_draft::plain(op) {
        return Failure::usage(format!(
            "there is no kernel of `{}` in {lang} to begin with, and drafts are not written of ops on bits and of \
             recurrences: write the kernel; `ktwin ops {}` shows what it computes",
            op.name, op.name
        ));
    }
    Failure::usage(format!(
        "there is no kernel of `{}` in {lang} to begin with; kernels of any op are written in {}",
        op.name,
        drafted.join(", ")
    ))
}

/// How a kernel at this path names the op: a file of one's own by the way to it from the kernel's folder.
fn seen_from(kernel: &Path, op: &str) -> String {
    let folder = kernel.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (Ok(file), Ok(folder)) = (Path::new(op).canonicalize(), folder.canonicalize()) else {
        return op.into();
    };
    if catalogue::text(op).is_some() || !file.is_file() {
        return op.into();
    }
    let shared = file.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(shared).map(|_| "..".to_string());
    let down = file.components().skip(shared).map(|c| c.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

/// This project's own kernel for an op of the catalogue.
fn starter(op: &Op, name: &str, extension: &str) -> Option<String> {
    let folder = format!("{extension}/");
    let wanted = format!("\"{}\"", op.name);
    let mine = STARTERS.iter().find(|(path, text)| {
        let line = text.lines().find(|l| l.trim_start().starts_with("op ")).unwrap_or("");
        path.starts_with(&folder) && line.contains(&wanted)
    });
    mine.filter(|_| name == op.name).map(|(_, text)| (*text).to_string())
}
