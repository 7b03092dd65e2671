//! Texts and files of others, damaged at will: each is taken or refused, never a panic, a hang or all of the
//! memory. Short by default; KTWIN_FUZZ_SECONDS says how long each part goes on, KTWIN_FUZZ_SEED where it
//! begins.

mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use ktwin::arrays::ArrayFile;
use ktwin::catalogue::OPS;
use ktwin_check::{Amount, Kernel, Least, Options, Task, check, plan, promise};
use ktwin_devices::Limits;
use support::folder;

/// What one input may take, on a machine that has other things to do.
const LIMIT: Duration = Duration::from_secs(60);

/// Random numbers that are the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most.max(1)
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// All files of a folder with one of these endings, sorted.
fn seeds(of: &str, endings: &[&str]) -> Vec<Vec<u8>> {
    let folder = root().join(of);
    let names = support::files(&folder);
    let wanted = names.iter().filter(|name| endings.iter().any(|ending| name.ends_with(ending)));
    let out: Vec<Vec<u8>> = wanted.map(|name| std::fs::read(folder.join(name)).unwrap()).collect();
    assert!(!out.is_empty(), "{of}");
    out
}

/// Words that mean something somewhere, and numbers at the edges of what is counted in.
const WORDS: &[&str] = &[
    "0",
    "-1",
    "1e999",
    "nan",
    "inf",
    "4294967296",
    "9223372036854775807",
    "18446744073709551616",
    "\"",
    "{",
    "}",
    "[",
    "]",
    "..=",
    "..",
    "multiple of 0",
    "power of two",
    "ceil(N / 0)",
    "N % 0",
    "(",
    ")",
    "\u{0}",
    "\u{1F600}",
    "\n",
    "=",
    "f64",
    "q4_0",
    "e5m2",
    "u64",
    "true",
    "2^4096",
    "//",
    "/*",
    "loop {}",
    "array<f32, 4294967295>",
    "i64",
    "max(",
];

/// A seed with a few places changed, removed, doubled, or taken from another seed.
fn damaged(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut out = seeds[random.below(seeds.len())].clone();
    let donor = &seeds[random.below(seeds.len())];
    for _ in 0..1 + random.below(6) {
        let at = random.below(out.len() + 1);
        let end = (at + random.below(24)).min(out.len());
        match random.below(6) {
            0 if at < out.len() => out[at] = random.below(256) as u8,
            1 if at < out.len() => out[at] ^= 1 << random.below(8),
            2 => drop(out.drain(at..end)),
            3 => {
                let from = random.below(donor.len());
                let piece = donor[from..(from + random.below(40)).min(donor.len())].to_vec();
                drop(out.splice(at..at, piece));
            }
            4 => {
                let word = WORDS[random.below(WORDS.len())];
                drop(out.splice(at..end, word.bytes()));
            }
            _ => {
                let piece = out[at..end].to_vec();
                drop(out.splice(at..at, piece));
            }
        }
    }
    out
}

/// Damages seeds for as long as it should, and hands each to `survive`; what does not survive is kept in a
/// file.
fn fuzz(name: &str, seeds: &[Vec<u8>], survive: impl Fn(&[u8])) {
    let started = Instant::now();
    let time = Duration::from_secs(number("KTWIN_FUZZ_SECONDS", 2));
    let mut random = Random(number("KTWIN_FUZZ_SEED", 1));
    let (mut count, mut slowest) = (0, Duration::ZERO);
    while started.elapsed() < time {
        let bytes = damaged(seeds, &mut random);
        let began = Instant::now();
        let fine = catch_unwind(AssertUnwindSafe(|| survive(&bytes)));
        let took = began.elapsed();
        if fine.is_err() || took > LIMIT {
            let kept = folder(&format!("fuzz-{name}")).join("input");
            std::fs::write(&kept, &bytes).unwrap();
            let what = if fine.is_err() { "it panics".to_string() } else { format!("it takes {took:?}") };
            panic!("{name}: {what}; the input is in {}", kept.display());
        }
        (count, slowest) = (count + 1, slowest.max(took));
    }
    println!("{name}: {count} inputs, the slowest took {slowest:?}");
}

/// The contracts of the repository's kernels, as TOML.
fn contracts() -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    for (of, ending) in [("kernels/c", ".c"), ("kernels/wgsl", ".wgsl"), ("hostile", ".c")] {
        for text in seeds(of, &[ending]) {
            let text = String::from_utf8(text).unwrap();
            let start = text.find("--- ktwin").unwrap() + 9;
            let end = start + text[start..].find("---").unwrap();
            out.push(text.as_bytes()[start..end].to_vec());
        }
    }
    out
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn contracts_survive() {
    fuzz("contract", &contracts(), |bytes| match Kernel::of_contract("k", &text(bytes), OPS) {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(kernel) => {
            assert!(!promise(&kernel).sentence().is_empty());
            let _ = plan(&kernel, Amount::QUICK);
        }
    });
}

#[test]
fn tasks_survive() {
    let docs = std::fs::read_to_string(root().join("docs/judge.md")).unwrap();
    let start = docs.find("```toml\n").unwrap() + 8;
    let task = docs[start..start + docs[start..].find("```").unwrap()].replace("_file", "");
    let more = "op = 'gemm'\nsecret = 'a long one'\ntypes = { a = 'f16' }\nround = { a = 'q8_0' }\nshow = ['cases']\n\
                forms = []\nwhere = ['M * N < 100']\nfix = { K = 32 }\nnan = 'propagate'\ndevices = ['sim']\n";
    let seeds = [task.into_bytes(), more.as_bytes().to_vec()];
    fuzz("task", &seeds, |bytes| match Task::parse("task.toml", &text(bytes), OPS) {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(task) => assert!(!task.id.is_empty()),
    });
}

#[test]
fn least_promises_survive() {
    let kernel = "op = 'gemm'\nargs = ['a', 'b', 'c']\nwhere = ['M < 2 * N']\ncompute = 'tf32'\n";
    let kernel = Kernel::of_contract("k", kernel, OPS).unwrap();
    let mut seeds = contracts();
    seeds.push(b"share = 0.5\ncatalogue = true\ndims = { M = 'multiple of 4' }\nwhere = ['M > 3']".to_vec());
    fuzz("least", &seeds, |bytes| {
        let text = text(bytes).replace("args", "#").replace("grid", "#").replace("tile", "#");
        if let Ok(least) = Least::parse("least.toml", &text, OPS) {
            let _ = least.weaker(&kernel);
        }
        let _ = Least::read(&text.replace('\n', ","), OPS);
    });
}

/// Opens damaged files of arrays of every form, and reads all that is in them, as files of this form.
fn arrays_survive(ending: &str) {
    let seeds = seeds("crates/ktwin/tests/arrays", &[".npy", ".npz", ".safetensors", ".gguf", ".pt"]);
    let path = folder(&format!("fuzz-{ending}")).join(format!("array.{ending}"));
    fuzz(&format!("{ending} arrays"), &seeds, |bytes| {
        std::fs::write(&path, bytes).unwrap();
        let Ok(file) = ArrayFile::open(&path) else { return };
        for name in file.names() {
            let _ = file.read(name, None);
        }
    });
}

#[test]
fn npy_survives() {
    arrays_survive("npy");
}

#[test]
fn npz_survives() {
    arrays_survive("npz");
}

#[test]
fn safetensors_survive() {
    arrays_survive("safetensors");
}

#[test]
fn gguf_survives() {
    arrays_survive("gguf");
}

#[test]
fn pt_survives() {
    arrays_survive("pt");
}

/// Tests a damaged kernel on sim in one small case.
fn one_case(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).unwrap();
    let Ok(kernel) = Kernel::load(path, OPS) else { return };
    let Ok(planned) = plan(&kernel, Amount::QUICK) else { return };
    let case = planned.cases.first().map(ToString::to_string);
    let options = Options { amount: Amount::QUICK, seed: Some(1), case, ..Options::default() };
    let sim = ktwin_devices::find("sim", Limits::default()).unwrap();
    check(&kernel, &*sim, &options, &|_| (), &AtomicBool::new(false));
}

#[test]
fn shaders_survive() {
    let path = folder("fuzz-wgsl").join("kernel.wgsl");
    fuzz("wgsl", &seeds("kernels/wgsl", &[".wgsl"]), |bytes| one_case(&path, bytes));
}

#[test]
fn kernels_of_a_judge_survive() {
    let terms = folder("fuzz-terms").join("terms.toml");
    std::fs::write(&terms, "op = 'gemm'\ntypes = { a = 'f16', b = 'f16' }\nround = { a = 'q8_0' }\n")
        .unwrap();
    let terms = ktwin_check::Terms::load(&terms, OPS).unwrap();
    let path = folder("fuzz-governed").join("kernel.c");
    // what names another op is refused at once
    let plain = |bytes: Vec<u8>| {
        let lines =
            text(&bytes).lines().filter(|line| !line.starts_with("op ")).collect::<Vec<_>>().join("\n");
        lines.replace("\"x\", \"y\"", "\"a\", \"b\", \"c\"").into_bytes()
    };
    let seeds: Vec<Vec<u8>> = seeds("kernels/c", &[".c"]).into_iter().map(plain).collect();
    fuzz("terms", &seeds, |bytes| {
        std::fs::write(&path, bytes).unwrap();
        match Kernel::load_under(&path, &terms, OPS) {
            Err(error) => assert!(!error.to_string().is_empty()),
            Ok(kernel) => assert_eq!(promise(&kernel).op, "gemm"),
        }
    });
}
