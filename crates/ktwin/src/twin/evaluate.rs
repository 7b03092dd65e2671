//! Evaluates a case and writes its outputs with their bars, an output's numbers never held twice.

use ktwin::elsewhere;
use ktwin_lang::{Case, Elements, Meaning, Output, Promise, stored};
use ktwin_num::{DType, Float, Rng, Tensor};

use super::files::Files;
use super::report::Report;
use super::request::{Chosen, Request};
use super::watch::Watch;

/// Numbers written between two looks at whether to stop.
const PART: usize = 1 << 16;

/// Refuses what could only fail later: no room, no such elements, types that no output can have.
pub fn check(case: &Case, request: &Request) -> Result<(), String> {
    let mut bytes = 0f64;
    for (at, shape) in case.output_shapes.iter().enumerate() {
        let (size, name) = (elements_of(shape), &case.op.outputs[at].name);
        if let Some(dtype) = request.output_types[at] {
            Tensor::bytes_needed(dtype, shape).map_err(|e| format!("output {name}: {e}"))?;
            if matches!(dtype, DType::Block(_)) && request.elements.is_some() {
                return Err(format!(
                    "output {name}: {dtype} packs elements together; remove --elements or the type"
                ));
            }
        }
        if let Some(Chosen::List(list)) = &request.elements
            && let Some(place) = list.iter().find(|p| **p >= size)
        {
            return Err(format!("--elements: element {place} does not exist: output {name} has {size}"));
        }
        bytes += 16.0 * request.elements.as_ref().map_or(size, |chosen| chosen.count(size)) as f64;
    }
    for (at, shape) in case.input_shapes.iter().enumerate() {
        let dtype = request.setup.inputs[at];
        let each = dtype.bytes_per_block() as f64 / dtype.elements_per_block() as f64;
        bytes += each * elements_of(shape) as f64;
    }
    elsewhere::room(bytes, "choose smaller sizes or --elements")
}

fn elements_of(shape: &[usize]) -> usize {
    shape.iter().fold(1usize, |n, size| n.saturating_mul(*size))
}

impl Chosen {
    fn count(&self, size: usize) -> usize {
        match self {
            Chosen::Count(count) => (*count).min(size),
            Chosen::List(list) => list.len(),
        }
    }

    /// The chosen elements of an output: a list as it is; a number of them spread by the seed, first and
    /// last included.
    fn places(&self, size: usize, seed: u64, output: usize) -> Vec<usize> {
        let count = match self {
            Chosen::List(list) => return list.clone(),
            Chosen::Count(count) => (*count).min(size),
        };
        let mut rng = Rng::new(seed ^ 0x656c_656d_656e_7473, output as u64);
        // one from each of as many equal parts
        let part = |i: usize| (i as u128 * size as u128 / count as u128) as usize;
        let mut places: Vec<usize> =
            (0..count).map(|i| part(i) + rng.below((part(i + 1) - part(i)) as u64) as usize).collect();
        if let [first, ..] = places.as_mut_slice() {
            *first = 0;
        }
        if let [_, .., last] = places.as_mut_slice() {
            *last = size - 1;
        }
        places
    }
}

/// Evaluates, and writes every output and its bars.
pub fn outputs(
    case: &Case,
    request: &Request,
    inputs: &[Tensor],
    files: &mut Files,
    watch: &Watch,
) -> Result<Vec<Report>, String> {
    let promise = request.setup.promise(case, inputs, worst(request));
    let mut work = Work { case, request, files, watch };
    match &request.elements {
        None => work.write(inputs, &promise, Elements::All, None),
        Some(chosen) => {
            let mut reports = Vec::new();
            for (output, shape) in case.output_shapes.iter().enumerate() {
                let places = chosen.places(elements_of(shape), request.case.seed, output);
                work.places(output, shape, &places)?;
                reports.extend(work.write(inputs, &promise, Elements::Of(output, &places), Some(&places))?);
            }
            Ok(reports)
        }
    }
}

/// Where arrays are given and nothing else is asked for, honest orders of their sums say whether bars may be
/// statistical.
pub fn settle(case: &Case, request: &mut Request, inputs: &[Tensor]) -> Result<(), String> {
    if request.worst.is_some() || request.files.is_empty() {
        return Ok(());
    }
    request.worst = Some(elsewhere::worst(case, &request.setup, inputs)?);
    Ok(())
}

/// Whether sums are bounded by the worst case.
pub fn worst(request: &Request) -> bool {
    request.worst.unwrap_or(!request.files.is_empty() || request.case.regime.is_structured())
}

struct Work<'w, 'o> {
    case: &'w Case<'o>,
    request: &'w Request,
    files: &'w mut Files,
    watch: &'w Watch,
}

impl Work<'_, '_> {
    fn write(
        &mut self,
        inputs: &[Tensor],
        promise: &Promise,
        of: Elements,
        places: Option<&[usize]>,
    ) -> Result<Vec<Report>, String> {
        let mut outputs = self.evaluate(inputs, &Meaning::Bars(promise.clone()), of)?;
        let reports = outputs.iter().map(|o| Report::of(o, self.dtype(o), places)).collect();
        if self.request.setup.compute == Float::F64 {
            // an f64 kernel is held against more than f64: its bars first, then the values
            for output in &mut outputs {
                output.values = Vec::new();
                if self.named(output).is_none() {
                    let bars = std::mem::take(&mut output.bars);
                    self.numbers(output, "bar.", DType::F64, &bars)?;
                }
            }
            let bars: Vec<Vec<f64>> = outputs.into_iter().map(|o| o.bars).collect();
            let mut exact = self.evaluate(inputs, &Meaning::Double, of)?;
            for (output, bars) in exact.iter_mut().zip(bars) {
                output.bars = bars;
            }
            outputs = exact;
        }
        for output in &outputs {
            self.output(output)?;
        }
        Ok(reports)
    }

    fn evaluate(&self, inputs: &[Tensor], meaning: &Meaning, of: Elements) -> Result<Vec<Output>, String> {
        self.watch.say(&format!("evaluating {}", self.case.op.name));
        let made = self.case.evaluate_watched(inputs, meaning, of, self.watch.progress());
        made.map_err(|e| e.to_string())
    }

    /// The type that was named for an output.
    fn named(&self, output: &Output) -> Option<DType> {
        self.case.op.output(&output.name).and_then(|at| self.request.output_types[at])
    }

    fn dtype(&self, output: &Output) -> DType {
        self.named(output).unwrap_or(if output.integer { DType::I64 } else { DType::F64 })
    }

    /// Writes an output with what bars it still has.
    fn output(&mut self, output: &Output) -> Result<(), String> {
        self.watch.say(&format!("writing {}", output.name));
        let dtype = self.dtype(output);
        if output.bars.is_empty() && !output.values.is_empty() {
            return self.numbers(output, "", dtype, &output.values);
        }
        let shape = self.shape(output, output.values.len());
        let mut values = self.files.create(&format!("{}.npy", output.name), dtype, &shape)?;
        let mut bars = self.files.create(&format!("{}.bar.npy", output.name), DType::F64, &shape)?;
        for (v, b) in output.values.chunks(PART).zip(output.bars.chunks(PART)) {
            self.watch.check()?;
            let (v, b): (Vec<f64>, Vec<f64>) = v.iter().zip(b).map(|(v, b)| stored(dtype, *v, *b)).unzip();
            let written = values.numbers(&v).and_then(|()| bars.numbers(&b));
            written.map_err(|e| format!("{}: cannot write it: {e}", output.name))?;
        }
        let ended = values.finish().and_then(|_| bars.finish());
        ended.map(drop).map_err(|e| format!("{}: cannot write it: {e}", output.name))
    }

    fn numbers(
        &mut self,
        output: &Output,
        suffix: &str,
        dtype: DType,
        numbers: &[f64],
    ) -> Result<(), String> {
        let shape = self.shape(output, numbers.len());
        let mut writer = self.files.create(&format!("{}.{suffix}npy", output.name), dtype, &shape)?;
        for part in numbers.chunks(PART) {
            self.watch.check()?;
            writer.numbers(part).map_err(|e| format!("{}: cannot write it: {e}", output.name))?;
        }
        writer.finish().map(drop).map_err(|e| format!("{}: cannot write it: {e}", output.name))
    }

    /// The shape of what is written: the output's own, or the number of chosen elements.
    fn shape(&self, output: &Output, count: usize) -> Vec<usize> {
        if self.request.elements.is_some() { vec![count] } else { output.shape.clone() }
    }

    /// Writes where the chosen elements stand.
    fn places(&mut self, output: usize, shape: &[usize], places: &[usize]) -> Result<(), String> {
        let name = &self.case.op.outputs[output].name;
        let rows: Vec<i64> =
            places.iter().flat_map(|p| super::report::indices(shape, *p)).map(|i| i as i64).collect();
        let mut writer =
            self.files.create(&format!("{name}.at.npy"), DType::I64, &[places.len(), shape.len()])?;
        let written = writer.integers(&rows).and_then(|()| writer.finish());
        written.map(drop).map_err(|e| format!("{name}: cannot write it: {e}"))
    }
}
