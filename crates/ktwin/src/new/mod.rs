//! `ktwin new`: writes a kernel with its contract that runs at once, to go on from there.

mod text;

use std::path::PathBuf;

use ktwin::catalogue;

use crate::outcome::{DONE, Failure, Outcome, say};

/// The language of a new kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Lang {
    /// WGSL.
    Wgsl,
    /// C.
    C,
}

/// Write a kernel with its contract that runs at once: this project's own, or a frame around the formula
///
/// Exit codes: 0 written, 2 no such op, a file that is there already.
#[derive(clap::Args)]
pub struct Args {
    /// The file's name, without its extension
    name: String,
    /// The op to compute: a name that `ktwin ops` lists
    #[arg(long)]
    op: String,
    /// The language
    #[arg(long, value_enum, default_value = "wgsl")]
    lang: Lang,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Outcome {
    let op = catalogue::op(&args.op)?;
    let extension = match args.lang {
        Lang::Wgsl => "wgsl",
        Lang::C => "c",
    };
    let path = PathBuf::from(&args.name);
    let path = if path.extension().is_some_and(|e| e == extension) {
        path
    } else {
        PathBuf::from(format!("{}.{extension}", args.name))
    };
    if path.exists() {
        return Err(Failure::usage(format!("{} is there already", path.display())));
    }
    let text = text::kernel(&op, &args.op, args.lang);
    std::fs::write(&path, text).map_err(|e| Failure::usage(format!("{}: {e}", path.display())))?;
    let device = if args.lang == Lang::C { " --device native" } else { "" };
    say(&format!("wrote {0}; test it with: ktwin test {0}{device}\n", path.display()));
    Ok(DONE)
}
