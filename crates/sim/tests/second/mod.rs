//! A second, plain way of running PTX: thread after thread, one register at a time, from a reader
//! of its own. Threads stop at barriers and at what the lanes of a warp do together, and go on when
//! all have come. It knows what the tests' programs use, panics at anything else, and shares no
//! code with the simulator.
#![allow(dead_code)] // no test uses all of it

pub mod alu;
pub mod convert;
pub mod float;
pub mod text;
pub mod warp;

use std::collections::HashMap;
use text::{Ins, Program};

/// Where buffer `i` begins.
pub const BUFFER: u64 = 1 << 32;
/// Where shared memory begins in the generic addresses.
const SHARED: u64 = 1 << 56;

/// One thread.
#[derive(Clone, Debug, Default)]
pub struct Thread {
    pub tid: u32,
    pub ctaid: u32,
    pub regs: HashMap<String, u64>,
    local: Vec<u8>,
    pc: usize,
    done: bool,
}

/// A launch: buffers, whose addresses come first among the parameters, and other parameters.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    pub buffers: Vec<Vec<u8>>,
    pub params: Vec<u64>,
    pub threads: u32,
    pub blocks: u32,
    shared: Vec<u8>,
}

enum Stop {
    Barrier,
    Together,
    End,
}

impl Machine {
    pub fn new(buffers: Vec<Vec<u8>>, blocks: u32, threads: u32) -> Machine {
        let params = (0..buffers.len() as u64).map(|i| BUFFER * (i + 1)).collect();
        Machine { buffers, params, threads, blocks, shared: Vec::new() }
    }

    /// Runs a program to its end.
    pub fn run(&mut self, program: &Program) {
        for ctaid in 0..self.blocks {
            self.shared = vec![0; program.shared];
            let fresh = |tid| Thread { tid, ctaid, local: vec![0; program.local], ..Thread::default() };
            let mut threads: Vec<Thread> = (0..self.threads).map(fresh).collect();
            self.block(program, &mut threads);
        }
    }

    fn block(&mut self, program: &Program, threads: &mut [Thread]) {
        loop {
            let mut stops = Vec::new();
            for thread in threads.iter_mut().filter(|t| !t.done) {
                let stop = self.thread(program, thread);
                thread.done = matches!(stop, Stop::End);
                stops.push(stop);
            }
            if threads.iter().all(|t| t.done) {
                return;
            }
            if stops.iter().any(|s| matches!(s, Stop::Together)) {
                for warp in threads.chunks_mut(32) {
                    let live: Vec<&mut Thread> = warp.iter_mut().filter(|t| !t.done).collect();
                    let Some(pc) = live.first().map(|t| t.pc) else { continue };
                    assert!(live.iter().all(|t| t.pc == pc), "the lanes of a warp go different ways");
                    warp::together(self, program, &program.code[pc], live);
                }
            }
            threads.iter_mut().filter(|t| !t.done).for_each(|t| t.pc += 1);
        }
    }

    /// Runs a thread until it must wait.
    fn thread(&mut self, program: &Program, thread: &mut Thread) -> Stop {
        for _ in 0..1_000_000 {
            let Some(ins) = program.code.get(thread.pc) else { return Stop::End };
            let holds = ins.guard.as_ref().is_none_or(|(p, not)| (thread.regs[p] != 0) != *not);
            if !holds {
                thread.pc += 1;
                continue;
            }
            match ins.name() {
                "ret" => return Stop::End,
                "bra" => {
                    thread.pc = program.labels[&ins.args[0]];
                    continue;
                }
                "bar" | "barrier" => return Stop::Barrier,
                // all threads come before one goes on
                "mbarrier" if ins.has("arrive") => return Stop::Barrier,
                "mbarrier" if ins.has("try_wait") => thread.set(&ins.args[0], 1),
                "mbarrier" => {}
                name if warp::is_together(name, ins) => return Stop::Together,
                _ => self.step(program, thread, ins),
            }
            thread.pc += 1;
        }
        panic!("a thread does not end");
    }

    fn step(&mut self, program: &Program, thread: &mut Thread, ins: &Ins) {
        match ins.name() {
            "ld" => self.load(program, thread, ins),
            "st" => self.store(program, thread, ins),
            "atom" | "red" => self.atom(program, thread, ins),
            "membar" | "fence" => {}
            "cvta" => {
                let value = thread.value(program, &ins.args[1], "u64");
                let shared = if ins.has("shared") { SHARED } else { 0 };
                thread.set(&ins.args[0], if ins.has("to") { value - shared } else { value + shared });
            }
            "cp" if ins.has("shared") => {
                let to = self.address(program, thread, &ins.args[0], "shared");
                let from = self.address(program, thread, &ins.args[1], "global");
                for i in 0..ins.args[2].parse::<u64>().expect("a size") {
                    let byte = self.read(thread, from + i, 1);
                    self.write(thread, to + i, 1, byte);
                }
            }
            "cp" => {}
            _ => alu::run(program, thread, ins),
        }
    }

    /// The generic address of `[base+offset]`; local memory has its own, past shared memory.
    pub fn address(&self, program: &Program, thread: &Thread, arg: &str, space: &str) -> u64 {
        let inner = arg.trim_start_matches('[').trim_end_matches(']');
        let (base, offset) = inner.split_once('+').unwrap_or((inner, "0"));
        let offset: u64 = offset.trim().parse().expect("an offset");
        let base = base.trim();
        let base = match program.symbols.get(base) {
            Some(at) => *at,
            None => thread.value(program, base, "u64"),
        };
        let start = match space {
            "shared" => SHARED,
            "local" => 2 * SHARED,
            "const" => 3 * SHARED,
            "param" => return base + offset + 4 * SHARED,
            _ => 0,
        };
        start + base + offset
    }

    fn memory<'a>(&'a mut self, thread: &'a mut Thread, address: u64) -> (&'a mut Vec<u8>, usize) {
        match address / SHARED {
            0 => {
                let buffer = (address / BUFFER - 1) as usize;
                (&mut self.buffers[buffer], (address % BUFFER) as usize)
            }
            1 => (&mut self.shared, (address % SHARED) as usize),
            _ => (&mut thread.local, (address % SHARED) as usize),
        }
    }

    pub fn read(&mut self, thread: &mut Thread, address: u64, bytes: usize) -> u64 {
        let mut out = [0; 8];
        let (memory, at) = self.memory(thread, address);
        out[..bytes].copy_from_slice(&memory[at..at + bytes]);
        u64::from_le_bytes(out)
    }

    pub fn write(&mut self, thread: &mut Thread, address: u64, bytes: usize, value: u64) {
        let (memory, at) = self.memory(thread, address);
        memory[at..at + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
    }

    fn load(&mut self, program: &Program, thread: &mut Thread, ins: &Ins) {
        let (ty, space) = (ins.ty(), ins.space());
        let bytes = alu::bits(ty) / 8;
        let address = self.address(program, thread, &ins.args[1], space);
        for (i, dst) in text::list(&ins.args[0]).iter().enumerate() {
            let at = address + (i * bytes) as u64;
            let value = match address / SHARED {
                3 => {
                    let from = (at % SHARED) as usize;
                    let all = program.constants[from..from + bytes].iter().rev();
                    all.fold(0, |value, byte| value << 8 | u64::from(*byte))
                }
                4 => self.params[(at % SHARED) as usize / 8],
                _ => self.read(thread, at, bytes),
            };
            thread.set(dst, alu::extended(value, ty));
        }
    }

    fn store(&mut self, program: &Program, thread: &mut Thread, ins: &Ins) {
        let (ty, space) = (ins.ty(), ins.space());
        let bytes = alu::bits(ty) / 8;
        let address = self.address(program, thread, &ins.args[0], space);
        for (i, src) in text::list(&ins.args[1]).iter().enumerate() {
            let value = thread.value(program, src, ty);
            self.write(thread, address + (i * bytes) as u64, bytes, value);
        }
    }

    fn atom(&mut self, program: &Program, thread: &mut Thread, ins: &Ins) {
        let ty = ins.ty();
        let bytes = alu::bits(ty) / 8;
        let first = usize::from(ins.name() == "atom");
        let address = self.address(program, thread, &ins.args[first], ins.space());
        let old = self.read(thread, address, bytes);
        let a = thread.value(program, &ins.args[first + 1], ty);
        let new = if ins.has("cas") {
            let b = thread.value(program, &ins.args[first + 2], ty);
            if old == a { b } else { old }
        } else if ins.has("exch") {
            a
        } else {
            let op = ["add", "min", "max", "and", "or", "xor"].into_iter().find(|op| ins.has(op));
            alu::apply(&[op.expect("an operation"), ty], &[old, a])
        };
        self.write(thread, address, bytes, new);
        if first == 1 {
            thread.set(&ins.args[0], old);
        }
    }
}

impl Thread {
    pub fn set(&mut self, reg: &str, value: u64) {
        self.regs.insert(reg.to_owned(), value);
    }

    /// The value of an operand.
    pub fn value(&self, program: &Program, arg: &str, ty: &str) -> u64 {
        match arg {
            "%tid.x" => u64::from(self.tid),
            "%ctaid.x" => u64::from(self.ctaid),
            "%laneid" => u64::from(self.tid % 32),
            _ if arg.starts_with('%') => {
                *self.regs.get(arg).unwrap_or_else(|| panic!("{arg} was never written"))
            }
            _ if program.symbols.contains_key(arg) => program.symbols[arg],
            _ => number(arg, ty),
        }
    }
}

fn number(arg: &str, ty: &str) -> u64 {
    if let Some(hex) = arg.strip_prefix("0f").or_else(|| arg.strip_prefix("0d")) {
        return u64::from_str_radix(hex, 16).expect("a number");
    }
    if let Some(hex) = arg.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).expect("a number");
    }
    let value: i64 = arg.parse().unwrap_or_else(|_| panic!("`{arg}` is not a number"));
    alu::wrapped(i128::from(value), alu::bits(ty))
}
