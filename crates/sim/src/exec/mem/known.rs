//! Accesses that are known to be over. Every lane that passes a fence has a copy of what it knows, and most of it is
//! the same in all of them: copies share it.

use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// By workgroup and lane, up to an interval.
type Intervals = FxHashMap<(u64, u32), u32>;

/// So many entries of its own a copy may have before they become a part that others can share.
const MOST_OWN: usize = 256;
/// The same where many copies are made at once.
const THIN: usize = 16;
/// So many parts are remembered as known.
const MOST_PARTS: usize = 32;

/// Every lane of a workgroup.
pub const ALL: u32 = u32::MAX;
/// Set in a lane's number where what is known concerns the workgroup's own memory: up to a moment.
pub const INSIDE: u32 = 1 << 31;
/// Set in a warp's number, which stands for all of its lanes.
pub const WARP: u32 = 1 << 30;

/// Accesses known to be over.
#[derive(Clone, Debug, Default)]
pub struct Known {
    shared: Option<Arc<Part>>,
    own: Intervals,
    /// Parts of which nothing is new, by number.
    parts: Vec<u64>,
}

#[derive(Debug)]
struct Part {
    number: u64,
    intervals: Intervals,
}

impl Known {
    /// Up to which interval the accesses of a lane are known to be over.
    pub fn get(&self, who: (u64, u32)) -> Option<u32> {
        let shared = self.shared.as_ref().and_then(|part| part.intervals.get(&who));
        self.own.get(&who).max(shared).copied()
    }

    /// Whether what a lane did in this interval is known to be over: of itself, of its warp or of all lanes.
    pub fn covers(&self, (group, lane): (u64, u32), tick: u32) -> bool {
        let upto = |who: u32| self.get((group, who)).is_some_and(|upto| tick <= upto);
        upto(lane) || upto(WARP | (lane / 32)) || upto(ALL)
    }

    /// The same of what it did to the workgroup's own memory up to a moment.
    pub fn covers_inside(&self, (group, lane): (u64, u32), moment: u32) -> bool {
        let upto = |who: u32| self.get((group, who | INSIDE)).is_some_and(|upto| moment <= upto);
        upto(lane) || upto(WARP | (lane / 32))
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.shared.is_none() && self.own.is_empty()
    }

    /// All that a lane did up to an interval is over.
    pub fn insert(&mut self, who: (u64, u32), tick: u32) {
        if self.get(who).is_none_or(|known| known < tick) {
            self.own.insert(who, tick);
        }
    }

    /// All that another knows.
    pub fn learn(&mut self, from: &Known) {
        if let Some(part) = &from.shared
            && !self.parts.contains(&part.number)
        {
            match &self.shared {
                Some(own) if !from.parts.contains(&own.number) => {
                    part.intervals.iter().for_each(|(&who, &tick)| self.insert(who, tick));
                }
                // nothing, or what the other has in its part as well
                _ => self.shared = Some(part.clone()),
            }
        }
        from.own.iter().for_each(|(&who, &tick)| self.insert(who, tick));
        let new = from.parts.iter().filter(|number| !self.parts.contains(number));
        self.parts.extend(new.copied().collect::<Vec<_>>());
        if self.own.len() > MOST_OWN {
            self.share();
        }
        self.parts.drain(..self.parts.len().saturating_sub(MOST_PARTS));
    }

    /// Makes copies of it cheap.
    pub fn thin(&mut self) {
        if self.own.len() > THIN {
            self.share();
        }
    }

    /// Makes one part of all that is known.
    fn share(&mut self) {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let mut intervals = self.shared.take().map_or(Intervals::default(), |part| part.intervals.clone());
        for (who, tick) in self.own.drain() {
            // a part taken from another may know more
            let slot = intervals.entry(who).or_default();
            *slot = (*slot).max(tick);
        }
        self.shared = Some(Arc::new(Part { number, intervals }));
        self.parts.push(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::workgroup::Random;

    fn learn(into: &mut Intervals, from: &Intervals) {
        for (&who, &tick) in from {
            let slot = into.entry(who).or_default();
            *slot = (*slot).max(tick);
        }
    }

    #[test]
    fn copies_know_what_plain_maps_know() {
        let mut random = Random(7);
        let mut below = |n: u64| random.next() % n;
        let mut all: Vec<(Known, Intervals)> = vec![Default::default(); 8];
        for tick in 1..4000 {
            let (at, from) = (below(8) as usize, below(8) as usize);
            for _ in 0..below(20) {
                let who = (below(40), below(40) as u32);
                all[at].0.insert(who, tick);
                all[at].1.insert(who, tick);
            }
            let (known, plain) = all[from].clone();
            all[at].0.learn(&known);
            learn(&mut all[at].1, &plain);
            if below(50) == 0 {
                all[from] = Default::default();
            }
        }
        assert!(all.iter().any(|(known, _)| known.shared.is_some()));
        for (known, plain) in &all {
            for who in (0..40).flat_map(|group| (0..40).map(move |lane| (group, lane))) {
                assert_eq!(known.get(who), plain.get(&who).copied());
            }
        }
    }
}
