//! `ktwin new --from`: a contract for a kernel that exists, from what its source says it takes. What is guessed is
//! marked.

use std::path::Path;

use ktwin::explain::visible;
use ktwin_check::interface::Interface;
use ktwin_check::languages::{Code, Place};
use ktwin_check::{Begun, Build, Constant, Source, SourceKind, signature};
use ktwin_draft::Start;
use ktwin_num::did_you_mean;

use super::{Args, catalogue, new_file, seen_from};
use crate::outcome::{DONE, Failure, Outcome, say};

/// A kernel's file, what its contract says so far, and what it is compiled with.
struct Given {
    /// The file without the beginning of a contract.
    source: Source,
    begun: Begun,
    build: Build,
}

/// Drafts the contract of a kernel.
pub fn run(args: &Args, from: &Path) -> Outcome {
    let wrong = |why: String| Failure::usage(format!("{}: {why}", from.display()));
    let given = Given::read(args, from).map_err(wrong)?;
    let (named, op) = given.op(args, from, wrong)?;
    let entry = args.entry.as_deref().or(given.begun.text("entry"));
    let all = given.interfaces(entry).map_err(wrong)?;
    let mut interface = chosen(&all, entry).map_err(wrong)?.clone();
    if let Some(unfit) = interface.unfit.first() {
        return Err(wrong(format!("in `{}`, {}: {}", interface.entry, unfit.is(), unfit.remedy())));
    }
    let Given { source, begun, .. } = &given;
    let row = source.kind.row();
    if row.comments.is_some() && source.kind != SourceKind::Triton {
        ktwin_draft::heed(&mut interface, &source.text());
    }
    define(&mut interface, &args.define);
    // lanes that the contract says are no guess
    if let Some(lanes) = given.begun.lanes() {
        interface.bound = lanes.to_string();
    }
    let instance = entry.filter(|entry| entry.contains('<'));
    if instance.is_some() {
        interface.template.clear();
    }
    let start = match interface.block {
        Some(_) => Start::Said,
        None if row.block => Start::Launched,
        None if row.code == Code::Ptx => Start::Programs,
        None => Start::Called,
    };
    let path = match args.name.as_deref() {
        None => None,
        Some(_) if row.contract == Place::Beside => {
            let beside = from.with_extension("toml");
            return Err(wrong(format!("leave out the name, and put the contract into {}", beside.display())));
        }
        Some(name) => Some(new_file(name, row.kind)?),
    };
    let named = seen_from(path.as_deref().unwrap_or(from), &named);
    let is_alone = all.len() == 1 || instance.is_some();
    let (mut lines, _) = ktwin_draft::contract(&op, &named, &interface, is_alone, start);
    if let Some(entry) = instance {
        // after the op
        lines.insert(1, format!("entry   = \"{entry}\""));
    }
    if !args.include.is_empty() {
        lines.push(format!("include = {:?}", args.include));
    }
    told(&given, path.as_deref(), &begun.with(&lines), from)
}

/// Prints a contract, or writes it with the kernel.
fn told(given: &Given, path: Option<&Path>, lines: &[String], from: &Path) -> Outcome {
    let contract = match given.source.kind.row().comments {
        Some((_, [open, close])) => format!("{open}--- ktwin\n{}\n---{close}\n", lines.join("\n")),
        None => format!("{}\n", lines.join("\n")),
    };
    let check = match lines.iter().filter(|line| line.contains("# check:")).count() {
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
    let whole = format!("{contract}{}", given.source.text());
    std::fs::write(path, whole)
        .map_err(|e| Failure::usage(format!("{}: {}", path.display(), ktwin_num::reason(&e))))?;
    say(&format!("wrote {0}{check}; test it with: ktwin test {0}\n", visible(&path.display().to_string())));
    Ok(DONE)
}

impl Given {
    /// The file, which must be a kernel's, and have no contract that is complete.
    fn read(args: &Args, path: &Path) -> Result<Given, String> {
        // headers hold kernels, too
        let headers = [("cuh", SourceKind::Cuda), ("h", SourceKind::C), ("hpp", SourceKind::Cpp)];
        let of_header =
            || headers.into_iter().find(|(end, _)| path.extension().is_some_and(|own| own == *end));
        let Some(kind) = SourceKind::of_path(path).or_else(|| of_header().map(|(_, kind)| kind)) else {
            return Err(format!("not a kernel file (expected .{})", SourceKind::extensions().join(", .")));
        };
        let bytes = ktwin_check::read_bytes(path).map_err(|e| e.to_string())?;
        let mut source = Source { kind, path: path.into(), bytes };
        let mut begun = Begun::default();
        if !kind.is_binary() {
            begun = Begun::of(&source)?;
            source.bytes = begun.rest.clone().into_bytes();
        }
        if begun.is_whole() {
            return Err("it has a contract already".into());
        }
        if let Some((name, _)) = args.define.first().filter(|_| !begun.constants().is_empty()) {
            return Err(format!("its contract has a `define` already: put {name} there"));
        }
        let defines = begun.constants().into_iter().chain(args.define.iter().cloned()).collect();
        let include = begun.include().into_iter().chain(args.include.iter().cloned()).collect();
        Ok(Given { source, begun, build: Build { defines, include, ..Build::default() } })
    }

    /// The op, and how it is named.
    fn op(
        &self,
        args: &Args,
        from: &Path,
        wrong: impl Fn(String) -> Failure,
    ) -> Result<(String, ktwin_lang::Op), Failure> {
        let own = self.begun.text("op");
        let named = match (args.op.as_deref(), own) {
            (Some(asked), Some(own)) if asked != own => {
                return Err(wrong(format!("its contract says op = \"{own}\": leave out --op, or the line")));
            }
            (Some(asked), _) => asked.to_owned(),
            // a path in a contract begins at the kernel
            (None, Some(own)) if own.ends_with(".op") => {
                from.parent().unwrap_or(Path::new("")).join(own).display().to_string()
            }
            (None, Some(own)) => own.to_owned(),
            (None, None) => return Err(wrong("which op does it compute? name it with --op".into())),
        };
        let op = catalogue::op(&named)?;
        Ok((named, op))
    }

    /// What each of its entry points takes. The arguments that an entry gives its template are known there.
    fn interfaces(&self, entry: Option<&str>) -> Result<Vec<Interface>, String> {
        let Given { source, build, .. } = self;
        let row = source.kind.row();
        let all = match row.code {
            Code::Shader => {
                ktwin_devices::interfaces(source, build).map_err(|why| with_hint(why.to_string(), source))?
            }
            _ if source.kind == SourceKind::Triton => ktwin_draft::kernels_of_triton(&source.text()),
            _ if row.comments.is_none() || row.contract != Place::Inside => {
                let help = "`ktwin help contract` shows one";
                return Err(format!(
                    "what a kernel in {} takes cannot be read from it: write its contract by hand ({help})",
                    row.name
                ));
            }
            _ => self.functions(entry),
        };
        if all.is_empty() {
            return Err(with_hint("it has no function that could be started".into(), source));
        }
        Ok(all)
    }

    /// Its functions: by the text as it stands, or after directives where these are asked for or hide them.
    fn functions(&self, entry: Option<&str>) -> Vec<Interface> {
        let Given { source, build, .. } = self;
        let read = |text: &str| signature::functions(&signature::instantiated(text, entry), source.kind);
        let plain = read(&source.text());
        if !plain.is_empty() && build.defines.is_empty() && build.include.is_empty() {
            return plain;
        }
        let known = read(&ktwin_devices::as_far_as_known(source, build));
        if known.is_empty() { plain } else { known }
    }
}

/// What is wrong, and what the file is instead of a kernel.
fn with_hint(why: String, source: &Source) -> String {
    let hint = if source.kind.is_binary() { None } else { ktwin_check::instead::of(&source.text()) };
    hint.map_or(why.clone(), |hint| format!("{why}: {hint}"))
}

/// Gives an entry point these constants.
fn define(interface: &mut Interface, all: &[(String, Constant)]) {
    for (name, value) in all {
        match interface.constants.iter_mut().find(|(own, _)| own == name) {
            Some((_, own)) => *own = value.to_string(),
            None => interface.constants.push((name.clone(), value.to_string())),
        }
    }
}

/// The entry point of this name, which may have its namespace and arguments for its template.
fn chosen<'i>(all: &'i [Interface], entry: Option<&str>) -> Result<&'i Interface, String> {
    let whole = |i: &Interface| match i.space.as_str() {
        "" => i.entry.clone(),
        space => format!("{space}::{}", i.entry),
    };
    let names: Vec<String> = all.iter().map(whole).collect();
    match (entry, all) {
        (None, [one]) => Ok(one),
        (None, _) => Err(format!("several functions ({}): say which one with --entry", names.join(", "))),
        (Some(entry), _) => {
            let path = signature::path(entry);
            let is_meant = |i: &&Interface| whole(i) == path || i.entry == path;
            all.iter().find(is_meant).ok_or_else(|| {
                let near = did_you_mean(entry, names.iter().map(String::as_str));
                format!("no function `{entry}`{near}; it has {}", names.join(", "))
            })
        }
    }
}
