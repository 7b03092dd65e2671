//! Loads that come early: what a workgroup reads atomically before it does anything that others see may as well have
//! been read before any of them began. A load and a store in the place of one atomic operation then lose what
//! others did in between.

use super::object::Mem;
use super::shadow::TICK_SHIFT;
use crate::exec::machine::{Clock, Machine};
use crate::exec::workgroup::Random;
use crate::ir::MemSpace;
use std::sync::Arc;

/// What global memory held when the launch began, and whether the running workgroup is still at its beginning.
#[derive(Debug, Default)]
pub struct Early {
    before: Vec<Option<Before>>,
    now: bool,
}

#[derive(Debug)]
struct Before {
    words: Arc<Vec<u32>>,
    init: Option<Vec<u8>>,
}

impl Early {
    /// Remembers what memory holds before anything ran.
    pub fn new(mems: &[Mem], common: &[Option<Arc<Vec<u32>>>]) -> Early {
        let before = |(mem, words): (&Mem, &Option<Arc<Vec<u32>>>)| {
            let words = words.as_ref().filter(|_| mem.space == MemSpace::Global && mem.shadow.is_some())?;
            Some(Before { words: words.clone(), init: mem.init.clone() })
        };
        Early { before: mems.iter().zip(common).map(before).collect(), now: false }
    }

    /// A new workgroup; under a seed, every other one begins before all the others.
    pub fn begin(&mut self, seed: u64, index: u64) {
        let early = seed != 0 && Random(seed ^ index.wrapping_mul(0xd134_2543_de82_ef95)).next() & 1 == 1;
        self.now = early && !self.before.is_empty();
    }

    /// The workgroup has done something that is ordered among what others do.
    pub fn end(&mut self) {
        self.now = false;
    }

    /// Whether the running workgroup may still be at its beginning.
    pub fn is_now(&self) -> bool {
        self.now
    }

    /// The word that a grain's address held, where it was written since, and not by this workgroup.
    fn word(&self, mems: &[Mem], (mem, addr): (u32, u32), clock: Clock) -> Option<u32> {
        let (object, before) = (&mems[mem as usize], self.before[mem as usize].as_ref()?);
        let grain = (addr >> object.grain) as usize;
        let stamp = object.shadow.as_ref()?.writes[grain];
        let others = stamp != 0 && stamp >> TICK_SHIFT < clock.start;
        let known = before.init.as_ref().is_none_or(|init| init[grain] == 1);
        (others && known).then(|| before.words[(addr >> 2) as usize])
    }
}

impl Machine {
    /// What an atomic load of one or two words gives a workgroup that began before all others.
    pub fn early(&self, at: (u32, u32), wide: bool) -> Option<u64> {
        if !self.early.is_now() || self.mems[at.0 as usize].space != MemSpace::Global {
            return None;
        }
        let word = |addr| self.early.word(&self.mems, (at.0, addr), self.global_clock).map(u64::from);
        let low = word(at.1)?;
        if wide { Some(low | word(at.1 + 4)? << 32) } else { Some(low) }
    }
}
