//! `ktwin judge-rule`: what rules are worth, on evaluations of the catalogue that are known to be honest, coarser or
//! wrong. Prints a table, or the page docs/tolerances.md.

use std::fmt::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use indicatif::{ProgressBar, ProgressStyle};
use ktwin::catalogue;
use ktwin_check::policy_examples::{EXAMPLES, Example};
use ktwin_check::rules::{Share, Tally, samples, tally};
use ktwin_check::{PRESETS, Policy, RULES};
use ktwin_lang::{Op, Promised, examples};
use ktwin_num::{DType, Float, Regime};

use crate::outcome::{DONE, Failure, Outcome, say};

const AFTER: &str = "\
Honest evaluations compute in f32, with sums in any order, fused or not. Coarser ones compute or sum in tf32, f16 or \
bf16; only those that differ count. Wrong ones are zeros, a constant, elements shifted by one, a last tile dropped, a \
row repeated, one per cent zeroed, and the op with one operator, index, bound, function or constant changed, where \
that moves some number by more than 16 units in the last place. Ordinary data are normal and uniform; stress is large, \
mixed and sparse data, and outliers.

Examples:
  ktwin judge-rule torch allclose:rtol=1e-3,atol=1e-5 --op gemm,softmax
  ktwin judge-rule --list
  ktwin judge-rule --page > docs/tolerances.md";

/// What a rule is worth: how many honest results it refuses, and how many wrong ones it takes
#[derive(clap::Args)]
#[command(after_help = AFTER)]
pub struct Args {
    /// Policies, as --policy takes them; by default, the error bar and every preset
    policies: Vec<String>,
    /// Only these ops; by default, the whole catalogue
    #[arg(long, value_name = "OP,...", value_delimiter = ',')]
    op: Vec<String>,
    /// The type that tensors are stored in: f32, f16, bf16; by default, each of them
    #[arg(long, value_name = "TYPE")]
    storage: Option<String>,
    /// List every policy with its formula, and judge none
    #[arg(long)]
    list: bool,
    /// Write the page on policies, docs/tolerances.md, with the table of all of them
    #[arg(long, conflicts_with_all = ["policies", "op", "storage", "list"])]
    page: bool,
    /// The seed of the data
    #[arg(long, default_value_t = 7, allow_negative_numbers = true, value_parser = crate::amount::seed)]
    seed: u64,
}

/// Regimes of ordinary data, and those that strain a rule.
const ORDINARY: [Regime; 2] = [Regime::Normal, Regime::Uniform];
const STRESS: [Regime; 4] = [Regime::Large, Regime::Mixed, Regime::Sparse, Regime::Outliers];

/// Rules that are judged where none is named, beside the presets.
const USUAL: [&str; 9] =
    ["bar", "torch", "by_type", "correlation", "cosine", "exact", "residual", "twice", "ulp:4"];

/// Runs the subcommand.
pub fn run(args: &Args) -> Outcome {
    if args.list {
        say(&list());
        return Ok(DONE);
    }
    let usual = USUAL.iter().copied().chain(PRESETS.iter().map(|p| p.name)).map(String::from);
    let asked: Vec<String> = if args.policies.is_empty() { usual.collect() } else { args.policies.clone() };
    let policies = asked.iter().map(|text| Policy::parse(text)).collect::<Result<Vec<_>, _>>();
    let policies = policies.map_err(Failure::usage)?;
    let all: Vec<String> = catalogue::OPS.iter().map(|(name, _)| name.to_string()).collect();
    let names = if args.op.is_empty() { all } else { args.op.clone() };
    let mut ops = names.iter().map(|name| catalogue::op(name)).collect::<Result<Vec<Op>, _>>()?;
    match ops.iter().find(|op| op.is_random()) {
        Some(random) if !args.op.is_empty() => {
            let (op, why) = (&random.name, "no rule for elements decides of it");
            return Err(Failure::usage(format!("op {op} is random, and judged by its law: {why}")));
        }
        _ => ops.retain(|op| !op.is_random()),
    }
    let storages = match &args.storage {
        Some(name) => vec![storage(name).map_err(Failure::usage)?],
        None => vec![DType::F32, DType::F16, DType::BF16],
    };
    let bar = bar(storages.len() * ops.len());
    let tables: Vec<(DType, Vec<Row>)> =
        storages.iter().map(|dtype| (*dtype, table(&ops, &policies, *dtype, args.seed, &bar))).collect();
    bar.finish_and_clear();
    say(&if args.page { page(&tables, ops.len()) } else { terminal(&tables) });
    Ok(DONE)
}

fn storage(name: &str) -> Result<DType, String> {
    match DType::parse(name)? {
        dtype @ DType::Float(_) => Ok(dtype),
        dtype => Err(format!("--storage {dtype}: honest evaluations store floats: write f32, f16 or bf16")),
    }
}

/// What a rule did on ordinary data and under stress.
struct Row {
    policy: String,
    ordinary: Tally,
    stress: Tally,
}

/// How far the tables are, on standard error where that is a terminal.
fn bar(steps: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("[{bar:20}] {pos} of {len}  {wide_msg}");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(steps as u64).with_style(style.progress_chars("=> "))
}

/// Judges every policy on every op.
fn table(ops: &[Op], policies: &[Policy], dtype: DType, seed: u64, bar: &ProgressBar) -> Vec<Row> {
    let empty = || policies.iter().map(|_| (Tally::default(), Tally::default())).collect::<Vec<_>>();
    let sums = Mutex::new(empty());
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(op) = ops.get(next.fetch_add(1, Ordering::Relaxed)) {
            bar.set_message(format!("{}, stored in {dtype}", op.name));
            let own = of_op(op, policies, dtype, seed);
            bar.inc(1);
            let mut sums = sums.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            for (sum, own) in sums.iter_mut().zip(own) {
                *sum = (sum.0.and(own.0), sum.1.and(own.1));
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let sums = sums.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let row = |(policy, (ordinary, stress)): (&Policy, (Tally, Tally))| Row {
        policy: policy.text.clone(),
        ordinary,
        stress,
    };
    policies.iter().zip(sums).map(row).collect()
}

fn of_op(op: &Op, policies: &[Policy], dtype: DType, seed: u64) -> Vec<(Tally, Tally)> {
    let mut out: Vec<(Tally, Tally)> =
        policies.iter().map(|_| (Tally::default(), Tally::default())).collect();
    for example in examples(op, &Promised::f32(dtype.float().unwrap_or(Float::F32))) {
        for regime in ORDINARY.into_iter().chain(STRESS) {
            let Ok(samples) = samples(op, &example, dtype, regime, seed) else { continue };
            for (policy, (ordinary, stress)) in policies.iter().zip(&mut out) {
                let sum = if ORDINARY.contains(&regime) { ordinary } else { stress };
                *sum = sum.and(tally(&samples, policy));
            }
        }
    }
    out
}

fn percent(share: Share) -> String {
    match (share.count, share.of) {
        (_, 0) => "-".into(),
        (0, _) => "0".into(),
        (count, of) if 2000 * count < of => "< 0.1 %".into(),
        (count, of) => format!("{:.1} %", 100.0 * count as f64 / of as f64),
    }
}

const HEAD: [&str; 6] = [
    "rule",
    "honest refused",
    "honest refused, stress",
    "coarser taken",
    "wrong taken",
    "wrong taken, stress",
];

fn cells(row: &Row) -> [String; 6] {
    [
        row.policy.clone(),
        percent(row.ordinary.refused),
        percent(row.stress.refused),
        percent(row.ordinary.coarse),
        percent(row.ordinary.wrong),
        percent(row.stress.wrong),
    ]
}

fn terminal(tables: &[(DType, Vec<Row>)]) -> String {
    let mut out = String::new();
    for (dtype, rows) in tables {
        let lines: Vec<[String; 6]> =
            std::iter::once(HEAD.map(String::from)).chain(rows.iter().map(cells)).collect();
        let width = |c: usize| lines.iter().map(|l| l[c].chars().count()).max().unwrap_or(0);
        let _ = writeln!(out, "stored in {dtype}, computed in f32{}", counted(rows));
        for line in &lines {
            let cells: Vec<String> = (0..6).map(|c| format!("{:<1$}", line[c], width(c))).collect();
            let _ = writeln!(out, "  {}", cells.join("  ").trim_end());
        }
    }
    out
}

fn counted(rows: &[Row]) -> String {
    rows.first().map_or(String::new(), |row| {
        let (a, b) = (row.ordinary, row.stress);
        let (honest, coarse, wrong) = (a.refused.of + b.refused.of, a.coarse.of, a.wrong.of + b.wrong.of);
        format!(": {honest} honest results, {coarse} coarser on ordinary data, {wrong} wrong")
    })
}

fn list() -> String {
    let mut out = String::new();
    for row in RULES {
        let _ = writeln!(out, "{}\n    {}", row.usage(), row.formula);
    }
    out.push_str("\nin use elsewhere:\n");
    for preset in PRESETS {
        let _ = writeln!(out, "{}\n    {}: {}", preset.name, preset.is, preset.by);
    }
    out
}

const INTRO: &str = "\
# Tolerances

The error bar decides, unless a policy is named with its reason: in a contract,

```toml
op      = \"add\"
args    = [\"a\", \"b\", \"c\", { N = \"u32\" }]
policy  = { use = \"allclose:rtol=1e-2,atol=1e-3\", why = \"the model was trained with noise of 1e-2\" }
```

in the registry of a project (`ktwin.toml`, [docs/project.md](project.md)), or by `ktwin test
--policy ... --why ...` and `ktwin compare --policy ...`. Reports say which policy decided, and
measure every output by all measures, whichever did. `ktwin calibrate` finds a tolerance for a
kernel between what honest evaluations need and what a lower precision does. NaN where a number is
expected is wrong under every policy; elements of which nothing is promised are judged by none. A
policy that accepts zeros everywhere makes its kernel blind, and so does one that accepts numbers a
quarter off in every ordinary case, where the bar would tell one rung from the next. It weakens a
promise: `ktwin judge` and `--min-promise` refuse it in a submission.

In the formulas, g is the kernel's output and e the expected value, the twin's in f64.

";

const EXAMPLE: &str = "
An example of each. The expected output is (1, -2, 4), in f32, with bars of 1e-6; the sum has three
terms, and the formula in f32 gives (1.0000001, -2, 4). The second and third elements are right; the
first decides:

| policy | takes | refuses |
|---|---|---|
";

fn example(one: &Example) -> String {
    format!("| `{}` | {} | {} |", one.policy, one.takes, one.refuses)
}

const MIDDLE: &str = "
## What each is worth

Every op of the catalogue, at small, drawn and long sizes, evaluated in ways that are known to be
honest, coarser or wrong. Honest evaluations compute in f32, with sums in five orders, fused or not.
Coarser ones compute or sum in tf32, f16 or bf16; only those that differ in some bit count. Wrong
outputs are zeros, a constant, elements shifted by one, a last tile dropped, a row repeated, one per
cent zeroed; and the op with one operator, index, bound, function or constant changed, eight such
changes a case, where that moves some number by more than 16 units in the last place. Ordinary data
are normal and uniform; stress data are large, mixed, sparse, or have outliers. Outputs are stored
in floats; rules that were made for i8 or for blocks are judged on floats like all others. A good
rule has zeros in every column. Where outputs are stored in fewer bits, most of what coarser
arithmetic changes is lost in storing, and no rule can see it. Nor does a last element, a repeated
row, a rung or a changed formula show in every op at every size: what the error bar accepts here,
other cases refuse.
";

fn page(tables: &[(DType, Vec<Row>)], ops: usize) -> String {
    let mut out = INTRO.to_string();
    out.push_str("| policy | takes an output if |\n|---|---|\n");
    for row in RULES {
        let _ = writeln!(out, "| `{}` | {} |", row.usage(), row.formula.replace('|', "\\|"));
    }
    out.push_str(
        "\nRules in use elsewhere, by names of their own:\n\n| preset | is | used by |\n|---|---|---|\n",
    );
    for preset in PRESETS {
        let _ = writeln!(out, "| `{}` | `{}` | {} |", preset.name, preset.is, preset.by);
    }
    out.push_str(EXAMPLE);
    for one in EXAMPLES {
        let _ = writeln!(out, "{}", example(one));
    }
    out.push_str(MIDDLE);
    for (dtype, rows) in tables {
        let _ = writeln!(out, "\n### Stored in {dtype}\n\n{ops} ops{}.\n", counted(rows));
        let _ = writeln!(out, "| {} |\n|{}", HEAD.join(" | "), "---|".repeat(HEAD.len()));
        for row in rows {
            let cells = cells(row);
            let _ = writeln!(out, "| `{}` | {} |", cells[0], cells[1..].join(" | "));
        }
    }
    out.push_str(
        "\nMade by `ktwin judge-rule --page`. On kernels instead of evaluations:\n[ktwin beside \
         other rules](other-rules.md).\n",
    );
    out
}
