//! A whole launch: workgroups shared out among workers, their results joined, and run again one by one when
//! what happened could depend on the order.

use super::decode::Code;
use super::dropped::{self, Watch};
use super::machine::{Machine, Shape};
use super::mem::object::{Mem, Words};
use super::merge::{Join, joins, merge};
use super::setup::{Compiled, machine};
use super::tally::Tally;
use super::turns;
use super::workgroup::{Random, gangs, run_workgroup};
use crate::api::buffer::ByteSet;
use crate::api::error::RunError;
use crate::api::finding::FindingKind;
use crate::api::launch::Launch;
use crate::api::options::Options;
use crate::api::run::Run;
use crate::ir::{MemObject, MemSpace};
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Workers at most; each has a copy of what the kernel writes.
const MOST_WORKERS: usize = 16;

/// What all workers share.
pub struct Job<'a> {
    pub compiled: &'a Compiled,
    code: Code,
    pub shape: Shape,
    pub options: &'a Options,
    pub common: Vec<Option<Arc<Vec<u32>>>>,
    pub groups: u64,
    /// The order in which one worker takes workgroups; by index, where there is none.
    order: Option<Vec<u64>>,
    pub budget: u64,
}

impl Job<'_> {
    /// The workgroup that is next after so many.
    pub fn group(&self, at: u64) -> u64 {
        self.order.as_ref().and_then(|all| all.get(at as usize)).copied().unwrap_or(at)
    }
}

/// Steps that a workgroup may take which waits for others, before those get their turn in the order
/// of the grid.
const WAITING: u64 = 1 << 20;
/// The share of a budget that is left to a workgroup whose endless loop is told in more detail.
const TOLD_AGAIN: u64 = 32;

/// Runs a launch and writes its buffers.
pub fn launch(compiled: &Compiled, launch: &mut Launch, options: &Options) -> Result<Run, RunError> {
    let shape = compiled.shape(launch, options)?;
    let common = bind(compiled, launch)?;
    let groups = launch.grid.iter().try_fold(1u64, |n, &g| n.checked_mul(u64::from(g)));
    let groups =
        groups.ok_or_else(|| RunError::Limit("the grid has more workgroups than fit in 64 bits".into()))?;
    hold_limits(compiled, groups, launch, options)?;
    let code = compiled.code(&shape, options, false)?;
    let order = (options.seed != 0 && groups > 1).then(|| shuffled(groups, options.seed));
    let waits = groups > 1 && compiled.prog.spins;
    let few = groups <= compiled.prog.resident();
    let budget = match waits {
        true => options.budget.min(if few { WAITING / 4 } else { WAITING }),
        false => options.budget,
    };
    let mut job = Job { compiled, code, shape, options, common, groups, order, budget };
    let (m, together) = if waits { patiently(&mut job, launch) } else { (attempt(&job, launch), false) };
    let Some(mut m) = m else { return Err(RunError::Launch("nothing ran".into())) };
    if let Some(key) = m.astray.stopped {
        m.reports.stopped(key);
    }
    let mut also = Vec::new();
    if !together
        && !hopeless(&m)
        && let Some(turns::Outcome { mems, blocks }) = turns::outcome(&job, launch, &m)
    {
        also = blocks;
        let owned = |mem: &Mem| mem.space == MemSpace::Global && matches!(mem.words, Words::Own(_));
        let each = m.mems.iter_mut().zip(mems).filter(|(mem, _)| owned(mem));
        each.for_each(|(mem, after)| mem.words = after.words);
    }
    give_back(&job, &m, launch);
    let tally = Tally::of(&m);
    let (counts, by_line) = tally.finish(&compiled.prog, &job.code, job.shape.warp);
    let (parts, compared) = (tally.parts(&compiled.prog, &also), tally.compared(&compiled.prog));
    let findings = std::mem::take(&mut m.reports).finish(&compiled.prog, job.shape.grid);
    compiled.spare.retire(m);
    compiled.spare.retire_common(job.common);
    Ok(Run { findings, counts, by_line, parts, compared })
}

/// All workgroups in an order that the seed chooses.
fn shuffled(groups: u64, seed: u64) -> Vec<u64> {
    let mut order: Vec<u64> = (0..groups).collect();
    Random(seed).shuffle(&mut order);
    order
}

/// Runs a launch whose workgroups may wait for others, as devices let them get by. Says whether all were alive at once.
fn patiently(job: &mut Job, launch: &Launch) -> (Option<Machine>, bool) {
    let is_stuck = |m: &Option<Machine>| m.as_ref().is_some_and(hopeless);
    // those that meet at the grid's barrier cannot get by one after the other
    if !job.compiled.prog.together {
        let mut m = attempt(job, launch);
        if is_stuck(&m) && job.order.take().is_some() {
            // those that wait for the ones before them get by when these have run
            m = attempt(job, launch);
        }
        if !is_stuck(&m) {
            return (m, false);
        }
    }
    // those that wait for any others, where all are alive
    if let Some((all, code)) = turns::resident(job, launch) {
        job.code = code;
        return (Some(all), true);
    }
    job.budget = job.options.budget;
    (attempt(job, launch), false)
}

/// Runs a launch, in as much detail as its findings ask for.
fn attempt(job: &Job, launch: &Launch) -> Option<Machine> {
    let mut m = side_by_side(job, launch);
    if m.as_ref().is_none_or(|m| again(m, job.options)) {
        // of a loop that proved endless, a few rounds tell enough
        let endless = m.as_ref().is_some_and(hopeless);
        let budget = if endless { job.budget / TOLD_AGAIN } else { job.budget };
        m = Some(one_by_one(job, budget, launch, m.is_some(), false));
    }
    if m.as_ref().is_some_and(|m| doubtful(job, m)) {
        m = Some(one_by_one(job, job.budget, launch, true, true));
    }
    m
}

/// Whether a first run must be told in more detail.
fn again(m: &Machine, options: &Options) -> bool {
    m.reports.has(FindingKind::Race) || (options.notes && m.odd_stored)
}

/// Whether reads went wrong whose values may be dropped.
fn doubtful(job: &Job, m: &Machine) -> bool {
    let found = m.reports.has(FindingKind::OutOfBounds) || m.reports.has(FindingKind::Uninitialised);
    found && !hopeless(m) && dropped::can_drop(job.compiled)
}

/// Runs the workgroups on several threads. Returns nothing when the outcome could depend on the order.
fn side_by_side(job: &Job, launch: &Launch) -> Option<Machine> {
    let joins = joins(&job.compiled.prog);
    let wanted = if job.options.threads == 0 { rayon::current_num_threads() } else { job.options.threads };
    let workers = match &joins {
        Some(_) if job.options.checks => wanted.clamp(1, MOST_WORKERS).min(job.groups.max(1) as usize),
        _ => 1,
    };
    let make = || machine(job.compiled, &job.code, &job.shape, launch, &job.common, job.options, false);
    let mut machines: Vec<Option<Machine>> = (0..workers).map(|_| None).collect();
    let next = AtomicU64::new(0);
    let stop = AtomicBool::new(false);
    if workers == 1 {
        work(job, machines[0].insert(make()), &next, &stop, job.order.as_deref());
    } else {
        rayon::scope(|scope| {
            for slot in &mut machines {
                // each makes its own memory ready
                scope.spawn(|_| work(job, slot.insert(make()), &next, &stop, None));
            }
        });
    }
    let mut machines = machines.into_iter().flatten();
    let mut first = machines.next()?;
    let joins = joins.unwrap_or_else(|| vec![Join::Bits; first.mems.len()]);
    let mut tally = Tally::of(&first);
    for mut other in machines {
        if merge(&mut first, &other, &job.common, &joins) {
            return None;
        }
        tally.add(&Tally::of(&other));
        first.odd_stored |= other.odd_stored;
        first.used = first.used.max(other.used);
        first.reports.merge(std::mem::take(&mut other.reports));
        job.compiled.spare.retire(other);
    }
    if workers > 1 && stop.load(Ordering::Relaxed) {
        return None; // which workgroups ran is chance
    }
    first.blocks = tally.blocks;
    first.barriers = tally.barriers;
    first.compared = tally.compared;
    first.sites.iter_mut().zip(tally.costs).for_each(|(site, cost)| site.cost = cost);
    Some(first)
}

/// Takes workgroups until none are left.
fn work(job: &Job, m: &mut Machine, next: &AtomicU64, stop: &AtomicBool, order: Option<&[u64]>) {
    let mut gangs = gangs(m, &job.code);
    let batch = (job.groups / 64).clamp(1, 64);
    loop {
        let first = next.fetch_add(batch, Ordering::Relaxed);
        if first >= job.groups || stop.load(Ordering::Relaxed) {
            return;
        }
        for at in first..(first + batch).min(job.groups) {
            let index = order.and_then(|all| all.get(at as usize)).copied().unwrap_or(at);
            run_workgroup(m, &job.code, &mut gangs, index, job.budget);
        }
        if hopeless(m) {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

/// Whether going on would only use up more budgets.
pub fn hopeless(m: &Machine) -> bool {
    m.reports.has(FindingKind::EndlessLoop)
        || m.reports.has(FindingKind::Deadlock)
        || m.astray.stopped.is_some()
}

/// Runs the workgroups one by one, in the order that the seed chooses.
fn one_by_one(job: &Job, budget: u64, launch: &Launch, detail: bool, follow: bool) -> Machine {
    let detail = detail || job.options.checks;
    let mut m = machine(job.compiled, &job.code, &job.shape, launch, &job.common, job.options, detail);
    let mut gangs = gangs(&m, &job.code);
    if follow {
        gangs.iter_mut().for_each(|gang| dropped::make_room(&mut gang.regs));
        m.watch = Some(Box::new(Watch::new(job.compiled, &job.code, job.shape.gang)));
        m.vain = Some(Vec::new());
    }
    for at in 0..job.groups {
        run_workgroup(&mut m, &job.code, &mut gangs, job.group(at), budget);
        if hopeless(&m) {
            return m; // what was read last may still count
        }
    }
    if let Some(watch) = m.watch.take() {
        watch.dropped().for_each(|key| m.reports.drop_reads(key));
    }
    m
}

/// The words of each buffer that the program uses.
fn bind(compiled: &Compiled, launch: &Launch) -> Result<Vec<Option<Arc<Vec<u32>>>>, RunError> {
    let all = compiled.prog.mems.par_iter().enumerate();
    all.map(|(i, object)| match object.binding {
        Some(binding) => bound(compiled, launch, object, binding).map(Some),
        None => Ok(unbound(compiled, launch, i)),
    })
    .collect()
}

/// The words of a memory object that no buffer is bound to, where it has any from the start.
fn unbound(compiled: &Compiled, launch: &Launch, mem: usize) -> Option<Arc<Vec<u32>>> {
    let object = &compiled.prog.mems[mem];
    if compiled.prog.param_mem == Some(mem as u32) {
        return Some(Arc::new(compiled.prog.params(launch)));
    }
    let own = matches!(object.space, MemSpace::Global | MemSpace::Constant) && !object.words.is_empty();
    own.then(|| Arc::new(compiled.prog.kept(mem, launch).unwrap_or(&object.words).clone()))
}

fn bound(
    compiled: &Compiled,
    launch: &Launch,
    object: &MemObject,
    (group, binding): (u32, u32),
) -> Result<Arc<Vec<u32>>, RunError> {
    let name = &object.name;
    let buffer = launch.bound(group, binding).ok_or_else(|| {
        RunError::Launch(format!("nothing is bound to @group({group}) @binding({binding}), `{name}`"))
    })?;
    if buffer.bytes.len().next_multiple_of(4) < object.size as usize {
        return Err(RunError::Launch(format!(
            "@group({group}) @binding({binding}), `{name}`, needs at least {} bytes: {} are bound",
            object.size,
            buffer.bytes.len()
        )));
    }
    Ok(Arc::new(compiled.spare.words(&buffer.bytes)))
}

fn hold_limits(compiled: &Compiled, groups: u64, launch: &Launch, options: &Options) -> Result<(), RunError> {
    let limits = &options.limits;
    let sum = |space: MemSpace| {
        let mems = compiled.prog.mems.iter().filter(|mem| mem.space == space);
        mems.map(|mem| u64::from(mem.size)).sum::<u64>()
    };
    let registers: u64 = compiled.places.sizes.iter().map(|&n| u64::from(n)).sum();
    let buffers: u64 = launch.buffers.iter().map(|b| b.bytes.len() as u64).sum();
    let checks = [
        (sum(MemSpace::Shared), u64::from(limits.shared), "bytes of workgroup memory"),
        (sum(MemSpace::Private), u64::from(limits.private), "bytes of private arrays"),
        (registers, limits.registers as u64, "registers"),
        (buffers, limits.buffers as u64, "bytes of buffers"),
        (groups, limits.groups, "workgroups"),
    ];
    let most = compiled.prog.resident();
    if compiled.prog.together && groups > most {
        return Err(RunError::Limit(format!(
            "a barrier of the whole grid needs all {groups} blocks on the card at once: the simulated one holds \
             {most} of this size"
        )));
    }
    for (needs, most, what) in checks {
        if needs > most {
            return Err(RunError::Limit(format!("{needs} {what}: the limit is {most}")));
        }
    }
    Ok(())
}

/// Copies what the kernel wrote back to the launch.
fn give_back(job: &Job, m: &Machine, launch: &mut Launch) {
    for (mem, name) in &job.compiled.prog.globals {
        let (words, mem) = (m.mems[*mem as usize].words.get().to_vec(), *mem as usize);
        if job.compiled.prog.mems[mem].writable {
            launch.globals.retain(|(other, _)| other != name);
            launch.globals.push((name.clone(), words));
        }
    }
    for (i, object) in job.compiled.prog.mems.iter().enumerate() {
        let Some((group, binding)) = object.binding.filter(|_| object.writable) else { continue };
        let Some(buffer) = launch.buffers.iter_mut().find(|b| b.group == group && b.binding == binding)
        else {
            continue;
        };
        let mem = &m.mems[i];
        let words = mem.words.get();
        let mut whole = buffer.bytes.chunks_exact_mut(4);
        whole.by_ref().zip(words).for_each(|(bytes, word)| bytes.copy_from_slice(&word.to_le_bytes()));
        let rest = whole.into_remainder();
        rest.iter_mut()
            .zip(words.last().map_or([0; 4], |w| w.to_le_bytes()))
            .for_each(|(to, byte)| *to = byte);
        buffer.written = ByteSet::new(buffer.bytes.len());
        if let Some(shadow) = &mem.shadow {
            let size = 1usize << mem.grain;
            let mut grain = 0;
            for run in shadow.writes.chunk_by(|a, b| (*a == 0) == (*b == 0)) {
                if run[0] != 0 {
                    buffer.written.insert(grain * size..(grain + run.len()) * size);
                }
                grain += run.len();
            }
        }
    }
}
