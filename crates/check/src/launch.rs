//! From a prepared case to a launch: buffers between canaries, outputs poisoned, arguments bound by name.

use std::ops::Range;

use ktwin_lang::Value;
use ktwin_num::{Bytes, DType, Language, Tensor};

use crate::contract::{Arg, Expr, Field, Link, Name};
use crate::device::{Access, Argument, Buffer, Build, Failure, Global, Launch, Program, Step, Word, pack};
use crate::footprint;
use crate::guard;
use crate::inputs::Prepared;
use crate::places::Place;

/// Bytes of canary on each side of a buffer.
pub const MARGIN: usize = 256;

/// The byte at a place of a canary: another one in each case, known to nobody who does not know the seed. Neighbours
/// differ, so that a copied element shows too.
pub fn canary(key: u64, at: usize) -> u8 {
    (guard::mixed(key ^ (at as u64 >> 3)) >> (8 * (at & 7))) as u8 | 1
}

/// The same in a second launch: NaN in every type of reals, of either sign, so that what is read past an end shows even
/// where it is multiplied by 0.
fn nan_canary(key: u64, at: usize) -> u8 {
    if at % 2 == 1 && guard::mixed(key ^ at as u64) & 1 == 1 { 0x7f } else { 0xff }
}

/// The memory of one launch, with what is needed to read it afterwards.
#[derive(Clone, Debug)]
pub struct Memory {
    /// The buffers.
    pub buffers: Vec<Buffer>,
    /// For each output of the op: its buffer, and a tensor of its type, shape and layout without contents.
    pub outputs: Vec<(usize, Tensor)>,
    /// Whether bindings are of whole words: up to three bytes past a buffer belong to it.
    pub whole_words: bool,
}

/// Lays a body between canaries.
fn buffer(name: &str, dtype: DType, body: &[u8], access: Access, (key, run): (u64, u64)) -> Buffer {
    let end = MARGIN + body.len();
    let whole = end.next_multiple_of(4) + MARGIN;
    let key = name.bytes().fold(key, |key, letter| guard::mixed(key ^ u64::from(letter)));
    let byte = |at| if run == 0 { canary(key, at) } else { nan_canary(key, at) };
    let mut bytes: Vec<u8> = (0..MARGIN).map(byte).collect();
    bytes.extend(body);
    bytes.extend((end..whole).map(byte));
    Buffer { name: name.to_string(), dtype, bytes, body: MARGIN..end, access }
}

/// The part after a body that a binding of whole words reaches and nobody looks at.
pub fn spare(body: &Range<usize>) -> Range<usize> {
    body.end..body.end.next_multiple_of(4)
}

/// Whether lanes are as many as the source says, where contract and source both say it.
pub fn blocks_agree(steps: &[Step], program: &dyn Program) -> Result<(), Failure> {
    for step in steps {
        if let (Some(block), Some(own)) = (step.block, program.block(&step.entry))
            && block != own
        {
            return Err(Failure::Mismatch(format!(
                "`block` is {block:?}, but the source says {own:?}: remove `block`"
            )));
        }
    }
    Ok(())
}

impl Prepared<'_> {
    /// The buffers of one of the launches on the same inputs: each has a poison of its own.
    pub fn memory(&self, run: u64) -> Result<Memory, String> {
        let (kernel, op, poison) = (self.kernel, &self.kernel.op, guard::poison(self.case.seed, run));
        let run = (guard::mixed(self.case.seed ^ run), run);
        let over: Vec<Option<usize>> = (0..op.outputs.len()).map(|o| kernel.over(o)).collect();
        let mut buffers: Vec<Buffer> = Vec::new();
        for (number, (info, tensor)) in op.inputs.iter().zip(&self.inputs).enumerate() {
            let written = over.contains(&Some(number));
            let access = if written { Access::ReadWrite } else { Access::Read };
            buffers.push(buffer(&info.name, kernel.dtype(&info.name), &tensor.bytes, access, run));
        }
        let mut outputs = Vec::new();
        for (number, info) in op.outputs.iter().enumerate() {
            if let Some(input) = over[number] {
                let shell = Tensor { bytes: Bytes::default(), ..self.inputs[input].clone() };
                if shell.shape != self.at.output_shapes[number] {
                    return Err(format!("{} cannot be written over an input of another shape", info.name));
                }
                outputs.push((input, shell));
                continue;
            }
            let (dtype, shape) = (kernel.dtype(&info.name), &self.at.output_shapes[number]);
            Tensor::bytes_needed(dtype, shape).map_err(|e| format!("{}: {e}", info.name))?;
            let mut shell = kernel.laid_out(&Tensor::zeros(dtype, shape), &info.name, &self.case)?;
            let (body, access) =
                self.begun(&info.name, dtype, vec![poison; shell.bytes.len()], Access::Write, &[])?;
            shell.bytes = Bytes::default();
            outputs.push((buffers.len(), shell));
            buffers.push(buffer(&info.name, dtype, &body, access, run));
        }
        let placed = self.placed(&outputs)?;
        for scratch in &kernel.contract.scratch {
            let elements = usize::try_from(footprint::elements(kernel, scratch, &self.at)?).ok();
            let bytes = elements.and_then(|n| n.checked_mul(scratch.dtype.bytes_per_block()));
            let bytes = bytes.ok_or_else(|| format!("scratch {} has no size", scratch.name.text))?;
            let (name, dtype) = (&scratch.name, scratch.dtype);
            let (body, access) = self.begun(name, dtype, vec![poison; bytes], Access::Scratch, &placed)?;
            buffers.push(buffer(name, dtype, &body, access, run));
        }
        Ok(Memory { buffers, outputs, whole_words: kernel.rules() == Language::Wgsl })
    }

    /// What a buffer holds before the launch: what the contract names, or else poison.
    fn begun(
        &self,
        name: &str,
        dtype: DType,
        poisoned: Vec<u8>,
        access: Access,
        placed: &[Value],
    ) -> Result<(Vec<u8>, Access), String> {
        let Some((_, fill)) = self.kernel.contract.fill.iter().find(|(own, _)| own.text == name) else {
            return Ok((poisoned, access));
        };
        // no counter counts yet
        let beside = [&vec![Value::Int(0); self.kernel.contract.counters().len()], placed].concat();
        let one = |expr: &Expr| {
            let value = self.kernel.value_beside(expr, &self.at, &beside)?;
            encode(value, dtype).ok_or_else(|| format!("{name} = {value} does not fit {dtype}"))
        };
        if let Some(why) = fill.misfit(name, (poisoned.len() / dtype.bytes_per_block()) as i64) {
            return Err(format!("{why} here"));
        }
        let given = fill.values().iter().map(one).collect::<Result<Vec<_>, String>>()?.concat();
        let body = given.into_iter().cycle().take(poisoned.len()).collect();
        Ok((body, Access::ReadWrite))
    }

    /// What is started, in order, on these buffers.
    pub fn steps(&self, memory: &Memory) -> Result<Vec<Step>, String> {
        let placed = self.placed(&memory.outputs)?;
        let started = self.kernel.launches(&self.at)?;
        if started.is_empty() {
            return Err("no kernel of `chain` is launched here".to_string());
        }
        let mut steps = started
            .into_iter()
            .map(|(link, numbers)| self.step(link, memory, &numbers, &placed))
            .collect::<Result<Vec<_>, _>>()?;
        steps[0].globals = self.globals(memory, &placed)?;
        Ok(steps)
    }

    /// What variables of the source hold.
    fn globals(&self, memory: &Memory, placed: &[Value]) -> Result<Vec<Global>, String> {
        let contract = &self.kernel.contract;
        // no counter counts yet
        let beside = [&vec![Value::Int(0); contract.counters().len()], placed].concat();
        let one = |(name, arg): &(Name, Arg)| {
            let bytes = match self.argument(arg, &memory.buffers, Some(&beside))? {
                Argument::Words(words) => pack(&words),
                Argument::Buffer(number) | Argument::Returned(number) => {
                    let buffer = &memory.buffers[number];
                    buffer.bytes[buffer.body.clone()].to_vec()
                }
            };
            Ok(Global { name: name.text.clone(), bytes })
        };
        contract.globals.iter().map(one).collect()
    }

    fn step(
        &self,
        link: &Link,
        memory: &Memory,
        numbers: &[Value],
        placed: &[Value],
    ) -> Result<Step, String> {
        let beside = &[numbers, placed].concat();
        let three = |exprs: &[Expr], what: &str| -> Result<[u32; 3], String> {
            let mut out = [1; 3];
            for (slot, expr) in out.iter_mut().zip(exprs) {
                let value = self.kernel.whole_beside(expr, &self.at, numbers)?;
                let fits = u32::try_from(value).ok().filter(|v| *v >= 1);
                *slot = fits.ok_or_else(|| format!("{what}: `{}` is {value} here", expr.text))?;
            }
            Ok(out)
        };
        let block = link.block.as_ref().map(|b| three(b, "block")).transpose()?;
        let shared =
            link.shared.as_ref().map_or(Ok(0), |e| self.kernel.whole_beside(e, &self.at, numbers))?;
        Ok(Step {
            entry: link.entry.clone(),
            grid: three(&link.grid, "grid")?,
            block,
            shared: u32::try_from(shared).map_err(|_| format!("shared: {shared} bytes"))?,
            args: self.arguments(link, &memory.buffers, Some(beside))?,
            push: link.push.iter().map(|f| self.word(f, Some(beside))).collect::<Result<_, _>>()?,
            globals: Vec::new(),
        })
    }

    /// What an entry point is handed; only its types where no numbers are known.
    fn arguments(
        &self,
        link: &Link,
        buffers: &[Buffer],
        beside: Option<&[Value]>,
    ) -> Result<Vec<Argument>, String> {
        let args = link.args.iter().map(|arg| self.argument(arg, buffers, beside));
        let returned = link.returns.iter().map(|name| self.buffer_of(name, buffers).map(Argument::Returned));
        args.chain(returned).collect()
    }

    fn argument(&self, arg: &Arg, buffers: &[Buffer], beside: Option<&[Value]>) -> Result<Argument, String> {
        match arg {
            Arg::Tensor(name) => self.buffer_of(name, buffers).map(Argument::Buffer),
            Arg::Fields(fields) => {
                let words = fields.iter().map(|field| match field.pointer {
                    true => self.pointer(field, buffers),
                    false => self.word(field, beside),
                });
                Ok(Argument::Words(words.collect::<Result<_, _>>()?))
            }
        }
    }

    fn buffer_of(&self, name: &str, buffers: &[Buffer]) -> Result<usize, String> {
        let input = self.kernel.op.output(name).and_then(|output| self.kernel.over(output));
        let own = input.map_or(name, |input| &self.kernel.op.inputs[input].name);
        buffers.iter().position(|b| b.name == own).ok_or_else(|| format!("no buffer `{name}`"))
    }

    /// Where all tensors lie, in the order of [`Kernel::places`](crate::Kernel).
    fn placed(&self, outputs: &[(usize, Tensor)]) -> Result<Vec<Value>, String> {
        let one = |place: &Place| {
            let output = self.kernel.op.output(&place.tensor).map(|o| &outputs[o].1);
            let tensor = output.or_else(|| self.kernel.op.input(&place.tensor).map(|i| &self.inputs[i]));
            tensor.and_then(|t| place.of(t)).ok_or_else(|| format!("`{}` is not known", place.name()))
        };
        self.kernel.places.iter().map(one).collect()
    }

    fn pointer(&self, field: &Field, buffers: &[Buffer]) -> Result<Word, String> {
        let name = field.value.text.clone();
        let buffer = Some(self.buffer_of(&name, buffers)?);
        Ok(Word { name, dtype: field.dtype, bytes: vec![0; 8], buffer })
    }

    fn word(&self, field: &Field, beside: Option<&[Value]>) -> Result<Word, String> {
        let name = field.value.text.clone();
        let Some(beside) = beside else {
            let bytes = vec![0; field.dtype.bytes_per_block()];
            return Ok(Word { name, dtype: field.dtype, bytes, buffer: None });
        };
        let value = self.kernel.value_beside(&field.value, &self.at, beside)?;
        let bytes = encode(value, field.dtype)
            .ok_or_else(|| format!("{name} = {value} does not fit in {}", field.dtype))?;
        Ok(Word { name, dtype: field.dtype, bytes, buffer: None })
    }

    /// What the kernel is compiled with for this case.
    pub fn build(&self, launch: &Launch) -> Result<Build, String> {
        let mut defines = Vec::new();
        for (name, define) in &self.kernel.contract.define {
            defines.push((name.text.clone(), self.kernel.constant(define, &self.at)?));
        }
        let links = self.kernel.contract.chain.iter();
        let entries = links.map(|link| self.entry(link, &launch.buffers)).collect::<Result<_, String>>()?;
        let buffers = launch.buffers.iter().map(|b| b.dtype.name().to_owned()).collect();
        let contract = &self.kernel.contract;
        let arch = contract.arch.as_ref().map(|arch| arch.text.clone());
        let include = contract.include.iter().map(|folder| folder.text.clone()).collect();
        let (fast_math, subgroup) = (contract.fast_math.is_some(), contract.subgroup.clone());
        let robust = contract.robust.is_some();
        let call = self.kernel.call.clone();
        Ok(Build { defines, entries, buffers, arch, include, fast_math, subgroup, robust, call })
    }

    /// An entry point and the types of its arguments, whether this case launches it or not.
    fn entry(&self, link: &Link, buffers: &[Buffer]) -> Result<(String, Vec<Argument>), String> {
        Ok((link.entry.clone(), self.arguments(link, buffers, None)?))
    }

    /// The whole launch and what reads it afterwards.
    pub fn launch(&self, run: u64) -> Result<(Launch, Memory), String> {
        let memory = self.memory(run)?;
        let steps = self.steps(&memory)?;
        let (schedule, points) = (self.case.seed, self.at.loops() as u64);
        Ok((Launch { buffers: memory.buffers.clone(), steps, schedule, run, points }, memory))
    }
}

/// A value's bytes, where the type holds it.
fn encode(value: Value, dtype: DType) -> Option<Vec<u8>> {
    let value = match value {
        Value::Real(v) if dtype.float().is_none() && v.fract() == 0.0 && v.abs() < 9e15 => {
            Value::Int(v as i64)
        }
        value => value,
    };
    if let (Value::Int(v), Some((lo, hi))) = (value, dtype.integer_range()) {
        let fits = (lo..=hi).contains(&i128::from(v));
        return fits.then(|| Tensor::from_i64(dtype, &[1], &[v]).bytes.to_vec());
    }
    let whole = matches!(value, Value::Bool(_)) || dtype.float().is_some();
    whole.then(|| Tensor::from_f64(dtype, &[1], &[value.to_f64()]).bytes.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canaries_surround_the_body() {
        let made = |key, run| buffer("x", DType::F16, &[7; 6], Access::Read, (key, run));
        let first = made(1, 0);
        assert_eq!((first.body.clone(), first.bytes.len()), (256..262, 256 + 8 + 256));
        assert_eq!(spare(&first.body), 262..264);
        assert_eq!(spare(&(256..264)).len(), 0);
        // the same seed has the same canaries, another seed has others, and so has each buffer
        assert_eq!(first, made(1, 0));
        let other = buffer("z", DType::F16, &[7; 6], Access::Read, (1, 0));
        for other in [&made(2, 0), &other] {
            let same = first.bytes.iter().zip(&other.bytes).take(256).filter(|(a, b)| a == b).count();
            assert!(same < 16, "{same} of 256 are the same");
        }
        let again = made(1, 1);
        for (dtype, from) in [(DType::F32, 264), (DType::F16, 264), (DType::BF16, 264)] {
            let size = dtype.bytes_per_block();
            let behind = Tensor::from_bytes(dtype, &[256 / size], again.bytes[from..].to_vec()).unwrap();
            assert!(behind.to_f64().iter().all(|v| v.is_nan()));
        }
        assert_eq!(again.bytes[256..262], [7; 6]);
    }

    #[test]
    fn values_fit_or_are_refused() {
        assert_eq!(encode(Value::Int(-1), DType::U32), None);
        assert_eq!(encode(Value::Int(-1), DType::I32), Some(vec![255; 4]));
        assert_eq!(encode(Value::Bool(true), DType::U32), Some(vec![1, 0, 0, 0]));
        assert_eq!(encode(Value::Real(1.0), DType::F32), Some(1f32.to_le_bytes().to_vec()));
        assert_eq!(encode(Value::Real(1.5), DType::U32), None);
        assert_eq!(encode(Value::Real(2.0), DType::U32), Some(vec![2, 0, 0, 0]));
    }
}
