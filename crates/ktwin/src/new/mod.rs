//! `ktwin new`: writes a kernel with its contract that runs at once, to go on from there, or a contract for a kernel
//! that exists.

mod from;

use std::path::{Path, PathBuf};

use ktwin::catalogue;
use ktwin::explain::visible;
use ktwin::starters::STARTERS;
use ktwin_check::languages::LANGUAGES;
use ktwin_check::signature::is_word;
use ktwin_check::{Constant, Number, SourceKind};
use ktwin_lang::Op;

use crate::outcome::{DONE, Failure, Outcome, say};

const AFTER: &str = "\
Examples:
  ktwin new my_gemm --op gemm                       a first kernel in WGSL
  ktwin new my_op --op my.op --lang c               plain loops in C made of a formula of one's own
  ktwin new --op gemm --from shader.wgsl            a contract to paste into a kernel that exists
  ktwin new mine --op gemm --from shader.wgsl       the same, written with the kernel to mine.wgsl
  ktwin new --op relu --from k.cu --define TILE=32 --entry 'ops::relu<float>'

Exit codes: 0 written; 2 no such op, a file that is there already, or a kernel that cannot be read.";

/// Write a kernel with its contract that runs at once, or a contract for a kernel that exists
///
/// A new kernel is this project's own, or plain loops made of the formula.
#[derive(clap::Args)]
#[command(after_help = AFTER)]
pub struct Args {
    /// The file's name; its extension may be left out, or says the language
    #[arg(required_unless_present = "from")]
    name: Option<String>,
    /// The op to compute: a name that `ktwin ops` lists, or the path of an .op file; with --from, where the file has
    /// no contract that names it
    #[arg(long, required_unless_present = "from")]
    op: Option<String>,
    /// The language: c, cpp, cuda, glsl, opencl, ptx, rust, triton or wgsl; by default, that of NAME's extension, or
    /// wgsl. In PTX and Triton only this project's own kernels are written, as `ktwin ops --matrix` shows
    #[arg(long, value_name = "LANGUAGE", value_parser = language)]
    lang: Option<SourceKind>,
    /// A kernel that has no contract yet, or one without `args`, whose lines are kept: it is drafted from what the
    /// source takes, and printed, or written with the kernel into the file NAME
    #[arg(long, value_name = "FILE", conflicts_with = "lang")]
    from: Option<PathBuf>,
    /// The entry point or function of that file, where it has several: `k`, `space::k`, `k<float, 128>`
    #[arg(long, value_name = "NAME", requires = "from")]
    entry: Option<String>,
    /// A constant that the file is compiled with, once for each
    #[arg(long, value_name = "NAME=VALUE", requires = "from", value_parser = defined)]
    define: Vec<(String, Constant)>,
    /// A folder of headers, as seen from the file, once for each
    #[arg(long, value_name = "FOLDER", requires = "from")]
    include: Vec<String>,
}

/// The language of this name, among those that kernels are written in by hand.
fn language(name: &str) -> Result<SourceKind, String> {
    let all = || LANGUAGES.iter().filter(|row| row.comments.is_some());
    all().find(|row| row.name == name).map(|row| row.kind).ok_or_else(|| {
        let names: Vec<&str> = all().map(|row| row.name).collect();
        format!("languages are {}", names.join(", "))
    })
}

/// The language that the extension of a name says, among those that kernels are written in by hand.
fn written_in(name: &str) -> Option<SourceKind> {
    SourceKind::of_path(Path::new(name)).filter(|kind| kind.row().comments.is_some())
}

/// A constant as a command line gives it: a number, a truth value or other text.
fn defined(text: &str) -> Result<(String, Constant), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    let is_name =
        !name.is_empty() && name.chars().all(is_word) && !name.starts_with(|c: char| c.is_ascii_digit());
    if !is_name {
        return Err(format!("`{name}` cannot name a constant: write NAME=VALUE"));
    }
    let constant = match (value.parse(), value.parse(), value.parse()) {
        (Ok(n), ..) => Constant::Number(Number::Int(n)),
        (_, Ok(is), _) => Constant::Number(Number::Bool(is)),
        (.., Ok(x)) => Constant::Number(Number::Real(x)),
        _ => Constant::Text(value.to_owned()),
    };
    Ok((name.to_owned(), constant))
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Outcome {
    if let Some(from) = &args.from {
        return from::run(args, from);
    }
    let asked = args.op.as_deref().unwrap_or_default();
    let op = catalogue::op(asked)?;
    let file = args.name.as_deref().unwrap_or_default();
    agreed(file, args.lang).map_err(Failure::usage)?;
    let lang = args.lang.or_else(|| written_in(file)).unwrap_or(SourceKind::Wgsl);
    let extension = lang.row().extensions[0];
    let path = new_file(file, lang)?;
    let name = seen_from(&path, asked);
    let text = starter(&op, &name, extension).or_else(|| ktwin_draft::kernel(&op, &name, lang));
    let text = text.ok_or_else(|| nothing(&op, lang))?;
    std::fs::write(&path, text)
        .map_err(|e| Failure::usage(format!("{}: {}", path.display(), ktwin_num::reason(&e))))?;
    say(&format!("wrote {0}; test it with: ktwin test {0}\n", visible(&path.display().to_string())));
    Ok(DONE)
}

/// Refuses a name that says another language than is asked for, or none that kernels are written in.
fn agreed(name: &str, lang: Option<SourceKind>) -> Result<(), String> {
    let extension = Path::new(name).extension().map(|end| end.to_string_lossy().into_owned());
    match (written_in(name), lang, extension) {
        (Some(own), Some(lang), Some(extension)) if own != lang => {
            let (own, lang) = (own.row().name, lang.row().name);
            Err(format!("`.{extension}` says {own}, and `--lang` {lang}: leave out one of them"))
        }
        (None, None, Some(extension)) => Err(format!(
            "`.{extension}` says no language (ktwin knows .{}): leave it out, or say --lang",
            SourceKind::extensions().join(", .")
        )),
        _ => Ok(()),
    }
}

/// The path of a file that is not there yet.
fn new_file(name: &str, lang: SourceKind) -> Result<PathBuf, Failure> {
    let file = Path::new(name).file_name().unwrap_or_default().to_string_lossy();
    if file.is_empty() || file.starts_with('.') || file.contains(char::is_control) {
        let asked = name.escape_debug();
        return Err(Failure::usage(format!("\"{asked}\" names no file: write a name such as `my_kernel`")));
    }
    let path = PathBuf::from(name);
    let path = match SourceKind::of_path(&path) == Some(lang) {
        true => path,
        false => PathBuf::from(format!("{name}.{}", lang.row().extensions[0])),
    };
    if path.exists() {
        return Err(Failure::usage(format!("{} is there already", path.display())));
    }
    if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty() && !p.is_dir()) {
        return Err(Failure::usage(format!("there is no folder {}: make it first", folder.display())));
    }
    Ok(path)
}

/// What `ktwin new` begins with: this project's own kernel, a draft, or nothing.
pub fn begins_with(op: &Op, lang: SourceKind) -> Option<&'static str> {
    let own = starter(op, &op.name, lang.row().extensions[0]).map(|_| "own");
    own.or_else(|| ktwin_draft::kernel(op, &op.name, lang).map(|_| "draft"))
}

/// Why no first kernel can be written, and in which languages one can.
fn nothing(op: &Op, lang: SourceKind) -> Failure {
    let rows = LANGUAGES.iter().filter(|row| row.comments.is_some());
    let able: Vec<&str> =
        rows.filter(|row| begins_with(op, row.kind).is_some()).map(|row| row.name).collect();
    let (name, lang) = (&op.name, lang.row().name);
    let why = match ktwin_draft::plain(op) {
        true => format!("drafts are not written in {lang}"),
        false => "drafts are not written of random ops, of ops on bits and of some recurrences".into(),
    };
    let rest = match &able[..] {
        [] => format!("write the kernel; `ktwin ops {name}` shows what it computes"),
        able => format!("`ktwin new` writes `{name}` in {}", able.join(", ")),
    };
    Failure::usage(format!("there is no kernel of `{name}` in {lang} to begin with, and {why}: {rest}"))
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
        // in Triton's files every line of the contract is a comment
        let mut lines = text.lines().map(|line| line.trim_start_matches(['#', ' ']));
        let line = lines.find(|line| line.starts_with("op ")).unwrap_or("");
        path.starts_with(&folder) && line.contains(&wanted)
    });
    mine.filter(|_| name == op.name).map(|(_, text)| (*text).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_is_named_in_the_help() {
        use clap::Args as _;
        let command = Args::augment_args(clap::Command::new("new"));
        let help = command.get_arguments().find(|arg| arg.get_id() == "lang").and_then(clap::Arg::get_help);
        let help = help.unwrap().to_string();
        let rows = LANGUAGES.iter().filter(|row| row.comments.is_some());
        rows.for_each(|row| assert!(help.contains(row.name), "{}: {help}", row.name));
    }

    #[test]
    fn what_cannot_be_written_names_the_languages_that_can() {
        let said = |op: &str, lang| {
            let op = catalogue::op(op).unwrap();
            assert_eq!(begins_with(&op, lang), None);
            nothing(&op, lang).message.unwrap()
        };
        let all = "`ktwin new` writes `adamw` in c, cpp, cuda, glsl, opencl, rust, wgsl";
        let triton = said("adamw", SourceKind::Triton);
        assert!(triton.contains("drafts are not written in triton") && triton.ends_with(all), "{triton}");
        let random = said("categorical", SourceKind::Cpp);
        assert!(random.contains("drafts are not written of random ops"), "{random}");
    }

    #[test]
    fn kernels_of_every_folder_are_begun_with() {
        let own = |op: &str, lang| begins_with(&catalogue::op(op).unwrap(), lang);
        assert_eq!(own("gemm", SourceKind::OpenCl), Some("own"));
        assert_eq!(own("sum", SourceKind::Triton), Some("own"));
        assert_eq!(own("adamw", SourceKind::OpenCl), Some("draft"));
    }
}
