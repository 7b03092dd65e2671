//! What comes out of launches, held against draws of an op as each launch ends.

use ktwin_lang::{Op, Sharing};
use ktwin_num::{Float, Rng};

use super::given::Given;
use super::sample::{DRAWN, Look, Sample};
use super::seeds;
use super::tails::Tails;
use super::units::{Units, units};
use crate::compare::Expected;
use crate::guard::mixed;
use crate::inputs::Prepared;

/// The most elements of a unit that are summed up.
const SUMMED: usize = 1 << 16;

/// The samples of a case.
pub struct Watch<'l> {
    given: Given<'l>,
    units: Vec<Units>,
    samples: Vec<(usize, Sample)>,
    coins: Rng,
    seed: u64,
    launches: u64,
}

impl<'l> Watch<'l> {
    /// `op` takes its draws as inputs; so many launches will come.
    pub fn new(
        op: &'l Op,
        prepared: &Prepared,
        sharing: &[Sharing],
        launches: usize,
    ) -> Result<Watch<'l>, String> {
        let units = units(prepared, sharing);
        let samples = empty(prepared, sharing, &units, launches);
        let (seed, coins) = (prepared.case.seed, Rng::new(mixed(prepared.case.seed), 1));
        Ok(Watch { given: Given::new(op, prepared)?, units, samples, coins, seed, launches: 0 })
    }

    /// What came out of the next launch.
    pub fn add(&mut self, got: &[Vec<f64>]) -> Result<(), String> {
        let first = mixed(self.seed ^ (self.launches << 32)) & !0xff;
        self.launches += 1;
        let drawn = (0..u64::from(DRAWN)).map(|n| self.given.expected(self.given.draw(first + n)));
        let drawn = drawn.collect::<Result<Vec<_>, String>>()?;
        for (output, sample) in &mut self.samples {
            let others: Vec<&Expected> = drawn.iter().map(|all| &all[*output]).collect();
            sample.add(&got[*output], &others, &self.units[*output], &mut self.coins);
        }
        Ok(())
    }

    /// The samples, once all launches were seen.
    pub fn settled(mut self) -> Vec<Sample> {
        let settled = |(output, mut sample): (usize, Sample)| {
            sample.settle(self.units[output].count, &mut self.coins);
            sample
        };
        self.samples.into_iter().map(settled).collect()
    }
}

/// A sample for each output and each look at it, with the output's number.
fn empty(prepared: &Prepared, sharing: &[Sharing], units: &[Units], launches: usize) -> Vec<(usize, Sample)> {
    let mut out = Vec::new();
    // of several seeds one may count what has been drawn: the next one continues there
    let successive = seeds::open(prepared.kernel).len() == 1;
    for (number, info) in prepared.kernel.op.outputs.iter().enumerate() {
        let of = &units[number];
        let along = of.axes.iter().map(|(axis, size)| (info.axes[*axis].clone(), *size));
        let axes: Vec<(String, usize)> =
            std::iter::once(("launch".to_string(), launches)).chain(along).collect();
        let both = of.each > 1 && of.each <= SUMMED;
        for look in [Look::Element, Look::Sum].into_iter().take(1 + usize::from(both)) {
            if sharing[number].random {
                let sample = Sample::new(&info.name, look, axes.clone(), info.integer);
                let float = prepared.kernel.dtype(&info.name).float();
                let compute = prepared.kernel.contract.compute.unit_roundoff();
                let fine = info.integer && compute <= Float::F32.unit_roundoff();
                let tails = float.or(info.integer.then_some(Float::F32));
                let tails = tails.filter(|_| look == Look::Element).map(Tails::new);
                out.push((number, Sample { successive, tails, fine, ..sample }));
            }
        }
    }
    out
}
