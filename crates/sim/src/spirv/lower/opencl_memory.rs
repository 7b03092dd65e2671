//! `vload` and `vstore` in all their kinds, `shuffle`, and copies of so many bytes.

use super::Lower;
use crate::emit::{Leaf, Res, Value};
use crate::ir::scalar::Round;
use crate::ir::{Bin, Fmt, Op as Code, Reg, Ty};
use crate::spirv::decode::Inst;
use crate::spirv::types::{Scalar, broken};
use spirv::{FPRoundingMode, Op};

/// How a `vload` or `vstore` lies in memory.
struct Run {
    leaves: Vec<Leaf>,
    /// Bytes from one vector to the next.
    stride: u32,
}

impl Lower<'_> {
    /// `vloadn(offset, p)`, `vstoren(data, offset, p)`, and their kin of halves.
    pub fn vector_memory(&mut self, inst: &Inst, name: &str) -> Res<()> {
        let ids = inst.args.get(2..).unwrap_or(&[]);
        let half = name.contains("half");
        if name.starts_with("vload") {
            let &[offset, pointer, ..] = ids else { return Err(broken("two operands are wanted".into())) };
            let (to, len) = (self.types().scalar(inst.ty)?, self.types().width(inst.ty)?);
            let run = run(to, len, half, name.starts_with("vloada"));
            let address = self.run_address(pointer, offset, run.stride)?;
            let results: Vec<Ty> = run.leaves.iter().map(|leaf| leaf.ty).collect();
            let value = self.at_address(pointer, address, &results, &mut |own, place, _, _| {
                own.load_place(place, &run.leaves)
            })?;
            let value = if half { self.moved_to(to.ty(), &value)? } else { value };
            return self.set(inst, value);
        }
        let &[data, offset, pointer, ref mode @ ..] = ids else {
            return Err(broken("three operands are wanted".into()));
        };
        let (value, of) = self.vector(data)?;
        let run = run(of, value.len(), half, name.starts_with("vstorea"));
        let value = match (half, mode.first()) {
            (false, _) => value,
            (true, mode) => {
                let round = mode.map_or(Round::Near, |&mode| direction(mode));
                let to = Scalar::Float { width: 16 };
                value.iter().map(|&x| self.float_to_float(of, to, x, round)).collect::<Res<Value>>()?
            }
        };
        let address = self.run_address(pointer, offset, run.stride)?;
        self.at_address(pointer, address, &[], &mut |own, place, _, _| {
            own.store_place(place, &run.leaves, &value).map(|()| Vec::new())
        })?;
        Ok(())
    }

    /// Halves lie in registers as the floats that they are.
    fn moved_to(&mut self, ty: Ty, value: &[Reg]) -> Res<Value> {
        let each = |own: &mut Self, x| match ty {
            Ty::F64 => own.convert(Ty::F16, ty, x),
            _ => own.emit(Code::Move(false), ty, &[x]),
        };
        value.iter().map(|&x| each(self, x)).collect()
    }

    fn run_address(&mut self, pointer: u32, offset: u32, stride: u32) -> Res<Reg> {
        let (at, by) = (self.address(pointer)?, self.one(offset)?);
        let stride = self.constant(Ty::U64, u64::from(stride));
        let by = self.bin(Bin::Mul, Ty::U64, by, stride)?;
        self.bin(Bin::Add, Ty::U64, at, by)
    }

    /// `shuffle(x, mask)` and `shuffle2(x, y, mask)`: masks are taken modulo the number of components.
    pub fn shuffled(&mut self, inst: &Inst, args: &[Value]) -> Res<Value> {
        let Some((mask, from)) = args.split_last() else { return Err(broken("a mask is wanted".into())) };
        let parts: Vec<Value> = from.concat().iter().map(|&x| vec![x]).collect();
        let Some(&last) = inst.args.last() else { return Err(broken("a mask is wanted".into())) };
        let of = self.vector(last)?.1;
        let low = self.u32(parts.len() as u32 - 1);
        let mut out = Vec::new();
        for &index in mask {
            let index = if of.width() == 64 { self.convert(Ty::U64, Ty::U32, index)? } else { index };
            let index = self.bin(Bin::And, Ty::U32, index, low)?;
            out.extend(self.load_pick(&parts, index)?);
        }
        Ok(out)
    }

    /// `OpCopyMemorySized`, by which arrays and structs begin with a value.
    pub fn copy_bytes(&mut self, inst: &Inst) -> Res<()> {
        const MOST: u64 = 1 << 12;
        let Some(&[size]) = self.consts.get(inst.arg(2)) else {
            return self.unsupported("the simulator has copies of a size that is known when it is compiled");
        };
        if size > MOST {
            return self.unsupported(&format!("a copy of {size} bytes: the simulator has up to {MOST}"));
        }
        // the operand after the kind of access is the alignment
        let aligned = inst.arg(3) & 2 != 0 && inst.arg(4).is_multiple_of(4) && size.is_multiple_of(4);
        let fmt = if aligned { Fmt::Word } else { Fmt::Byte };
        let each = |i| Leaf { offset: i * fmt.bytes(), ty: Ty::U32, fmt };
        let leaves: Vec<Leaf> = (0..size as u32 / fmt.bytes()).map(each).collect();
        let results = vec![Ty::U32; leaves.len()];
        let (to, from) = (self.address(inst.arg(0))?, self.address(inst.arg(1))?);
        let load = &mut |own: &mut Self, place: &_, _, _| own.load_place(place, &leaves);
        let value = self.at_address(inst.arg(1), from, &results, load)?;
        self.at_address(inst.arg(0), to, &[], &mut |own, place, _, _| {
            own.store_place(place, &leaves, &value).map(|()| Vec::new())
        })?;
        Ok(())
    }

    /// Whether an instruction makes a pointer of something, or something of a pointer.
    pub fn is_pointer(&mut self, inst: &Inst) -> bool {
        let pointer = |own: &Self, ty| {
            own.types().get(ty).is_ok_and(|ty| matches!(ty, crate::spirv::module::Type::Pointer { .. }))
        };
        let from = self.type_of(inst.arg(0)).is_ok_and(|ty| pointer(self, ty));
        inst.op == Op::Bitcast && self.module.kernel && (from || pointer(self, inst.ty))
    }
}

/// The direction that a rounding mode of SPIR-V means.
pub fn direction(mode: u32) -> Round {
    match FPRoundingMode::from_u32(mode) {
        Some(FPRoundingMode::RTZ) => Round::Zero,
        Some(FPRoundingMode::RTP) => Round::Up,
        Some(FPRoundingMode::RTN) => Round::Down,
        _ => Round::Near,
    }
}

/// So many scalars after each other. `vloada_half3` takes vectors of 3 as far apart as those of 4.
fn run(of: Scalar, len: usize, half: bool, aligned: bool) -> Run {
    let (ty, fmt) = if half { (Ty::F16, Fmt::Half) } else { (of.ty(), of.fmt()) };
    let leaves = (0..len as u32).map(|i| Leaf { offset: i * fmt.bytes(), ty, fmt }).collect();
    let spaced = if aligned && len == 3 { 4 } else { len as u32 };
    Run { leaves, stride: spaced * fmt.bytes() }
}
