//! Inputs of a case, filled by its regime in the layouts it names.

use ktwin_lang::{Case as OpCase, Elements, Meaning, Op, TensorInfo, Value};
use ktwin_num::{
    DType, Fill, Float, HALVES, LOWEST, Language, NARROW, Regime, Role, Sharp, Tensor, fill,
    flushes_subnormals, steady,
};

use crate::case::Case;
use crate::footprint;
use crate::guard;
use crate::huge::{self, Places};
use crate::kernel::Kernel;
use crate::marks;
use crate::plan::steady_kind;
use crate::setup::Setup;
use crate::weights;

/// A case with its inputs made.
#[derive(Clone, Debug)]
pub struct Prepared<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// The case.
    pub case: Case,
    /// How the op is stored and computed.
    pub setup: Setup,
    /// The op at its sizes.
    pub at: OpCase<'a>,
    /// Its inputs, in the op's order and in their layouts.
    pub inputs: Vec<Tensor>,
    /// Whether roundings of sums of these inputs may conspire.
    pub structured: bool,
    /// The elements of each output that are compared, where not all are.
    pub chosen: Option<Places>,
}

/// Makes a case's inputs.
pub fn prepare<'a>(kernel: &'a Kernel, case: &Case) -> Result<Prepared<'a>, String> {
    let at = case.bind(&kernel.op).map_err(|e| e.to_string())?;
    footprint::room(kernel, case, &at)?;
    let setup = Setup::of(kernel, &kernel.op);
    let mut inputs = setup.fill(case, &at)?;
    marks::lay(kernel, case, &at, &setup, &mut inputs)?;
    weights::lay(kernel, case, &at, &setup, &mut inputs)?;
    let structured = weights::is_structured(kernel, case, &at, &setup, &inputs)?;
    let chosen = huge::places(kernel, case, &at);
    Ok(Prepared { kernel, case: case.clone(), setup, at, inputs, structured, chosen })
}

impl<'a> Prepared<'a> {
    /// The same for a device whose functions are as accurate as these.
    pub fn with_functions(mut self, functions: Language) -> Prepared<'a> {
        self.setup.functions = functions;
        self
    }

    /// The same inputs for another way of writing the op.
    pub fn written_as(&self, op: &'a Op) -> Option<Prepared<'a>> {
        let setup = Setup { functions: self.setup.functions, ..Setup::of(self.kernel, op) };
        Some(Prepared { at: self.case.bind(op).ok()?, setup, ..self.clone() })
    }
}

/// The largest whole number among the scalars, by which something may be divided.
pub(crate) fn divisor(case: &Case) -> Option<i64> {
    let whole = case.scalars.iter().filter_map(|(_, value)| match value {
        Value::Int(by) => Some(by.saturating_abs()),
        _ => None,
    });
    whole.max().filter(|by| *by > 1)
}

/// The same integers, moved to multiples of a number and to those one below: there quotients change.
fn multiples(tensor: &Tensor, by: i64, fill: &Fill) -> Tensor {
    let moved = tensor.to_i64().into_iter().enumerate().map(|(at, value)| {
        let near = value / by * by - i64::from(at % 4 == 3);
        if fill.domain.contains(near as f64) { near as f64 } else { value as f64 }
    });
    Tensor::from_f64(tensor.dtype, &tensor.shape, &moved.collect::<Vec<_>>())
}

/// The same numbers, with 1 added on the diagonal of each matrix, which starts again at the left of those with more
/// rows than columns.
fn diagonal(tensor: &Tensor) -> Tensor {
    let [.., rows, columns] = tensor.shape[..] else { return tensor.clone() };
    let mut values = tensor.to_f64();
    for matrix in values.chunks_exact_mut((rows * columns).max(1)) {
        matrix.iter_mut().step_by(columns + 1).for_each(|v| *v += 1.0);
    }
    Tensor::from_f64(tensor.dtype, &tensor.shape, &values)
}

/// The numbers of the inputs that hold reals in any order.
pub fn reals(op: &Op) -> Vec<usize> {
    let is = |input: &usize| !op.inputs[*input].integer && op.inputs[*input].domain.sorted.is_none();
    (0..op.inputs.len()).filter(is).collect()
}

/// How often a place is looked for that nothing reads: at least, at most, and times the elements of the case.
const TRIES: (usize, usize, usize) = (24, 256, 1 << 18);
/// Elements that are tried where nothing says what is read.
const PROBED: usize = 32;
/// The elements up to which it is looked for.
const FEW: usize = 1 << 14;
/// Half of the other inputs is zero in every second group of so many kinds of cases with a NaN or an infinity.
pub const ZEROS_BESIDE: usize = 2;

/// Whether a NaN or an infinity is among the numbers of a tensor.
pub fn is_odd(tensor: &Tensor) -> bool {
    tensor.dtype.float().is_some() && tensor.to_f64().iter().any(|v| !v.is_finite())
}

impl Setup {
    /// All inputs of a case.
    pub fn fill(&self, case: &Case, at: &OpCase) -> Result<Vec<Tensor>, String> {
        let inputs = (0..self.inputs.len()).map(|number| self.input(case, at, number));
        let mut inputs = inputs.collect::<Result<Vec<_>, String>>()?;
        self.hide(case, at, &mut inputs);
        Ok(inputs)
    }

    /// One input of a case.
    pub fn input(&self, case: &Case, at: &OpCase, number: usize) -> Result<Tensor, String> {
        let info = &at.op.inputs[number];
        let reals = reals(at.op);
        let chosen_input = reals.get(case.chosen % reals.len().max(1)).copied();
        let (chosen, group) = (chosen_input == Some(number), case.chosen / reals.len().max(1));
        let ends = chosen_input.is_some_and(|input| self.reaches_ends(case, at, input));
        // of what one input alone is far away, others make it neither smaller nor larger
        let regime = match case.regime {
            _ if info.drawn => Regime::Uniform,
            // small numbers alone vanish beside others of their kind
            Regime::Tiny if !chosen && case.chosen >= reals.len() => Regime::Normal,
            Regime::Nan | Regime::Inf if !chosen && group / ZEROS_BESIDE % 2 == 1 => Regime::Sparse,
            Regime::Below | Regime::Above if !chosen && ends => Regime::Normal,
            Regime::Large if !chosen && group % 2 == 1 && self.is_narrow(number) => Regime::Normal,
            Regime::Nan | Regime::Inf | Regime::Far | Regime::Peaks if !chosen => Regime::Normal,
            regime => regime,
        };
        // one input of a pair is sparser than the other
        let beside = usize::from(regime == Regime::Sparse && !chosen);
        let kind = match (regime, reals.iter().position(|real| *real == number)) {
            (Regime::Steady, Some(place)) => steady_kind(case.chosen / reals.len(), place),
            _ => (group + 2 * beside) as u64,
        };
        let role = if chosen { Role::Wide } else { Role::Signs };
        let sharp = Sharp { accumulate: self.accumulate, length: at.longest_sum() as u64, role };
        let plan = Fill {
            regime,
            seed: case.seed,
            stream: number as u64,
            domain: at.input_domain(number),
            sharp: (!info.integer).then_some(sharp),
            kind: Some(kind),
            factors: at.op.factors(),
            beside_blocks: (0..self.inputs.len())
                .any(|n| n != number && matches!(self.inputs[n], DType::Block(_))),
            ends,
            row: at.input_shapes[number].last().map_or(0, |row| *row as u64),
            subnormal_scales: !flushes_subnormals(self.language),
        };
        let mut filled = fill(&plan, self.inputs[number], &at.input_shapes[number]);
        let divisor = divisor(case).filter(|_| regime == Regime::Exact && kind == HALVES && at.divides());
        let whole = matches!(filled.dtype, DType::Int { .. }) && info.domain.sorted.is_none();
        if let Some(by) = divisor.filter(|_| whole) {
            filled = multiples(&filled, by, &plan);
        }
        if (regime, kind) == (Regime::Steady, steady::NEAR_IDENTITY) {
            filled = diagonal(&filled);
        }
        filled.laid_out(case.layout(&info.name), &self.told[number])
    }

    /// Whether an input's type ends far below that of the arithmetic.
    pub(crate) fn is_narrow(&self, input: usize) -> bool {
        let ends = self.inputs[input].float().map(Float::max_finite);
        ends.is_some_and(|most| most <= NARROW && self.compute.max_finite() > most)
    }

    /// Whether an input's numbers far from zero are the largest of its type: where nothing overflows on the way, and
    /// all that holds them is as wide.
    fn reaches_ends(&self, case: &Case, at: &OpCase, input: usize) -> bool {
        let kind = case.chosen / reals(at.op).len().max(1);
        let far = kind % 2 == 1 && matches!(case.regime, Regime::Below | Regime::Above);
        let most = |dtype: DType| match dtype {
            // the largest that f32 holds is made of codes up to 1 1/2
            DType::Block(_) => Some(1.5 * ktwin_num::pow2(127)),
            _ => dtype.float().map(Float::max_finite),
        };
        let Some(largest) = most(self.inputs[input]).filter(|_| far && self.ends && self.rounds.is_none())
        else {
            return false;
        };
        let wide = |(info, dtype): (&TensorInfo, &Option<DType>)| {
            let holds = dtype.is_none_or(|dtype| dtype.float().is_some_and(|f| f.max_finite() >= largest));
            info.integer || holds
        };
        let stored = at.op.outputs.iter().zip(&self.outputs).all(wide);
        let fits = kind as u64 == LOWEST || at.op.passes_on(input);
        stored && self.compute.max_finite() >= largest && fits
    }

    /// In cases of the second kind with a NaN or an infinity it goes wherever the op reads nothing, if there are such
    /// places: into rows past the end of a cache, or slots of a page that are not filled.
    fn hide(&self, case: &Case, at: &OpCase, inputs: &mut [Tensor]) {
        let reals = reals(at.op);
        let second = case.chosen / reals.len().max(1) % 2 == 1;
        let hides = second && matches!(case.regime, Regime::Nan | Regime::Inf);
        let elements = at.output_shapes.iter().chain(&at.input_shapes);
        let elements: usize = elements.map(|s| s.iter().product::<usize>()).sum();
        if !hides || elements > FEW {
            return;
        }
        let tries = (TRIES.2 / elements.max(1)).clamp(TRIES.0, TRIES.1);
        let Some(&chosen) = reals.get(case.chosen % reals.len().max(1)) else { return };
        let first = inputs[chosen].clone();
        let mut values = first.to_f64();
        let Some(first_at) = values.iter().position(|v| !v.is_finite()) else { return };
        let spare = values[(first_at + 1) % values.len()];
        let special = std::mem::replace(&mut values[first_at], spare);
        let mut hidden = false;
        for number in 0..tries as u64 {
            let place = (guard::mixed(case.seed ^ number) % values.len() as u64) as usize;
            let before = std::mem::replace(&mut values[place], special);
            let shown = inputs[chosen].clone();
            if self.is_finite_with(case, at, inputs, chosen, &values) {
                hidden = true;
            } else {
                (values[place], inputs[chosen]) = (before, shown);
            }
        }
        if !hidden {
            inputs[chosen] = first;
        }
    }

    /// Whether the op gives numbers where one input has these values, which it has from then on.
    fn is_finite_with(
        &self,
        case: &Case,
        at: &OpCase,
        inputs: &mut [Tensor],
        number: usize,
        values: &[f64],
    ) -> bool {
        let tensor = Tensor::from_f64(inputs[number].dtype, &inputs[number].shape, values);
        let layout = case.layout(&at.op.inputs[number].name);
        let Ok(tensor) = tensor.laid_out(layout, &self.told[number]) else { return false };
        inputs[number] = tensor;
        let plain = at.evaluate(inputs, &Meaning::Exact, Elements::All);
        plain.is_ok_and(|all| all.iter().flat_map(|o| &o.values).all(|v| v.is_finite()))
    }

    /// Whether the op leaves out some element of an input, as far as a few tell.
    pub fn leaves_out(&self, case: &Case, at: &OpCase, number: usize) -> bool {
        let Ok(inputs) = self.fill(case, at) else { return false };
        let values = inputs[number].to_f64();
        let step = (values.len() / PROBED).max(1);
        (0..values.len()).step_by(step).any(|place| {
            let mut others = values.clone();
            others[place] = f64::NAN;
            self.is_finite_with(case, at, &mut inputs.clone(), number, &others)
        })
    }
}
