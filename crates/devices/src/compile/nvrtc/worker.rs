//! Compiling in a process of its own, since a compiler may crash or hang: what is asked, and what is answered.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ktwin_check::Failure;
use serde::{Deserialize, Serialize};

use super::library::Compiler;
use crate::child::wire::Work;
use crate::compile::cache::Room;
use crate::compile::process::{self, COMPILER, Reach};

/// Something to compile, and the file for the answer.
#[derive(Clone, Serialize, Deserialize)]
pub struct Job {
    request: Request,
    answer: PathBuf,
}

impl Job {
    /// Compiles, and leaves the answer.
    pub fn done(&self) -> io::Result<()> {
        let answer = answer(&self.request).unwrap_or_else(Answer::Failed);
        fs::write(&self.answer, postcard::to_stdvec(&answer).map_err(io::Error::other)?)
    }
}

/// What is to be compiled.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request {
    /// NVRTC's library.
    pub library: PathBuf,
    /// The source's name in messages and lines.
    pub name: String,
    /// The source; where it is empty, only the version is asked for.
    pub text: String,
    /// Headers that are not files: names and texts.
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

/// Asks a process of its own. Where NVRTC crashes over the names of kernels, it is asked again without them, for what
/// it says of the source.
pub fn ask(request: &Request) -> Result<Answer, Failure> {
    match asked(request)? {
        Err(crashed) if !request.expressions.is_empty() => {
            let alone = Request { expressions: Vec::new(), ..request.clone() };
            match asked(&alone)? {
                Ok(refused @ Answer::Refused(_)) => Ok(refused),
                _ => Err(crashed),
            }
        }
        answered => answered,
    }
}

/// Asks a process of its own; its answer goes through a file in a folder for this alone. A failure within is a crash.
fn asked(request: &Request) -> Result<Result<Answer, Failure>, Failure> {
    let broken = |e: io::Error| Failure::Broken(format!("cannot start the compiler: {e}"));
    let room = Room::new().map_err(broken)?;
    let file = room.path().join("answer");
    let work = Work::Nvrtc(Job { request: request.clone(), answer: file.clone() });
    let said = process::run_library(work, COMPILER, &reach(request, room.path())).map_err(broken)?;
    let failed = |how: String| {
        let words = said.err.trim().lines().last().map(|l| format!(" ({l})")).unwrap_or_default();
        Failure::Compile { message: format!("NVRTC {how}{words}"), line: None }
    };
    match said.status {
        Err(what) => Err(failed(what.text(COMPILER))),
        Ok(status) if !status.success() => Ok(Err(failed(format!("ended with {status}")))),
        Ok(_) => {
            let answer = fs::read(&file).map_err(|e| failed(format!("left no answer: {e}")))?;
            let answer = postcard::from_bytes(&answer);
            answer.map(Ok).map_err(|e| failed(format!("left an odd answer: {e}")))
        }
    }
}
