//! Plain stores that other workgroups do not see yet, where all of them go on in turns: without a fence they may come
//! late, later than an atomic that says they are there.

use super::object::Mem;
use crate::ir::MemSpace;

/// Stores of one workgroup that are held back; where there are more, all of them are seen.
const MOST: usize = 64;

/// One word that was stored.
#[derive(Clone, Copy, Debug)]
struct Word {
    mem: u32,
    at: usize,
    old: u32,
    new: u32,
}

/// What a workgroup has stored since its last fence.
#[derive(Clone, Debug, Default)]
pub struct Delayed(Vec<Word>);

impl Delayed {
    /// All of it is seen from now on.
    pub fn publish(&mut self) {
        self.0.clear();
    }

    /// A word was stored.
    pub fn note(&mut self, mem: u32, at: usize, (old, new): (u32, u32)) {
        if self.0.len() == MOST {
            self.publish();
        }
        if old != new {
            self.0.push(Word { mem, at, old, new });
        }
    }

    /// Takes the stores back, before another workgroup goes on. What was changed since then is seen.
    pub fn hide(&mut self, mems: &mut [Mem]) {
        let mut kept = Vec::new();
        for word in self.0.drain(..).rev() {
            let slot = &mut mems[word.mem as usize].words.get_mut()[word.at];
            if *slot == word.new {
                *slot = word.old;
                kept.push(word);
            }
        }
        kept.reverse();
        self.0 = kept;
    }

    /// Makes them again, before their own workgroup goes on. What another one has stored there meanwhile stays.
    pub fn show(&mut self, mems: &mut [Mem]) {
        self.0.retain(|word| {
            let slot = &mut mems[word.mem as usize].words.get_mut()[word.at];
            let kept = *slot == word.old;
            *slot = if kept { word.new } else { *slot };
            kept
        });
    }
}

/// Whether stores to a memory are held back at all.
pub fn holds(mem: &Mem) -> bool {
    mem.space == MemSpace::Global
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::mem::object::Words;

    fn memory() -> Vec<Mem> {
        let words = Words::Own(vec![0; 4]);
        let (shadow, init, filled) = (None, None, Vec::new());
        vec![Mem { words, bytes: 16, space: MemSpace::Global, shadow, init, filled, grain: 2, stride: 1 }]
    }

    #[test]
    fn stores_come_and_go_until_they_are_published() {
        let (mut mems, mut delayed) = (memory(), Delayed::default());
        let store = |mems: &mut [Mem], delayed: &mut Delayed, at: usize, new: u32| {
            let old = std::mem::replace(&mut mems[0].words.get_mut()[at], new);
            delayed.note(0, at, (old, new));
        };
        store(&mut mems, &mut delayed, 0, 5);
        store(&mut mems, &mut delayed, 0, 6);
        store(&mut mems, &mut delayed, 1, 7);
        delayed.hide(&mut mems);
        assert_eq!(mems[0].words.get(), [0, 0, 0, 0]);
        mems[0].words.get_mut()[1] = 9;
        delayed.show(&mut mems);
        assert_eq!(mems[0].words.get(), [6, 9, 0, 0]);
        delayed.publish();
        delayed.hide(&mut mems);
        assert_eq!(mems[0].words.get(), [6, 9, 0, 0]);
    }

    #[test]
    fn of_many_none_is_held_back() {
        let (mut mems, mut delayed) = (memory(), Delayed::default());
        for new in 1..=MOST as u32 + 1 {
            mems[0].words.get_mut()[2] = new;
            delayed.note(0, 2, (new - 1, new));
        }
        delayed.hide(&mut mems);
        assert_eq!(mems[0].words.get()[2], MOST as u32);
    }
}
