//! Control flow of a gang: rows of lanes that run together while they go the same way.
//!
//! Lanes that went different ways wait in groups, by block. The group at the lowest block always runs, and
//! groups that come to the same block join. Blocks are numbered in the order of the source, so lanes meet
//! again as early as they can, with structured code at the immediate post-dominator, and without structure
//! often before it.

use super::decode::{Code, CodeBlock, End};
use super::lanes::{ROW, Raw, Regs};
use super::machine::{MOST_ROWS, Machine};
use crate::api::finding::FindingKind;
use crate::ir::{NONE, Op};

pub type Mask = [u32; MOST_ROWS];

/// Rounds of a loop that a group goes before others have a turn.
const MOST_ROUNDS: u32 = 4;

/// Where a gang stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Ready,
    /// At the barrier that ends this block.
    Waiting(u32),
    Done,
    /// The workgroup cannot go on.
    Stuck,
}

/// A gang between its turns.
pub struct Gang {
    pub regs: Regs,
    pub first_row: usize,
    pub rows: usize,
    /// The lanes that there are, and those that have ended.
    pub all: Mask,
    pub ended: Mask,
    /// PTX: the lanes that did what others may see, and those that came to a `return`.
    pub stored: Mask,
    pub returned: Mask,
    /// Groups of lanes by block, the lowest last.
    pub waiting: Vec<(u32, Mask)>,
    /// PTX: groups of lanes at barriers that others have not come to.
    pub parked: Vec<(u32, Mask)>,
    /// Rounds of loops that wait for other lanes since lanes last left one.
    pub rounds: u32,
    /// Such a loop goes on while other groups wait: one of them is next, each in turn.
    pub fair: bool,
    pub turns: usize,
    pub state: State,
}

impl Gang {
    /// Starts over at the entry.
    pub fn restart(&mut self) {
        self.waiting.clear();
        self.parked.clear();
        [self.ended, self.stored, self.returned] = [[0; MOST_ROWS]; 3];
        (self.fair, self.rounds) = (false, 0);
        self.waiting.push((0, self.all));
        self.state = State::Ready;
    }

    /// Lanes wait at the barrier at the end of a block, with those that already do.
    fn park(&mut self, block: u32, mask: &Mask) {
        match self.parked.iter_mut().find(|(other, _)| *other == block) {
            Some((_, there)) => there.iter_mut().zip(mask).for_each(|(there, new)| *there |= new),
            None => self.parked.push((block, *mask)),
        }
    }

    /// How many lanes have returned and left no trace.
    pub fn gone(&self) -> u32 {
        let rows = self.ended.iter().zip(&self.returned).zip(&self.stored);
        rows.map(|((ended, returned), stored)| (ended & returned & !stored).count_ones()).sum()
    }

    /// Lanes go one of the two ways at the end of a block.
    fn go(&mut self, body: &CodeBlock, way: usize, mask: &Mask) {
        if body.returns[way] {
            self.returned.iter_mut().zip(mask).for_each(|(returned, mask)| *returned |= mask);
        }
    }

    /// Takes out a group that may run ahead of those before it, each in turn.
    fn ahead(&mut self, m: &Machine, code: &Code) -> Option<(u32, Mask)> {
        let len = self.waiting.len();
        self.turns += 1;
        let mut all = (0..len).map(|i| (self.turns + i) % len);
        let next = all.find(|&at| !stops(m, code, self, &self.waiting[at]))?;
        Some(self.waiting.remove(next))
    }

    /// Takes out the group that is next, and says whether it runs ahead of others: the lowest, unless it waits for
    /// lanes that may still come to where it is.
    fn lowest(&mut self, m: &Machine, code: &Code) -> Option<(u32, Mask, bool)> {
        let last = self.waiting.len().checked_sub(1)?;
        let held = |at: usize| m.prog.rules.parks && last > 0 && stops(m, code, self, &self.waiting[at]);
        let next = (0..=last).rev().find(|&at| !held(at)).unwrap_or(last);
        let (block, mask) = self.waiting.remove(next);
        Some((block, mask, next != last))
    }

    /// Lanes come to a block.
    pub fn arrive(&mut self, block: u32, mask: Mask) {
        let at = self.waiting.partition_point(|&(b, _)| b > block);
        match self.waiting.get_mut(at) {
            Some((b, there)) if *b == block => {
                for (mine, new) in there.iter_mut().zip(mask) {
                    *mine |= new;
                }
            }
            _ => self.waiting.insert(at, (block, mask)),
        }
    }
}

/// Runs a gang until it waits, ends, is stuck, or has used up its turn.
pub fn run(m: &mut Machine, code: &Code, gang: &mut Gang, mut turn: u64) {
    std::mem::swap(&mut m.regs, &mut gang.regs);
    std::mem::swap(&mut m.ended, &mut gang.ended);
    m.first_row = gang.first_row;
    gang.state = State::Ready;
    while gang.state == State::Ready && turn > 0 {
        let ahead = if std::mem::take(&mut gang.fair) { gang.ahead(m, code) } else { None };
        let next = ahead.map(|(block, mask)| (block, mask, true)).or_else(|| gang.lowest(m, code));
        let Some((block, mask, fair)) = next else {
            gang.state = gang.parked.first().map_or(State::Done, |&(block, _)| State::Waiting(block));
            break;
        };
        m.activate(&mask, gang.rows);
        turn = group(m, code, gang, (block, mask, fair), turn);
    }
    std::mem::swap(&mut m.regs, &mut gang.regs);
    std::mem::swap(&mut m.ended, &mut gang.ended);
}

/// Runs one group of lanes until another is due.
///
/// Where lanes wait in loops for what others write, a group that goes round such a loop lets the others have a turn,
/// and they keep it whatever waits before them, until they come to where lanes meet.
fn group(
    m: &mut Machine,
    code: &Code,
    gang: &mut Gang,
    (mut block, mask, fair): (u32, Mask, bool),
    mut turn: u64,
) -> u64 {
    loop {
        let body = code.blocks[block as usize];
        let cost = u64::from(body.end - body.start) + 1;
        let count = &mut m.blocks[block as usize];
        count.0 += m.active_warps;
        count.1 += m.active_lanes;
        if m.budget < cost {
            out_of_budget(m, code, block);
            gang.state = State::Stuck;
            return 0;
        }
        m.budget -= cost;
        turn = turn.saturating_sub(cost);
        if m.watch.is_some() {
            super::dropped::block(m, code, body);
        } else {
            steps(m, code, body);
        }
        if body.stores {
            gang.stored.iter_mut().zip(&mask).for_each(|(stored, mask)| *stored |= mask);
        }
        if body.touches {
            (turn, m.touched) = (0, true);
        }
        let Some(next) = follow(m, code, gang, block, &mask) else { return turn };
        // all lanes of the loop have met by then: others get their turn now or not in this round
        let back = next == body.spin.0 && next <= block && body.spin.1 > 0;
        gang.rounds += u32::from(back);
        block = next;
        let due = match fair {
            true => {
                let joins = gang.waiting.iter().any(|&(other, _)| other == block);
                joins || stops(m, code, gang, &(block, mask))
            }
            false => {
                let lower = gang.waiting.last().is_some_and(|&(other, _)| other <= block);
                lower || m.prog.rules.parks && stops(m, code, gang, &(block, mask))
            }
        };
        let round = back && gang.rounds > MOST_ROUNDS && !gang.waiting.is_empty();
        if due || round || turn == 0 {
            if round {
                (gang.fair, gang.rounds) = (true, 0);
            }
            gang.arrive(block, mask);
            return turn;
        }
    }
}

/// Whether a group at a block must not go on: lanes meet there, and others may still come. Where the language names
/// them, those count; elsewhere all that go the same way.
fn stops(m: &Machine, code: &Code, gang: &Gang, (block, mask): &(u32, Mask)) -> bool {
    let body = &code.blocks[*block as usize];
    if !m.prog.rules.parks {
        return body.meets;
    }
    body.mask != NONE
        && (0..gang.rows).any(|row| {
            let masks = &u32::rows(&m.regs)[body.mask as usize + row];
            let named = (0..ROW).filter(|i| mask[row] >> i & 1 == 1).fold(0, |all, i| all | masks[i]);
            let elsewhere = gang.waiting.iter().fold(0, |all, (_, there)| all | there[row]);
            named & elsewhere & !mask[row] != 0
        })
}

/// Where the lanes of a group go after a block; nowhere, where they part, wait or end.
#[inline(always)]
fn follow(m: &mut Machine, code: &Code, gang: &mut Gang, block: u32, mask: &Mask) -> Option<u32> {
    let body = code.blocks[block as usize];
    Some(match body.term {
        End::Jump(next) => next,
        End::Uniform(condition, yes, no) => {
            if m.regs.ones32[condition as usize] != 0 {
                yes
            } else {
                no
            }
        }
        End::Divergent(condition, yes, no) => match part(m, condition, mask) {
            Part::All => {
                gang.go(&body, 0, mask);
                yes
            }
            Part::None => {
                gang.go(&body, 1, mask);
                no
            }
            Part::Some(taken, rest) => {
                gang.go(&body, 0, &taken);
                gang.go(&body, 1, &rest);
                if [yes, no].iter().any(|to| !(body.spin.0..body.spin.1).contains(to)) {
                    gang.rounds = 0;
                }
                gang.arrive(yes, taken);
                gang.arrive(no, rest);
                return None;
            }
        },
        End::Barrier { .. } | End::Named { .. } if m.prog.parks() => {
            gang.park(block, mask);
            return None;
        }
        End::Barrier { .. } | End::Named { .. } => {
            barrier(m, code, gang, block, *mask);
            return None;
        }
        End::Return => {
            for (ended, mask) in m.ended.iter_mut().zip(mask) {
                *ended |= mask;
            }
            return None;
        }
    })
}

#[inline(always)]
fn steps(m: &mut Machine, code: &Code, body: CodeBlock) {
    for step in &code.steps[body.start as usize..body.end as usize] {
        if m.detail && step.float != 0 {
            super::births::run(m, step);
        } else {
            (step.run)(m, step);
        }
    }
}

#[allow(clippy::large_enum_variant)] // lives on the stack for a moment
enum Part {
    All,
    None,
    Some(Mask, Mask),
}

/// Which lanes take a branch.
#[inline]
fn part(m: &Machine, condition: u32, mask: &Mask) -> Part {
    let mut taken = [0; MOST_ROWS];
    let (mut any, mut all) = (0, true);
    for k in 0..m.live_len {
        let row = m.live[k] as usize;
        let values = &u32::rows(&m.regs)[condition as usize + row];
        let mut bits = 0;
        for i in 0..ROW {
            bits |= (values[i] & 1) << i;
        }
        taken[row] = bits & mask[row];
        any |= taken[row];
        all &= taken[row] == mask[row];
    }
    if all {
        return Part::All;
    }
    if any == 0 {
        return Part::None;
    }
    let mut rest = *mask;
    for (rest, taken) in rest.iter_mut().zip(taken) {
        *rest &= !taken;
    }
    Part::Some(taken, rest)
}

fn barrier(m: &mut Machine, code: &Code, gang: &mut Gang, block: u32, mask: Mask) {
    if mask == gang.all {
        gang.state = State::Waiting(block);
        return;
    }
    let row = m.live[0] as usize;
    let text = match gang.waiting.last() {
        Some(&(other, _)) => {
            let line = m.prog.source.line(code.blocks[other as usize].at);
            format!(
                "only {} of {} lanes reach this barrier; others go on at line {line}",
                m.active_lanes,
                lanes(gang)
            )
        }
        None => {
            format!(
                "only {} of {} lanes reach this barrier; the others have ended",
                m.active_lanes,
                lanes(gang)
            )
        }
    };
    let at = code.blocks[block as usize].at;
    m.report_lanes(FindingKind::DivergentBarrier, at, row, m.mask[row], &text);
    gang.state = State::Stuck;
}

fn lanes(gang: &Gang) -> u32 {
    gang.all.iter().map(|bits| bits.count_ones()).sum()
}

/// The budget ended: in a loop that asks atomics for something that never comes, or in an endless one; or with too many
/// accesses out of bounds.
fn out_of_budget(m: &mut Machine, code: &Code, block: u32) {
    if m.astray.stopped.is_some() {
        return;
    }
    let inner = m.prog.loops.iter().filter(|(a, b)| (*a..*b).contains(&block)).min_by_key(|(a, b)| b - a);
    let spins = inner.is_some_and(|&(a, b)| {
        let body = &m.prog.blocks[a as usize..b as usize];
        body.iter().flat_map(|block| &block.ins).any(|ins| matches!(ins.op, Op::Atomic(..)))
    });
    let at = inner.map_or(code.blocks[block as usize].at, |&(a, _)| m.prog.blocks[a as usize].at);
    let row = m.live[0] as usize;
    let (kind, text) = if spins {
        (FindingKind::Deadlock, "lanes wait in this loop for an atomic that never changes (out of budget)")
    } else {
        (
            FindingKind::EndlessLoop,
            "the workgroup used up its budget of instructions in this loop: it is endless, or too long for sim",
        )
    };
    m.report_lanes(kind, at, row, m.mask[row], text);
}
