//! ktwin's verdicts beside the rules that others compare outputs by, on kernels that are right and on kernels that are
//! wrong: prints a page in Markdown.
//!
//!     cargo run --release -p ktwin-devices --example peers
//!     cargo run --release -p ktwin-devices --example peers -- HONEST WRONG
//!
//! Every kernel gets its quick plan from ktwin, all by itself. The other rules get what their users give them: one
//! launch, on normal data, at the largest sizes of that plan whose scalars are the usual ones.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use ktwin_check::{
    Amount, Case, Decider, Device, Expected, Kernel, Options, Policy, check, plan, prepare, run_case,
};
use ktwin_devices::{Limits, find};
use ktwin_num::Regime;

/// The seed of every plan.
const SEED: u64 = 11;

/// The rules: what the page calls them, and the policy that each is.
const RULES: [(&str, &str); 4] = [
    ("`torch.testing.assert_close`, its defaults", "torch"),
    ("`allclose`, rtol = atol = 1e-4", "allclose_1e-4"),
    ("NMSE below 1e-7 (llama.cpp)", "llama_cpp"),
    ("`allclose`, rtol = atol = 1e-2 (KernelBench)", "kernelbench"),
];

/// Whether a policy takes an output.
fn takes(policy: &str, expected: &Expected, got: &[f64]) -> bool {
    let policy = Policy::parse(policy).unwrap_or_else(|e| panic!("{e}"));
    let decider = Decider::new(&policy, expected, &[], (1, 0.0));
    Expected { policy: Some(decider), ..expected.clone() }.compare(got, &[]).failing.is_empty()
}

/// What became of one kernel.
struct Seen {
    ours: bool,
    /// By the other rules; none where the kernel could not be run by itself.
    theirs: Option<[bool; RULES.len()]>,
}

fn see(path: &Path, device: &dyn Device, ops: &[(&str, &str)]) -> Option<Seen> {
    let kernel = Kernel::load(path, ops).ok()?;
    let options = Options { amount: Amount::QUICK, seed: Some(SEED), ..Options::default() };
    let report = check(&kernel, device, &options, &|_| (), &AtomicBool::new(false));
    Some(Seen { ours: report.verdict == ktwin_check::Verdict::Pass, theirs: theirs(&kernel, device) })
}

/// The largest case with normal data, and the usual scalars where there is one.
fn usual(kernel: &Kernel) -> Option<Case> {
    let cases = plan(kernel, Amount::QUICK).ok()?.cases;
    let normal = cases.into_iter().filter(|c| c.regime == Regime::Normal && c.layouts.is_empty());
    let size = |c: &Case| c.dims.iter().map(|(_, n)| *n as f64).product::<f64>();
    let fewest = |c: &Case| std::cmp::Reverse(c.scalars.len());
    let found = normal.max_by(|a, b| fewest(a).cmp(&fewest(b)).then(size(a).total_cmp(&size(b))))?;
    Some(Case { seed: SEED, chosen: 0, ..found })
}

fn theirs(kernel: &Kernel, device: &dyn Device) -> Option<[bool; RULES.len()]> {
    let case = usual(kernel)?;
    let prepared = prepare(kernel, &case).ok()?;
    let (launch, _) = prepared.launch(0).ok()?;
    let build = prepared.build(&launch).ok()?;
    let program = device.compile(&kernel.source, &build).ok()?;
    Some(match run_case(kernel, &*program, &case, kernel.source.kind.rules()) {
        Ok(trial) => {
            let all = |policy| trial.expected.iter().zip(&trial.got).all(|(e, got)| takes(policy, e, got));
            RULES.map(|(_, policy)| all(policy))
        }
        // it crashed or hung: whoever runs it sees that
        Err(_) => [false; RULES.len()],
    })
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|e| e == "c" || e == "wgsl") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// How many kernels each rule takes, ours first, and of how many.
struct Taken {
    kernels: usize,
    ours: usize,
    tried: usize,
    theirs: [usize; RULES.len()],
}

fn taken(folder: &Path, ops: &[(&str, &str)]) -> Taken {
    let limits = Limits { time: std::time::Duration::from_secs(5), ..Limits::default() };
    let open = |name| find(name, limits).unwrap_or_else(|e| panic!("{e}"));
    let (sim, native) = (open("sim"), open("native"));
    let mut taken = Taken { kernels: 0, ours: 0, tried: 0, theirs: [0; RULES.len()] };
    for path in files(folder) {
        let device = if path.extension().is_some_and(|e| e == "wgsl") { &*sim } else { &*native };
        let Some(seen) = see(&path, device, ops) else { continue };
        taken.kernels += 1;
        taken.ours += usize::from(seen.ours);
        let Some(theirs) = seen.theirs else { continue };
        taken.tried += 1;
        for (count, takes) in taken.theirs.iter_mut().zip(theirs) {
            *count += usize::from(takes);
        }
    }
    taken
}

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let ops: Vec<(String, String)> = std::fs::read_dir(root.join("ops"))
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|e| {
            let path = e.path();
            let name = path.file_stem()?.to_str()?.to_owned();
            (path.extension()? == "op").then(|| Some((name, std::fs::read_to_string(&path).ok()?)))?
        })
        .collect();
    let mut ops: Vec<(&str, &str)> = ops.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    ops.sort_unstable();
    let given: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let folder = |at: usize, own: &str| given.get(at).cloned().unwrap_or_else(|| root.join(own));
    let honest = taken(&folder(0, "kernels/forms"), &ops);
    let wrong = taken(&folder(1, "faults"), &ops);
    print!("{}", page(&honest, &wrong));
}

fn page(honest: &Taken, wrong: &Taken) -> String {
    let row = |name: &str, caught: (usize, usize), refused: (usize, usize)| {
        let share =
            |(n, of): (usize, usize)| format!("{n} of {of} ({:.0} %)", 100.0 * n as f64 / of.max(1) as f64);
        format!("| {name} | {} | {} |\n", share(caught), share(refused))
    };
    let ours = row(
        "ktwin",
        (wrong.kernels - wrong.ours, wrong.kernels),
        (honest.kernels - honest.ours, honest.kernels),
    );
    let theirs = RULES.iter().enumerate().map(|(at, (name, _))| {
        let caught = (wrong.tried - wrong.theirs[at], wrong.tried);
        row(name, caught, (honest.tried - honest.theirs[at], honest.tried))
    });
    format!(
        "# ktwin beside other rules\n\n\
         Kernels of this repository that are right (`kernels/forms`) and wrong (`faults`), in C and WGSL,\n\
         judged by ktwin and by the rules that others compare outputs by.\n\n\
         | rule | wrong kernels caught | honest kernels refused |\n|---|---|---|\n{ours}{}\n\
         ktwin ran its quick plan with the seed {SEED}. The other rules judge what their users give them:\n\
         one launch, on normal data, at the largest sizes of that plan, against the same reference in f64.\n\
         A kernel that crashes or hangs is caught by all of them. Many faults were written to show at some\n\
         sizes or data only, so this table says as much of one launch on normal data as of the rules. And\n\
         ktwin's tests hold it to each of these kernels: its own row shows that they pass, no more.\n\n\
         Made by `cargo run --release -p ktwin-devices --example peers`.\n",
        theirs.collect::<String>()
    )
}
