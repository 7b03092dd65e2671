//! The memory that a case takes, counted before any of it is allocated: inputs, outputs, room to work in, canaries and
//! the twin. All in f64, which no product of sizes overflows.

use ktwin_lang::Case as OpCase;
use ktwin_num::Tensor;

use crate::case::Case;
use crate::kernel::Kernel;
use crate::launch::MARGIN;

/// Most memory that a case may take.
const MOST_BYTES: f64 = (8u64 << 30) as f64;
/// Copies of a buffer: two launches, each with one that is kept to compare with.
const COPIES: f64 = 4.0;
/// What stands beside an output's element: its value, what that lacks, its bar, what came out.
const BESIDE: f64 = 32.0;

/// Refuses a case that takes too much.
pub fn room(kernel: &Kernel, case: &Case, at: &OpCase) -> Result<(), String> {
    let op = &kernel.op;
    let inputs = op.inputs.iter().zip(&at.input_shapes).map(|(info, shape)| (info, shape, 1.0, 0.0));
    let outputs = op.outputs.iter().zip(&at.output_shapes).map(|(info, shape)| (info, shape, 0.0, BESIDE));
    let mut bytes = 0.0;
    for (info, shape, more, beside) in inputs.chain(outputs) {
        let dtype = kernel.dtype(&info.name);
        let stored = Tensor::bytes_needed(dtype, shape).map_err(|e| format!("{}: {e}", info.name))?;
        let elements = shape.iter().map(|n| *n as f64).product::<f64>();
        // rows that are padded are at most twice as long, and those of one element longer still
        let padded = if case.layout(&info.name) == ktwin_num::Layout::Row { 1.0 } else { 4.0 };
        bytes += (COPIES + more) * padded * stored as f64 + beside * elements + margins();
    }
    for scratch in &kernel.contract.scratch {
        let elements = elements(kernel, scratch, at)? as f64;
        bytes += COPIES * elements * scratch.dtype.bytes_per_block() as f64 + margins();
    }
    let gib = |bytes: f64| bytes / f64::from(1 << 30);
    match bytes <= MOST_BYTES {
        true => Ok(()),
        false => Err(format!(
            "it needs {:.0} GiB of memory; the limit for a case is {:.0} GiB",
            gib(bytes),
            gib(MOST_BYTES)
        )),
    }
}

fn margins() -> f64 {
    COPIES * 2.0 * MARGIN as f64
}

/// Elements of a scratch buffer, at least one.
pub fn elements(kernel: &Kernel, scratch: &crate::contract::Scratch, at: &OpCase) -> Result<u64, String> {
    let elements = kernel.whole(&scratch.elements, at)?;
    let counted = u64::try_from(elements).map(|n| n.max(1));
    counted.map_err(|_| format!("scratch `{}` would have {elements} elements", scratch.name.text))
}
