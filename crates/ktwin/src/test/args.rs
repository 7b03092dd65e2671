//! The command line of `ktwin test`.

use std::path::PathBuf;

use super::paint::When;
use crate::amount::{AmountArgs, seconds};

const AFTER: &str = "\
A kernel is a file with its contract at the top: `ktwin new` writes one to start from. Folders are searched \
for files with a contract.

Examples:
  ktwin test kernels/                             shaders on sim, C and C++ on the host
  ktwin test kernels/ --device sim,vulkan         shaders on a driver as well
  ktwin test kernels/ --op rmsnorm --list         what would run
  ktwin test kernels/ --last-failed --fail-fast   what failed, up to the first failure
  ktwin test k.wgsl --case R=1,D=257,seed=7       exactly one case
  ktwin test kernels/ --report page.html          a page to show, beside what is printed here

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
    /// For people, with annotations for GitHub at the lines of what is wrong.
    Github,
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
    #[command(flatten)]
    pub plan: AmountArgs,
    /// The seed of all inputs; by default, a new one for each kernel
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = crate::amount::seed)]
    pub seed: Option<u64>,
    /// Run a single case, as a failure shows it. Where the op has a scalar `seed`, the seed of the inputs is
    /// `case.seed`
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
    /// A real array for an input: w=model.gguf:blk.0.attn_norm.weight, or a .safetensors, .pt, .npz or .npy file.
    /// Every case has it in the place of drawn numbers: its first elements, or all of them over and over. May be given
    /// several times
    #[arg(long, value_name = "NAME=FILE[:ARRAY]")]
    pub weights: Vec<String>,
    /// Decide by a rule in the place of the error bars, as `ktwin judge-rule --list` has them:
    /// allclose:rtol=1e-2,atol=1e-3, nmse:1e-7, torch …
    #[arg(long, value_name = "POLICY", requires = "why")]
    pub policy: Option<String>,
    /// Why the error bars are not to decide: every report says so
    #[arg(long, value_name = "TEXT", requires = "policy")]
    pub why: Option<String>,
    /// Also run NVIDIA's compute-sanitizer (memcheck, racecheck, initcheck, synccheck) on the smallest failing case, or
    /// on one sharp case, of each kernel on the device cuda. A kernel passes only if it ran and found nothing
    #[arg(long, conflicts_with_all = ["list", "watch"])]
    pub sanitize: bool,
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
    /// Only every Nth of these kernels, beginning with the Kth: 3/16 is the third of sixteen equal parts
    #[arg(long, value_name = "K/N", value_parser = shard)]
    pub shard: Option<(usize, usize)>,
    /// Test a kernel again whenever its file changes, by the quick plan, until Ctrl-C. The case in which it failed
    /// comes first, and the others when that passes
    #[arg(long, conflicts_with_all = ["list", "repeat", "until_fail", "time"])]
    pub watch: bool,
    /// List what would run, and run nothing
    #[arg(long)]
    pub list: bool,
    /// Stop at the first kernel that is wrong
    #[arg(long)]
    pub fail_fast: bool,
    /// Test each kernel this many times, with new inputs each time
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true,
        value_parser = crate::amount::some)]
    pub repeat: u32,
    /// Nothing is tested until it passes: refused, with what to write instead
    #[arg(long = "retries", hide = true, value_name = "N", num_args = 0..=1, default_missing_value = "10",
        value_parser = retries)]
    _retries: Option<u32>,
    /// Test all kernels again and again, with new inputs each time, until one is wrong
    #[arg(long, conflicts_with = "repeat")]
    pub until_fail: bool,
    /// Exit with 0, not 3, if kernels were skipped while others pass
    #[arg(long)]
    pub allow_skip: bool,
    /// How results are shown; by default terminal, and github in GitHub's CI
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// When to use colour
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    pub color: When,
    /// Also write a report to a file: one page of HTML (.html), Markdown for a pull request (.md), a table (.csv) or
    /// JUnit (.xml). May be given several times
    #[arg(long, value_name = "FILE")]
    pub report: Vec<PathBuf>,
    /// Write the smallest failing case of each kernel that is wrong to a folder of its own in this one: all arrays, and
    /// how to load them. `ktwin show` draws them
    #[arg(long, value_name = "DIR")]
    pub dump: Option<PathBuf>,
    /// Also write JUnit XML to a file
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Kernels to test at a time; 0 for as many as there are processors
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true,
        value_parser = crate::amount::count)]
    pub jobs: usize,
    /// The time that one launch in a child process may take: 10s, 2m, or a number of seconds; cases of hundreds of
    /// millions of terms get more
    #[arg(long, value_name = "TIME", default_value = "10", allow_negative_numbers = true, value_parser = some_seconds)]
    pub timeout: u64,
    /// The time that the whole run may take: 60s, 2m, or a number of seconds. If kernels are left by then, the report
    /// says so, and the exit code is 3 unless something was wrong
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub time: Option<u64>,
    /// Also show, for passing kernels, what their plans leave out and what the device noted
    #[arg(long, short)]
    pub verbose: bool,
}

impl Args {
    /// How results are shown.
    pub fn format(&self) -> Format {
        let on_github = || std::env::var_os("GITHUB_ACTIONS").is_some_and(|v| v == "true");
        self.format.unwrap_or_else(|| if on_github() { Format::Github } else { Format::Terminal })
    }
}

/// A part of the kernels, `3/16`.
fn shard(text: &str) -> Result<(usize, usize), String> {
    let parts = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
    parts.filter(|(k, n)| (1..=*n).contains(k)).ok_or("write K/N with K from 1 to N, such as 3/16".into())
}

/// What people are used to write for flaky tests.
fn retries(text: &str) -> Result<u32, String> {
    Err(format!(
        "a kernel that fails only sometimes is wrong, so none is tested until it passes; `--repeat {text}` shows how \
         often it fails"
    ))
}

/// A time in seconds, and not none at all.
fn some_seconds(text: &str) -> Result<u64, String> {
    seconds(text).and_then(|n| if n > 0 { Ok(n) } else { Err("write at least a second".into()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts() {
        assert_eq!((shard("3/16"), shard("1/1")), (Ok((3, 16)), Ok((1, 1))));
        assert!(["0/3", "4/3", "3", "a/b", "1/0"].iter().all(|text| shard(text).is_err()));
    }
}
