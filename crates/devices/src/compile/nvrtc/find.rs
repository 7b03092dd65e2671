//! Where NVRTC and the toolkit's headers are: a CUDA toolkit, the loader's folders, or PyPI's wheels. It reads
//! folders, and asks Python where its packages lie; it loads nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use ktwin_check::Failure;

use crate::compile::process::{self, Allowed, Reach};
use crate::compile::python::{python, variable};

/// One command that brings everything.
const GET: &str = "pip install nvidia-cuda-nvrtc-cu12==12.9.86 nvidia-cuda-runtime-cu12 nvidia-cuda-cccl-cu12 \
                   nvidia-cuda-nvcc-cu12 (in a virtual environment that is active), or set CUDA_HOME to a toolkit or \
                   KTWIN_NVRTC to the library";

/// Where the loader looks, beside what `LD_LIBRARY_PATH` names.
const SYSTEM: &[&str] = &[
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib/wsl/lib",
    "/usr/local/lib",
    "/usr/lib",
];

/// NVRTC's library, and the folders with headers that go with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nvrtc {
    /// The library's file.
    pub library: PathBuf,
    /// Folders with the toolkit's headers.
    pub includes: Vec<PathBuf>,
}

impl Nvrtc {
    /// The file of a header of the toolkit.
    pub fn header(&self, name: &str) -> Option<PathBuf> {
        self.includes.iter().map(|folder| folder.join(name)).find(|path| path.is_file())
    }
}

/// NVRTC, looked for once a process.
pub fn find() -> Result<&'static Nvrtc, Failure> {
    static FOUND: OnceLock<Result<Nvrtc, Failure>> = OnceLock::new();
    FOUND.get_or_init(|| look(&mut places())).as_ref().map_err(Clone::clone)
}

/// A way to places that are looked at one after the other, only as far as needed.
type Places = Box<dyn Iterator<Item = PathBuf>>;

// Roots: of a toolkit, of Python's packages, or folders that hold the library itself.
fn places() -> Places {
    // what is named is meant: nothing else is looked at
    if let Some(only) = variable("KTWIN_NVRTC") {
        return Box::new(std::iter::once(only));
    }
    let named = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(variable);
    let active = variable("VIRTUAL_ENV").into_iter().flat_map(|root| packages_below(&root));
    let toolkits = PathBuf::from("/usr/local/cuda");
    let versions = sorted("/usr/local".as_ref(), "cuda-").into_iter().rev();
    let loader = variable("LD_LIBRARY_PATH").into_iter();
    let loader = loader.flat_map(|list| std::env::split_paths(&list).collect::<Vec<_>>());
    let system = SYSTEM.iter().map(PathBuf::from);
    let first = named.chain(active).chain([toolkits]).chain(versions).chain(loader).chain(system);
    Box::new(first.chain(std::iter::once_with(packages).flatten()))
}

fn look(places: &mut dyn Iterator<Item = PathBuf>) -> Result<Nvrtc, Failure> {
    let mut seen: Vec<String> = Vec::new();
    for root in places {
        if let Some(found) = below(&root) {
            return Ok(found);
        }
        seen.push(root.display().to_string());
    }
    seen.dedup();
    let why = format!("CUDA C++ needs NVRTC, which was not found in {}", seen.join(", "));
    Err(Failure::Absent { why, get: GET.to_owned() })
}

/// The library below a root, in any of the layouts there are.
fn below(root: &Path) -> Option<Nvrtc> {
    if root.is_file() {
        return Some(with_headers(root.to_path_buf()));
    }
    let layouts = [
        "nvidia/cu13/lib",
        "nvidia/cuda_nvrtc/lib",
        "lib64",
        "targets/x86_64-linux/lib",
        "targets/sbsa-linux/lib",
        "lib",
        "",
    ];
    layouts.iter().find_map(|layout| library_in(&root.join(layout))).map(with_headers)
}

// The newest: `libnvrtc.so.13` before `.12`; not the builtins, which it loads by itself.
fn library_in(folder: &Path) -> Option<PathBuf> {
    let names = sorted(folder, "libnvrtc.so");
    names.into_iter().rev().find(|path| path.is_file())
}

fn with_headers(library: PathBuf) -> Nvrtc {
    let folder = library.parent().unwrap_or(Path::new("")).to_path_buf();
    // lib64 of a toolkit, nvidia/cu13/lib, nvidia/cuda_nvrtc/lib, targets/x86_64-linux/lib
    let up = folder.parent().map(Path::to_path_buf).unwrap_or_default();
    let beside = up.parent().map(Path::to_path_buf).unwrap_or_default();
    let mut all = vec![up.join("include"), up.join("include/cccl")];
    for wheel in ["cuda_runtime", "cuda_cccl", "cuda_nvcc", "cuda_crt", "curand"] {
        all.push(beside.join(wheel).join("include"));
    }
    all.push("/usr/include".into());
    let marks = ["cuda_fp16.h", "cuda/std/cstdint", "crt/mma.h", "curand_kernel.h"];
    all.retain(|folder| marks.iter().any(|mark| folder.join(mark).is_file()));
    all.dedup();
    Nvrtc { library, includes: all }
}

/// What in a folder begins with these letters, sorted.
fn sorted(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let named = entries.filter(|e| e.file_name().to_string_lossy().starts_with(prefix));
    let mut found: Vec<PathBuf> = named.map(|e| e.path()).collect();
    found.sort();
    found
}

/// The folders of packages of a virtual environment.
fn packages_below(root: &Path) -> Vec<PathBuf> {
    let versions = sorted(&root.join("lib"), "python3");
    versions.into_iter().map(|version| version.join("site-packages")).collect()
}

/// The folders of packages of Python.
fn packages() -> Vec<PathBuf> {
    let ask = "import site, sysconfig\nprint(sysconfig.get_path('purelib'), sysconfig.get_path('platlib'), \
               site.getusersitepackages(), *getattr(site, 'getsitepackages', list)(), sep='\\n')";
    let allowed = Allowed { time: Duration::from_secs(5), memory: 1 << 30 };
    let said = process::run(Command::new(python()).args(["-c", ask]), &[], allowed, &Reach::default());
    let text = said.map(|said| said.out).unwrap_or_default();
    let mut found: Vec<PathBuf> = Vec::new();
    for path in text.lines().map(PathBuf::from) {
        if path.is_absolute() && !found.contains(&path) {
            found.push(path);
        }
    }
    if found.is_empty() { vec!["the packages of python3".into()] } else { found }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(files: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for file in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        root
    }

    #[test]
    fn wheels_and_toolkits_are_found_with_their_headers() {
        let wheels = made(&[
            "nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
            "nvidia/cuda_nvrtc/lib/libnvrtc-builtins.so.12.9",
            "nvidia/cuda_runtime/include/cuda_fp16.h",
            "nvidia/cuda_nvcc/include/crt/mma.h",
        ]);
        let found = below(wheels.path()).unwrap();
        assert!(found.library.ends_with("nvidia/cuda_nvrtc/lib/libnvrtc.so.12"));
        assert!(found.header("cuda_fp16.h").is_some() && found.header("crt/mma.h").is_some());
        let newer = made(&["nvidia/cu13/lib/libnvrtc.so.13", "nvidia/cu13/include/cuda_fp16.h"]);
        assert!(below(newer.path()).unwrap().header("cuda_fp16.h").is_some());
        let toolkit = made(&["lib64/libnvrtc.so.12", "lib64/libnvrtc.so.12.9.86", "include/cuda_fp16.h"]);
        let found = below(toolkit.path()).unwrap();
        assert_eq!(below(&found.library), Some(found.clone()));
        assert_eq!(found.includes, [toolkit.path().join("include")]);
    }

    #[test]
    fn what_is_missing_is_said_with_where_it_was_looked_for() {
        let empty = made(&["lib64/libnvrtc-builtins.so.12.9"]);
        let mut places = std::iter::once(empty.path().to_path_buf());
        let Err(Failure::Absent { why, get }) = look(&mut places) else { panic!("found") };
        assert!(why.contains(&empty.path().display().to_string()) && get.contains("pip install"));
    }
}
