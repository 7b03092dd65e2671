//! Accesses lane by lane, with every check: what the fast ways fall back on, and private memory.

use super::delayed::holds;
use super::load::widen;
use super::object::Mem;
use super::shadow::Shadow;
use crate::api::finding::{Access, FindingKind};
use crate::exec::lanes::{ROW, Raw, Row};
use crate::exec::machine::{AccessReport, Clock, Machine};
use crate::exec::step::Step;
use crate::ir::{Fmt, MemSpace};
use crate::ptx::{IN_FLIGHT, READ_ONLY, idle, vector_size};
use ktwin_num::f32_to_f16;

/// How the elements of an access lie: from the bytes of the site and the step.
pub fn format(m: &Machine, step: &Step) -> Fmt {
    m.formats[step.site as usize]
}

impl Machine {
    /// The slot of a lane in private memory; 0 elsewhere.
    #[inline(always)]
    pub fn slot(&self, mem: &Mem, row: usize, i: usize) -> u32 {
        if mem.space == MemSpace::Private { ((self.first_row + row) * ROW + i) as u32 } else { 0 }
    }

    pub fn clock(&self, space: MemSpace) -> Clock {
        if space == MemSpace::Global { self.global_clock } else { self.shared_clock }
    }

    /// Whether bytes may be touched; reports where not.
    pub fn in_bounds(&mut self, step: &Step, addr: u32, bytes: u32, access: Access, lane: u32) -> bool {
        let mem = &self.mems[step.mem as usize];
        let inside = u64::from(addr) + u64::from(bytes) <= u64::from(mem.bytes);
        let aligned = addr & (bytes - 1) == 0;
        if inside && aligned {
            return true;
        }
        let kind = if inside { FindingKind::Misaligned } else { FindingKind::OutOfBounds };
        // an index out of range left its offset in the low bits
        let offset = match addr >= super::index::NOWHERE {
            true if self.prog.rules.pointers => i64::from(addr as i32) as u64,
            true => {
                let row = (lane / self.shape.row_lanes) as usize - self.first_row;
                let meant = self.astray.meant(row, (lane % self.shape.row_lanes) as usize, addr);
                meant.unwrap_or_else(|| u64::from(addr & !super::index::NOWHERE))
            }
            false => u64::from(addr),
        };
        self.report_access(AccessReport {
            kind,
            at: step.at,
            mem: step.mem,
            offset,
            access,
            lane,
            other: None,
        });
        false
    }

    /// Whether a vector lies at a multiple of its size, where it must; reports where not.
    pub fn straight(&mut self, step: &Step, base: u32, access: Access, lane: u32) -> bool {
        let size = vector_size(step.imm2);
        let addr = base.wrapping_add(step.imm);
        if size == 0
            || addr & (size - 1) == 0
            || u64::from(addr) >= u64::from(self.mems[step.mem as usize].bytes)
        {
            return true;
        }
        let (kind, offset) = (FindingKind::Misaligned, u64::from(addr));
        self.report_access(AccessReport {
            kind,
            at: step.at,
            mem: step.mem,
            offset,
            access,
            lane,
            other: None,
        });
        false
    }

    /// The checks of a read that is in bounds.
    pub fn watch_read(&mut self, step: &Step, addr: u32, bytes: u32, lane: u32) {
        let clock = self.clock(self.mems[step.mem as usize].space);
        let mem = &mut self.mems[step.mem as usize];
        let global = mem.space == MemSpace::Global;
        let marked = mem.is_marked(addr, bytes) && mem.is_filled(addr, bytes, lane);
        let stale = step.imm2 & READ_ONLY != 0
            && global
            && mem.shadow.as_ref().is_some_and(|shadow| shadow.writes[(addr >> mem.grain) as usize] != 0);
        let note = |shadow: &mut Shadow, grain| shadow.read(grain, lane, clock, global, step.at);
        let clash = if step.tracked { self.clash(step, addr, bytes, lane, note) } else { None };
        let clash = clash.filter(|clash| !self.is_of_copy(step.mem, clash));
        if !marked {
            self.report_access(AccessReport {
                kind: FindingKind::Uninitialised,
                at: step.at,
                mem: step.mem,
                offset: u64::from(addr),
                access: Access::Read,
                lane,
                other: None,
            });
        }
        if self.follows_warps() {
            self.seen(step.mem, addr, bytes, lane, false);
        }
        if stale {
            self.report_stale(step, addr, lane);
        }
        if let Some(clash) = clash {
            self.report_race(step, addr, Access::Read, lane, clash);
        }
    }

    /// The checks of a write that is in bounds; one of the value that is there already may meet others.
    pub fn watch_write(&mut self, step: &Step, addr: u32, (fmt, bits): (Fmt, u64), lane: u32) {
        let (clock, bytes) = (self.clock(self.mems[step.mem as usize].space), fmt.bytes());
        let mem = &mut self.mems[step.mem as usize];
        mem.mark(addr, bytes);
        mem.fill(addr, bytes, lane);
        let global = mem.space == MemSpace::Global;
        let note = |shadow: &mut Shadow, grain| shadow.write(grain, lane, clock, global, step.at);
        let clash = self.clash(step, addr, bytes, lane, note);
        let clash = clash.filter(|clash| clash.access == Access::Write || !self.is_of_copy(step.mem, clash));
        // what one instruction stores for several lanes is one element, even where NaNs left each lane with another
        let copies = self.prog.rules.copies && !global;
        let clash = clash.filter(|clash| {
            let one = || copies && clash.at == step.at || self.is_copy(step, fmt, addr, bits);
            clash.access != Access::Write || !one()
        });
        if self.follows_warps() {
            self.seen(step.mem, addr, bytes, lane, true);
        }
        if let Some(clash) = clash {
            self.report_race(step, addr, Access::Write, lane, clash);
        }
    }

    /// The checks of an atomic load: of a buffer, or of a workgroup's memory where there are pointers. What it follows
    /// may have been read atomically just before: loads that are volatile keep their order.
    pub fn watch_load(&mut self, step: &Step, addr: u32, lane: u32) {
        let mem = &self.mems[step.mem as usize];
        let global = mem.space == MemSpace::Global;
        let watched = global || mem.space == MemSpace::Shared && self.prog.rules.pointers;
        let Some(shadow) = mem.shadow.as_ref().filter(|_| watched) else { return };
        let clash = shadow.plain_write((addr >> mem.grain) as usize, lane, self.clock(mem.space), global);
        let clash = clash.filter(|clash| !self.ordered(step.mem, addr, lane, clash));
        if let Some(clash) = clash.filter(|clash| !self.announced(lane, clash)) {
            self.report_race(step, addr, Access::Read, lane, clash);
        }
    }

    /// The checks of an atomic operation that is in bounds. In memory of a workgroup, others need not be atomic where
    /// there are pointers.
    pub fn watch_change(&mut self, step: &Step, addr: u32, bytes: u32, lane: u32) {
        let space = self.mems[step.mem as usize].space;
        let (clock, mem) = (self.clock(space), &mut self.mems[step.mem as usize]);
        let Some(shadow) = mem.shadow.as_mut() else { return };
        if space == MemSpace::Global {
            return shadow.touch((addr >> mem.grain) as usize, lane, clock);
        }
        if space != MemSpace::Shared || !self.prog.rules.pointers {
            return;
        }
        let note = |shadow: &mut Shadow, grain| shadow.change(grain, lane, clock, step.at);
        let clash = self.clash(step, addr, bytes, lane, note);
        if self.follows_warps() {
            self.seen(step.mem, addr, bytes, lane, true);
        }
        if let Some(clash) = clash {
            self.report_race(step, addr, Access::Atomic, lane, clash);
        }
    }

    /// Whether a store leaves memory as it is. Which NaN it is tells nothing.
    fn is_copy(&self, step: &Step, fmt: Fmt, addr: u32, bits: u64) -> bool {
        let mem = &self.mems[step.mem as usize];
        let one = |is_nan: bool, bits: u64| if is_nan { u64::MAX } else { bits };
        let shown = |bits: u64| match fmt {
            Fmt::Half => {
                let value = f32::from_bits(bits as u32);
                one(value.is_nan(), u64::from(f32_to_f16(value)))
            }
            Fmt::Byte => bits & 0xff,
            Fmt::Wide => one(f64::from_bits(bits).is_nan(), bits),
            Fmt::Word => one(f32::from_bits(bits as u32).is_nan(), bits),
            _ => bits & 0xffff,
        };
        shown(read_element(mem, fmt, addr, 0)) == shown(bits)
    }

    /// What is read through the read-only cache was written before, in the same launch.
    #[cold]
    fn report_stale(&mut self, step: &Step, addr: u32, lane: u32) {
        let name = &self.prog.mems[step.mem as usize].name;
        let text = format!(
            "reads byte {addr} of `{name}` through the read-only cache (ld.global.nc, `__ldg`), and this kernel \
             writes it"
        );
        let (row, i) = (lane / self.shape.row_lanes, lane % self.shape.row_lanes);
        self.report_lanes(FindingKind::Race, step.at, row as usize - self.first_row, 1 << i, &text);
    }
}

/// An element in memory as it is in a register.
fn read_element(mem: &Mem, fmt: Fmt, addr: u32, slot: u32) -> u64 {
    let words = mem.words.get();
    let at = mem.word(addr, slot);
    match fmt {
        Fmt::Word => u64::from(words[at]),
        Fmt::Wide => u64::from(words[at]) | u64::from(words[at + mem.stride as usize]) << 32,
        fmt => u64::from(widen(fmt, words[at] >> (8 * (addr & 3)))),
    }
}

/// Writes an element from a register.
pub fn write_element(mem: &mut Mem, fmt: Fmt, addr: u32, slot: u32, bits: u64) {
    let (at, next) = (mem.word(addr, slot), mem.stride as usize);
    let words = mem.words.get_mut();
    match fmt {
        Fmt::Word => words[at] = bits as u32,
        Fmt::Wide => {
            words[at] = bits as u32;
            words[at + next] = (bits >> 32) as u32;
        }
        fmt => {
            let short = if fmt == Fmt::Half {
                u32::from(f32_to_f16(f32::from_bits(bits as u32)))
            } else {
                bits as u32
            };
            let (shift, ones) = (8 * (addr & 3), if fmt == Fmt::Byte { 0xff } else { 0xffff });
            words[at] = words[at] & !(ones << shift) | (short & ones) << shift;
        }
    }
}

/// A load of one row, lane by lane.
#[inline(never)]
pub fn load(m: &mut Machine, step: &Step, row: usize) {
    let fmt = format(m, step);
    for i in 0..ROW {
        if m.mask[row] >> i & 1 == 0 {
            continue;
        }
        let base = u32::rows(&m.regs)[step.src[0] as usize + row][i];
        let lane = m.lane(row, i);
        let straight = m.straight(step, base, Access::Read, lane);
        for slot in 0..usize::from(step.len) {
            let addr = base.wrapping_add(step.imm).wrapping_add(slot as u32 * fmt.bytes());
            if !straight {
                break;
            }
            let bits = load_one(m, step, (fmt, slot), row, i, addr);
            let dst = step.dst[slot] as usize + row;
            match fmt {
                Fmt::Wide => m.regs.rows64[dst][i] = bits,
                _ => m.regs.rows32[dst][i] = bits as u32,
            }
        }
    }
}

fn load_one(m: &mut Machine, step: &Step, (fmt, slot): (Fmt, usize), row: usize, i: usize, addr: u32) -> u64 {
    let lane = m.lane(row, i);
    if !m.in_bounds(step, addr, fmt.bytes(), Access::Read, lane) {
        return 0;
    }
    if step.imm2 & idle(slot) == 0 {
        m.watch_read(step, addr, fmt.bytes(), lane);
    }
    let mem = &m.mems[step.mem as usize];
    read_element(mem, fmt, addr, m.slot(mem, row, i))
}

/// A load that all lanes share: as the first active lane sees it.
pub fn load_once(m: &mut Machine, step: &Step) {
    let fmt = format(m, step);
    let base = m.regs.ones32[step.src[0] as usize];
    let row = m.live[0] as usize;
    let first = m.mask[row].trailing_zeros() as usize & 31;
    if m.counts {
        let lanes = m.active() as u32;
        let site = &mut m.sites[super::site::site_of(step, 0)];
        if site.shape != super::site::Shape::Same || site.delta[0] != 0 {
            site.learn(&Row([0; ROW]), true);
        }
        for k in 0..m.live_len {
            let lanes = if k == 0 { lanes } else { 0 };
            site.count(base.wrapping_add(step.imm), lanes);
        }
    }
    let lane = m.lane(row, first);
    m.straight(step, base, Access::Read, lane);
    for slot in 0..usize::from(step.len) {
        let addr = base.wrapping_add(step.imm).wrapping_add(slot as u32 * fmt.bytes());
        let bits = load_one(m, step, (fmt, slot), row, first, addr);
        if step.imm2 & idle(slot) == 0 {
            other_reader(m, step, addr, fmt.bytes());
        }
        match fmt {
            Fmt::Wide => m.regs.ones64[step.dst[slot] as usize] = bits,
            _ => m.regs.ones32[step.dst[slot] as usize] = bits as u32,
        }
    }
}

/// A shared load is a load by every active lane. A second one is enough for the shadow to know that there
/// were several, and to find a write by the first.
fn other_reader(m: &mut Machine, step: &Step, addr: u32, bytes: u32) {
    let mem = &m.mems[step.mem as usize];
    if !step.tracked || u64::from(addr) + u64::from(bytes) > u64::from(mem.bytes) || addr & (bytes - 1) != 0 {
        return;
    }
    let row = m.live[m.live_len - 1] as usize;
    let last = 31 - m.mask[row].leading_zeros() as usize;
    let lane = m.lane(row, last);
    m.watch_read(step, addr, bytes, lane);
}

/// A store of one row, lane by lane, in the order of the lanes.
#[inline(never)]
pub fn store(m: &mut Machine, step: &Step, row: usize) {
    let fmt = format(m, step);
    for i in 0..ROW {
        if m.mask[row] >> i & 1 == 0 {
            continue;
        }
        let lane = m.lane(row, i);
        let base = u32::rows(&m.regs)[step.src[0] as usize + row][i];
        if !m.straight(step, base, Access::Write, lane) {
            continue;
        }
        for slot in 0..usize::from(step.len) {
            let addr = base.wrapping_add(step.imm).wrapping_add(slot as u32 * fmt.bytes());
            if !m.in_bounds(step, addr, fmt.bytes(), Access::Write, lane) {
                continue;
            }
            let src = step.src[slot + 1] as usize + row;
            let bits = match fmt {
                Fmt::Wide => m.regs.rows64[src][i],
                _ => u64::from(m.regs.rows32[src][i]),
            };
            let at = m.slot(&m.mems[step.mem as usize], row, i);
            m.watch_write(step, addr, (fmt, bits), lane);
            if step.imm2 & IN_FLIGHT != 0 {
                m.take_off(step, addr, fmt.bytes(), lane);
            }
            let mem = &mut m.mems[step.mem as usize];
            let mut held = m.knowledge.delayed.as_mut().filter(|_| holds(mem));
            let words = if held.is_some() { 1 + usize::from(fmt == Fmt::Wide) } else { 0 };
            let first = mem.word(addr, at);
            let before: [u32; 2] =
                std::array::from_fn(|n| if n < words { mem.words.get()[first + n] } else { 0 });
            write_element(mem, fmt, addr, at, bits);
            for (n, old) in before.into_iter().enumerate().take(words) {
                let new = mem.words.get()[first + n];
                held.iter_mut().for_each(|held| held.note(step.mem, first + n, (old, new)));
            }
        }
    }
}
