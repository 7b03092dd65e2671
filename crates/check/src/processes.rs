//! Kernels whose results depend on the process they run in: on addresses, which every process has others of, on its
//! number, on the processor it is on, on when it began.

use std::time::Instant;

use ktwin_num::Language;

use crate::case::Case;
use crate::device::{Failure, Program, Ran};
use crate::finding::{Finding, Kind};
use crate::kernel::Kernel;
use crate::trial;
use crate::verdict::{CaseReport, Verdict};

/// Processes that each run the same launch.
const PROCESSES: usize = 4;

/// What differs between processes where the contract promises the same bits. None where nothing does.
pub fn test(
    kernel: &Kernel,
    program: &dyn Program,
    case: &Case,
    functions: Language,
) -> Result<Option<Box<CaseReport>>, Failure> {
    if !kernel.contract.promises.deterministic || !kernel.op.valid.is_empty() {
        return Ok(None);
    }
    let started = Instant::now();
    let (_, launches) =
        trial::begin(kernel, case, functions).map_err(|report| Failure::Broken(report.reason))?;
    let Some(launch) = launches.into_iter().next() else { return Ok(None) };
    let ran = |_| program.run(vec![launch.clone()]);
    let all: Vec<Ran> = (0..PROCESSES).flat_map(ran).collect::<Result<_, _>>()?;
    let differs = |number: &usize| all.iter().any(|ran| ran.buffers[*number] != all[0].buffers[*number]);
    let Some(number) = (0..launch.buffers.len()).find(differs) else { return Ok(None) };
    let message = format!(
        "the same launch gives different bits of `{}` in different processes: they depend on an address, on the \
         processor, or on the time",
        launch.buffers[number].name
    );
    let mut report = trial::without_result(case, Verdict::Fail, String::new(), started);
    report.findings.push(Finding::new(Kind::NotRepeatable, message));
    Ok(Some(Box::new(report)))
}
