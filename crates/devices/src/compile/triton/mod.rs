//! Kernels of Triton to PTX by the user's own Triton: a script of ours calls it in a process of Python, in the box of
//! compilers, and what it made is kept by contents.

mod find;
mod request;

use std::path::Path;
use std::process::Command;

use ktwin_check::{Build, Failure, Source};

use crate::compile::cache::{self, Room};
use crate::compile::process::{self, Allowed, COMPILER, Reach, Said};
use crate::compile::python::Package;
use crate::compile::{self, Needs, Ptx};
use request::{Answer, Made, Request};

/// What calls Triton.
const SCRIPT: &str = concat!(include_str!("stub.py"), include_str!("package.py"), include_str!("compile.py"));

/// Triton in words: its version, and where it is; or how to get it.
pub fn about() -> Result<String, Failure> {
    let triton = find::find()?;
    Ok(format!("Triton {} of Python {}, {}", triton.version, triton.language, triton.python.display()))
}

/// Compiles a file's kernels for these entry points.
pub fn compile(source: &Source, build: &Build) -> Result<Ptx, Failure> {
    compile_within(source, build, COMPILER)
}

fn compile_within(source: &Source, build: &Build, allowed: Allowed) -> Result<Ptx, Failure> {
    let triton = find::find()?;
    let broken = |e: std::io::Error| Failure::Broken(format!("cannot compile a kernel of Triton: {e}"));
    let folders = compile::folders(source, build);
    let name = source.path.file_name().unwrap_or("kernel.py".as_ref());
    let request = Request::of(build, Path::new(name), folders.clone(), "answer".into())?;
    let asked = serde_json::to_vec(&request).map_err(|e| Failure::Broken(e.to_string()))?;
    let key = key(triton, &source.bytes, &asked);
    if let Some(kept) = cache::look(&key, &folders).and_then(|bytes| postcard::from_bytes(&bytes).ok()) {
        return Ok(kept);
    }
    let room = Room::new().map_err(broken)?;
    let at = |name: &Path| room.path().join(name);
    let request = Request { file: at(&request.file), answer: at(&request.answer), ..request };
    std::fs::write(&request.file, &source.bytes).map_err(broken)?;
    let said = run(triton, &request, &room, allowed).map_err(broken)?;
    let file = name.to_string_lossy();
    let answer = std::fs::read(&request.answer).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let (ptx, read) = match answer {
        Some(Answer::Made { kernels, read }) => (joined(kernels, build)?, read),
        Some(Answer::Refused { kind, message, line }) => {
            return Err(refused(&kind, &message, line, &file, &said));
        }
        None => return Err(ended(&said, allowed, &file)),
    };
    let bytes = postcard::to_stdvec(&ptx).map_err(|e| Failure::Broken(e.to_string()))?;
    cache::keep(&key, &read, &bytes);
    Ok(ptx)
}

/// All that the result depends on, but modules of the user's.
fn key(triton: &Package, text: &[u8], asked: &[u8]) -> String {
    let python = triton.python.to_string_lossy();
    let known = [SCRIPT, env!("CARGO_PKG_VERSION"), &triton.version, &triton.language, &*python];
    let mut parts: Vec<&[u8]> = vec![b"triton"];
    parts.extend(known.iter().map(|part| part.as_bytes()));
    parts.extend([text, asked]);
    cache::key(&parts)
}

/// Runs the script on a request, in a folder of its own.
fn run(triton: &Package, request: &Request, room: &Room, allowed: Allowed) -> std::io::Result<Said> {
    let asked = serde_json::to_vec(request).map_err(std::io::Error::other)?;
    let mut command = Command::new(&triton.python);
    // no files of bytes beside the user's, and nothing of Triton's own outside the room
    command.args(["-B", "-c", SCRIPT]);
    command.env("TRITON_CACHE_DIR", room.path()).env("TRITON_HOME", room.path());
    let mut read = request.folders.clone();
    read.extend(triton.folders.iter().cloned());
    read.push(room.path().to_path_buf());
    let reach = Reach { read, write: Some(room.path().to_path_buf()) };
    process::run(&command, &asked, allowed, &reach)
}

/// The texts of several kernels as one.
fn joined(kernels: Vec<Made>, build: &Build) -> Result<Ptx, Failure> {
    if let Some(one) = kernels.iter().find(|one| one.scratch > 0) {
        let (name, bytes) = (&one.name, one.scratch);
        let message = format!(
            "`{name}` takes {bytes} bytes of global memory for each program, which sim does not have"
        );
        return Err(Failure::Unsupported(message));
    }
    let mut out = Ptx { text: String::new(), entries: Vec::new(), needs: Vec::new() };
    let mut entries: Vec<&str> = Vec::new();
    for (entry, _) in &build.entries {
        if !entries.contains(&entry.as_str()) {
            entries.push(entry);
        }
    }
    for (entry, made) in entries.into_iter().zip(kernels) {
        let text = placed(&made.ptx);
        let more = if out.text.is_empty() { text } else { body(&text, &out.text) };
        out.text.push_str(&more);
        out.entries.push((entry.to_owned(), made.name));
        let lanes = made.warps.saturating_mul(32);
        out.needs.push((entry.to_owned(), Needs { lanes, shared: made.shared }));
    }
    Ok(out)
}

/// A text in which assembly that Triton wrote itself is where it was called: LLVM gives each of its lines a line of
/// the user's file, counted on from the first.
fn placed(ptx: &str) -> String {
    let (mut inner, mut out) = (false, String::with_capacity(ptx.len()));
    for line in ptx.lines() {
        let bare = line.trim();
        inner = bare.starts_with("// begin inline asm") || inner && !bare.starts_with("// end inline asm");
        if !(inner && bare.starts_with(".loc")) {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

/// A text without what is there once in a file: version, target and size of addresses, the names of the user's files,
/// and sections for debuggers.
fn body(ptx: &str, before: &str) -> String {
    let after = ptx.find(".address_size").unwrap_or(0);
    let (mut section, mut out) = (false, String::with_capacity(ptx.len()));
    for line in ptx[after..].lines().skip(1) {
        let bare = line.trim();
        section |= bare.starts_with(".section");
        let named = bare.starts_with(".file") && before.contains(bare);
        if !section && !named {
            out.push_str(line);
            out.push('\n');
        }
        section &= !bare.ends_with('}');
    }
    out
}

/// What the script says of a file that it cannot compile.
fn refused(kind: &str, message: &str, line: Option<u32>, file: &str, said: &Said) -> Failure {
    if kind == "contract" {
        return Failure::Mismatch(message.to_owned());
    }
    // what the compiler's later parts say goes to standard error: `FILE:7:12: error: ...`
    let (line, words) = match line {
        Some(line) => (Some(line), None),
        None => complaint(&said.err, file).map_or((None, None), |(line, words)| (Some(line), Some(words))),
    };
    let place = line.map_or(file.to_owned(), |line| format!("{file}:{line}"));
    Failure::Compile { message: format!("{place}: {}", words.unwrap_or(message.trim())), line }
}

/// The first error in a log that names a line of the file.
fn complaint<'l>(log: &'l str, file: &str) -> Option<(u32, &'l str)> {
    log.lines().find_map(|line| {
        let (place, words) = line.split_once(": error: ")?;
        let (_, numbers) = place.rsplit_once(&format!("{file}:"))?;
        Some((numbers.split(':').next()?.parse().ok()?, words))
    })
}

/// How the process ended that left no answer.
fn ended(said: &Said, allowed: Allowed, file: &str) -> Failure {
    let message = match said.status {
        Err(what) => format!("{file}: Python {}", what.text(allowed)),
        Ok(status) => {
            let last = said.err.trim().lines().last().unwrap_or("").to_owned();
            let words = if last.is_empty() { String::new() } else { format!(": {last}") };
            format!("{file}: Python ended without a result ({status}){words}")
        }
    };
    Failure::Compile { message, line: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::allowed::TooMuch;

    fn said(err: &str) -> Said {
        Said { status: Err(TooMuch::Time), out: String::new(), err: err.into() }
    }

    #[test]
    fn what_does_not_compile_is_said_with_its_line() {
        let log = "warning\n/room-1/k.py:12:8: error: 'tt.load' op pointers only\n";
        let Failure::Compile { message, line } =
            refused("compile", "PassManager failed", None, "k.py", &said(log))
        else {
            panic!("it does not compile")
        };
        assert_eq!((message.as_str(), line), ("k.py:12: 'tt.load' op pointers only", Some(12)));
        let own = refused("python", "NameError: name 'q' is not defined", Some(3), "k.py", &said(""));
        assert_eq!(own.to_string(), "does not compile: k.py:3: NameError: name 'q' is not defined");
        let contract = refused("contract", "no kernel `q`", None, "k.py", &said(""));
        assert_eq!(contract, Failure::Mismatch("no kernel `q`".into()));
    }

    #[test]
    fn what_does_not_end_or_dies_is_said() {
        for (what, words) in [
            (TooMuch::Time, "k.py: Python did not end within 60 s"),
            (TooMuch::Memory, "k.py: Python took more than 4 GiB of memory"),
            (TooMuch::Files, "k.py: Python wrote more than 2 GiB, or 4096 files"),
        ] {
            let said = Said { status: Err(what), ..said("") };
            let told = ended(&said, COMPILER, "k.py").to_string();
            assert!(told.contains(words) && told.ends_with("so nothing is known of the kernel"), "{told}");
        }
    }

    #[test]
    fn a_loop_without_end_is_stopped() {
        if let Err(missing) = find::find() {
            eprintln!("left out: {missing}");
            return;
        }
        let text = "import itertools, triton\nimport triton.language as tl\nN = sum(itertools.count())\n\
                    @triton.jit\ndef k(x):\n    tl.store(x, N)\n";
        let (kind, path) = (ktwin_check::SourceKind::Triton, "endless.py".into());
        let source = Source { kind, path, bytes: text.into() };
        let entries = vec![(String::new(), vec![ktwin_check::Argument::Buffer(0)])];
        let build = Build { entries, buffers: vec!["f32".into()], ..Build::default() };
        let allowed = Allowed { time: std::time::Duration::from_secs(4), ..COMPILER };
        let error = compile_within(&source, &build, allowed).unwrap_err().to_string();
        assert!(error.contains("endless.py: Python did not end within 4 s"), "{error}");
    }

    #[test]
    fn modules_may_import_what_kernels_do_not_need() {
        if let Err(missing) = find::find() {
            eprintln!("left out: {missing}");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let helper = "import torch, triton, torch.nn.functional as F\nfrom packaging import version\n\
                      from einops import rearrange\nimport triton.language as tl\n\
                      NEW = version.parse(torch.__version__) >= version.parse('2.1')\n\
                      IS_HIP = torch.version.hip is not None\n\
                      KNOWN = {torch.float16: tl.float16}\n\
                      class Both(torch.autograd.Function):\n    x: torch.Tensor | None = None\n\
                      @torch.no_grad()\ndef host(x):\n    return x\n\
                      @triton.jit\ndef twice(x):\n    return x * 2\n";
        std::fs::write(folder.path().join("helpers.py"), helper).unwrap();
        let text = "import triton\nimport triton.language as tl\nfrom helpers import twice, NEW, IS_HIP\n\
                    ONE = tl.constexpr(1 if NEW and not IS_HIP else 0)\n\
                    @triton.jit\ndef k(x):\n    tl.static_assert(ONE == 1)\n    tl.store(x, twice(tl.load(x)))\n";
        let compiled = |text: &str| {
            let (kind, path) = (ktwin_check::SourceKind::Triton, folder.path().join("stubbed.py"));
            let source = Source { kind, path, bytes: text.into() };
            let entries = vec![(String::new(), vec![ktwin_check::Argument::Buffer(0)])];
            let include = vec![folder.path().display().to_string()];
            let build = Build { entries, buffers: vec!["f32".into()], include, ..Build::default() };
            compile_within(&source, &build, COMPILER)
        };
        assert!(compiled(text).unwrap_or_else(|e| panic!("{e}")).text.contains(".entry k"));
        let other = text.replacen("import triton", "import triton, numqy", 1);
        let error = compiled(&other.replace("1 if NEW", "numqy.one if NEW")).unwrap_err().to_string();
        assert!(error.contains("numqy"), "{error}");
    }

    #[test]
    fn assembly_is_where_it_was_called() {
        let ptx =
            ".loc 1 19 1\n// begin inline asm\n .loc 1 20 1\nld;\n// end inline asm\n.loc 1 21 1\nst;\n";
        let lines: Vec<String> = placed(ptx).lines().map(str::to_owned).collect();
        assert_eq!(
            lines,
            [".loc 1 19 1", "// begin inline asm", "ld;", "// end inline asm", ".loc 1 21 1", "st;"]
        );
    }

    #[test]
    fn several_kernels_are_one_text() {
        let made = |name: &str| Made {
            ptx: format!(
                "// by\n.version 8.8\n.target sm_80\n.address_size 64\n.visible .entry {name}() {{ ret; }}\n\
                 .file 1 \"k.py\"\n.section .debug_abbrev\n{{\n.b8 1\n}}\n"
            ),
            name: name.into(),
            warps: 4,
            shared: 16,
            scratch: 0,
        };
        let entries = ["a", "b", "a"].map(|entry| (entry.to_owned(), Vec::new())).to_vec();
        let build = Build { entries, ..Build::default() };
        let all = joined(vec![made("a"), made("b")], &build).unwrap();
        for once in [".version", ".file", ".section"] {
            assert_eq!(all.text.matches(once).count(), 1, "{once}");
        }
        assert_eq!(all.text.matches(".entry").count(), 2);
        assert_eq!(all.needs[1], ("b".to_owned(), Needs { lanes: 128, shared: 16 }));
        let greedy = Made { scratch: 64, ..made("a") };
        assert!(matches!(joined(vec![greedy], &build), Err(Failure::Unsupported(_))));
    }
}
