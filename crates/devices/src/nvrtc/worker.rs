//! Compiling in a process of its own, since a compiler may crash or hang: what is asked, what is answered, and the
//! function that runs before `main` where this process was started to compile.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::Command;

use ktwin_check::Failure;
use serde::{Deserialize, Serialize};

use super::library::Compiler;
use crate::native::cache::Room;
use crate::native::process::{self, COMPILER, Reach};

/// The variable by which a process knows that it is to compile: the file of its answer.
const ANSWER: &str = "KTWIN_NVRTC_ANSWER";

/// What is to be compiled.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request {
    /// NVRTC's library.
    pub library: PathBuf,
    /// The source's name in messages and lines.
    pub name: String,
    /// The source; where it is empty, only the version is asked for.
    pub text: String,
    /// Headers that are no files: names and texts.
    pub headers: Vec<(String, String)>,
    /// NVRTC's options.
    pub options: Vec<String>,
    /// Names of kernels as C++ writes them: `gemm<float, 16>`.
    pub expressions: Vec<String>,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// PTX, and the names there of what was asked for, in order.
    Made {
        /// The text.
        ptx: String,
        /// Names of entry points.
        names: Vec<String>,
    },
    /// NVRTC's version: major, minor.
    Version(i32, i32),
    /// It does not compile: NVRTC's words.
    Refused(String),
    /// NVRTC itself failed.
    Failed(String),
}

// SAFETY: it runs before `main` but after the C library is ready; it reads its input and a library, and where the
// process was not started to compile it does nothing at all.
#[ctor::ctor(unsafe)]
fn before_main() {
    if let Some(file) = std::env::var_os(ANSWER) {
        let done = work(Path::new(&file));
        std::process::exit(i32::from(done.is_err()));
    }
}

fn work(file: &Path) -> io::Result<()> {
    let mut bytes = Vec::new();
    io::stdin().read_to_end(&mut bytes)?;
    let request: Request = postcard::from_bytes(&bytes).map_err(io::Error::other)?;
    let answer = answer(&request).unwrap_or_else(Answer::Failed);
    fs::write(file, postcard::to_stdvec(&answer).map_err(io::Error::other)?)
}

fn answer(request: &Request) -> Result<Answer, String> {
    let compiler = Compiler::load(&request.library)?;
    if request.text.is_empty() {
        let (major, minor) = compiler.version()?;
        return Ok(Answer::Version(major, minor));
    }
    compiler.compile(request)
}

/// What NVRTC may open: the folder of its library, which has its parts, and those of headers.
fn reach(request: &Request, room: &Path) -> Reach {
    let headers = request.options.iter().filter_map(|o| Some(PathBuf::from(o.strip_prefix("-I")?)));
    let read = request.library.parent().map(Path::to_path_buf).into_iter().chain(headers).collect();
    Reach { read, write: Some(room.to_path_buf()) }
}

/// Asks a process of its own; its answer goes through a file in a folder for this alone.
pub fn ask(request: &Request) -> Result<Answer, Failure> {
    let broken = |e: io::Error| Failure::Broken(format!("cannot start the compiler: {e}"));
    let bytes = postcard::to_stdvec(request).map_err(|e| Failure::Broken(e.to_string()))?;
    let room = Room::new().map_err(broken)?;
    let file = room.path().join("answer");
    let mut command = Command::new(std::env::current_exe().map_err(broken)?);
    command.env(ANSWER, &file);
    let said = process::run(&command, &bytes, COMPILER, &reach(request, room.path())).map_err(broken)?;
    let failed = |how: String| {
        let words = said.err.trim().lines().last().map(|l| format!(" ({l})")).unwrap_or_default();
        Failure::Compile { message: format!("NVRTC {how}{words}"), line: None }
    };
    match said.status {
        None => Err(failed(format!("did not end within {} s", COMPILER.time.as_secs()))),
        Some(status) if !status.success() => Err(failed(format!("ended with {status}"))),
        Some(_) => {
            let answer = fs::read(&file).map_err(|e| failed(format!("left no answer: {e}")))?;
            postcard::from_bytes(&answer).map_err(|e| failed(format!("left an odd answer: {e}")))
        }
    }
}
