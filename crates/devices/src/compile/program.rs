//! What compilers that are programs of the system have in common: where they look for files, how they end, and how they
//! name lines.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use ktwin_check::Failure;

use crate::compile::allowed::TooMuch;
use crate::compile::cache::Room;
use crate::compile::process::{self, COMPILER, Reach};

/// Why a compiler made nothing.
pub enum Refusal {
    /// It could not be run.
    NotRun(io::Error),
    /// It took too much of something.
    Killed(TooMuch),
    /// It says why.
    Said(String),
}

impl Refusal {
    /// Whether the compiler says this.
    pub fn says(&self, words: &str) -> bool {
        matches!(self, Refusal::Said(log) if log.contains(words))
    }

    /// In words that name the user's file; `from` is what the compiler was given.
    pub fn of(self, program: &str, from: &Path, file: &Path) -> Failure {
        match self {
            Refusal::NotRun(error) => Failure::Broken(format!("cannot run {program}: {error}")),
            Refusal::Killed(what) => {
                Failure::Compile { message: format!("{program} {}", what.text(COMPILER)), line: None }
            }
            Refusal::Said(log) => refused(&log, from, file),
        }
    }
}

/// Runs a compiler in its box, where it reads these folders and writes to its room.
pub fn succeeds(command: &Command, folders: &[PathBuf], room: &Room) -> Result<(), Refusal> {
    let mut read = folders.to_vec();
    read.push(room.path().to_path_buf());
    let reach = Reach { read, write: Some(room.path().to_path_buf()) };
    let said = process::run(command, &[], COMPILER, &reach).map_err(Refusal::NotRun)?;
    match said.status {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(Refusal::Said(format!("{}{}", said.out, said.err))),
        Err(what) => Err(Refusal::Killed(what)),
    }
}

/// The compiler's errors, with the line of the first.
fn refused(log: &str, from: &Path, file: &Path) -> Failure {
    let own = from.display().to_string();
    let is_error = |line: &&str| line.contains("error:") || line.starts_with("ERROR:");
    let lines: Vec<&str> = log.lines().filter(is_error).collect();
    let shown = if lines.is_empty() { log.trim().to_owned() } else { lines.join("\n") };
    // glslang: `ERROR: FILE:7: …`; glslc: `FILE:7: error: …`
    let number = |line: &&str| {
        let rest = line.split_once(own.as_str())?.1;
        rest.trim_start_matches(':').split(':').next()?.trim().parse().ok()
    };
    let line = lines.iter().find_map(number);
    let message = shown.replace(&own, &file.display().to_string());
    let text = std::fs::read_to_string(from).unwrap_or_default();
    let hint = crate::compile::elsewhere(&message);
    Failure::Compile { message: message + &shown_line(&text, line) + hint, line }
}

/// The line of a text as it is shown below what is said of it.
fn shown_line(text: &str, line: Option<u32>) -> String {
    let own =
        line.and_then(|line| Some((line, numbered(text).filter(|(own, _)| *own == line).last()?.1.trim())));
    own.filter(|(_, text)| !text.is_empty())
        .map_or_else(String::new, |(at, text)| format!("\n  {at} | {text}"))
}

/// The lines of a text, each with its number: of what follows a `#line` the one that it says.
fn numbered(text: &str) -> impl Iterator<Item = (u32, &str)> {
    text.lines().scan(0, |number, line| {
        let said = line
            .trim_start()
            .strip_prefix("#line ")
            .and_then(|rest| rest.split(' ').next()?.parse::<u32>().ok());
        let own = *number + 1;
        *number = said.map_or(own, |said| said.saturating_sub(1));
        Some((if said.is_some() { 0 } else { own }, line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_their_lines() {
        let from = Path::new("/tmp/r/kernel.comp");
        let log = "kernel.comp\nERROR: /tmp/r/kernel.comp:7: 'q' : undeclared \nERROR: 1 compilation errors.";
        let Failure::Compile { message, line } = refused(log, from, Path::new("k.comp")) else {
            panic!("it does not compile")
        };
        assert_eq!(line, Some(7));
        assert!(message.starts_with("ERROR: k.comp:7: 'q'"), "{message}");
        let Failure::Compile { line, .. } = refused("/tmp/r/kernel.comp:3: error: 'x' : no", from, from)
        else {
            panic!()
        };
        assert_eq!(line, Some(3));
        assert_eq!(shown_line("a\n  b = c;\n", Some(2)), "\n  2 | b = c;");
        assert_eq!(shown_line("#version 450\n#line 1\na;\nb;\n", Some(2)), "\n  2 | b;");
        assert_eq!(shown_line("a\n", Some(2)) + &shown_line("a\n", Some(0)) + &shown_line("a", None), "");
    }
}
