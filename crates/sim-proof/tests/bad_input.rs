//! Broken WGSL and SPIR-V: refused or run within the budget, never a panic, never for long. The same seeds
//! on every run; `KTWIN_FUZZ_SECONDS` (4 for each language where not set) says for how long. Inputs that
//! once went wrong are kept in `tests/bad_input/` and run first.

use ktwin_sim::{CompileError, Limits, Module, Options};
use ktwin_sim_proof::rng::Rng;
use ktwin_sim_proof::shader::{self, Shader};
use ktwin_sim_proof::{mutate, registry, simulate};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What one input may take, also in a build without optimisation.
const LIMIT: Duration = Duration::from_secs(10);

fn seconds() -> Duration {
    let named = std::env::var("KTWIN_FUZZ_SECONDS").ok().and_then(|v| v.parse().ok());
    Duration::from_secs(named.unwrap_or(4))
}

fn corpus() -> Vec<Shader> {
    let shaders =
        shader::folder("ok").and_then(|f| Ok([f, shader::folder("faults")?, registry::builtins()?].concat()));
    shaders.unwrap_or_else(|e| panic!("{e}"))
}

fn options(seed: u64) -> Options {
    let limits = Limits { buffers: 1 << 24, ..Limits::default() };
    Options { budget: 1 << 14, seed, warp: [1, 8, 32][seed as usize % 3], limits, ..Options::default() }
}

// Compiles and, where it compiles, runs with the shader's own buffers; whether it compiled.
fn attempt(
    compile: impl Fn() -> Result<Module, CompileError>,
    shader: &Shader,
    seed: u64,
) -> Result<bool, String> {
    let start = Instant::now();
    let whole = catch_unwind(AssertUnwindSafe(|| match compile() {
        Ok(module) => {
            // Whatever was found or refused is well.
            let _ = simulate::run(&module, shader, &options(seed));
            true
        }
        Err(error) => {
            assert!(!error.message.is_empty());
            false
        }
    }));
    let compiled = whole.map_err(|_| "a panic".to_string())?;
    match start.elapsed() {
        long if long > LIMIT => Err(format!("took {long:?}")),
        _ => Ok(compiled),
    }
}

// Where the input in hand lies, should the process itself end.
fn keep(name: &str, bytes: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    path
}

fn hunt(end: &str, mut one: impl FnMut(u64, &mut Rng) -> (Vec<u8>, Result<bool, String>)) {
    let (start, mut tried, mut compiled) = (Instant::now(), 0, 0);
    while start.elapsed() < seconds() {
        let (input, result) = one(tried, &mut Rng::new(tried));
        match result {
            Ok(yes) => compiled += u64::from(yes),
            Err(why) => panic!("seed {tried}: {why}; see {}", keep(&format!("bad.{end}"), &input).display()),
        }
        tried += 1;
    }
    eprintln!("{tried} broken .{end}, of which {compiled} compiled");
    assert!(tried > 50 && compiled > 0, "only {tried} tried, {compiled} compiled");
}

#[test]
fn wgsl() {
    let corpus = corpus();
    hunt("wgsl", |seed, rng| {
        let (shader, other) = (rng.pick(&corpus).clone(), rng.pick(&corpus).clone());
        let text = mutate::text(rng, &shader.source, &other.source);
        keep("last.wgsl", text.as_bytes());
        let result = attempt(|| Module::from_wgsl(&text), &shader, seed);
        (text.into_bytes(), result)
    });
}

#[test]
fn spirv() {
    let corpus: Vec<(Shader, Vec<u8>)> =
        corpus().into_iter().filter_map(|s| Some((s.clone(), simulate::spirv(&s).ok()?))).collect();
    assert!(corpus.len() > 300);
    hunt("spv", |seed, rng| {
        let (shader, good) = rng.pick(&corpus).clone();
        let bytes = mutate::words(rng, &good);
        keep("last.spv", &bytes);
        let result = attempt(|| Module::from_spirv(&bytes), &shader, seed);
        (bytes, result)
    });
}

#[test]
fn random_bytes() {
    let shader = corpus().swap_remove(0);
    hunt_bytes(&shader);
}

fn hunt_bytes(shader: &Shader) {
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let bytes: Vec<u8> = (0..rng.below(300)).map(|_| rng.bits() as u8).collect();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        attempt(|| Module::from_wgsl(&text), shader, seed).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        attempt(|| Module::from_spirv(&bytes), shader, seed).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    }
}

#[test]
fn what_once_went_wrong() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/bad_input");
    let shader = corpus().swap_remove(0);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for path in entries.filter_map(|e| Some(e.ok()?.path())) {
        eprintln!("{}", path.display());
        let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{e}"));
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let spirv = path.extension().is_some_and(|e| e == "spv");
        let compile = || if spirv { Module::from_spirv(&bytes) } else { Module::from_wgsl(&text) };
        attempt(compile, &shader, 0).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }
}
