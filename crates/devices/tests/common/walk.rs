//! Walks the folders of kernels, and tests what is found there.
#![allow(dead_code, reason = "each test file uses a part")]

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, OnceLock};

use ktwin_check::{Amount, Device, Kernel, KernelReport, Options, SourceKind, check};
use ktwin_devices::{Limits, find};

pub type Ops = Vec<(&'static str, &'static str)>;

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub fn files(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root().join(folder)).unwrap_or_else(|e| panic!("{folder}: {e}")) {
        let path = entry.unwrap_or_else(|e| panic!("{e}")).path();
        if path.is_dir() {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            found.extend(files(&format!("{folder}/{name}")));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

pub fn ops() -> &'static Ops {
    static OPS: OnceLock<Ops> = OnceLock::new();
    OPS.get_or_init(|| {
        let one = |path: PathBuf| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{e}"));
            (&*name.leak(), &*text.leak())
        };
        let ops = files("ops").into_iter().filter(|path| path.extension().is_some_and(|e| e == "op"));
        ops.map(one).collect()
    })
}

pub fn kernel(path: &Path) -> Kernel {
    Kernel::load(path, ops()).unwrap_or_else(|e| panic!("{e}"))
}

/// Wrong cases that show what a fault is: the rest takes half of the time of all faults.
const ENOUGH: usize = 16;

pub fn tested(kernel: &Kernel, device: &dyn Device, quick: bool) -> KernelReport {
    with_seed(kernel, device, quick, 11)
}

pub fn with_seed(kernel: &Kernel, device: &dyn Device, quick: bool, seed: u64) -> KernelReport {
    let amount = Amount::quick(quick);
    let options = Options { amount, seed: Some(seed), enough: Some(ENOUGH), ..Options::default() };
    check(kernel, device, &options, &|_| (), &AtomicBool::new(false))
}

/// Runs something on every path, on as many threads as there are cores, and collects what it complains of.
pub fn all(paths: &[PathBuf], one: impl Fn(&Path) -> Option<String> + Sync) -> Vec<String> {
    let next = Mutex::new(paths.iter());
    let wrong = Mutex::new(Vec::new());
    let take = || next.lock().ok().and_then(|mut paths| paths.next());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(path) = take() {
                    if let (Some(complaint), Ok(mut wrong)) = (one(path), wrong.lock()) {
                        wrong.push(complaint);
                    }
                }
            });
        }
    });
    wrong.into_inner().unwrap_or_default()
}

/// One of how many kernels a test takes: what `KTWIN_EVERY` says, or what the test takes by itself.
pub fn every(usual: usize) -> usize {
    std::env::var("KTWIN_EVERY").ok().and_then(|n| n.parse().ok()).unwrap_or(usual).max(1)
}

/// Kernels of which a part of the path is named in `KTWIN_ONLY`, between commas; all of them where it is not set.
pub fn only(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    let Ok(named) = std::env::var("KTWIN_ONLY") else { return paths };
    paths.retain(|path| named.split(',').any(|part| path.display().to_string().contains(part)));
    paths
}

/// The files of a folder that are kernels.
pub fn kernels(folder: &str) -> Vec<PathBuf> {
    let mut found = files(folder);
    found.retain(|path| {
        let extension = path.extension().and_then(|e| e.to_str());
        extension.is_some_and(|e| SourceKind::of_extension(e).is_some())
    });
    found
}

/// Whether a compiler is here. One that `KTWIN_REQUIRE` names must be.
pub fn compiler(name: &str) -> bool {
    let found = ktwin_devices::compiler(name);
    let required = std::env::var("KTWIN_REQUIRE").is_ok_and(|r| r.split(',').any(|d| d == name));
    if let Err(missing) = &found {
        assert!(!required, "{missing}");
        eprintln!("left out: {missing}");
    }
    found.is_ok()
}

/// What a comment of one line says after a word.
pub fn noted<'l>(line: &'l str, word: &str) -> Option<&'l str> {
    line.strip_prefix("// ").or_else(|| line.strip_prefix("# "))?.strip_prefix(word)
}

/// A device of OpenCL's drivers. One that `KTWIN_REQUIRE` names must be here.
pub fn driver(name: &str) -> Option<std::sync::Arc<dyn Device>> {
    let device = find(name, Limits::default()).ok()?;
    let required = std::env::var("KTWIN_REQUIRE").is_ok_and(|r| r.split(',').any(|d| d == name));
    match device.probe() {
        Ok(_) => Some(device),
        Err(missing) => {
            assert!(!required, "{missing}");
            eprintln!("left out: {missing}");
            None
        }
    }
}

/// The report of one case alone.
pub fn of_case(kernel: &Kernel, device: &dyn Device, case: String) -> KernelReport {
    let options = Options { case: Some(case), seed: Some(11), ..Options::default() };
    check(kernel, device, &options, &|_| (), &AtomicBool::new(false))
}
