//! Operands: what an argument is as a register of the width that an instruction wants, and where results go.

use super::build::Lower;
use super::objects::{HALVES, window};
use crate::ir::rules::PROCESSORS;
use crate::ir::scalar::Scalar;
use crate::ir::{Ins, Op, Reg, Special, Ty};
use crate::params::SHARED;
use crate::ptx::ast::{Arg, Base, Instr, Space, Type};
use crate::ptx::parse::Res;

/// The register type that holds values of a PTX type.
pub fn held(ty: Type) -> Ty {
    super::build::register_type(ty)
}

/// Says that the last operand is a policy of caches.
pub const CACHE_HINT: &str = "L2::cache_hint";

impl Lower {
    /// The bits of the PTX register of an operand; of others, those asked for.
    pub fn bits(&self, arg: &Arg, wanted: u32) -> u32 {
        match arg {
            Arg::Reg(reg) => self.flat.regs.get(*reg as usize).map_or(wanted, |t| t.bits),
            _ => wanted,
        }
    }

    /// An operand as a value of a type, in a register as wide as it.
    pub fn src(&mut self, arg: &Arg, ty: Type) -> Res<Reg> {
        let wide = ty.bits == 64;
        let reg = match arg {
            Arg::Reg(reg) => self.regs[*reg as usize],
            Arg::Int(value) => {
                if ty.base == Base::Pred {
                    return Ok(self.constant(Ty::Bool, u64::from(*value != 0)));
                }
                let bits = match (ty.base, ty.bits) {
                    (_, 64) => *value,
                    (_, 8 | 16) => value & 0xffff,
                    _ => value & 0xffff_ffff,
                };
                // `mov.f32 %f1, 1` does not occur: integers are bits
                self.constant(if wide { Ty::U64 } else { Ty::U32 }, bits)
            }
            Arg::Single(bits) => {
                let bits = if wide { f64::from(f32::from_bits(*bits)).to_bits() } else { u64::from(*bits) };
                self.constant(if wide { Ty::F64 } else { Ty::F32 }, bits)
            }
            Arg::Double(bits) if wide => self.constant(Ty::F64, *bits),
            Arg::Double(bits) => {
                let single = (f64::from_bits(*bits) as f32).to_bits();
                self.constant(Ty::F32, u64::from(single))
            }
            Arg::Var(_) => self.address_of(arg)?,
            Arg::Name(name, _) => match self.special(name) {
                Some(reg) => reg,
                None => self.address_of(arg)?,
            },
            Arg::Addr(base, offset) => {
                let base = self.src(base, Type::new(Base::Unsigned, 64))?;
                let offset = self.constant(Ty::U64, *offset as u64);
                self.emit(Op::Bin(crate::ir::Bin::Add, Ty::U64), Ty::U64, &[base, offset])
            }
            Arg::Not(inner) => {
                let value = self.src(inner, Type::new(Base::Pred, 1))?;
                self.emit(Op::Un(crate::ir::Un::Not, Ty::Bool), Ty::Bool, &[value])
            }
            Arg::List(_) | Arg::Pair(..) | Arg::Discard => {
                return self.fail("this operand must be a single register or number");
            }
        };
        Ok(match (self.prog.wide(reg), wide) {
            (true, false) => self.emit(Op::Scalar(Scalar::Low), Ty::U32, &[reg]),
            (false, true) => self.emit(Op::Convert(Ty::U32, Ty::U64), Ty::U64, &[reg]),
            _ => reg,
        })
    }

    /// The address of a variable, in its own space.
    fn address_of(&mut self, arg: &Arg) -> Res<Reg> {
        let found = match arg {
            Arg::Var(var) if (*var as usize) < self.params.len() => {
                let start = self.params[*var as usize];
                return Ok(self.constant(Ty::U64, u64::from(start)));
            }
            Arg::Var(var) => self.by_var.get(var),
            Arg::Name(name, _) => self.by_name.get(name),
            _ => None,
        };
        match (found, arg) {
            (Some(&at), _) => {
                let raw = self.objects[at].raw;
                Ok(self.constant(Ty::U64, raw))
            }
            (None, Arg::Name(name, _)) if name.contains("cluster") => {
                self.unsupported(format!("`{name}` is not supported (clusters of sm_90 are not simulated)"))
            }
            (None, Arg::Name(name, _)) => self.fail(format!("`{name}` is not declared, or is not supported")),
            _ => self.unsupported("the address of a parameter of a call is not supported"),
        }
    }

    /// Registers that the machine fills.
    fn special(&mut self, name: &str) -> Option<Reg> {
        let (stem, axis) = match name.rsplit_once('.') {
            Some((stem, "x")) => (stem, 0),
            Some((stem, "y")) => (stem, 1),
            Some((stem, "z")) => (stem, 2),
            _ => (name, 0),
        };
        if let Some(half) = HALVES.iter().position(|half| *half == name) {
            let address = self.objects[*self.by_name.get(name)?].raw;
            return Some(self.u32([address >> 32, address][half] as u32));
        }
        let special = match stem {
            "%tid" => Special::LocalId(axis),
            "%ntid" => Special::WorkgroupSize(axis),
            "%ctaid" => Special::WorkgroupId(axis),
            "%nctaid" => Special::NumWorkgroups(axis),
            "%laneid" => Special::SubgroupLane,
            "%warpid" => Special::SubgroupId,
            "%nwarpid" => Special::NumSubgroups,
            "WARP_SZ" => return Some(self.u32(32)),
            // as if one block after another went to the next of them
            "%smid" => {
                let (block, all) =
                    (self.emit(Op::Special(Special::WorkgroupId(0)), Ty::U32, &[]), self.u32(PROCESSORS - 1));
                return Some(self.emit(Op::Bin(crate::ir::Bin::And, Ty::U32), Ty::U32, &[block, all]));
            }
            "%nsmid" => return Some(self.u32(PROCESSORS)),
            "%clock" | "%clock_hi" | "%gridid" | "%cluster_ctarank" | "%cluster_ctaid" => {
                return Some(self.u32(0));
            }
            "%cluster_nctarank" | "%cluster_nctaid" | "%nclusterid" => return Some(self.u32(1)),
            "%clock64" | "%globaltimer" => return Some(self.constant(Ty::U64, 0)),
            "%dynamic_smem_size" => {
                let dynamic = self.prog.dynamic;
                return Some(self.u32(dynamic));
            }
            "%lanemask_eq" | "%lanemask_lt" | "%lanemask_le" | "%lanemask_gt" | "%lanemask_ge" => {
                return Some(self.lane_mask(stem));
            }
            _ => return None,
        };
        Some(self.emit(Op::Special(special), Ty::U32, &[]))
    }

    fn lane_mask(&mut self, name: &str) -> Reg {
        use crate::ir::{Bin, Un};
        let lane = self.emit(Op::Special(Special::SubgroupLane), Ty::U32, &[]);
        let (one, all) = (self.u32(1), self.u32(u32::MAX));
        let shift = |s: &mut Lower, value| s.emit(Op::Bin(Bin::ShlFixed, Ty::U32), Ty::U32, &[value, lane]);
        match name {
            "%lanemask_eq" => shift(self, one),
            "%lanemask_ge" => shift(self, all),
            "%lanemask_lt" => {
                let ge = shift(self, all);
                self.emit(Op::Un(Un::Not, Ty::U32), Ty::U32, &[ge])
            }
            "%lanemask_gt" => {
                let ge = shift(self, all);
                self.emit(Op::Bin(Bin::Add, Ty::U32), Ty::U32, &[ge, ge])
            }
            _ => {
                let ge = shift(self, all);
                let gt = self.emit(Op::Bin(Bin::Add, Ty::U32), Ty::U32, &[ge, ge]);
                self.emit(Op::Un(Un::Not, Ty::U32), Ty::U32, &[gt])
            }
        }
    }

    /// Puts a value into a destination; 16-bit registers keep 16 bits.
    pub fn set(&mut self, dst: &Arg, value: Reg) -> Res<()> {
        let reg = match dst {
            Arg::Reg(reg) => *reg,
            Arg::Discard => return Ok(()),
            Arg::Pair(first, _) => return self.set(first, value),
            _ => return self.fail("the result must go to a register"),
        };
        let (ty, to) = (self.flat.regs[reg as usize], self.regs[reg as usize]);
        let truth = self.prog.regs[value as usize].ty == Ty::Bool || self.known(value).is_some_and(|v| v < 2);
        if ty.base == Base::Pred && !truth {
            return self.fail("the result goes to a predicate, but this instruction gives a number");
        }
        let wide = self.prog.wide(to);
        let value = match (self.prog.wide(value), wide) {
            (true, false) => self.emit(Op::Scalar(Scalar::Low), Ty::U32, &[value]),
            (false, true) => self.emit(Op::Convert(Ty::U32, Ty::U64), Ty::U64, &[value]),
            _ => value,
        };
        let value = match self.known(value) {
            _ if ty.bits != 16 => value,
            Some(bits) => self.constant(Ty::U32, bits & 0xffff),
            None => self.emit(Op::Scalar(Scalar::Zext(16)), Ty::U32, &[value]),
        };
        let ins = Ins::new(Op::Move(wide), &[to], &[value], self.at);
        self.push(ins);
        Ok(())
    }

    /// The arguments of an instruction, as many as it has.
    pub fn args<'a, const N: usize>(&self, ins: &'a Instr) -> Res<[&'a Arg; N]> {
        let mut all: Vec<&Arg> = ins.args.iter().collect();
        // for how long caches keep it: there are none here
        all.truncate(all.len() - usize::from(ins.has(CACHE_HINT) && all.len() > N));
        <[&Arg; N]>::try_from(all).or_else(|all| {
            self.fail(format!("`{}` takes {N} operands, found {}", ins.op.join("."), all.len()))
        })
    }

    /// Refuses modifiers that are neither types nor known.
    pub fn allow(&self, ins: &Instr, known: &[&str]) -> Res<()> {
        for modifier in ins.op.iter().skip(1) {
            if Type::named(modifier).is_none() && !known.contains(&modifier.as_str()) {
                return self.unsupported(format!("`.{modifier}` of `{}` is not supported", ins.op.join(".")));
            }
        }
        Ok(())
    }

    /// The last type that an instruction names.
    pub fn ty(&self, ins: &Instr) -> Res<Type> {
        match ins.types().last() {
            Some(&ty) => Ok(ty),
            None => self.fail(format!("`{}` has no type", ins.op.join("."))),
        }
    }

    /// The space that an instruction names.
    pub fn space(&self, ins: &Instr) -> Space {
        for modifier in ins.op.iter().skip(1) {
            match modifier.split("::").next().unwrap_or("") {
                "global" => return Space::Global,
                "shared" => return Space::Shared,
                "local" => return Space::Local,
                "const" => return Space::Const,
                "param" => return Space::Param,
                _ => {}
            }
        }
        Space::Generic
    }

    /// Whether an address is in the window of a space.
    pub fn in_window(&mut self, address: Reg, space: Space) -> Reg {
        let (start, size) = match space {
            Space::Global | Space::Generic => (0, SHARED),
            other => (window(other), SHARED),
        };
        let (start, size) = (self.constant(Ty::U64, start), self.constant(Ty::U64, size));
        self.emit(Op::Scalar(Scalar::Within), Ty::Bool, &[address, start, size])
    }
}
