//! Every recorded expression of WGSL gives what the standard accepts, in every mode: nothing outside the intervals.

use ktwin_sim::{Mode, Options};
use ktwin_sim_proof::golden::{self, Expression};
use std::collections::BTreeMap;

const SHOWN: usize = 3;

// A line for each case with a result outside, whatever the seed.
fn outside(expression: &Expression, mode: Mode, seeds: &[u64]) -> Vec<String> {
    let mut shown = BTreeMap::new();
    let module = match expression.compile() {
        Ok(module) => module,
        Err(error) => return vec![format!("{}: {error}", expression.text)],
    };
    for &seed in seeds {
        match expression.run(&module, &Options { mode, seed, counts: false, ..Options::default() }) {
            Ok(outside) => shown.extend(outside.iter().map(|o| (o.case, expression.show(o)))),
            Err(error) => return vec![format!("{}: {error}", expression.text)],
        }
    }
    shown.into_values().collect()
}

fn none_outside(mode: Mode, seeds: &[u64]) {
    let expressions = golden::expressions().unwrap();
    let (mut cases, mut report, mut all) = (0, String::new(), 0);
    for expression in &expressions {
        let outside = outside(expression, mode, seeds);
        cases += expression.cases.len();
        all += outside.len();
        if !outside.is_empty() {
            let first = outside[..outside.len().min(SHOWN)].join("\n  ");
            report += &format!("{} of {}\n  {first}\n", outside.len(), expression.cases.len());
        }
    }
    assert!(cases > 12_000, "only {cases} cases were run:\n{report}");
    assert!(all == 0, "{all} cases have results outside what is accepted:\n{report}");
}

#[test]
fn nearest() {
    none_outside(Mode::Nearest, &[0]);
}

#[test]
fn worst() {
    none_outside(Mode::Worst, &[1, 2, 3, 4]);
}

#[test]
fn range() {
    none_outside(Mode::Range, &[1, 2]);
}
