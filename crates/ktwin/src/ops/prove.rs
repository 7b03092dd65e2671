//! `ktwin ops --prove`: the table that shows each op's bars held from both sides. Prints; the proving is
//! done elsewhere.

use std::time::Instant;

use ktwin::catalogue;
use ktwin_lang::{Coarse, Op, Promised, Proof, prove};
use ktwin_num::Regime;

use crate::outcome::{DONE, Outcome, WRONG, say};

/// Proves the bars of these ops, or of all.
pub fn run(names: &[String]) -> Outcome {
    let all: Vec<String> = catalogue::OPS.iter().map(|(name, _)| name.to_string()).collect();
    let names = if names.is_empty() { &all } else { names };
    let ops = names.iter().map(|n| catalogue::op(n)).collect::<Result<Vec<_>, _>>()?;
    say(HEADER);
    let start = Instant::now();
    let mut proofs = Vec::new();
    for (op, name) in ops.iter().zip(names) {
        if op.is_random() {
            say(&format!("{:<20}random: its kernels are judged by their law\n", op.name));
            continue;
        }
        let variants = catalogue::variants(name)?;
        for (op, variants) in std::iter::once((op.clone(), variants)).chain(forms(op)) {
            for promised in Promised::ALL {
                let proof = prove(&op, &variants, promised, &Regime::ALL);
                say(&row(&proof));
                proofs.push(proof);
            }
        }
    }
    say(&summary(&proofs, start.elapsed().as_secs_f64()));
    Ok(if proofs.iter().all(Proof::sound) { DONE } else { WRONG })
}

/// The forms of an op, each as an op of its own.
fn forms(op: &Op) -> Vec<(Op, Vec<Op>)> {
    let named = |(n, form): (usize, &ktwin_lang::Form)| {
        let name = format!("{} {}", op.name, form.shown(n));
        (Op { name, ..form.op.clone() }, Vec::new())
    };
    op.forms.iter().enumerate().map(named).collect()
}

const HEADER: &str =
    "                                            honest                 one rung too coarse: largest ratio (sharp cases)
op                  storage, rungs        runs  worst ways   all operations        accumulator alone     cases blind
";

fn row(proof: &Proof) -> String {
    let promised = proof.promised.name();
    if let Some(problem) = &proof.problem {
        return format!("{:<20}{promised:<22} not tried: {problem}\n", proof.op);
    }
    let of = |name: &str| proof.coarse.iter().find(|c| c.name == name).map_or("-".into(), way);
    let coarse = format!("{:<22}{:<22}", of("all operations"), of("accumulator"));
    let mark = if proof.sound() { "" } else { "  UNSOUND at " };
    let at = if proof.sound() { "" } else { &proof.honest_at };
    let blind = match proof.blind.len() {
        n if n == proof.cases => format!("{n}: no case can be sharp"),
        n => n.to_string(),
    };
    format!(
        "{:<20}{promised:<20}{:>6} {:>6.3} {:>4}   {coarse}{:>5} {blind}{mark}{at}\n",
        proof.op,
        proof.honest,
        proof.honest_worst,
        proof.variants + 1,
        proof.cases
    )
}

fn way(coarse: &Coarse) -> String {
    let (rung, sharp) = (coarse.rung.name(), coarse.sharp);
    match coarse.worst {
        _ if !coarse.differs => "no difference".to_string(),
        w if w <= 1.0 => format!("{rung} {w:.2}, not seen"),
        w if w > 9e5 => format!("{rung} any ({sharp})"),
        w => format!("{rung} {w:.1} ({sharp})"),
    }
}

fn summary(proofs: &[Proof], seconds: f64) -> String {
    let count = |of: fn(&Proof) -> bool| proofs.iter().filter(|p| of(p)).count();
    let named = |of: fn(&Proof) -> bool| {
        let names = proofs.iter().filter(|p| !of(p)).map(|p| format!("  {} ({})", p.op, p.promised.name()));
        names.collect::<Vec<_>>().join("\n")
    };
    let listed = |title: &str, rows: String| match rows.is_empty() {
        true => String::new(),
        false => format!("{title}\n{rows}\n"),
    };
    format!(
        "\n{} of {total} sound: every honest evaluation inside its bar\n{} of {total} sharp: every coarser rung \
         seen in some case\n{}{}{seconds:.1} s. Honest: all orders of summation, fused and not, all regimes, drawn \
         sizes and scalars, every way of writing\nthe op in ops/variants. A ratio is error / bar.\n",
        count(Proof::sound),
        count(Proof::sharp),
        listed("Not sound:", named(Proof::sound)),
        listed("Not sharp:", named(Proof::sharp)),
        total = proofs.len()
    )
}
