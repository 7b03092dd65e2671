//! NaN that must come out: a bar without an end would let anything take its place.

use std::path::PathBuf;

use ktwin::catalogue::{self, OPS};
use ktwin_check::{Amount, Kernel, SourceKind, plan, prepare};
use ktwin_num::Regime;

/// The most elements of an input that are filled.
const SMALL: usize = 1 << 14;

/// An op as a kernel that promises to hand NaN on.
fn kernel(name: &str) -> Option<Kernel> {
    let op = catalogue::op(name).unwrap();
    if !ktwin_draft::plain(&op) || op.is_random() {
        return None;
    }
    let text = ktwin_draft::kernel(&op, name, SourceKind::C).unwrap();
    let text = text.replacen("\nargs ", "\nnan = \"propagate\"\nargs ", 1);
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("nan");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join(format!("{name}.c"));
    std::fs::write(&file, text).unwrap();
    Some(Kernel::load(&file, OPS).unwrap())
}

#[test]
fn no_nan_of_any_op_may_come_out_as_a_number() {
    let (mut ops, mut seen) = (0, 0);
    for (name, _) in OPS {
        let Some(kernel) = kernel(name) else { continue };
        let cases = plan(&kernel, Amount::QUICK).unwrap().cases;
        let alone =
            |case: &&ktwin_check::Case| case.regime == Regime::Nan && case.chosen < kernel.op.inputs.len();
        let (mut judged, mut first) = (0, None);
        for case in cases.iter().filter(alone) {
            let prepared = prepare(&kernel, case).unwrap();
            if prepared.inputs.iter().any(|input| input.len() > SMALL) {
                continue;
            }
            for output in prepared.expected().unwrap() {
                let nan = (0..output.values.len()).filter(|at| output.values[*at].is_nan());
                let (free, due): (Vec<usize>, Vec<usize>) =
                    nan.partition(|at| output.bars[*at] == f64::INFINITY);
                judged += due.len();
                first = first.or(free.first().map(|at| format!("{}[{at}] in {case}", output.name)));
            }
        }
        assert_eq!(first, None, "{name}: a number would pass for the NaN that is due");
        (ops, seen) = (ops + usize::from(judged > 0), seen + judged);
    }
    assert!(ops > 80 && seen > 1000, "{seen} NaN of {ops} ops");
}
