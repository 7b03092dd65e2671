//! Every shader with one known mistake gets its finding at any warp width and schedule, and nothing of
//! another kind; its repaired twin gets none.

use ktwin_sim::{Finding, Options, Severity};
use ktwin_sim_proof::header::Expected;
use ktwin_sim_proof::shader::{self, Shader};
use ktwin_sim_proof::simulate;
use libtest_mimic::{Arguments, Failed, Trial};

const WIDTHS: [u32; 4] = [1, 8, 32, 64];
const SEEDS: [u64; 2] = [0, 7];
const BUDGET: u64 = 1 << 17;

fn main() {
    let shaders = shader::folder("faults").unwrap_or_else(|e| panic!("{e}"));
    let faulty = |s: &&Shader| !s.header.finding.is_empty();
    assert!(shaders.iter().filter(faulty).count() >= 40);
    for shader in shaders.iter().filter(faulty) {
        let twin = format!("{}.fixed", shader.name);
        assert!(shaders.iter().any(|s| s.name == twin && s.header.finding.is_empty()), "no {twin}");
    }
    let trials = shaders.into_iter().map(|s| Trial::test(s.name.clone(), move || found(&s)));
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

fn found(shader: &Shader) -> Result<(), Failed> {
    let module = simulate::compile(shader)?;
    for warp in WIDTHS {
        for seed in SEEDS {
            let options = Options { warp, seed, budget: BUDGET, ..Options::default() };
            let outcome = simulate::run(&module, shader, &options)?;
            judge(shader, &outcome.run.findings).map_err(|e| format!("warp {warp}, seed {seed}: {e}"))?;
        }
    }
    Ok(())
}

fn judge(shader: &Shader, findings: &[Finding]) -> Result<(), String> {
    let all: String = findings.iter().map(|f| format!("\n    {f}")).collect();
    for expected in &shader.header.finding {
        if !findings.iter().any(|f| is(expected, f)) {
            return Err(format!("no `{}` at `{}` among:{all}", expected.kind, expected.at));
        }
    }
    let kinds = |f: &&Finding| !shader.header.finding.iter().any(|e| e.kind == f.kind.name());
    match findings.iter().filter(|f| f.severity == Severity::Error).find(kinds) {
        Some(other) => Err(format!("also found: {other}")),
        None => Ok(()),
    }
}

// A race names two lines; either may be the one expected.
fn is(expected: &Expected, f: &Finding) -> bool {
    let here = f.text.contains(&expected.at);
    let there = f.other.as_ref().is_some_and(|o| o.text.contains(&expected.at));
    let weight = if expected.note { Severity::Note } else { Severity::Error };
    f.kind.name() == expected.kind && f.severity == weight && (here || there) && f.line > 0
}
