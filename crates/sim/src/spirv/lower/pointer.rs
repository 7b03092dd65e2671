//! Pointers of kernels of OpenCL: numbers of 64 bits, each near the variable or the buffer that it points into.

use super::{Item, Lower};
use crate::emit::place::Place;
use crate::emit::{Res, Value};
use crate::ir::scalar::Scalar as Fun;
use crate::ir::{Bin, MemSpace, Op as Code, Reg, Term, Ty};
use crate::params;
use crate::spirv::decode::Inst;
use crate::spirv::module::Type;
use crate::spirv::types::{Layout, Scalar, broken};
use spirv::{Op, StorageClass};
use std::collections::HashMap;

/// Where everything lies that pointers point into.
#[derive(Default)]
pub struct Homes {
    /// Memory objects: where each begins.
    starts: HashMap<u32, u64>,
    /// Variables and parameters: the memory objects that they are, and the kind of memory.
    of: Vec<(u32, u32, StorageClass)>,
    /// Where the next variable of each window lies.
    tops: HashMap<u64, u64>,
}

impl Homes {
    /// Says where a variable or a parameter lies; of one that is declared again, the last counts.
    pub fn settle(&mut self, id: u32, mem: u32, start: u64, class: StorageClass) {
        self.starts.insert(mem, start);
        self.of.retain(|(other, ..)| *other != id);
        self.of.push((id, mem, class));
    }

    /// Room for so many bytes in a window.
    pub fn room(&mut self, window: u64, size: u32) -> u64 {
        let top = self.tops.entry(window).or_insert(window);
        let start = *top;
        *top = (start + u64::from(size).max(1)).next_multiple_of(128);
        start
    }
}

/// What is done at a place that a pointer leads to. The type is that of what lies there.
pub type At<'f, 'a> = &'f mut dyn FnMut(&mut Lower<'a>, &Place, u32, Layout) -> Res<Value>;

impl<'a> Lower<'a> {
    /// The address in a pointer.
    pub fn address(&mut self, id: u32) -> Res<Reg> {
        match self.item(id)?.1 {
            Item::Value(value) => {
                value.first().copied().ok_or_else(|| broken(format!("%{id} is not a pointer")))
            }
            Item::Place(Place::Mem { mem, addr, offset }, _) => {
                let start = self.homes.starts.get(&mem).copied();
                let Some(start) = start else { return self.unsupported("this memory has no address") };
                let start = self.constant(Ty::U64, start + u64::from(offset));
                let Some(addr) = addr else { return Ok(start) };
                let wide = self.convert(Ty::U32, Ty::U64, addr)?;
                self.bin(Bin::Add, Ty::U64, start, wide)
            }
            Item::Place(..) => self.unsupported("the address of a variable in registers"),
        }
    }

    /// The memory objects that a pointer may point into, each with its beginning.
    fn candidates(&mut self, id: u32) -> Res<Vec<(u32, u64)>> {
        let ty = self.type_of(id)?;
        let Type::Pointer { class, .. } = *self.types().get(ty)? else {
            return Err(broken(format!("%{id} is not a pointer")));
        };
        let known = self.origins.of(id);
        let fits = |own: StorageClass| own == class || class == StorageClass::Generic;
        let named = |id: &u32| known.as_ref().is_none_or(|known| known.contains(id));
        let all = |exact: bool| {
            let own = self.homes.of.iter().filter(|(id, _, own)| fits(*own) && (!exact || named(id)));
            let mut mems: Vec<u32> = own.map(|(_, mem, _)| *mem).collect();
            mems.sort_unstable();
            mems.dedup();
            mems
        };
        let mut mems = all(true);
        if mems.is_empty() {
            mems = all(false);
        }
        if mems.is_empty() {
            return self.unsupported(&format!("a pointer to {class:?} memory, of which the kernel has none"));
        }
        Ok(mems.into_iter().map(|mem| (mem, self.homes.starts[&mem])).collect())
    }

    /// Does something where a pointer leads to.
    pub fn at_pointer(&mut self, id: u32, results: &[Ty], f: At<'_, 'a>) -> Res<Value> {
        match self.item(id)? {
            (ty, Item::Place(place, layout)) => {
                let to = self.types().pointee(ty)?;
                f(self, &place, to, layout)
            }
            (_, Item::Value(_)) if self.module.kernel => {
                let address = self.address(id)?;
                self.at_address(id, address, results, f)
            }
            _ => self.unsupported(&format!("a value (%{id}) is used as a pointer")),
        }
    }

    /// Does something at an address that was made of a pointer: in whichever object it is near.
    pub fn at_address(&mut self, id: u32, address: Reg, results: &[Ty], f: At<'_, 'a>) -> Res<Value> {
        let ty = self.type_of(id)?;
        let to = self.types().pointee(ty)?;
        let found = self.candidates(id)?;
        let Some((&last, others)) = found.split_last() else { return Ok(Vec::new()) };
        if others.is_empty() {
            let place = self.resolved(address, last)?;
            return f(self, &place, to, Layout::default());
        }
        let out: Value = results.iter().map(|&ty| self.prog.reg(ty, true)).collect();
        let after = self.block();
        for (at, &object) in found.iter().enumerate() {
            if at < others.len() {
                let here = self.block();
                let next = self.block();
                let is = self.within(address, object)?;
                self.end(Term::Branch(is, here, next));
                self.open(here);
                self.fill(&out, address, object, to, f)?;
                self.end(Term::Jump(after));
                self.open(next);
            } else {
                self.fill(&out, address, object, to, f)?;
                self.end(Term::Jump(after));
            }
        }
        self.open(after);
        self.snapshot(&out)
    }

    fn fill(&mut self, out: &[Reg], address: Reg, object: (u32, u64), to: u32, f: At<'_, 'a>) -> Res<()> {
        let place = self.resolved(address, object)?;
        let value = f(self, &place, to, Layout::default())?;
        out.iter().zip(value).try_for_each(|(&to, from)| self.assign(to, from))
    }

    /// Whether an address is in an object, or nearer to it than to any other.
    fn within(&mut self, address: Reg, (mem, start): (u32, u64)) -> Res<Reg> {
        let object = &self.prog.mems[mem as usize];
        let (size, global) = (object.size, object.space == MemSpace::Global);
        let from = self.constant(Ty::U64, start);
        if global {
            return self.emit(Code::Scalar(Fun::Near), Ty::Bool, &[address, from]);
        }
        let size = self.constant(Ty::U64, u64::from(size));
        self.emit(Code::Scalar(Fun::Within), Ty::Bool, &[address, from, size])
    }

    fn resolved(&mut self, address: Reg, (mem, start): (u32, u64)) -> Res<Place> {
        let start = self.constant(Ty::U64, start);
        let addr = self.emit(Code::Scalar(Fun::Resolve), Ty::U32, &[address, start])?;
        Ok(Place::Mem { mem, addr: Some(addr), offset: 0 })
    }

    /// Whether a chain only names a part that is known now of a variable that is known now.
    pub fn fixed_chain(&mut self, inst: &Inst) -> Res<bool> {
        let Item::Place(..) = self.item(inst.arg(0))?.1 else { return Ok(false) };
        let steps = matches!(inst.op, Op::PtrAccessChain | Op::InBoundsPtrAccessChain);
        let mut indices = inst.args.iter().skip(1).map(|id| self.consts.get(*id));
        let still = !steps || indices.next() == Some(Some(&[0]));
        Ok(still && indices.all(|known| known.is_some()))
    }

    /// `OpInBoundsPtrAccessChain` and its kin: an address and so many bytes more.
    pub fn kernel_chain(&mut self, inst: &Inst) -> Res<()> {
        let mut at = self.address(inst.arg(0))?;
        let from = self.type_of(inst.arg(0))?;
        let mut ty = self.types().pointee(from)?;
        let mut bytes = 0u64;
        let steps = matches!(inst.op, Op::PtrAccessChain | Op::InBoundsPtrAccessChain);
        for (i, &index) in inst.args.iter().skip(1).enumerate() {
            if steps && i == 0 {
                let stride = self.types().spaced(ty)?;
                at = self.moved(at, index, stride, &mut bytes)?;
                continue;
            }
            if let Type::Struct { members } = self.types().get(ty)? {
                let member = self.consts.u32(index)?;
                let Some(&to) = members.get(member as usize) else {
                    return Err(broken(format!("member {member} of a struct of {}", members.len())));
                };
                bytes = bytes.wrapping_add(u64::from(self.types().member(ty, member)?.0));
                ty = to;
                continue;
            }
            let (element, _) = self.types().element(ty, Layout::default())?;
            at = self.moved(at, index, element.stride, &mut bytes)?;
            ty = element.ty;
        }
        if bytes != 0 {
            let bytes = self.constant(Ty::U64, bytes);
            at = self.bin(Bin::Add, Ty::U64, at, bytes)?;
        }
        self.set(inst, vec![at])
    }

    /// An address so many elements further on; what is known now goes to the constant part.
    fn moved(&mut self, at: Reg, index: u32, stride: u32, bytes: &mut u64) -> Res<Reg> {
        let (value, of) = self.vector(index)?;
        let Scalar::Int { width, .. } = of else { return Err(broken(format!("%{index} is not an index"))) };
        let narrow = if width < 32 { self.extended(width, value[0])? } else { value[0] };
        if let Some(bits) = self.known(narrow) {
            let index = if width == 64 { bits } else { i64::from(bits as i32) as u64 };
            *bytes = bytes.wrapping_add(index.wrapping_mul(u64::from(stride)));
            return Ok(at);
        }
        let wide = if width == 64 { narrow } else { self.convert(Ty::I32, Ty::I64, narrow)? };
        let stride = self.constant(Ty::U64, u64::from(stride));
        let by = self.bin(Bin::Mul, Ty::U64, wide, stride)?;
        self.bin(Bin::Add, Ty::U64, at, by)
    }

    /// Casts between pointers, and between pointers and numbers: the same address.
    pub fn pointer_cast(&mut self, inst: &Inst) -> Res<()> {
        let at = match self.item(inst.arg(0))? {
            (_, Item::Value(value)) => value,
            _ => vec![self.address(inst.arg(0))?],
        };
        self.set(inst, at)
    }

    /// `to_global`, `to_local`, `to_private`: null where the pointer leads elsewhere.
    pub fn checked_cast(&mut self, inst: &Inst) -> Res<()> {
        let at = self.address(inst.arg(0))?;
        let window = match StorageClass::from_u32(inst.arg(1)) {
            Some(StorageClass::CrossWorkgroup) => 0,
            Some(StorageClass::Workgroup) => params::SHARED,
            Some(StorageClass::Function) => params::LOCAL,
            _ => return Err(broken("a cast to memory of this kind".into())),
        };
        let (by, zero) = (self.u32(56), self.constant(Ty::U64, 0));
        let top = self.emit(Code::Bin(Bin::ShrFixed, Ty::U64), Ty::U64, &[at, by])?;
        let window = self.constant(Ty::U64, window >> 56);
        let same = self.bin(Bin::Eq, Ty::U64, top, window)?;
        let value = self.pick(same, at, zero)?;
        self.set(inst, vec![value])
    }
}
