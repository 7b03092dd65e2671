//! What a compiled kernel takes of a card: registers, spills, shared memory, stack. What its
//! contract promises of them is tested here.

use std::fmt;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::check::Check;
use crate::finding::{Finding, Kind};
use crate::trial;
use crate::verdict::Verdict;

/// What one entry point takes, in the compiler's own words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Resources {
    /// The entry point, as the compiled code calls it.
    pub entry: String,
    /// The architecture that it was compiled for.
    pub arch: String,
    /// Registers of a lane.
    pub registers: u32,
    /// Bytes that a lane stores and loads because its registers do not suffice.
    pub spill_stores: u32,
    /// The same for loads.
    pub spill_loads: u32,
    /// Bytes of shared memory that the code declares.
    pub shared: u32,
    /// Bytes of a lane's stack.
    pub stack: u32,
}

impl fmt::Display for Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}: {} registers", self.entry, self.arch, self.registers)?;
        match (self.spill_stores, self.spill_loads) {
            (0, 0) => write!(f, ", no spills")?,
            (stores, loads) => write!(f, ", spills of {stores} bytes stored and {loads} loaded")?,
        }
        write!(f, ", {} bytes of shared memory, {} of stack", self.shared, self.stack)
    }
}

/// What of the promises does not hold.
fn broken(all: &[Resources], most: Option<u32>, spills: bool) -> Option<String> {
    let over = |r: &&Resources| most.is_some_and(|most| r.registers > most);
    if let Some(r) = all.iter().find(over) {
        let most = most.unwrap_or_default();
        return Some(format!("{} uses {} registers, but at most {most} were promised", r.entry, r.registers));
    }
    let spilt = |r: &&Resources| !spills && r.spill_stores + r.spill_loads > 0;
    let r = all.iter().find(spilt)?;
    Some(format!("{r}, but no spills were promised"))
}

impl Check<'_> {
    /// Asks what the kernel takes, where that is wanted or promised, and holds it against the
    /// promises.
    pub(crate) fn take_stock(&mut self) {
        let contract = &self.kernel.contract;
        let most = contract.max_registers.map(|(most, _)| most);
        let promised = most.is_some() || contract.no_spills.is_some();
        if !(promised || self.options.resources) {
            return;
        }
        let asked = self.programs.all().map(|program| program.resources());
        let asked: Result<Vec<Vec<Resources>>, String> = asked.collect();
        let (verdict, text) = match asked {
            Ok(all) => {
                for one in all.into_iter().flatten() {
                    if !self.resources.contains(&one) {
                        self.resources.push(one);
                    }
                }
                match broken(&self.resources, most, contract.no_spills.is_none()) {
                    Some(text) if promised => (Verdict::Fail, text),
                    _ if promised && self.resources.is_empty() => {
                        (Verdict::Skip, "this device does not report what resources a kernel uses".to_owned())
                    }
                    _ => return,
                }
            }
            Err(why) if promised => (Verdict::Skip, format!("resources are promised: {why}")),
            Err(_) => return,
        };
        if self.evidence.verdict() != Verdict::Pass && verdict == Verdict::Skip {
            return;
        }
        let Some(case) = self.evidence.reports.first().map(|r| r.case.clone()) else { return };
        let mut report = trial::without_result(&case, verdict, text.clone(), Instant::now());
        if verdict == Verdict::Fail {
            report.findings.push(Finding::new(Kind::Resources, text));
        }
        self.ended(report);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promises_are_held_against_what_is_taken() {
        let plain = Resources { entry: "k".into(), registers: 64, ..Resources::default() };
        let spilt = Resources { spill_loads: 4, ..plain.clone() };
        assert_eq!(broken(std::slice::from_ref(&plain), Some(64), false), None);
        let text = broken(std::slice::from_ref(&plain), Some(63), false).unwrap_or_default();
        assert!(text.contains("64 registers") && text.contains("63"), "{text}");
        assert_eq!(broken(std::slice::from_ref(&spilt), None, true), None);
        let text = broken(&[plain, spilt], Some(64), false).unwrap_or_default();
        assert!(text.contains("4 loaded") && text.contains("promised"), "{text}");
    }
}
