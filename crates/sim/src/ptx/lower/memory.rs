//! Memory: moves, loads, stores, atomics. An access goes to the one object that its address can be in; where there
//! are several, the address decides as the program runs.

use super::build::{Lower, Object};
use super::copy::READ_ONLY;
use super::objects::window;
use super::operand::CACHE_HINT;
use crate::ir::scalar::Scalar;
use crate::ir::{AtomicFun, Bin, Fmt, Ins, Op, Reg, Ty, Warp};
use crate::ptx::ast::{Arg, Base, Instr, Space, Type};
use crate::ptx::parse::Res;

pub const U64: Type = Type::new(Base::Unsigned, 64);
pub const U32: Type = Type::new(Base::Unsigned, 32);

pub const HINTS: &[&str] = &[
    "global",
    "shared",
    "local",
    "const",
    "param",
    "shared::cta",
    "param::entry",
    "param::func",
    "ca",
    "cg",
    "cs",
    "lu",
    "cv",
    "wb",
    "wt",
    "nc",
    "weak",
    "volatile",
    "relaxed",
    "acquire",
    "release",
    "acq_rel",
    "mmio",
    "cta",
    "gpu",
    "sys",
    "cluster",
    "v2",
    "v4",
    "L1::no_allocate",
    "L1::evict_first",
    "L1::evict_last",
    "L1::evict_normal",
    "L1::evict_unchanged",
    "L2::64B",
    "L2::128B",
    "L2::256B",
    "unified",
    "L2::evict_first",
    "L2::evict_last",
    "L2::evict_normal",
    CACHE_HINT,
];

/// How elements of a type lie in memory.
pub fn format(ty: Type) -> Option<Fmt> {
    Some(match ty.bits {
        8 => Fmt::Byte,
        16 => Fmt::UShort,
        32 => Fmt::Word,
        64 => Fmt::Wide,
        _ => return None,
    })
}

impl Lower {
    pub fn memory(&mut self, ins: &Instr) -> Res<()> {
        match ins.name() {
            "mov" => self.mov(ins),
            "ld" | "ldu" => self.ld(ins),
            "st" => self.st(ins),
            "isspacep" => {
                let [dst, address] = self.args(ins)?;
                let address = self.src(address, U64)?;
                let value = self.in_window(address, self.space(ins));
                self.set(dst, value)
            }
            "cvta" => self.cvta(ins),
            _ => self.atom(ins),
        }
    }

    fn mov(&mut self, ins: &Instr) -> Res<()> {
        let [dst, from] = self.args(ins)?;
        let ty = self.ty(ins)?;
        match (dst, from) {
            (Arg::List(parts), _) => {
                let value = self.src(from, Type::new(Base::Bits, ty.bits))?;
                self.unpack(parts, value, ty.bits)
            }
            (_, Arg::List(parts)) => {
                let value = self.pack(parts, ty.bits)?;
                self.set(dst, value)
            }
            _ => {
                let value = self.src(from, ty)?;
                self.set(dst, value)
            }
        }
    }

    fn unpack(&mut self, parts: &[Arg], value: Reg, bits: u32) -> Res<()> {
        let each = self.width_of_parts(parts.len(), bits)?;
        for (i, part) in parts.iter().enumerate() {
            let at = each * i as u32;
            let half = match (bits, each) {
                (64, 32) => {
                    self.emit(Op::Scalar(if i == 0 { Scalar::Low } else { Scalar::High }), Ty::U32, &[value])
                }
                (64, _) => {
                    let word = if at < 32 { Scalar::Low } else { Scalar::High };
                    let word = self.emit(Op::Scalar(word), Ty::U32, &[value]);
                    self.shifted(word, at % 32)
                }
                _ => self.shifted(value, at),
            };
            let half = if each < 32 {
                self.emit(Op::Scalar(Scalar::Zext(each as u8)), Ty::U32, &[half])
            } else {
                half
            };
            self.set(part, half)?;
        }
        Ok(())
    }

    /// The bits of each part of a register that is split.
    fn width_of_parts(&self, parts: usize, bits: u32) -> Res<u32> {
        let each = bits / parts.max(1) as u32;
        match each {
            8 | 16 | 32 if each as usize * parts == bits as usize => Ok(each),
            _ => self.fail(format!("{parts} parts of a register of {bits} bits")),
        }
    }

    pub fn shifted(&mut self, value: Reg, by: u32) -> Reg {
        if by == 0 {
            return value;
        }
        let by = self.u32(by);
        self.emit(Op::Bin(Bin::ShrFixed, Ty::U32), Ty::U32, &[value, by])
    }

    /// Low parts first.
    pub fn pack(&mut self, parts: &[Arg], bits: u32) -> Res<Reg> {
        let each = self.width_of_parts(parts.len(), bits)?;
        let mut words: Vec<Reg> = Vec::new();
        for (i, part) in parts.iter().enumerate() {
            let value = self.src(part, Type::new(Base::Bits, each))?;
            let at = each * i as u32 % 32;
            if at == 0 {
                words.push(value);
                continue;
            }
            let by = self.u32(at);
            let high = self.emit(Op::Bin(Bin::ShlFixed, Ty::U32), Ty::U32, &[value, by]);
            if let Some(word) = words.pop() {
                let joined = self.emit(Op::Bin(Bin::Or, Ty::U32), Ty::U32, &[word, high]);
                words.push(joined);
            }
        }
        match words[..] {
            [word] => Ok(word),
            [low, high] => Ok(self.emit(Op::Scalar(Scalar::Join), Ty::U64, &[low, high])),
            _ => self.unsupported("a vector of this many parts is not supported here"),
        }
    }

    fn cvta(&mut self, ins: &Instr) -> Res<()> {
        self.allow(
            ins,
            &["to", "global", "shared", "local", "const", "param", "shared::cta", "param::entry"],
        )?;
        let [dst, from] = self.args(ins)?;
        let value = self.src(from, U64)?;
        let start = window(self.space(ins));
        if start == 0 {
            return self.set(dst, value);
        }
        let start = self.constant(Ty::U64, start);
        let bin = if ins.has("to") { Bin::Sub } else { Bin::Add };
        let value = self.emit(Op::Bin(bin, Ty::U64), Ty::U64, &[value, start]);
        self.set(dst, value)
    }

    /// The registers of a vector operand, or the one.
    fn parts<'a>(&self, arg: &'a Arg) -> Vec<&'a Arg> {
        match arg {
            Arg::List(all) => all.iter().collect(),
            other => vec![other],
        }
    }

    fn ld(&mut self, ins: &Instr) -> Res<()> {
        self.allow(ins, HINTS)?;
        let [dst, address] = self.args(ins)?;
        let (ty, space) = (self.ty(ins)?, self.space(ins));
        let parts = self.parts(dst);
        if let Some((var, offset)) = self.call_param(address) {
            for (i, part) in parts.iter().enumerate() {
                let at = offset + (i as u32 * ty.bytes()) as i64;
                let (reg, _) = self.slot(var, at, ty)?;
                let value = self.widened(reg, ty, part);
                self.set(part, value)?;
            }
            return Ok(());
        }
        let Some(fmt) = format(ty) else { return self.unsupported("loads of 128 bits are not supported") };
        let orders = |s: Space| signals(ins, s, &["relaxed", "acquire", "mmio"]);
        self.access(address, space, &mut |s, object, at, imm| {
            let signals = orders(object.space) && ty.bits >= 32;
            let values = s.load(fmt, ty, parts.len(), (object, at, imm), signals)?;
            if ins.has("nc")
                && let Some(load) = s.prog.blocks[s.current as usize].ins.last_mut()
            {
                load.imm2 |= READ_ONLY;
            }
            for (part, value) in parts.iter().zip(values) {
                let value = s.widened(value, ty, part);
                s.set(part, value)?;
            }
            Ok(())
        })?;
        if ins.has("acquire") {
            self.fence();
        }
        Ok(())
    }

    pub fn fence(&mut self) {
        let ins = Ins::new(Op::Warp(Warp::Fence), &[], &[], self.at);
        self.push(ins);
    }

    /// Loads elements; as atomics where other workgroups may be waited for.
    pub fn load(
        &mut self,
        fmt: Fmt,
        ty: Type,
        count: usize,
        (object, at, imm): (&Object, Reg, u32),
        signals: bool,
    ) -> Res<Vec<Reg>> {
        let held = super::operand::held(ty);
        let held = if ty.bits < 32 { Ty::U32 } else { held };
        let values: Vec<Reg> = (0..count).map(|_| self.prog.reg(held, false)).collect();
        if count > 4 {
            return self.unsupported("vectors of more than 4 elements are not supported");
        }
        if signals {
            let wide = if ty.bits == 64 { Ty::U64 } else { Ty::U32 };
            for (i, &value) in values.iter().enumerate() {
                let op = Op::Atomic(AtomicFun::Load, wide);
                let mut ins = Ins::new(op, &[value], &[at], self.at);
                (ins.imm, ins.mem) = (imm.wrapping_add(i as u32 * fmt.bytes()), object.mem);
                ins.imm2 = u32::from(count > 1);
                self.push(ins);
            }
            return Ok(values);
        }
        let mut ins = Ins::new(Op::Load(fmt), &values, &[at], self.at);
        (ins.imm, ins.mem) = (imm, object.mem);
        ins.imm2 = if count > 1 { fmt.bytes() * count as u32 } else { 0 };
        self.push(ins);
        Ok(values)
    }

    /// A loaded value with its sign, as wide as the register that it goes to.
    fn widened(&mut self, value: Reg, ty: Type, dst: &Arg) -> Reg {
        if !ty.signed() || ty.bits == 64 {
            return value;
        }
        let word = match ty.bits {
            bits @ (8 | 16) => self.emit(Op::Scalar(Scalar::Sext(bits as u8)), Ty::U32, &[value]),
            _ => value,
        };
        match dst {
            Arg::Reg(reg) if self.prog.wide(self.regs[*reg as usize]) => {
                self.emit(Op::Convert(Ty::I32, Ty::I64), Ty::I64, &[word])
            }
            _ => word,
        }
    }

    fn st(&mut self, ins: &Instr) -> Res<()> {
        self.allow(ins, HINTS)?;
        let [address, from] = self.args(ins)?;
        let (ty, space) = (self.ty(ins)?, self.space(ins));
        let mut values = Vec::new();
        for part in self.parts(from) {
            values.push(self.src(part, ty)?);
        }
        if let Some((var, offset)) = self.call_param(address) {
            for (i, &value) in values.iter().enumerate() {
                let at = offset + (i as u32 * ty.bytes()) as i64;
                let (reg, _) = self.slot(var, at, ty)?;
                let ins = Ins::new(Op::Move(self.prog.wide(reg)), &[reg], &[value], self.at);
                self.push(ins);
            }
            return Ok(());
        }
        if ins.has("release") {
            self.fence();
        }
        let Some(fmt) = format(ty) else { return self.unsupported("stores of 128 bits are not supported") };
        let orders = |s: Space| signals(ins, s, &["relaxed", "release", "mmio"]);
        self.access(address, space, &mut |s, object, at, imm| {
            let signals = orders(object.space) && ty.bits >= 32;
            s.store(fmt, &values, (object, at, imm), signals)
        })
    }

    pub fn store(
        &mut self,
        fmt: Fmt,
        values: &[Reg],
        (object, at, imm): (&Object, Reg, u32),
        signals: bool,
    ) -> Res<()> {
        if object.space == Space::Const || object.space == Space::Param {
            return self.fail("a store to constant memory");
        }
        if values.len() > 4 {
            return self.unsupported("vectors of more than 4 elements are not supported");
        }
        if signals {
            let wide = if fmt == Fmt::Wide { Ty::U64 } else { Ty::U32 };
            for (i, &value) in values.iter().enumerate() {
                let mut ins = Ins::new(Op::Atomic(AtomicFun::Store, wide), &[], &[at, value], self.at);
                (ins.imm, ins.mem) = (imm.wrapping_add(i as u32 * fmt.bytes()), object.mem);
                ins.imm2 = u32::from(values.len() > 1);
                self.push(ins);
            }
            return Ok(());
        }
        let mut src = vec![at];
        src.extend(values);
        let mut ins = Ins::new(Op::Store(fmt), &[], &src, self.at);
        (ins.imm, ins.mem) = (imm, object.mem);
        ins.imm2 = if values.len() > 1 { fmt.bytes() * values.len() as u32 } else { 0 };
        self.push(ins);
        Ok(())
    }

    /// The parameter of a call that an address names.
    fn call_param(&self, address: &Arg) -> Option<(u32, i64)> {
        match address {
            Arg::Addr(base, offset) => match **base {
                Arg::Var(var) if var as usize >= self.params.len() && self.is_param(var) => {
                    Some((var, *offset))
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn is_param(&self, var: u32) -> bool {
        self.flat.vars.get(var as usize).is_some_and(|v| v.space == Space::Param)
    }

    /// The register that holds a part of a parameter of a call.
    fn slot(&mut self, var: u32, at: i64, ty: Type) -> Res<(Reg, u32)> {
        let bits = ty.bits;
        if let Some(&found) = self.slots.get(&(var, at)).filter(|s| s.1 == bits) {
            return Ok(found);
        }
        let end = at + i64::from(ty.bytes());
        let clash =
            self.slots.iter().any(|(&(v, a), &(_, b))| v == var && a < end && at < a + i64::from(b / 8));
        if clash {
            return self.fail("a parameter of a call is read in other pieces than it is written in");
        }
        let reg = self.prog.reg(if bits == 64 { Ty::U64 } else { Ty::U32 }, false);
        self.slots.insert((var, at), (reg, bits));
        Ok((reg, bits))
    }
}

/// Whether a load or a store counts as an atomic that others may wait for: by these words, or in global memory where it
/// is volatile. Lanes of a workgroup that trade values through volatile memory of their own race all the same.
fn signals(ins: &Instr, space: Space, words: &[&str]) -> bool {
    let is = |words: &[&str]| words.iter().any(|word| ins.has(word));
    match space {
        Space::Global => is(words) || is(&["volatile"]),
        Space::Shared => is(words),
        _ => false,
    }
}
