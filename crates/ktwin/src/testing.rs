//! The library for `cargo test`: a kernel tested in one line, Rust functions as kernels, and the twin of an
//! op.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use ktwin_check::{
    Call, Case, Chosen, Closure, Day, Event, Kernel, KernelReport, Level, Options, Registry, Repeat, Setup,
    Verdict,
};
use ktwin_devices::Limits;
use ktwin_lang::{Elements, Meaning, Op, Output, Value};
use ktwin_num::DType;

use crate::golden::{self, Golden};
use crate::{catalogue, explain, suite};

/// What is tested: a file on a device, or a function.
enum Subject {
    File(PathBuf),
    Function(String),
}

/// A kernel about to be tested. Nothing happens before [`KernelTest::check`] or [`KernelTest::run`].
pub struct KernelTest {
    subject: Subject,
    device: Chosen,
    options: Options,
}

/// A kernel's file, to be tested on the simulated GPU, or on the host where it is C, C++ or Rust.
///
/// ```no_run
/// ktwin::kernel("kernels/rmsnorm.wgsl").quick().check();
/// ```
pub fn kernel(path: impl AsRef<Path>) -> KernelTest {
    let path = path.as_ref().to_path_buf();
    let kind = ktwin_check::SourceKind::of_path(&path);
    let device = kind.and_then(suite::device_for).unwrap_or_else(|| "sim".to_string());
    KernelTest { subject: Subject::File(path), device: device.into(), options: Options::default() }
}

/// A Rust function as a kernel; its contract is TOML, as at the top of a kernel's file. `args` name what it
/// reads.
///
/// ```
/// let contract = "op = 'scale'\nargs = ['x', 'y', { N = 'u32', alpha = 'f32' }]";
/// ktwin::closure(contract, |call| {
///     let alpha = call.value("alpha") as f32;
///     let y: Vec<f64> = call.read("x").iter().map(|x| f64::from(alpha * *x as f32)).collect();
///     call.write("y", &y);
/// })
/// .quick()
/// .check();
/// ```
pub fn closure(contract: &str, function: impl Fn(&mut Call) + Send + Sync + 'static) -> KernelTest {
    let subject = Subject::Function(contract.to_string());
    KernelTest { subject, device: Closure::new(function).into(), options: Options::default() }
}

impl KernelTest {
    /// Every size and every regime once, and no more.
    pub fn quick(mut self) -> KernelTest {
        self.options.amount.level = Level::Quick;
        self
    }

    /// Also shapes of language models, longer sizes, and most pairs of sizes.
    pub fn standard(mut self) -> KernelTest {
        self.options.amount.level = Level::Standard;
        self
    }

    /// Also every size in every regime, all pairs of sizes, and large shapes of models: many minutes.
    pub fn thorough(mut self) -> KernelTest {
        self.options.amount.level = Level::Thorough;
        self
    }

    /// Also the largest sizes that the contract accepts, and a thousand launches of one case: for hardware, or for much
    /// patience.
    pub fn stress(mut self) -> KernelTest {
        self.options.amount.stress = true;
        self
    }

    /// The device to run on: the name of one, the path of a program that runs kernels, or a device of one's own
    /// ([`crate::device`]).
    pub fn device(mut self, device: impl Into<Chosen>) -> KernelTest {
        self.device = device.into();
        self
    }

    /// The seed that the cases' seeds come from; drawn where there is none.
    pub fn seed(mut self, seed: u64) -> KernelTest {
        self.options.seed = Some(seed);
        self
    }

    /// One case alone, as a failure shows it.
    pub fn case(mut self, case: impl std::fmt::Display) -> KernelTest {
        self.options.case = Some(case.to_string());
        self
    }

    /// The kernel with its contract and its op.
    pub fn load(&self) -> Result<Kernel, String> {
        let loaded = match &self.subject {
            Subject::File(path) => Kernel::load(path, catalogue::OPS),
            Subject::Function(contract) => Kernel::of_contract("closure", contract, catalogue::OPS),
        };
        loaded.map_err(|e| e.to_string())
    }

    /// Runs the test and returns what is said of the kernel. The error says why it could not be run.
    pub fn run(&self) -> Result<KernelReport, String> {
        let mut kernel = self.load()?;
        let registry = match &self.subject {
            Subject::File(path) => Registry::of(path).map_err(|e| e.to_string())?,
            Subject::Function(_) => None,
        };
        registry.as_ref().map_or(Ok(()), |registry| registry.govern(&mut kernel))?;
        let (emit, stop) = (|_: Event| {}, AtomicBool::new(false));
        let (before, after) = (".case(\"".into(), "\") before .check()".into());
        let repeat = Repeat { before, after, ..Repeat::default() };
        let options = Options { repeat, ..self.options.clone() };
        let device = match &self.device {
            Chosen::Own(device) => device.clone(),
            Chosen::Named(name) => ktwin_devices::find(name, Limits::default())?,
        };
        let report = ktwin_check::check(&kernel, &*device, &options, &emit, &stop);
        let whole = !options.amount.is_quick() && options.case.is_none();
        Ok(match registry {
            Some(registry) => registry.judged(report, whole, Day::today()),
            None => report,
        })
    }

    /// Runs the test and panics, with all that is known, unless the kernel passes, or is wrong as `ktwin.toml`
    /// expects: an assertion of `cargo test`.
    #[track_caller]
    pub fn check(&self) {
        self.must_be(&[Verdict::Pass, Verdict::Expected]);
    }

    /// The same for single cases that were drawn: one that could not have failed is fine.
    #[track_caller]
    pub fn not_wrong(&self) {
        self.must_be(&[Verdict::Pass, Verdict::Blind, Verdict::Expected]);
    }

    /// Panics unless the kernel's snapshot, `snapshots/gelu.wgsl.snap` beside `gelu.wgsl`, holds what its small cases
    /// give now: the twin, and of a kernel that promises the same bits twice its own. What changed, or was never
    /// pinned, is written to `gelu.wgsl.snap.new`, which `cargo insta review` shows; where `CI` is set, or the kernel
    /// is wrong, nothing is written.
    #[track_caller]
    pub fn pinned(&self) {
        if let Err(message) = self.drifted() {
            panic!("{message}");
        }
    }

    fn drifted(&self) -> Result<(), String> {
        let Subject::File(file) = &self.subject else {
            return Err("a function has no file that a snapshot could lie beside".into());
        };
        let kernel = self.load()?;
        let device = match &self.device {
            Chosen::Own(device) => golden::repeats(&kernel).map(|()| device.clone()),
            Chosen::Named(name) => golden::device(&kernel, Some(name))?,
        };
        let golden = Golden::of(file, &kernel, device, false)?;
        if golden.is_same() {
            golden.forget();
            return Ok(());
        }
        let mut lines = vec![match (&golden.before, golden.wrong.is_empty()) {
            (Some(_), true) => format!("{} is not as it was pinned", kernel.name),
            (Some(_), false) => format!("{} is wrong, and not as it was pinned", kernel.name),
            (None, true) => format!("nothing is pinned of {}", kernel.name),
            (None, false) => format!("nothing is pinned of {}, and it is wrong", kernel.name),
        }];
        let told = golden.drift.iter().chain(&golden.wrong);
        lines.extend(told.map(|line| format!("  {}", explain::visible(line))));
        if std::env::var_os("CI").is_none() && golden.wrong.is_empty() {
            golden.propose()?;
            let next = golden.next();
            lines.push(format!("written to {}: take it with `cargo insta review`", next.display()));
        }
        Err(lines.join("\n"))
    }

    #[track_caller]
    fn must_be(&self, verdicts: &[Verdict]) {
        match self.run() {
            Ok(report) if verdicts.contains(&report.verdict) => {}
            Ok(report) => {
                let lines = explain::told(&report).join("\n");
                panic!("{} {}\n{lines}", report.verdict, explain::summary(&report));
            }
            Err(message) => panic!("{message}"),
        }
    }
}

/// The kernels that a pattern finds in a package's folder, except for known ones: what `kernels!` could not see
/// when it was compiled.
pub fn added(root: &str, pattern: &str, known: &[&str]) -> Vec<PathBuf> {
    let found = glob::glob(&Path::new(root).join(pattern).to_string_lossy()).into_iter().flatten().flatten();
    found.filter(|file| file.is_file() && !known.iter().any(|k| Path::new(k) == file)).collect()
}

/// The twin of an op.
pub struct Twin {
    op: Op,
}

/// An op of the catalogue, or of the `.op` file at a path, as a reference for tests of any kind.
///
/// ```
/// let twin = ktwin::op("rmsnorm")?;
/// let made = twin.made("R=2,D=8,regime=normal,seed=7")?;
/// assert_eq!(made.outputs[0].shape, [2, 8]);
/// # Ok::<(), String>(())
/// ```
pub fn op(name_or_path: &str) -> Result<Twin, String> {
    catalogue::op(name_or_path).map(|op| Twin { op }).map_err(|e| e.to_string())
}

/// Inputs that were made, and what the twin says of them.
#[derive(Clone, Debug)]
pub struct Made {
    /// The inputs, in the op's order; of a random op, its draws after them.
    pub inputs: Vec<ktwin_num::Tensor>,
    /// The outputs with the bars of an honest f32 kernel whose functions are correctly rounded.
    pub outputs: Vec<Output>,
}

impl Twin {
    /// The op itself.
    pub fn op(&self) -> &Op {
        &self.op
    }

    /// Inputs of a case, such as `R=4,D=896,eps=1e-5,regime=normal,seed=7`, stored as f32, and the outputs
    /// for them.
    pub fn made(&self, case: &str) -> Result<Made, String> {
        let mut case = Case::of_op(&self.op, case)?;
        for (_, scalar) in &mut case.scalars {
            if let Value::Real(value) = scalar {
                *value = DType::F32.round(*value);
            }
        }
        let op = self.op.with_draws();
        let (at, setup) = (case.bind(&op).map_err(|e| e.to_string())?, Setup::plain(&op));
        let inputs = setup.fill(&case, &at)?;
        // whatever the inputs are: sums are bounded by the worst case
        let meaning = Meaning::Bars(setup.promise(&at, &inputs, true));
        let outputs = at.evaluate(&inputs, &meaning, Elements::All).map_err(|e| e.to_string())?;
        Ok(Made { inputs, outputs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_kernel_is_seen_and_a_known_one_is_not() {
        let root = env!("CARGO_MANIFEST_DIR");
        let known = format!("{root}/kernels/c/silu.c");
        let found = added(root, "kernels/c/silu*.c", &[&known]);
        assert_eq!(found, [Path::new(root).join("kernels/c/silu_gate.c")]);
    }
}
