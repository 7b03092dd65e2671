//! Accesses that meet others: what nothing orders is a race, looked into until its place is known.

use super::shadow::{Clash, FOREIGN, LANE_BITS, SEVERAL, Shadow, TICK_SHIFT};
use crate::api::finding::{Access, FindingKind};
use crate::exec::machine::{AccessReport, Machine};
use crate::exec::report::Other;
use crate::exec::step::Step;
use crate::ir::MemSpace;

/// One more race takes as long as so many instructions.
const A_RACE: u64 = 32;

/// What is known of races.
#[derive(Clone, Debug, Default)]
pub struct Races {
    /// Whether each access is known to race, as far as any is.
    raced: Vec<bool>,
    /// Barrier intervals since the last race at a new place.
    pub quiet: u32,
}

impl Races {
    fn has(&self, site: u32) -> bool {
        self.raced.get(site as usize).copied().unwrap_or(false)
    }

    fn add(&mut self, site: u32) {
        let len = self.raced.len().max(site as usize + 1);
        self.raced.resize(len, false);
        self.raced[site as usize] = true;
    }
}

impl Machine {
    /// Notes an access to some bytes, grain by grain; tells of one before it that nothing orders, or of any where that
    /// is known of the access already.
    pub(super) fn clash(
        &mut self,
        step: &Step,
        addr: u32,
        bytes: u32,
        lane: u32,
        note: impl Fn(&mut Shadow, usize) -> Option<Clash>,
    ) -> Option<Clash> {
        let mem = step.mem;
        let known = self.settled() || self.knowledge.races.has(step.site);
        let (shift, mut found) = (self.mems[mem as usize].grain, None);
        for grain in addr >> shift..=(addr + bytes - 1) >> shift {
            let shadow = self.mems[mem as usize].shadow.as_mut()?;
            let clash = note(shadow, grain as usize);
            found = clash.filter(|clash| known || !self.ordered(mem, grain << shift, lane, clash)).or(found);
        }
        found
    }

    /// Whether an access that clashes was that of a lane with the same element.
    pub(super) fn is_of_copy(&self, mem: u32, clash: &Clash) -> bool {
        self.prog.mems[mem as usize].in_place && self.group_of(mem, clash) == self.group_index
    }

    /// The workgroup of an access that clashes.
    fn group_of(&self, mem: u32, clash: &Clash) -> u64 {
        let tick = clash.stamp >> TICK_SHIFT;
        match self.history.partition_point(|&(start, _)| start <= tick) {
            n if n > 0 && self.mems[mem as usize].space == MemSpace::Global => self.history[n - 1].1,
            _ => self.group_index,
        }
    }

    /// Reports a race, or counts one more of an access that is known to race.
    pub(super) fn report_race(&mut self, step: &Step, addr: u32, access: Access, lane: u32, clash: Clash) {
        if self.settled() || self.knowledge.races.has(step.site) {
            let key = (FindingKind::Race, self.prog.source.line(step.at), step.mem);
            self.reports.again(key, self.group_index, 1);
            self.budget = self.budget.saturating_sub(A_RACE);
            return;
        }
        self.knowledge.races.add(step.site);
        let group = self.group_of(step.mem, &clash);
        let mut other_lane = clash.stamp & LANE_BITS;
        if clash.stamp & (SEVERAL | FOREIGN) != 0 && other_lane == lane && group == self.group_index {
            other_lane ^= 1; // one of several readers; this one is not the other
        }
        self.report_access(AccessReport {
            kind: FindingKind::Race,
            at: step.at,
            mem: step.mem,
            offset: u64::from(addr),
            access,
            lane,
            other: Some(Other { at: clash.at, access: clash.access, group, lane: other_lane }),
        });
    }
}
