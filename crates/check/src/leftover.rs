//! Kernels that take what an earlier call left in an output or in scratch for the result of this one: whoever uses a
//! kernel calls it with the same buffers again and again, and what they hold is what it wrote there before.

use ktwin_num::Language;

use crate::again;
use crate::altered;
use crate::case::Case;
use crate::device::{Access, Failure, Launch, Program, Ran};
use crate::inputs::prepare;
use crate::kernel::Kernel;
use crate::trial::{self, Begun};
use crate::verdict::CaseReport;

/// Changes of inputs that are tried.
const CHANGES: usize = 7;

/// What is wrong of launches that find the outputs of another launch in their own, with inputs that differ by little.
/// None where nothing is.
pub fn test(
    kernel: &Kernel,
    program: &dyn Program,
    case: &Case,
    functions: Language,
) -> Result<Option<Box<CaseReport>>, Failure> {
    let whole = prepare(kernel, case).map_err(Failure::Broken)?.with_functions(functions);
    let broken = |report: Box<CaseReport>| Failure::Broken(report.reason);
    let (_, own) = trial::begin_with(whole.clone()).map_err(broken)?;
    let Some(own) = own.into_iter().next() else { return Ok(None) };
    let Some(left) = program.run(vec![own.clone()]).pop().transpose()? else { return Ok(None) };
    let mut changes: Vec<(String, Begun)> = Vec::new();
    let mut launches = Vec::new();
    for (said, prepared) in altered::with_changes(&whole).into_iter().take(CHANGES) {
        let (begun, changed) = trial::begin_with(prepared).map_err(broken)?;
        launches.extend(changed.into_iter().flat_map(|launch| [own.clone(), holding(launch, &own, &left)]));
        changes.push((format!("where buffers hold what an earlier call left, with {said}"), begun));
    }
    let ran: Vec<_> = program.run(launches).into_iter().skip(1).step_by(2).collect();
    let mut ran = ran.into_iter();
    for (said, begun) in changes {
        let two: Vec<_> = ran.by_ref().take(2).collect();
        // what never ran is no result
        if two.len() < 2 {
            break;
        }
        if let Some(report) = again::bad(begun.finish(two, false).map(|trial| trial.report), &said) {
            return Ok(Some(report));
        }
    }
    Ok(None)
}

/// A launch whose outputs and scratch buffers hold what another launch wrote to its own; what that one left alone, as
/// between rows, stays as it is.
fn holding(mut launch: Launch, own: &Launch, left: &Ran) -> Launch {
    for ((buffer, before), left) in launch.buffers.iter_mut().zip(&own.buffers).zip(&left.buffers) {
        if !matches!(buffer.access, Access::Write | Access::Scratch) || left.len() != buffer.bytes.len() {
            continue;
        }
        for at in buffer.body.clone().filter(|at| before.bytes.get(*at) != left.get(*at)) {
            buffer.bytes[at] = left[at];
        }
    }
    launch
}
