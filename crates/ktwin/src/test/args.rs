//! The command line of `ktwin test`.

use std::path::PathBuf;

use super::paint::When;

const AFTER: &str = "\
A kernel is a file with its contract at the top: `ktwin new` writes one to start from. Folders are searched \
for files with a contract.

Examples:
  ktwin test kernels/                             shaders on sim, C and C++ on the host
  ktwin test kernels/ --device sim,vulkan         shaders on a driver as well
  ktwin test kernels/ --op rmsnorm --list         what would run
  ktwin test kernels/ --last-failed --fail-fast   what failed, up to the first failure
  ktwin test k.wgsl --case R=1,D=257,seed=7       exactly one case

A failing kernel is never retried: one that fails only sometimes is wrong.

Exit codes: 0 every kernel passes; 1 a kernel is wrong, crashes or hangs, or a required device is missing; \
2 wrong usage, or a file that is not a valid kernel; 3 a kernel was not judged: nothing ran, ktwin itself failed, \
there is no evidence, time ran out, or the kernel was skipped (its device is missing, no device named runs its \
language, a case did not fit in memory) without --allow-skip; 130 interrupted.";

/// How results are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people.
    Terminal,
    /// One event a line.
    Json,
    /// JUnit XML.
    Junit,
}

/// Test kernels: is each right, to what precision, and if not, where and why
#[derive(Clone, clap::Args)]
#[command(after_help = AFTER)]
pub struct Args {
    /// Kernel files, and folders to search
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Devices to run on, as `ktwin devices` lists them; by default, sim for shaders and native for C, C++ and Rust
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub device: Vec<String>,
    /// Devices that must be available: a missing one is a failure, not a skip. They are added to the devices to run
    /// on. `sandbox`: run kernels in machine code in a complete sandbox or not at all
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub require: Vec<String>,
    /// Each size once, in few regimes, and few drawn cases
    #[arg(long)]
    pub quick: bool,
    /// The seed of all inputs; by default, a new one for each kernel
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Run a single case, as a failure shows it
    #[arg(long, value_name = "CASE")]
    pub case: Option<String>,
    /// Hold kernels to the promise in a TOML file instead of their own. Of a kernel's own contract only what concerns
    /// the launch counts, and what would weaken the promise is refused
    #[arg(long, value_name = "FILE")]
    pub contract: Option<PathBuf>,
    /// The least that a contract must promise: a TOML file, or words such as
    /// compute=f32,deterministic,share=0.5,N=..=4096. A kernel that promises less fails
    #[arg(long, value_name = "FILE|WORDS")]
    pub min_promise: Option<String>,
    /// Decide by a rule in the place of the error bars, as `ktwin judge-rule --list` has them:
    /// allclose:rtol=1e-2,atol=1e-3, nmse:1e-7, torch …
    #[arg(long, value_name = "POLICY", requires = "why")]
    pub policy: Option<String>,
    /// Why the error bars are not to decide: every report says so
    #[arg(long, value_name = "TEXT", requires = "policy")]
    pub why: Option<String>,
    /// Only kernels whose path contains this text
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Only kernels that compute one of these ops
    #[arg(long, value_name = "OP,...", value_delimiter = ',')]
    pub op: Vec<String>,
    /// Only kernels in one of these languages: c, cpp, cuda, wgsl …, or a file extension
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub language: Vec<String>,
    /// Only kernels that failed when they last ran from this folder
    #[arg(long)]
    pub last_failed: bool,
    /// List what would run, and run nothing
    #[arg(long)]
    pub list: bool,
    /// Stop at the first kernel that is wrong
    #[arg(long)]
    pub fail_fast: bool,
    /// Test each kernel this many times, with new inputs each time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: u32,
    /// Test all kernels again and again, with new inputs each time, until one is wrong
    #[arg(long, conflicts_with = "repeat")]
    pub until_fail: bool,
    /// Exit with 0, not 3, if kernels were skipped while others pass
    #[arg(long)]
    pub allow_skip: bool,
    /// How results are shown
    #[arg(long, value_enum, default_value = "terminal")]
    pub format: Format,
    /// When to use colour
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    pub color: When,
    /// Also write JUnit XML to a file
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Kernels to test at a time; 0 for as many as there are processors
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub jobs: usize,
    /// Seconds that one launch in a child process may take
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    pub timeout: u64,
    /// Seconds that the whole run may take. If kernels are left by then, the report says so, and the exit code is 3
    /// unless something was wrong
    #[arg(long, value_name = "SECONDS")]
    pub time: Option<u64>,
    /// Also show, for passing kernels, what their plans leave out and what the device noted
    #[arg(long, short)]
    pub verbose: bool,
}
