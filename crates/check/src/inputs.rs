//! Inputs of a case, filled by its regime in the layouts it names, and the promise that its bars are made
//! from.

use ktwin_lang::{Case as OpCase, Elements, Meaning, Promise, Rounding};
use ktwin_num::{DType, Fill, Float, Language, Regime, Role, Sharp, Tensor, fill};

use crate::case::Case;
use crate::footprint;
use crate::guard;
use crate::kernel::Kernel;

/// A case with its inputs made.
#[derive(Clone, Debug)]
pub struct Prepared<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// The case.
    pub case: Case,
    /// Whose functions the kernel's are as accurate as: its language's, or those of a device that promises more.
    pub functions: Language,
    /// The op at its sizes.
    pub at: OpCase<'a>,
    /// Its inputs, in the op's order and in their layouts.
    pub inputs: Vec<Tensor>,
}

/// Makes a case's inputs.
pub fn prepare<'a>(kernel: &'a Kernel, case: &Case) -> Result<Prepared<'a>, String> {
    let at = case.bind(&kernel.op).map_err(|e| e.to_string())?;
    footprint::room(kernel, case, &at)?;
    let inputs = (0..kernel.op.inputs.len()).map(|i| input(kernel, case, &at, i));
    let inputs = inputs.collect::<Result<Vec<_>, String>>()?;
    let functions = kernel.rules();
    let mut prepared = Prepared { kernel, case: case.clone(), functions, at, inputs };
    prepared.hide();
    Ok(prepared)
}

/// The numbers of the inputs that hold reals.
pub fn reals(kernel: &Kernel) -> Vec<usize> {
    (0..kernel.op.inputs.len()).filter(|i| !kernel.op.inputs[*i].integer).collect()
}

fn input(kernel: &Kernel, case: &Case, at: &OpCase, number: usize) -> Result<Tensor, String> {
    let info = &kernel.op.inputs[number];
    let (dtype, shape) = (kernel.dtype(&info.name), &at.input_shapes[number]);
    let reals = reals(kernel);
    let chosen = reals.get(case.chosen % reals.len().max(1)) == Some(&number);
    // of what one input alone is far away, others make it neither smaller nor larger
    let regime = match case.regime {
        // small numbers alone vanish beside others of their kind
        Regime::Tiny if !chosen && case.chosen >= reals.len() => Regime::Normal,
        Regime::Nan | Regime::Inf | Regime::Far | Regime::Peaks if !chosen => Regime::Normal,
        regime => regime,
    };
    let role = if chosen { Role::Wide } else { Role::Signs };
    let sharp = Sharp { accumulate: kernel.contract.accumulate, length: at.longest_sum() as u64, role };
    let plan = Fill {
        regime,
        seed: case.seed,
        stream: number as u64,
        domain: at.input_domain(number),
        sharp: (!info.integer).then_some(sharp),
        kind: Some((case.chosen / reals.len().max(1)) as u64),
    };
    kernel.laid_out(&fill(&plan, dtype, shape), &info.name, case)
}

/// How often another place is looked for that nothing reads.
const TRIES: u64 = 8;
/// The elements up to which it is looked for.
const FEW: usize = 1 << 14;

impl Prepared<'_> {
    /// In cases of the second kind with a NaN or an infinity it goes where the op reads nothing, if there is such a
    /// place: into rows past the end of a cache, or a slot of a page that is not filled.
    fn hide(&mut self) {
        let reals = reals(self.kernel);
        let second = self.case.chosen / reals.len().max(1) % 2 == 1;
        let hides = second && matches!(self.case.regime, Regime::Nan | Regime::Inf);
        let elements = self.at.output_shapes.iter().chain(&self.at.input_shapes);
        if !hides || elements.map(|s| s.iter().product::<usize>()).sum::<usize>() > FEW {
            return;
        }
        let Some(&chosen) = reals.get(self.case.chosen % reals.len().max(1)) else { return };
        let first = self.inputs[chosen].clone();
        for number in 0..TRIES {
            let plain = self.at.evaluate(&self.inputs, &Meaning::Exact, Elements::All);
            let Ok(outputs) = plain else { break };
            if outputs.iter().flat_map(|o| &o.values).all(|v| v.is_finite()) {
                return;
            }
            let moved = Case { seed: guard::mixed(self.case.seed ^ number), ..self.case.clone() };
            let Ok(tensor) = input(self.kernel, &moved, &self.at, chosen) else { break };
            self.inputs[chosen] = tensor;
        }
        self.inputs[chosen] = first;
    }

    /// What bars are made from, for a pair of rungs.
    pub fn promise(&self, compute: Float, accumulate: Float) -> Promise {
        let op = self.at.op;
        let mut promise = Promise::new(op, self.kernel.rules(), compute, accumulate);
        promise.functions = self.functions;
        // who names a rung for integers means it
        promise.integers = !self.kernel.contract.names("compute");
        promise.structured = self.case.regime.is_structured();
        promise.outputs = self.outputs();
        promise.rounds = self.kernel.rounds(self.at.op);
        promise.reading(&self.inputs)
    }

    /// What a kernel of these rungs would return.
    pub fn rounding(&self, compute: Float, accumulate: Float) -> Rounding {
        let mut rounding = Rounding::new(self.at.op, compute, accumulate);
        rounding.outputs = self.outputs();
        rounding.rounds = self.kernel.rounds(self.at.op);
        rounding
    }

    fn outputs(&self) -> Vec<Option<DType>> {
        self.kernel.op.outputs.iter().map(|o| Some(self.kernel.dtype(&o.name))).collect()
    }
}
