//! What the policy of a kernel is worth, without running the kernel: evaluations of its op that keep its promise,
//! coarser ones and wrong outputs, each held against the policy.

use ktwin_num::Float;

use crate::calibrate::{STRESS, TYPICAL, cases};
use crate::inputs::prepare;
use crate::kernel::Kernel;
use crate::policy::Policy;
use crate::rules::{Samples, Tally, samples_of, tally};

/// The share of a tolerance below which honest evaluations make it looser than needed.
const LOOSE: f64 = 0.1;

/// What a policy did.
#[derive(Clone, Debug, Default)]
pub struct Worth {
    /// The most that an honest evaluation uses of what the policy allows, on ordinary data.
    pub needed: f64,
    /// The same under stress.
    pub stressed: f64,
    /// What it did on ordinary data.
    pub ordinary: Tally,
    /// What it did under stress.
    pub stress: Tally,
    /// Coarser rungs, compute and accumulate, with how many of their evaluations it took, on ordinary data.
    pub coarse: Vec<((Float, Float), usize, usize)>,
}

/// Something that is wrong with a policy.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// Honest evaluations stay far inside.
    Loose,
    /// Every evaluation at these coarser rungs passes.
    Useless((Float, Float)),
    /// Honest evaluations are refused.
    Tight,
}

impl Worth {
    /// What is wrong with it.
    pub fn faults(&self) -> Vec<Fault> {
        let mut out = Vec::new();
        let refused = self.ordinary.refused.count + self.stress.refused.count;
        out.extend((refused > 0).then_some(Fault::Tight));
        // what rounds nothing needs nothing, and nobody can be asked for less
        let loose = self.needed.max(self.stressed) < LOOSE && self.needed > 0.0;
        out.extend(loose.then_some(Fault::Loose));
        let all = |(rungs, taken, of): &((Float, Float), usize, usize)| {
            (*of > 0 && taken == of).then_some(Fault::Useless(*rungs))
        };
        out.extend(self.coarse.iter().find_map(all));
        out
    }
}

/// Holds a policy against evaluations of a kernel's op, by what its contract promises.
pub fn worth(kernel: &Kernel, policy: &Policy, seed: u64) -> Result<Worth, String> {
    let mut out = Worth::default();
    for (regimes, ordinary) in [(&TYPICAL[..], true), (&STRESS[..], false)] {
        for case in cases(kernel, regimes, seed)? {
            let samples = samples_of(&prepare(kernel, &case)?)?;
            let sum = if ordinary { &mut out.ordinary } else { &mut out.stress };
            *sum = sum.and(tally(&samples, policy));
            let used = if ordinary { &mut out.needed } else { &mut out.stressed };
            *used = used.max(needed(&samples, policy));
            if ordinary {
                out.count(&samples, policy);
            }
        }
    }
    let judged = out.ordinary.refused.of > 0;
    judged.then_some(out).ok_or_else(|| "no case of its plan has ordinary data".to_string())
}

impl Worth {
    fn count(&mut self, samples: &Samples, policy: &Policy) {
        for (rungs, made) in &samples.coarse {
            let taken =
                (0..made.len()).all(|at| !samples.decided(at, policy).refuses(made[at].iter().copied()));
            let at = self.coarse.iter().position(|(r, ..)| r == rungs).unwrap_or_else(|| {
                self.coarse.push((*rungs, 0, 0));
                self.coarse.len() - 1
            });
            self.coarse[at].1 += usize::from(taken);
            self.coarse[at].2 += 1;
        }
    }
}

/// The most that an honest evaluation uses.
fn needed(samples: &Samples, policy: &Policy) -> f64 {
    let outputs = (0..samples.expected.len()).map(|at| (at, samples.decided(at, policy)));
    let used = outputs.flat_map(|(at, due)| {
        samples.honest.iter().map(move |made| due.share_of_policy(&made[at])).collect::<Vec<_>>()
    });
    used.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPS: &[(&str, &str)] = &[("row_sum", include_str!("../../../ops/row_sum.op"))];

    fn faults(policy: &str) -> (Vec<Fault>, Worth) {
        let toml = "op = 'row_sum'\nargs = ['x', 'y', { R = 'u32', D = 'u32' }]\ndims = { D = '..=4096' }\n";
        let kernel = Kernel::of_contract("kernel", toml, OPS).unwrap();
        let worth = worth(&kernel, &Policy::parse(policy).unwrap(), 7).unwrap();
        (worth.faults(), worth)
    }

    #[test]
    fn a_policy_that_fits_has_no_fault() {
        let (found, worth) = faults("bar");
        assert!(found.is_empty() && worth.coarse.len() == 4, "{found:?} {worth:?}");
        assert!(worth.needed > 0.1 && worth.ordinary.coarse.of > 0, "{worth:?}");
    }

    #[test]
    fn what_is_loose_useless_or_tight_is_seen() {
        let (found, worth) = faults("allclose:rtol=1e-1,atol=10");
        assert!(found.contains(&Fault::Loose) && worth.needed < 0.01, "{found:?} {worth:?}");
        assert!(matches!(found[..], [Fault::Loose, Fault::Useless(_)]), "{found:?} {worth:?}");
        assert_eq!(faults("exact").0, [Fault::Tight]);
        let (found, worth) = faults("nmse:1e-3");
        assert!(worth.needed < 1e-3 && found.contains(&Fault::Loose), "{found:?} {worth:?}");
        let (_, worth) = faults("residual");
        assert!(worth.needed > 0.0 && worth.needed < 1.0, "{worth:?}");
    }
}
