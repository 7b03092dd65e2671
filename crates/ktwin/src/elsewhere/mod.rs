//! Arrays that any program made: taken as the op's inputs and outputs, judged, and told of as text. Reads no files and
//! prints nothing.

mod apply;
mod convert;
mod page;
mod room;
mod settings;

use ktwin_check::elsewhere::{Claim, SHORT, judge as judge_each, needed};
use ktwin_check::{KernelReport, Setup};
use ktwin_lang::{Case, inside};
use ktwin_num::{Domain, Tensor};

pub use apply::{Applied, split};
pub use convert::{as_stored, convert};
pub use page::measures;
pub use room::room;
pub use settings::{Settings, pairs, rung, settings, unknown};

/// An array, and where it came from, in words.
pub struct Given {
    /// A file's name, or whatever else tells the user which array this is.
    pub from: String,
    /// The array itself.
    pub tensor: Tensor,
}

/// Bytes that stand beside each element of an output as it is judged.
const BESIDE: f64 = 40.0;

/// Judges outputs by inputs, both in the op's order and complete. The claim's sizes and scalars are those that the user
/// gave; the rest comes from the arrays and from the op's defaults. Gives the report, and the same as text.
pub fn judge(claim: Claim, inputs: &[Given], outputs: &[Given]) -> Result<(KernelReport, String), String> {
    let stored = inputs.iter().chain(outputs).map(|given| given.tensor.bytes.len() as f64).sum::<f64>();
    let elements = outputs.iter().map(|given| given.tensor.len() as f64).sum::<f64>();
    room(stored + BESIDE * elements, "compare a part of the arrays")?;
    let applied = apply::split(&claim.op, &claim.dims, inputs, outputs)?;
    let mut claim = Claim { dims: applied.dims.clone(), ..claim };
    apply::fit(&mut claim, &applied)?;
    let (report, sums) = judge_each(&claim, &applied.arrays, &applied.leading)?;
    let text = page::text(&claim, inputs, outputs, &applied, (&report, sums));
    Ok((report, text))
}

/// Whether the sums of these very inputs must be bounded by the worst case, since some honest order of them leaves the
/// statistical bar.
pub fn worst(case: &Case, setup: &Setup, inputs: &[Tensor]) -> Result<bool, String> {
    if case.longest_sum() <= SHORT {
        return Ok(true);
    }
    let promise = setup.promise(case, inputs, false);
    Ok(needed(case, inputs, &promise, setup.rounding(case))? > 1.0)
}

/// Reals outside their domain are evaluated all the same, but it is said. (Of integers the evaluator
/// refuses them.)
pub fn outside(case: &Case, at: usize, tensor: &Tensor) -> Option<String> {
    let (info, domain) = (&case.op.inputs[at], case.input_domain(at));
    if info.integer || domain == Domain::ALL_REALS {
        return None;
    }
    let values = tensor.to_f64();
    let found = values.iter().position(|v| !inside(&domain, *v))?;
    let declared = case.op.domain_shown(&info.domain);
    Some(format!("{}: element {found} is {}; the op declares {declared}", info.name, values[found]))
}
