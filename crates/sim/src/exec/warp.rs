//! What the lanes of a warp do together in PTX: shuffles, votes, matches, reductions, matrix products.

mod mma;

use super::lanes::{ROW, Raw, Row};
use super::machine::{MOST_ROWS, Machine, full};
use super::step::{Pair, Step};
use crate::api::finding::FindingKind;
use crate::ir::{Bin, Gather, NONE, Ty, Warp, junk};

/// What a lane gets from one that does not take part, by seed.
const POISONS: [u32; 3] = [junk::NAN, junk::ENDS[0], junk::ENDS[1]];

impl Machine {
    /// The lanes that there are in a row.
    pub fn there(&self, row: usize) -> u32 {
        let first = (self.first_row + row) as u32 * self.shape.row_lanes;
        full(self.shape.row_lanes.min(self.shape.lanes.saturating_sub(first)))
    }

    /// The lanes that the masks of a row name; reports those that are named and do not come. Lanes that have ended
    /// need not.
    fn named(&mut self, step: &Step, row: usize, mask: u32) -> u32 {
        let (active, there) = (self.mask[row], self.there(row) & !self.ended[row]);
        let mut masks = [0u32; ROW];
        if mask != NONE {
            masks = u32::rows(&self.regs)[mask as usize + row].0;
        }
        let first = masks[active.trailing_zeros() as usize & 31];
        let (mut missing, mut outside) = (0, 0);
        for i in (0..ROW).filter(|i| active >> i & 1 == 1) {
            missing |= masks[i] & there & !active;
            outside |= u32::from(masks[i] >> i & 1 == 0) << i;
        }
        if missing != 0 {
            let text = format!(
                "the mask {first:#010x} names {} lanes that do not come here: they took another way",
                missing.count_ones()
            );
            self.report_lanes(FindingKind::Warp, step.at, row, active, &text);
        } else if outside != 0 {
            let text = format!("lanes take part that are not in the mask {first:#010x}");
            self.report_lanes(FindingKind::Warp, step.at, row, outside, &text);
        }
        first & active
    }

    /// The same of lanes that trade values.
    fn traded(&mut self, step: &Step, row: usize, mask: u32) -> u32 {
        let named = self.named(step, row, mask);
        self.warp_meeting(row, named);
        named
    }

    fn words(&self, step: &Step, slot: usize, row: usize) -> [u32; ROW] {
        u32::rows(&self.regs)[step.src[slot] as usize + row].0
    }

    /// Writes a result to the active lanes.
    fn hand(&mut self, step: &Step, slot: usize, row: usize, f: impl Fn(usize) -> u32) {
        if step.dst[slot] == NONE {
            return;
        }
        let mask = self.mask[row];
        let dst = &mut u32::rows_mut(&mut self.regs)[step.dst[slot] as usize + row];
        for i in (0..ROW).filter(|i| mask >> i & 1 == 1) {
            dst[i] = f(i);
        }
    }
}

fn run(m: &mut Machine, step: &Step) {
    let warp = m.warps[step.site as usize];
    match warp {
        Warp::Mma => return mma::run(m, step),
        Warp::PutDown => return put_down(m, step),
        Warp::TakeUp => return take_up(m, step),
        Warp::Sync if m.shape.warp > ROW as u32 => return sync_wide(m),
        _ => {}
    }
    for k in 0..m.live_len {
        let row = m.live[k] as usize;
        match warp {
            Warp::Shuffle(gather) => shuffle(m, step, row, gather),
            Warp::All | Warp::Any | Warp::Uni | Warp::Ballot => vote(m, step, row, warp),
            Warp::Match(wide) | Warp::MatchAll(wide) => matches(m, step, row, warp, wide),
            Warp::Reduce(bin, ty) => reduce(m, step, row, bin, ty),
            Warp::Active => {
                let active = m.mask[row];
                m.hand(step, 0, row, |_| active);
            }
            Warp::Elect => {
                let first = m.named(step, row, step.src[0]).trailing_zeros();
                m.hand(step, 0, row, |_| first);
                m.hand(step, 1, row, |i| u32::from(i as u32 == first));
            }
            Warp::Sync => sync(m, step, row),
            Warp::Filled => filled(m, step, row),
            Warp::Fence => m.fence(row, step.imm == crate::ptx::NEAR),
            Warp::Arrive => m.arrived.lanes[step.imm as usize & 15] += m.mask[row].count_ones(),
            Warp::Commit => m.commit(row),
            Warp::Wait => m.wait(row, step.imm),
            Warp::Trap => {
                let active = m.mask[row];
                let text =
                    if step.imm == 0 { "the kernel stopped itself (trap)" } else { "an assertion fails" };
                m.report_lanes(FindingKind::Trap, step.at, row, active, text);
            }
            _ => {}
        }
    }
}

/// `bar.warp.sync`: each mask is a barrier of its own.
fn sync(m: &mut Machine, step: &Step, row: usize) {
    m.named(step, row, step.src[0]);
    let masks = m.words(step, 0, row);
    let mut left = m.mask[row];
    while left != 0 {
        let mask = masks[left.trailing_zeros() as usize];
        m.warp_barrier(&[(row, mask & m.mask[row])]);
        left &= !mask & !(1 << left.trailing_zeros());
    }
}

/// The same of subgroups of two rows, which name no lanes.
fn sync_wide(m: &mut Machine) {
    let live = m.live[..m.live_len].iter();
    let rows: Vec<(usize, u32)> = live.map(|&row| (row as usize, m.mask[row as usize])).collect();
    m.warp_barrier(&rows);
}

/// Reports registers of a fragment to which no active lane ever wrote.
fn filled(m: &mut Machine, step: &Step, row: usize) {
    let active = m.mask[row];
    let empty = |src: u32| {
        let is = &u32::rows(&m.regs)[src as usize + row];
        (0..ROW).all(|i| active >> i & 1 == 0 || is[i] & 1 == 0)
    };
    if step.src.iter().filter(|src| **src != NONE).any(|src| empty(*src)) {
        let text = "a matrix product reads a fragment that was never written";
        m.report_lanes(FindingKind::Uninitialised, step.at, row, active, text);
    }
}

/// `shfl.sync`.
fn shuffle(m: &mut Machine, step: &Step, row: usize, gather: Gather) {
    if step.src[3] != NONE {
        m.named(step, row, step.src[3]);
    }
    let active = m.mask[row];
    m.warp_meeting(row, active);
    let (a, b, c) = (m.words(step, 0, row), m.words(step, 1, row), m.words(step, 2, row));
    let (mut out, mut inside, mut ended, mut away) = ([0; ROW], [0; ROW], 0, 0);
    let masks = if step.src[3] == NONE { [active; ROW] } else { m.words(step, 3, row) };
    let poison = POISONS[(m.seed % POISONS.len() as u64) as usize];
    for i in 0..ROW {
        let (by, segment, clamp) = (b[i] & 31, c[i] >> 8 & 31, c[i] & 31);
        let lane = i as u32;
        let most = (lane & segment) | (clamp & !segment);
        let (from, fits) = match gather {
            Gather::Up => (lane.wrapping_sub(by), lane as i32 - by as i32 >= most as i32),
            Gather::Down => (lane + by, lane + by <= most),
            Gather::Xor => (lane ^ by, lane ^ by <= most),
            _ => {
                let from = lane & segment | by & !segment;
                (from, from <= most)
            }
        };
        let from = if fits { from as usize & 31 } else { i };
        out[i] = if active >> from & 1 == 1 { a[from] } else { poison };
        inside[i] = u32::from(fits);
        let is_away = active >> i & 1 == 1 && active >> from & 1 == 0;
        let has_ended = m.ended[row] >> from & 1 == 1;
        ended |= u32::from(is_away && has_ended) << i;
        away |= u32::from(is_away && !has_ended && masks[i] >> from & 1 == 0) << i;
    }
    if away != 0 {
        let text = "a shuffle reads from lanes outside its mask: what it gets there is undefined";
        m.report_lanes(FindingKind::UndefinedShuffle, step.at, row, away, text);
    }
    if ended != 0 {
        // whether they went past it or were never to come depends on the order in which lanes run
        let text = "a shuffle reads from lanes that do not take part: they skip it, or have ended";
        m.report_lanes(FindingKind::Warp, step.at, row, ended, text);
    }
    m.hand(step, 0, row, |i| out[i]);
    m.hand(step, 1, row, |i| inside[i]);
}

fn vote(m: &mut Machine, step: &Step, row: usize, warp: Warp) {
    let named = m.traded(step, row, step.src[1]);
    let values = m.words(step, 0, row);
    let ballot = (0..ROW).fold(0, |bits, i| bits | u32::from(values[i] & 1 == 1) << i) & named;
    let out = match warp {
        Warp::Ballot => ballot,
        Warp::All => u32::from(ballot == named),
        Warp::Any => u32::from(ballot != 0),
        _ => u32::from(ballot == named || ballot == 0),
    };
    m.hand(step, 0, row, |_| out);
}

fn matches(m: &mut Machine, step: &Step, row: usize, warp: Warp, wide: bool) {
    let named = m.traded(step, row, step.src[1]);
    let values: [u64; ROW] = match wide {
        true => u64::rows(&m.regs)[step.src[0] as usize + row].0,
        false => m.words(step, 0, row).map(u64::from),
    };
    let same = |i: usize| (0..ROW).fold(0, |bits, j| bits | u32::from(values[j] == values[i]) << j) & named;
    if let Warp::Match(_) = warp {
        m.hand(step, 0, row, same);
        return;
    }
    let all = named != 0 && same(named.trailing_zeros() as usize) == named;
    m.hand(step, 0, row, |_| if all { named } else { 0 });
    m.hand(step, 1, row, |_| u32::from(all));
}

/// `redux.sync`.
fn reduce(m: &mut Machine, step: &Step, row: usize, bin: Bin, ty: Ty) {
    let named = m.traded(step, row, step.src[1]);
    let values = m.words(step, 0, row);
    let join = |a: u32, b: u32| match (bin, ty) {
        (Bin::Add, _) => a.wrapping_add(b),
        (Bin::And, _) => a & b,
        (Bin::Or, _) => a | b,
        (Bin::Xor, _) => a ^ b,
        (Bin::Min, Ty::I32) => (a as i32).min(b as i32) as u32,
        (Bin::Max, Ty::I32) => (a as i32).max(b as i32) as u32,
        (Bin::Min, _) => a.min(b),
        _ => a.max(b),
    };
    let mut all = (0..ROW).filter(|i| named >> i & 1 == 1).map(|i| values[i]);
    let out = all.next().map_or(0, |first| all.fold(first, join));
    m.hand(step, 0, row, |_| out);
}

/// Slots for what is put down: four fragments of at most 16 words, twice for 64-bit numbers.
pub const SLOTS: usize = 64;

fn put_down(m: &mut Machine, step: &Step) {
    if m.tray.len() < SLOTS * MOST_ROWS {
        m.tray = vec![Row([0; ROW]); SLOTS * MOST_ROWS];
    }
    for (slot, &src) in step.src.iter().enumerate().filter(|(_, src)| **src != NONE) {
        for k in 0..m.live_len {
            let row = m.live[k] as usize;
            m.tray[(step.imm as usize + slot) % SLOTS * MOST_ROWS + row] =
                u32::rows(&m.regs)[src as usize + row];
        }
    }
}

fn take_up(m: &mut Machine, step: &Step) {
    for (slot, &dst) in step.dst.iter().enumerate().filter(|(_, dst)| **dst != NONE) {
        for k in 0..m.live_len {
            let row = m.live[k] as usize;
            let mask = m.mask[row];
            let from = m.tray[(step.imm as usize + slot) % SLOTS * MOST_ROWS + row];
            let to = &mut u32::rows_mut(&mut m.regs)[dst as usize + row];
            for i in 0..ROW {
                to[i] = if mask >> i & 1 == 1 { from[i] } else { to[i] };
            }
        }
    }
}

pub fn pair() -> Pair {
    Pair { lanes: run, once: run }
}
