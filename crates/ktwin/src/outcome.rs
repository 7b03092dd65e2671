//! How a subcommand ends: with an exit code, or with a message and the exit code of a wrong usage.

use std::fmt;
use std::io::{ErrorKind, Write, stderr, stdout};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use ktwin::explain::{tamed, unordered};

/// All went well.
pub const DONE: u8 = 0;
/// Something is wrong with what was judged.
pub const WRONG: u8 = 1;
/// The command line or a file that it names is wrong.
pub const USAGE: u8 = 2;
/// Ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// Why a subcommand could not do what it was asked.
#[derive(Debug)]
pub struct Failure {
    /// What is wrong and what to write instead; none where it has been said already.
    pub message: Option<String>,
    /// The exit code.
    pub code: u8,
}

impl Failure {
    /// Wrong usage or input.
    pub fn usage(message: impl fmt::Display) -> Failure {
        Failure { message: Some(message.to_string()), code: USAGE }
    }
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure::usage(error)
    }
}

/// What every subcommand returns: its exit code.
pub type Outcome = Result<u8, Failure>;

/// Says what failed, if anything did, and gives the process its exit code.
pub fn exit_code(outcome: Outcome) -> ExitCode {
    match outcome {
        // what nobody can read was not said
        Ok(DONE) if LOST.load(Ordering::Relaxed) => ExitCode::from(USAGE),
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            if let Some(message) = failure.message {
                tell(&format!("ktwin: {}", ktwin::explain::visible_lines(&message)));
            }
            ExitCode::from(failure.code)
        }
    }
}

/// Shows what the reader of the command line says: help, or a mistake.
pub fn shown(said: &clap::Error) -> ExitCode {
    let shown = said.print().and_then(|()| stdout().flush());
    if let Err(error) = &shown
        && !said.use_stderr()
    {
        lost(error);
    }
    match said.use_stderr() {
        true => ExitCode::from(USAGE),
        false => exit_code(Ok(DONE)),
    }
}

/// Notes that something could not be printed, and says so once; whoever closed the output early wants no more.
fn lost(error: &std::io::Error) {
    if error.kind() != ErrorKind::BrokenPipe && !LOST.swap(true, Ordering::Relaxed) {
        tell(&format!("ktwin: the output cannot be written: {error}"));
    }
}

/// Set where something could not be printed.
static LOST: AtomicBool = AtomicBool::new(false);

/// Set where GitHub's runner reads what is printed, and may take a line for a command.
static COMMANDED: AtomicBool = AtomicBool::new(false);

/// From now on nothing that is said is a workflow command.
pub fn without_commands() {
    COMMANDED.store(true, Ordering::Relaxed);
}

/// What people are told: nothing in it moves their cursor, or orders their CI about.
fn harmless(text: &str, painted: bool) -> String {
    let text = tamed(text, painted);
    if COMMANDED.load(Ordering::Relaxed) { unordered(&text) } else { text }
}

/// Says something to people, on standard output.
pub fn say(text: &str) {
    print(&harmless(text, false));
}

/// The same where ktwin itself has painted what it says; what others wrote in it was made visible before.
pub fn say_painted(text: &str) {
    print(&harmless(text, true));
}

/// Prints what programs read to standard output, as it is.
pub fn print(text: &str) {
    let mut out = stdout().lock();
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        lost(&error);
    }
}

/// Says a line to whoever watches; one that cannot be written is lost, since there is nobody left to tell.
pub fn tell(line: &str) {
    let _ = writeln!(stderr(), "{}", harmless(line, false));
}
