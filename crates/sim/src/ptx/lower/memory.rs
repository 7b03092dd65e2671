//! Memory: moves, loads, stores, atomics. An access goes to the one object that its address can be in; where there
//! are several, the address decides as the program runs.

use super::build::{Lower, Object};
use super::layout::window;
use super::origin::{Set, UNKNOWN};
use crate::ir::scalar::{Num, Scalar};
use crate::ir::{AtomicFun, Bin, Fmt, Ins, Op, Reg, Term, Ty, Warp};
use crate::ptx::ast::{Arg, Base, Instr, Space, Type};
use crate::ptx::parse::Res;

pub const U64: Type = Type::new(Base::Unsigned, 64);
pub const U32: Type = Type::new(Base::Unsigned, 32);

const HINTS: &[&str] = &[
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
            _ => self.fail("a vector of this many parts is not supported here"),
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

    /// The objects that an address may be in.
    fn candidates(&self, base: &Arg, space: Space) -> Vec<usize> {
        let set: Set = match base {
            Arg::Reg(reg) => self.sets[*reg as usize] & !UNKNOWN,
            Arg::Var(var) if (*var as usize) < self.params.len() => 1 << (self.objects.len() - 1),
            Arg::Var(var) => self.by_var.get(var).map_or(0, |&at| 1 << at),
            Arg::Name(name, _) => self.by_name.get(name).map_or(0, |&at| 1 << at),
            _ => 0,
        };
        let fits = |o: &Object| o.space == space || space == Space::Generic && o.space != Space::Param;
        let all = || (0..self.objects.len()).filter(|&at| fits(&self.objects[at]));
        let named: Vec<usize> = (0..self.objects.len())
            .filter(|&at| set >> at & 1 == 1 && (fits(&self.objects[at]) || space == Space::Generic))
            .collect();
        if named.is_empty() { all().collect() } else { named }
    }

    /// Does an access to whatever object its address is in: the callback gets the object, the address there and a
    /// constant to add.
    pub fn access(
        &mut self,
        address: &Arg,
        space: Space,
        f: &mut dyn FnMut(&mut Lower, &Object, Reg, u32) -> Res<()>,
    ) -> Res<()> {
        let Arg::Addr(base, offset) = address else { return self.fail("expected an address in brackets") };
        let found = self.candidates(base, space);
        let Some(&last) = found.last() else {
            return self.fail(
                format!("an access to {space:?} memory, of which the kernel declares none").to_lowercase(),
            );
        };
        let last = self.objects[last].clone();
        let zero = self.u32(0);
        if let Arg::Var(var) = **base
            && let Some(start) = self.params.get(var as usize)
        {
            let at = i64::from(*start) + *offset;
            return f(self, &last, zero, at as u32);
        }
        if let Arg::Var(_) | Arg::Name(..) = **base {
            return f(self, &last, zero, *offset as u32);
        }
        let narrow = self.bits(base, 64) != 64;
        let reg = self.src(base, if narrow { U32 } else { U64 })?;
        self.access_at(base, reg, *offset, space, f)
    }

    /// The same for an address in a register, which was made of an operand.
    pub fn access_at(
        &mut self,
        base: &Arg,
        reg: Reg,
        offset: i64,
        space: Space,
        f: &mut dyn FnMut(&mut Lower, &Object, Reg, u32) -> Res<()>,
    ) -> Res<()> {
        let found = self.candidates(base, space);
        let Some((&last, others)) = found.split_last() else {
            return self.fail(
                format!("an access to {space:?} memory, of which the kernel declares none").to_lowercase(),
            );
        };
        let objects: Vec<Object> = others.iter().map(|&at| self.objects[at].clone()).collect();
        let last = self.objects[last].clone();
        let narrow = !self.prog.wide(reg);
        if objects.is_empty() {
            let start = self.base(&last, space);
            let at = self.relative(reg, start);
            return f(self, &last, at, offset as u32);
        }
        let reg = if narrow { self.emit(Op::Convert(Ty::U32, Ty::U64), Ty::U64, &[reg]) } else { reg };
        let offset = self.constant(Ty::U64, offset as u64);
        let sum = self.emit(Op::Bin(Bin::Add, Ty::U64), Ty::U64, &[reg, offset]);
        let after = self.block();
        for object in &objects {
            let start = self.base(object, space);
            let from = self.constant(Ty::U64, start);
            let is = if object.space == Space::Global {
                self.emit(Op::Scalar(Scalar::Near), Ty::Bool, &[sum, from])
            } else {
                let size = self.constant(Ty::U64, u64::from(object.size));
                self.emit(Op::Scalar(Scalar::Within), Ty::Bool, &[sum, from, size])
            };
            let next = self.block();
            self.cut(|here| Term::Branch(is, here, next))?;
            let at = self.relative(sum, start);
            f(self, object, at, 0)?;
            self.end(Term::Jump(after));
            self.open(next);
        }
        let start = self.base(&last, space);
        let at = self.relative(sum, start);
        f(self, &last, at, 0)?;
        self.end(Term::Jump(after));
        self.open(after);
        Ok(())
    }

    /// An address less the start of its object, as 32 bits; what is too far is past every object's end.
    fn relative(&mut self, address: Reg, start: u64) -> Reg {
        if self.prog.wide(address) {
            let start = self.constant(Ty::U64, start);
            return self.emit(Op::Scalar(Scalar::Resolve), Ty::U32, &[address, start]);
        }
        if start == 0 {
            return address;
        }
        let start = self.u32(start as u32);
        self.emit(Op::Bin(Bin::Sub, Ty::U32), Ty::U32, &[address, start])
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
                let value = self.widened(reg, ty);
                self.set(part, value)?;
            }
            return Ok(());
        }
        let Some(fmt) = format(ty) else { return self.fail("loads of 128 bits are not supported") };
        let signals = ["volatile", "relaxed", "acquire", "mmio"].iter().any(|m| ins.has(m));
        self.access(address, space, &mut |s, object, at, imm| {
            let signals = signals && object.space == Space::Global && ty.bits >= 32;
            let values = s.load(fmt, ty, parts.len(), (object, at, imm), signals)?;
            for (part, value) in parts.iter().zip(values) {
                let value = s.widened(value, ty);
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
            return self.fail("vectors of more than 4 elements are not supported");
        }
        if signals {
            let wide = if ty.bits == 64 { Ty::U64 } else { Ty::U32 };
            for (i, &value) in values.iter().enumerate() {
                let op = Op::Atomic(AtomicFun::Load, wide);
                let mut ins = Ins::new(op, &[value], &[at], self.at);
                (ins.imm, ins.mem) = (imm.wrapping_add(i as u32 * fmt.bytes()), object.mem);
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

    /// A loaded value with its sign.
    fn widened(&mut self, value: Reg, ty: Type) -> Reg {
        match (ty.signed(), ty.bits) {
            (true, bits @ (8 | 16)) => self.emit(Op::Scalar(Scalar::Sext(bits as u8)), Ty::U32, &[value]),
            _ => value,
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
        let Some(fmt) = format(ty) else { return self.fail("stores of 128 bits are not supported") };
        let signals = ["volatile", "relaxed", "release", "mmio"].iter().any(|m| ins.has(m));
        self.access(address, space, &mut |s, object, at, imm| {
            let signals = signals && object.space == Space::Global && ty.bits >= 32;
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
            return self.fail("vectors of more than 4 elements are not supported");
        }
        if signals {
            let wide = if fmt == Fmt::Wide { Ty::U64 } else { Ty::U32 };
            for (i, &value) in values.iter().enumerate() {
                let mut ins = Ins::new(Op::Atomic(AtomicFun::Store, wide), &[], &[at, value], self.at);
                (ins.imm, ins.mem) = (imm.wrapping_add(i as u32 * fmt.bytes()), object.mem);
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

    fn atom(&mut self, ins: &Instr) -> Res<()> {
        let funs = ["add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec", "noftz", "rn"];
        let known: Vec<&str> = HINTS.iter().chain(&funs).copied().collect();
        self.allow(ins, &known)?;
        let (ty, space) = (self.ty(ins)?, self.space(ins));
        let has_result = ins.name() == "atom";
        let (dst, rest) = match ins.args.split_first() {
            Some((first, rest)) if has_result => (Some(first), rest),
            _ => (None, &ins.args[..]),
        };
        let Some((address, operands)) = rest.split_first() else {
            return self.fail("an atomic without an address");
        };
        let held = match (ty.base, ty.bits, ty.pair) {
            (_, 32, true) | (Base::Bits | Base::Unsigned, 32, _) => Ty::U32,
            (Base::Signed, 32, _) => Ty::I32,
            (Base::Float, 32, _) => Ty::F32,
            (Base::Bits | Base::Unsigned, 64, _) => Ty::U64,
            (Base::Signed, 64, _) => Ty::I64,
            (Base::Float, 64, _) => Ty::F64,
            _ => return self.fail(format!("atomics of {} bits are not supported", ty.bits)),
        };
        let fun = self.atomic_fun(ins, ty)?;
        let mut values = Vec::new();
        for operand in operands {
            values.push(self.src(operand, ty)?);
        }
        let wanted = if fun == AtomicFun::CompareExchange { 2 } else { 1 };
        if values.len() != wanted {
            return self.fail(format!(
                "`{}` takes {wanted} values, here are {}",
                ins.op.join("."),
                values.len()
            ));
        }
        if fun == AtomicFun::CompareExchange {
            values.swap(0, 1); // the value comes before what is compared
        }
        if ins.has("release") || ins.has("acq_rel") {
            self.fence();
        }
        self.access(address, space, &mut |s, object, at, imm| {
            if matches!(object.space, Space::Local | Space::Const | Space::Param) {
                return s.fail("atomics on local or constant memory are not supported");
            }
            let wide = if held.wide() { Ty::U64 } else { Ty::U32 };
            let old = dst.map(|_| s.prog.reg(wide, false));
            let mut src = vec![at];
            src.extend(&values);
            let dsts: Vec<Reg> = old.into_iter().collect();
            let mut atomic = Ins::new(Op::Atomic(fun, held), &dsts, &src, s.at);
            (atomic.imm, atomic.mem) = (imm, object.mem);
            s.push(atomic);
            match (dst, old) {
                (Some(dst), Some(old)) => s.set(dst, old),
                _ => Ok(()),
            }
        })?;
        if ins.has("acquire") || ins.has("acq_rel") {
            self.fence();
        }
        Ok(())
    }

    fn atomic_fun(&self, ins: &Instr, ty: Type) -> Res<AtomicFun> {
        let named = ins.op.iter().skip(1).find_map(|m| {
            Some(match m.as_str() {
                "add" if ty.pair && ty.base == Base::Float => AtomicFun::AddPair(Num::F16),
                "add" if ty.pair => AtomicFun::AddPair(Num::Bf16),
                "add" => AtomicFun::Add,
                "min" => AtomicFun::Min,
                "max" => AtomicFun::Max,
                "and" => AtomicFun::And,
                "or" => AtomicFun::Or,
                "xor" => AtomicFun::Xor,
                "exch" => AtomicFun::Exchange,
                "cas" => AtomicFun::CompareExchange,
                "inc" => AtomicFun::Increment,
                "dec" => AtomicFun::Decrement,
                _ => return None,
            })
        });
        match named {
            Some(fun) if !ty.pair || matches!(fun, AtomicFun::AddPair(_)) => Ok(fun),
            _ => self.fail(format!("`{}` is not supported", ins.op.join("."))),
        }
    }
}
