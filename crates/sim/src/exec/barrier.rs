//! Barriers of PTX: groups of lanes are parked where they wait, and go on when as many as the barrier wants have come.
//!
//! A device's barrier for all lanes does not wait for those that have ended. Here only those are let off that came to a
//! `return` before they did what others may see: the guard at the top of a kernel, and not a barrier in a branch that
//! the others pass by.

use super::decode::{Code, End};
use super::flow::{Gang, Mask, State};
use super::machine::{MOST_ROWS, Machine};
use super::mem::shadow::MOST_TICKS;
use super::workgroup::advance_shared;
use crate::api::finding::FindingKind;

/// The number of the barrier at the end of a block, how many lanes it wants, and where they go on.
fn barrier(m: &Machine, code: &Code, block: u32) -> (u32, u32, u32) {
    match code.blocks[block as usize].term {
        End::Named { id, count, next } => (id, if count == 0 { m.shape.lanes } else { count }, next),
        End::Barrier { next, .. } => (0, m.shape.lanes, next),
        _ => (0, 0, block),
    }
}

fn lanes(mask: &Mask) -> u32 {
    mask.iter().map(|bits| bits.count_ones()).sum()
}

/// How many lanes a barrier waits for: all that did not return at once, unless it names a number.
fn wanted(m: &Machine, code: &Code, gangs: &[Gang], block: u32) -> u32 {
    match code.blocks[block as usize].term {
        End::Named { count, .. } if count > 0 => count,
        _ if !m.prog.rules.parks => m.shape.lanes,
        _ => m.shape.lanes - gangs.iter().map(Gang::gone).sum::<u32>(),
    }
}

/// No gang can run: lets those go on whose barrier is complete. Reports if there are none.
pub fn meet(m: &mut Machine, code: &Code, gangs: &mut [Gang]) -> bool {
    let mut here: [(u32, u32); 16] = [(0, 0); 16];
    for (block, mask) in gangs.iter().flat_map(|gang| &gang.parked) {
        let (id, wanted) = (barrier(m, code, *block).0, wanted(m, code, gangs, *block));
        let slot = &mut here[id as usize & 15];
        *slot = (slot.0 + lanes(mask), slot.1.max(wanted));
    }
    let (mut any, mut orders) = (false, (false, false));
    for (id, &(there, wanted)) in here.iter().enumerate() {
        if there > wanted && m.prog.rules.parks {
            crowded(m, code, gangs, (id as u32, there, wanted));
            return false;
        }
        if there > 0 && there + m.arrived.lanes[id] >= wanted && (m.prog.rules.parks || one_place(gangs)) {
            m.arrived.lanes[id] = 0;
            any = true;
            let (shared, global) = release(m, code, gangs, id as u32);
            orders = (orders.0 || shared, orders.1 || global);
        }
    }
    if any {
        passed(m, orders.0, orders.1);
        return true;
    }
    stuck(m, code, gangs);
    false
}

/// Whether all lanes that wait do so at one barrier.
fn one_place(gangs: &[Gang]) -> bool {
    let mut parked = gangs.iter().flat_map(|gang| &gang.parked).map(|(block, _)| *block);
    let first = parked.next();
    parked.all(|block| Some(block) == first)
}

/// A barrier is over: what was before it is ordered before what comes, in workgroup memory and in buffers, as the
/// flags say.
pub fn passed(m: &mut Machine, shared: bool, global: bool) {
    if shared {
        advance_shared(m);
    }
    if global {
        m.global_clock.tick = (m.global_clock.tick + 1).min(MOST_TICKS);
        m.barrier_tick = m.global_clock.tick;
        m.knowledge.barrier();
    }
}

/// The groups at one barrier go on. Says which memory it orders: that of workgroups, and buffers.
fn release(m: &mut Machine, code: &Code, gangs: &mut [Gang], id: u32) -> (bool, bool) {
    let (mut orders, mut first) = ((false, false), None);
    for gang in gangs {
        let all = std::mem::take(&mut gang.parked);
        let (go, stay): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|(block, _)| barrier(m, code, *block).0 == id);
        gang.parked = stay;
        for (i, (block, mask)) in go.iter().enumerate() {
            let torn = go[..i].iter().find_map(|(other, theirs)| {
                let row = (0..MOST_ROWS).find(|&row| theirs[row] != 0 && mask[row] != 0)?;
                Some((*other, row))
            });
            if let Some((other, row)) = torn {
                let line = m.prog.source.line(code.blocks[other as usize].at);
                let text = format!("lanes of one warp wait at this barrier while others wait at line {line}");
                let at = code.blocks[*block as usize].at;
                m.first_row = gang.first_row;
                m.report_lanes(FindingKind::DivergentBarrier, at, row, mask[row], &text);
            }
        }
        if let Some((block, _)) = go.first() {
            m.barriers[*block as usize] += 1;
        }
        for (block, _) in &go {
            let first = *first.get_or_insert(*block);
            if first != *block {
                m.arrived.met.get_or_insert([first, *block]);
            }
        }
        for (block, mask) in go {
            let (shared, global) = match code.blocks[block as usize].term {
                End::Barrier { shared, global, .. } => (shared, global),
                _ => (true, true),
            };
            orders = (orders.0 || shared, orders.1 || global);
            let next = barrier(m, code, block).2;
            gang.arrive(next, mask);
            gang.state = State::Ready;
        }
    }
    orders
}

/// More lanes wait at a barrier than it is for: on a device it lets some of them go before the others come.
fn crowded(m: &mut Machine, code: &Code, gangs: &[Gang], (id, there, wanted): (u32, u32, u32)) {
    let mut parked = gangs.iter().flat_map(|gang| gang.parked.iter().map(move |p| (gang, p)));
    let Some((gang, (block, mask))) = parked.find(|(_, (block, _))| barrier(m, code, *block).0 == id) else {
        return;
    };
    let text =
        format!("{there} lanes come to this barrier, which is for {wanted}: some do not wait for the others");
    report(m, code, gang, (*block, mask), &text);
}

/// Nobody can go on: the lanes at the first barrier wait for others that will not come.
fn stuck(m: &mut Machine, code: &Code, gangs: &[Gang]) {
    let mut parked = gangs.iter().flat_map(|gang| gang.parked.iter().map(move |p| (gang, p)));
    let Some((gang, (block, mask))) = parked.next() else { return };
    let (id, wanted, _) = barrier(m, code, *block);
    let others = parked.find(|(_, (other, _))| other != block);
    let at_id = |(b, _): &&(u32, Mask)| barrier(m, code, *b).0 == id;
    let come: u32 = gangs.iter().flat_map(|g| &g.parked).filter(at_id).map(|(_, mask)| lanes(mask)).sum();
    let text = match others {
        Some((_, (other, _))) => {
            let line = m.prog.source.line(code.blocks[*other as usize].at);
            format!("{come} of {wanted} lanes come to this barrier while others wait at line {line}")
        }
        None => {
            let line = |block: u32| m.prog.source.line(code.blocks[block as usize].at);
            let before = m.arrived.met.map(|[a, b]| [line(a), line(b)]).filter(|[a, b]| a != b);
            let met = before
                .map(|[a, b]| format!("; before, lanes at line {a} met others at line {b}, another barrier"));
            let rest = met.unwrap_or_default();
            format!("only {come} of {wanted} lanes reach this barrier; the others have ended{rest}")
        }
    };
    report(m, code, gang, (*block, mask), &text);
}

/// Reports what lanes of a gang that wait at a barrier have met.
fn report(m: &mut Machine, code: &Code, gang: &Gang, (block, mask): (u32, &Mask), text: &str) {
    let row = (0..MOST_ROWS).find(|&row| mask[row] != 0).unwrap_or(0);
    m.first_row = gang.first_row;
    m.report_lanes(FindingKind::DivergentBarrier, code.blocks[block as usize].at, row, mask[row], text);
}
