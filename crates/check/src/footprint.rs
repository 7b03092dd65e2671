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

/// Bytes of scratch for each product of all sizes, and for each pair of them, that an honest kernel may need where that
/// is too much.
const EACH: f64 = 4096.0 * 4.0 * COPIES;
const PAIR: f64 = 16.0 * 4.0 * COPIES;

/// Refuses a case that takes too much.
pub fn room(kernel: &Kernel, case: &Case, at: &OpCase) -> Result<(), String> {
    let bytes = tensors(kernel, case, at)? + scratches(kernel, at)?;
    match bytes <= MOST_BYTES {
        true => Ok(()),
        false => {
            let (needs, most) = (gib(bytes), gib(MOST_BYTES));
            Err(format!("it needs {needs:.0} GiB of memory; the limit for a case is {most:.0} GiB"))
        }
    }
}

/// Why a case whose tensors fit has no room for scratch: a contract that leaves it out must say so in its limits, or a
/// kernel could hide sizes there. Scratch for all sizes together, or for each pair, may be too much of itself.
pub fn narrowed(kernel: &Kernel, case: &Case, at: &OpCase) -> Option<String> {
    tensors(kernel, case, at).ok().filter(|bytes| *bytes <= MOST_BYTES)?;
    let all = at.dims.iter().map(|size| *size as f64).product::<f64>();
    let usual = (EACH * all).max(PAIR * all * all);
    let why = match scratches(kernel, at) {
        Ok(more) if more <= MOST_BYTES.max(usual) => return None,
        Ok(more) => format!("scratch takes {:.0} GiB of memory", gib(more)),
        Err(why) => why,
    };
    let sizes: Vec<String> = case.dims.iter().map(|(name, size)| format!("{name}={size}")).collect();
    Some(format!(
        "{why} at {}, which op and contract take: limit the sizes in `dims` or `where`",
        sizes.join(",")
    ))
}

/// How many of these cases, at least one, may be in memory together.
pub fn together(kernel: &Kernel, cases: &[Case]) -> usize {
    let bytes = |case: &Case| {
        let at = case.bind(&kernel.op).ok()?;
        Some(tensors(kernel, case, &at).ok()? + scratches(kernel, &at).ok()?)
    };
    let mut left = MOST_BYTES;
    let fits = cases.iter().take_while(|case| {
        left -= bytes(case).unwrap_or(0.0);
        left >= 0.0
    });
    fits.count().max(1)
}

fn gib(bytes: f64) -> f64 {
    bytes / f64::from(1 << 30)
}

/// What inputs, outputs and the twin take.
fn tensors(kernel: &Kernel, case: &Case, at: &OpCase) -> Result<f64, String> {
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
    Ok(bytes)
}

fn scratches(kernel: &Kernel, at: &OpCase) -> Result<f64, String> {
    let mut bytes = 0.0;
    for scratch in &kernel.contract.scratch {
        let elements = elements(kernel, scratch, at)? as f64;
        bytes += COPIES * elements * scratch.dtype.bytes_per_block() as f64 + margins();
    }
    Ok(bytes)
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
