//! Workgroups in turns: a few of them are alive at once, and each goes on for a few accesses before another does, as
//! on a device. What one does between a load and a store of another then shows in what comes out. Nothing is watched
//! here: a run of workgroups one after the other has looked for all that can be seen that way. Where they wait for each
//! other, so that one after the other never ends, all of them are alive at once, if devices have that many.

use super::cuts::{firsts, is_shared};
use super::decode::Code;
use super::flow::Gang;
use super::launch::{Job, hopeless};
use super::machine::Machine;
use super::mem::delayed::Delayed;
use super::mem::early::Early;
use super::mem::object::Mem;
use super::merge::joins;
use super::setup::machine;
use super::tally::Tally;
use super::workgroup::{Random, Running, gangs};
use crate::api::finding::FindingKind;
use crate::api::launch::Launch;
use crate::api::options::Options;
use crate::ir::{MemSpace, NONE};
use std::sync::Arc;

/// Workgroups that are alive at once; and in one more schedule of those that wait for others, where one of the first
/// begins long after the rest, so that who looks back at what others left sees many that are not done.
const ALIVE: usize = 8;
const CROWD: usize = 64;
/// Schedules of a grid that has few workgroups, and how many those are.
const TRIES: u64 = 4;
const SMALL: u64 = 64;
/// In one of so many turns, what a workgroup has stored without a fence is seen after all.
const SEEN: u64 = 8;
/// Steps of a gang's turn, if it comes to no access.
const TURN: u64 = 4096;
/// For how many turns of all a workgroup is held up after an access, at most: for none, as often as for a while; and
/// now and then for so many that all others may end before it.
const HELD: [u64; 8] = [1, 1, 1, 1, 64, 64, 64, 4096];
/// How many times the steps may be that a workgroup took before, and those in which it waits for others.
const SLOWER: u64 = 64;
const WAITED: u64 = 1 << 22;
/// Bytes of buffers, beyond which workgroups go one after the other alone.
const BYTES: usize = 1 << 24;

/// How workgroups take turns.
struct Schedule {
    /// How many are alive at once.
    alive: usize,
    /// Which of several schedules it is.
    number: u64,
    /// Steps that each may take.
    budget: u64,
    /// One of the first begins when others have long been waiting for it.
    late: bool,
}

/// A place for one workgroup after another.
struct Seat {
    m: Machine,
    gangs: Vec<Gang>,
    running: Option<Running>,
    /// The turn from which it goes on.
    held: u64,
}

/// A launch whose workgroups wait for each other, with all of them alive; nothing where no device promises that, or
/// where it does not end either. Lanes of several workgroups take turns in memory that they share, so races there are
/// not seen.
pub fn resident(job: &Job, launch: &Launch) -> Option<(Machine, Code)> {
    let groups = job.groups as usize;
    if job.groups < 2 || job.groups > job.compiled.prog.resident() {
        return None;
    }
    let code = job.compiled.code(&job.shape, job.options, true).ok()?;
    let plan = Schedule { alive: groups, number: 0, budget: job.options.budget, late: true };
    let (mut seats, holder) = take_turns(job, launch, &code, job.options, &plan)?;
    let mut last = seats.swap_remove(holder).m;
    let mut tally = Tally::of(&last);
    for Seat { m, .. } in seats {
        tally.add(&Tally::of(&m));
        last.odd_stored |= m.odd_stored;
        last.used = last.used.max(m.used);
        last.reports.merge(m.reports);
    }
    let shared = |mem: u32| mem != NONE && job.compiled.prog.mems[mem as usize].space == MemSpace::Global;
    last.reports.retain(|kind, mem| kind != FindingKind::Race || !shared(mem));
    let firsts = firsts(&job.compiled.prog, |ins| is_shared(&job.compiled.prog, ins));
    last.blocks = firsts.iter().map(|&first| tally.blocks[first as usize]).collect();
    last.barriers = firsts.iter().map(|&first| tally.barriers[first as usize]).collect();
    last.sites.iter_mut().zip(tally.costs).for_each(|(site, cost)| site.cost = cost);
    Some((last, code))
}

/// What workgroups that go on in turns leave behind.
pub struct Outcome {
    /// Memory.
    pub mems: Vec<Mem>,
    /// How often each block of the program ran, in all schedules: by warps and by lanes.
    pub blocks: Vec<(u64, u64)>,
}

/// What is left after workgroups went on in turns; nothing where turns make no difference, or some workgroup never
/// ended. Of a few schedules the first is taken that leaves something else than workgroups one by one did.
pub fn outcome(job: &Job, launch: &Launch, one_by_one: &Machine) -> Option<Outcome> {
    let bytes: usize = launch.buffers.iter().map(|buffer| buffer.bytes.len()).sum();
    let options = job.options;
    if !options.turns || options.seed == 0 || job.groups < 2 || bytes > BYTES {
        return None;
    }
    if joins(&job.compiled.prog).is_some() {
        return None;
    }
    let code = job.compiled.code(&job.shape, options, true).ok()?;
    let tries = if job.groups <= SMALL { TRIES } else { 1 };
    let crowded = job.compiled.prog.spins && job.groups > ALIVE as u64;
    // what is left may differ by rounding: the first schedule is the one that counts then
    let crowd = (options.seed % 2) * tries;
    let firsts = firsts(&job.compiled.prog, |ins| is_shared(&job.compiled.prog, ins));
    let (mut last, mut blocks) = (None, vec![(0, 0); firsts.len()]);
    let budget = job.budget.min(WAITED + SLOWER * one_by_one.used);
    let quiet = Options { checks: false, counts: false, notes: false, ..*options };
    for number in 0..tries + u64::from(crowded) {
        let late = crowded && number == crowd;
        let alive = if late { CROWD.min(job.groups as usize) } else { ALIVE };
        let plan = Schedule { alive, number, budget, late };
        let (mut seats, holder) = take_turns(job, launch, &code, &quiet, &plan)?;
        for seat in &seats {
            for (all, first) in blocks.iter_mut().zip(&firsts) {
                let (warps, lanes) = seat.m.blocks[*first as usize];
                *all = (all.0 + warps, all.1 + lanes);
            }
        }
        let mems = std::mem::take(&mut seats[holder].m.mems);
        let differs = |(one, other): (&Mem, &Mem)| {
            one.space == MemSpace::Global && one.words.get() != other.words.get()
        };
        let new = one_by_one.mems.iter().zip(&mems).any(differs);
        last = Some(mems);
        if new {
            break;
        }
    }
    Some(Outcome { mems: last?, blocks })
}

/// One schedule, from the first workgroup to the last: the seats, and which of them holds the memory.
fn take_turns(
    job: &Job,
    launch: &Launch,
    code: &Code,
    options: &Options,
    &Schedule { alive, number, budget, late }: &Schedule,
) -> Option<(Vec<Seat>, usize)> {
    let mut seats: Vec<Seat> = (0..alive).map(|at| seat(job, launch, code, options, at == 0)).collect();
    let mut random = Random(options.seed ^ (0x7475_726e_7300 + number));
    if late {
        let late = random.next() % alive as u64;
        seats[late as usize].held = HELD[HELD.len() - 1];
    }
    let (mut coming, mut holder, mut turn) = (0..job.groups, 0, 0);
    loop {
        for seat in seats.iter_mut().filter(|seat| seat.running.is_none()) {
            let Some(at) = coming.next() else { break };
            seat.running = Some(Running::begin(&mut seat.m, &mut seat.gangs, job.group(at), budget));
        }
        turn += 1;
        let Some(next) = draw(&seats, turn, &mut random) else { break };
        hand_over(&mut seats, holder, next);
        holder = next;
        // held back, not for ever
        let seen = seats[next].m.knowledge.delayed.is_some() && random.next().is_multiple_of(SEEN);
        seats[next].m.knowledge.delayed.iter_mut().filter(|_| seen).for_each(Delayed::publish);
        let Seat { m, gangs, running, held } = &mut seats[next];
        if !running.as_mut()?.round(m, code, gangs, (TURN, TURN)) {
            *running = None;
            m.knowledge.delayed.iter_mut().for_each(Delayed::publish);
        }
        if std::mem::take(&mut m.touched) {
            let most = HELD[(random.next() % HELD.len() as u64) as usize];
            *held = turn + random.next() % most;
        }
        if hopeless(m) {
            return None;
        }
    }
    Some((seats, holder))
}

/// Who is next: one of those that are not held up, if there are any.
fn draw(seats: &[Seat], turn: u64, random: &mut Random) -> Option<usize> {
    let alive: Vec<usize> = (0..seats.len()).filter(|seat| seats[*seat].running.is_some()).collect();
    let free: Vec<usize> = alive.iter().copied().filter(|seat| seats[*seat].held <= turn).collect();
    let all = if free.is_empty() { alive } else { free };
    let at = random.next().checked_rem(all.len() as u64)?;
    Some(all[at as usize])
}

/// A place, with the memory that all workgroups share or without.
fn seat(job: &Job, launch: &Launch, code: &Code, options: &Options, holds: bool) -> Seat {
    let all = job.common.iter().zip(&job.compiled.prog.mems);
    let own = all.map(|(words, mem)| words.clone().filter(|_| holds || mem.space != MemSpace::Global));
    let common: Vec<Option<Arc<Vec<u32>>>> = own.collect();
    let mut m = machine(job.compiled, code, &job.shape, launch, &common, options, false);
    m.early = Early::default();
    let prog = &job.compiled.prog;
    m.knowledge.delayed = (prog.spins && prog.rules.fences).then(Delayed::default);
    let gangs = gangs(&m, code);
    Seat { m, gangs, running: None, held: 0 }
}

/// The memory that all workgroups share goes from one seat to another.
fn hand_over(seats: &mut [Seat], from: usize, to: usize) {
    if from == to {
        return;
    }
    let of = &mut seats[from].m;
    of.knowledge.delayed.iter_mut().for_each(|delayed| delayed.hide(&mut of.mems));
    let (first, second) = seats.split_at_mut(from.max(to));
    let (one, other) = (&mut first[from.min(to)].m.mems, &mut second[0].m.mems);
    for (one, other) in one.iter_mut().zip(other).filter(|(mem, _)| mem.space == MemSpace::Global) {
        std::mem::swap(one, other);
    }
    let of = &mut seats[to].m;
    of.knowledge.delayed.iter_mut().for_each(|delayed| delayed.show(&mut of.mems));
}
