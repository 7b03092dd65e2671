//! `ktwin ops --prove`: the table that shows each op's bars held from both sides. Prints; the proving is
//! done elsewhere.

use std::time::Instant;

use ktwin::catalogue;
use ktwin_num::{Float, Regime};
use ktwin_spec::{Coarse, Op, Proof, prove};

use crate::outcome::{DONE, Outcome, WRONG, say};

/// The storage types that ops are usually given.
const STORAGE: [Float; 3] = [Float::F32, Float::F16, Float::BF16];

/// Proves the bars of these ops, or of all.
pub fn run(names: &[String]) -> Outcome {
    let all: Vec<String> = catalogue::OPS.iter().map(|(name, _)| name.to_string()).collect();
    let names = if names.is_empty() { &all } else { names };
    let ops = names.iter().map(|n| catalogue::op(n)).collect::<Result<Vec<_>, _>>()?;
    say(HEADER);
    let start = Instant::now();
    let (mut sound, mut sharp, mut total) = (0, 0, 0);
    let named = |op: &Op, n: usize| Op {
        name: format!("{} {}", op.name, op.forms[n].shown(n)),
        ..op.forms[n].op.clone()
    };
    let forms = |op: &Op| (0..op.forms.len()).map(|n| named(op, n)).collect::<Vec<_>>();
    let written: Vec<Op> = ops.iter().flat_map(|op| [vec![op.clone()], forms(op)].concat()).collect();
    for op in &written {
        for storage in STORAGE {
            let proof = prove(op, storage, &Regime::ALL);
            say(&row(&proof));
            total += 1;
            sound += usize::from(proof.sound());
            sharp += usize::from(proof.sharp());
        }
    }
    say(&format!(
        "\n{sound} of {total} sound: every honest evaluation inside its bar; {sharp} of {total} sharp: every \
         coarser rung seen in some case\n{:.1} s. Honest: all orders of summation, fused and not, all regimes, \
         rung f32. A ratio is error / bar.\n",
        start.elapsed().as_secs_f64()
    ));
    Ok(if sound == total { DONE } else { WRONG })
}

const HEADER: &str =
    "                               honest            one rung too coarse: largest ratio (sharp cases)
op                  storage    runs  worst   all operations        accumulator alone     cases blind
";

fn row(proof: &Proof) -> String {
    let storage = proof.storage.name();
    if let Some(problem) = &proof.problem {
        return format!("{:<20}{storage:<8} not tried: {problem}\n", proof.op);
    }
    let coarse: Vec<String> = proof.coarse.iter().map(|c| format!("{:<22}", way(c))).collect();
    let mark = if proof.sound() { "" } else { "  UNSOUND at " };
    let at = if proof.sound() { "" } else { &proof.honest_at };
    let blind = match proof.blind.len() {
        n if n == proof.cases => format!("{n}: no case can be sharp"),
        n => n.to_string(),
    };
    format!(
        "{:<20}{storage:<8}{:>7} {:>6.3}   {}{:>5} {blind}{mark}{at}\n",
        proof.op,
        proof.honest,
        proof.honest_worst,
        coarse.concat(),
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
