//! The promises that bars are proved for: storage, rungs, and what is rounded further.

use ktwin_num::{DType, Float, Regime};

use crate::node::Ty;
use crate::op::Op;
use crate::rounds::Rounds;

/// What a kernel promises.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Promised {
    /// The storage of its real tensors.
    pub storage: Float,
    /// The rung of its arithmetic.
    pub compute: Float,
    /// The rung of its sums.
    pub accumulate: Float,
    /// What its real inputs and every definition are rounded to further, if anything.
    pub round: Option<Float>,
}

/// A way to be too coarse: its name, the rungs of arithmetic and of sums.
pub type Way = (&'static str, Float, Float);

impl Promised {
    /// Every pair of rungs that kernels promise, with the storage they usually have, and one that rounds further.
    pub const ALL: [Promised; 13] = [
        promise(Float::F64, Float::F64, Float::F64),
        promise(Float::F32, Float::F32, Float::F64),
        promise(Float::F32, Float::F32, Float::F32),
        promise(Float::F16, Float::F32, Float::F32),
        promise(Float::BF16, Float::F32, Float::F32),
        promise(Float::F32, Float::TF32, Float::F32),
        promise(Float::F16, Float::F16, Float::F32),
        promise(Float::F16, Float::F16, Float::F16),
        promise(Float::BF16, Float::BF16, Float::F32),
        promise(Float::BF16, Float::BF16, Float::BF16),
        promise(Float::E4M3, Float::E4M3, Float::F32),
        promise(Float::E5M2, Float::E5M2, Float::F32),
        Promised { round: Some(Float::F16), ..promise(Float::F32, Float::F32, Float::F32) },
    ];

    /// Arithmetic in f32 on data stored in this type.
    pub fn f32(storage: Float) -> Promised {
        promise(storage, Float::F32, Float::F32)
    }

    /// Whether arithmetic is in f32 throughout, as it nearly always is.
    pub fn is_usual(&self) -> bool {
        let f32s = [self.compute, self.accumulate].iter().all(|f| f.same_format(Float::F32));
        f32s && self.round.is_none()
    }

    /// Whether it says anything of data in this regime: below f32 other numbers than those that should do overflow,
    /// and what they become beside an infinity no kernel promises.
    pub fn speaks_of(&self, regime: Regime) -> bool {
        let wide = [Float::F32, Float::F64].iter().any(|f| f.same_format(self.compute));
        (wide && self.round.is_none()) || !regime.is_special()
    }

    /// Whether a kernel may write the formula as it likes on data in this regime: what an infinity becomes depends on
    /// how it is written; where the rung ends close to 1, one way overflows where another does not; and what is rounded
    /// further is named as the op names it.
    pub fn leaves_open(&self, regime: Regime) -> bool {
        let is = |float: Float| float.same_format(self.compute);
        let overflows = match () {
            _ if is(Float::E4M3) || is(Float::E5M2) => true,
            _ => is(Float::F16) && regime.reaches_ends(),
        };
        !regime.is_special() && !overflows && self.round.is_none()
    }

    /// As tables show it.
    pub fn name(&self) -> String {
        let Promised { storage, compute, accumulate, round } = self;
        let rounds = round.map_or(String::new(), |to| format!(" to {}", to.name()));
        format!("{}, {} + {}{rounds}", storage.name(), compute.name(), accumulate.name())
    }

    /// The ways to be too coarse that a plan must tell apart: all operations, or the sums alone.
    pub fn coarser(&self) -> Vec<Way> {
        let all = self.below(self.compute).map(|c| ("all operations", c, c));
        let sums = self.coarser_sums().map(|s| ("accumulator", self.compute, s));
        all.into_iter().chain(sums).collect()
    }

    fn coarser_sums(&self) -> Option<Float> {
        let Promised { compute, accumulate, .. } = *self;
        match () {
            _ if !accumulate.same_format(Float::F32) => self.below(accumulate),
            _ if compute.same_format(Float::F32) => self.below(compute),
            // sums of eight bits are kept in f16 where they are not kept in f32
            _ if compute.same_format(Float::E4M3) || compute.same_format(Float::E5M2) => Some(Float::F16),
            _ => Some(compute),
        }
    }

    /// The next rung that holds less: below f32 that of the storage, since data that f16 holds say nothing of tf32.
    fn below(&self, rung: Float) -> Option<Float> {
        let stored = self.storage.unit_roundoff() >= Float::TF32.unit_roundoff();
        match rung.name() {
            "f64" => Some(Float::F32),
            "f32" if stored => Some(self.storage),
            "f32" => Some(Float::TF32),
            "tf32" | "f16" => Some(Float::BF16),
            "bf16" => Some(Float::E4M3),
            "e4m3" => Some(Float::E5M2),
            _ => None,
        }
    }

    /// What of `op` a kernel with this promise rounds further.
    pub fn rounds(&self, op: &Op) -> Rounds {
        let mut rounds = Rounds::none(op);
        let Some(to) = self.round else { return rounds };
        let real = |at: usize| op.stages[at].written && op.stages[at].ty == Ty::Real;
        (0..op.stages.len()).filter(|at| real(*at)).for_each(|at| rounds.stages[at] = Some(to));
        let inputs = op.inputs.iter().enumerate().filter(|(_, input)| !input.integer);
        inputs.for_each(|(at, _)| rounds.inputs[at] = Some(DType::Float(to)));
        rounds
    }
}

const fn promise(storage: Float, compute: Float, accumulate: Float) -> Promised {
    Promised { storage, compute, accumulate, round: None }
}
