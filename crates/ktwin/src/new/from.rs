//! `ktwin new --from`: a contract for a kernel that exists, from what its source says it takes. What is guessed is
//! marked.

use std::path::Path;

use ktwin::explain::visible;
use ktwin_check::interface::Interface;
use ktwin_check::languages::{Code, Place};
use ktwin_check::{Source, SourceKind};
use ktwin_draft::Start;
use ktwin_lang::Op;
use ktwin_num::did_you_mean;

use super::{new_file, seen_from};
use crate::outcome::{DONE, Failure, Outcome, say};

/// Drafts the contract of a kernel.
pub fn run(op: &Op, op_name: &str, from: &Path, entry: Option<&str>, name: Option<&str>) -> Outcome {
    let wrong = |why: String| Failure::usage(format!("{}: {why}", from.display()));
    let source = read(from).map_err(wrong)?;
    let all = interfaces(&source).map_err(wrong)?;
    let mut interface = chosen(&all, entry).map_err(wrong)?.clone();
    if source.kind.row().comments.is_some() && source.kind != SourceKind::Triton {
        ktwin_draft::heed(&mut interface, &source.text());
    }
    let row = source.kind.row();
    let start = match interface.block {
        Some(_) => Start::Said,
        None if row.block => Start::Launched,
        None if row.code == Code::Ptx => Start::Programs,
        None => Start::Called,
    };
    let path = match name {
        None => None,
        Some(_) if row.contract == Place::Beside => {
            let beside = from.with_extension("toml");
            return Err(wrong(format!("leave out the name, and put the contract into {}", beside.display())));
        }
        Some(name) => Some(new_file(name, row.extensions[0])?),
    };
    let op_name = seen_from(path.as_deref().unwrap_or(from), op_name);
    let (lines, guesses) = ktwin_draft::contract(op, &op_name, &interface, all.len() == 1, start);
    let contract = match row.comments {
        Some((_, [open, close])) => format!("{open}--- ktwin\n{}\n---{close}\n", lines.join("\n")),
        None => format!("{}\n", lines.join("\n")),
    };
    let check = match guesses {
        0 => String::new(),
        1 => "; look at the guess, which is marked `# check:`".to_owned(),
        n => format!("; look at its {n} guesses, which are marked `# check:`"),
    };
    let Some(path) = path else {
        say(&contract);
        crate::outcome::tell(&format!(
            "ktwin: a contract for {}{check}",
            visible(&from.display().to_string())
        ));
        return Ok(DONE);
    };
    let whole = format!("{contract}{}", source.text());
    std::fs::write(&path, whole).map_err(|e| Failure::usage(format!("{}: {e}", path.display())))?;
    say(&format!("wrote {0}{check}; test it with: ktwin test {0}\n", visible(&path.display().to_string())));
    Ok(DONE)
}

/// The file, which must be a kernel's and have no contract yet.
fn read(path: &Path) -> Result<Source, String> {
    // headers hold kernels, too
    let headers = [("cuh", SourceKind::Cuda), ("h", SourceKind::C), ("hpp", SourceKind::Cpp)];
    let of_header = || headers.into_iter().find(|(end, _)| path.extension().is_some_and(|own| own == *end));
    let Some(kind) = SourceKind::of_path(path).or_else(|| of_header().map(|(_, kind)| kind)) else {
        return Err(format!("not a kernel file (expected .{})", SourceKind::extensions().join(", .")));
    };
    let bytes = ktwin_check::read_bytes(path).map_err(|e| e.to_string())?;
    let source = Source { kind, path: path.into(), bytes };
    match source.opens_contract() {
        true => Err("it has a contract already".into()),
        false => Ok(source),
    }
}

/// What each of its entry points takes.
fn interfaces(source: &Source) -> Result<Vec<Interface>, String> {
    let row = source.kind.row();
    let all = match row.code {
        Code::Shader => ktwin_devices::interfaces(source).map_err(|why| why.to_string())?,
        _ if source.kind == SourceKind::Triton => ktwin_draft::kernels_of_triton(&source.text()),
        _ if row.comments.is_none() || row.contract != Place::Inside => {
            let help = "`ktwin help contract` shows one";
            return Err(format!(
                "what a kernel in {} takes cannot be read from it: write its contract by hand ({help})",
                row.name
            ));
        }
        _ => ktwin_check::signature::functions(&source.text(), source.kind),
    };
    if all.is_empty() {
        return Err("it has no function that could be started".into());
    }
    Ok(all)
}

fn chosen<'i>(all: &'i [Interface], entry: Option<&str>) -> Result<&'i Interface, String> {
    let names: Vec<&str> = all.iter().map(|i| i.entry.as_str()).collect();
    match (entry, all) {
        (None, [one]) => Ok(one),
        (None, _) => Err(format!("several functions ({}): say which one with --entry", names.join(", "))),
        (Some(entry), _) => all.iter().find(|i| i.entry == entry).ok_or_else(|| {
            let near = did_you_mean(entry, names.iter().copied());
            format!("no function `{entry}`{near}; it has {}", names.join(", "))
        }),
    }
}
