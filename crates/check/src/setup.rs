//! How an op is stored and computed: all that inputs, error bars and expected values are made from. A kernel's
//! contract says it, or a user's command line, or the library; here nobody knows which.

use ktwin_lang::{Case as OpCase, Op, Promise, Rounding, Rounds};
use ktwin_num::{DType, Float, Language, Tensor, Told};

use crate::kernel::Kernel;

/// How an op is stored and computed.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The storage type of each input.
    pub inputs: Vec<DType>,
    /// What the kernel is told of where the elements of each input lie.
    pub told: Vec<Told>,
    /// The storage type of each output; none where it stays as the twin has it.
    pub outputs: Vec<Option<DType>>,
    /// The rung of the arithmetic.
    pub compute: Float,
    /// The rung of sums.
    pub accumulate: Float,
    /// The language that the kernel is written in.
    pub language: Language,
    /// Whose functions the kernel's are as accurate as: its language's, or those of a device that promises more.
    pub functions: Language,
    /// What is rounded further.
    pub rounds: Rounds,
    /// Whether sums of integers are exact.
    pub integers: bool,
    /// Whether inputs may be the largest numbers of their types: a policy takes errors beside which those overflow.
    pub ends: bool,
}

impl Setup {
    /// An op in f32 whose functions are correctly rounded; integers are u32, and outputs stay as the twin has them.
    pub fn plain(op: &Op) -> Setup {
        Setup {
            inputs: op.inputs.iter().map(|i| if i.integer { DType::U32 } else { DType::F32 }).collect(),
            told: vec![Told::default(); op.inputs.len()],
            outputs: vec![None; op.outputs.len()],
            compute: Float::F32,
            accumulate: Float::F32,
            language: Language::Correct,
            functions: Language::Correct,
            rounds: Rounds::none(op),
            integers: true,
            ends: true,
        }
    }

    /// What a kernel's contract says of an op: its own, or a form of it.
    pub fn of(kernel: &Kernel, op: &Op) -> Setup {
        let contract = &kernel.contract;
        Setup {
            inputs: op.inputs.iter().map(|i| i.domain.read_as(kernel.dtype(&i.name))).collect(),
            told: op.inputs.iter().map(|i| contract.told(&i.name)).collect(),
            outputs: op.outputs.iter().map(|o| Some(kernel.dtype(&o.name))).collect(),
            compute: contract.compute,
            accumulate: contract.accumulate,
            language: kernel.rules(),
            functions: kernel.rules(),
            rounds: kernel.rounds(op),
            // who names a rung for integers means it
            integers: !contract.names("compute"),
            ends: contract.policy.is_none(),
        }
    }

    /// The same at other rungs.
    pub fn at(&self, compute: Float, accumulate: Float) -> Setup {
        Setup { compute, accumulate, ..self.clone() }
    }

    /// What bars are made from. Structured inputs are those whose roundings may all go one way.
    pub fn promise(&self, at: &OpCase, inputs: &[Tensor], structured: bool) -> Promise {
        let mut promise = Promise::new(at.op, self.language, self.compute, self.accumulate);
        promise.functions = self.functions;
        promise.integers = self.integers;
        promise.structured = structured;
        promise.outputs = self.outputs.clone();
        promise.rounds = self.rounds.clone();
        promise.reading(inputs)
    }

    /// What a kernel would return.
    pub fn rounding(&self, at: &OpCase) -> Rounding {
        let mut rounding = Rounding::new(at.op, self.compute, self.accumulate);
        rounding.outputs = self.outputs.clone();
        rounding.rounds = self.rounds.clone();
        rounding
    }
}
