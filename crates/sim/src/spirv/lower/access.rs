//! Access chains: pointers to members and elements.

use super::{Item, Lower};
use crate::emit::place::Place;
use crate::emit::{NOWHERE, Res};
use crate::ir::{Op as Code, Reg, Ty};
use crate::spirv::decode::Inst;
use crate::spirv::module::Type;
use crate::spirv::types::{Layout, Scalar, broken};
use spirv::{Decoration, Op};

impl Lower<'_> {
    /// A pointer, what it points at, and how that lies.
    pub fn pointer(&mut self, id: u32) -> Res<(Place, u32, Layout)> {
        match self.item(id)? {
            (ty, Item::Place(place, layout)) => Ok((place, self.types().pointee(ty)?, layout)),
            _ => self.unsupported(&format!("a value (%{id}) is used as a pointer")),
        }
    }

    /// `OpAccessChain` and its kin.
    pub fn chain(&mut self, inst: &Inst) -> Res<()> {
        if self.module.kernel && !self.fixed_chain(inst)? {
            return self.kernel_chain(inst);
        }
        let (mut place, mut ty, mut layout) = self.pointer(inst.arg(0))?;
        let mut indices = inst.args.get(1..).unwrap_or(&[]);
        if let Op::PtrAccessChain | Op::InBoundsPtrAccessChain = inst.op {
            let Some((&first, rest)) = indices.split_first() else {
                return Err(broken(format!("{} without an element", inst.name())));
            };
            place = self.stepped(inst, &place, ty, first)?;
            indices = rest;
        }
        for &index in indices {
            (place, ty, layout) = self.part(&place, ty, layout, index)?;
        }
        if self.types().pointee(inst.ty)? != ty {
            let text = format!("{} leads to a value of another type than its own", inst.name());
            return Err(broken(text));
        }
        self.frame().items.insert(inst.id, (inst.ty, Item::Place(place, layout)));
        Ok(())
    }

    /// A pointer so many elements further on in the array that it points into.
    fn stepped(&mut self, inst: &Inst, place: &Place, ty: u32, by: u32) -> Res<Place> {
        let stride = match self.module.number(inst.ty, Decoration::ArrayStride) {
            Some(stride) => stride,
            None => self.types().size(ty, Layout::default())?,
        };
        if self.consts.get(by) == Some(&[0]) {
            return Ok(place.clone());
        }
        let Place::Mem { .. } = place else {
            return self.unsupported("pointers into variables in registers do not move");
        };
        let by = self.index(by)?;
        self.indexed_place(place, by, 0, stride, 0)
    }

    /// One member or element of a place.
    pub fn part(&mut self, place: &Place, ty: u32, layout: Layout, index: u32) -> Res<(Place, u32, Layout)> {
        if let Type::Struct { members } = self.types().get(ty)? {
            let at = self.consts.u32(index)?;
            let Some(&member) = members.get(at as usize) else {
                return Err(broken(format!("member {at} of a struct of {}", members.len())));
            };
            let (offset, inner) = self.types().member(ty, at)?;
            let mut start = 0;
            if !matches!(place, Place::Mem { .. }) {
                for &before in &members[..at as usize] {
                    start += self.types().width(before)?;
                }
            }
            return Ok((self.cut(place, start, member, offset)?, member, inner));
        }
        let (element, inner) = self.types().element(ty, layout)?;
        let reg = self.index(index)?;
        if let Some(at) = self.known(reg).and_then(|at| u32::try_from(at).ok())
            && element.holds(at)
        {
            return self.known_part(place, ty, layout, at);
        }
        let each = if let Place::Mem { .. } = place { 0 } else { self.types().width(element.ty)? };
        let next = self.indexed_place(place, reg, element.len, element.stride, each)?;
        Ok((next, element.ty, inner))
    }

    /// The element of this number of a place.
    pub fn known_part(&self, place: &Place, ty: u32, layout: Layout, at: u32) -> Res<(Place, u32, Layout)> {
        let (element, inner) = self.types().element(ty, layout)?;
        if !element.holds(at) {
            return Err(broken(format!("element {at} of {}", element.len)));
        }
        let each = if let Place::Mem { .. } = place { 0 } else { self.types().width(element.ty)? };
        let bytes = at.saturating_mul(element.stride).min(NOWHERE);
        Ok((self.cut(place, at as usize * each, element.ty, bytes)?, element.ty, inner))
    }

    /// The part of a place that starts at scalar `start`; in memory, `bytes` further on.
    fn cut(&self, place: &Place, start: usize, ty: u32, bytes: u32) -> Res<Place> {
        if let Place::Mem { mem, addr, offset } = place {
            let offset = offset.saturating_add(bytes).min(NOWHERE);
            return Ok(Place::Mem { mem: *mem, addr: *addr, offset });
        }
        let len = self.types().width(ty)?;
        let whole = match place {
            Place::Regs(regs) => regs.len(),
            Place::Pick { parts, .. } => parts.iter().map(Vec::len).min().unwrap_or(0),
            Place::Mem { .. } => usize::MAX,
        };
        if start + len > whole {
            return Err(broken("a part outside of its variable".into()));
        }
        Ok(place.part(start, len, bytes))
    }

    /// An index as a register of 32 bits.
    pub fn index(&mut self, id: u32) -> Res<Reg> {
        let (value, scalar) = self.vector(id)?;
        match scalar {
            Scalar::Int { width: 64, .. } => match self.known(value[0]) {
                Some(bits) => Ok(self.u32(u32::try_from(bits).unwrap_or(u32::MAX))),
                None => self.index_word(value[0]),
            },
            Scalar::Int { width, signed: true } if width < 32 => self.extended(width, value[0]),
            Scalar::Int { .. } => Ok(value[0]),
            _ => Err(broken(format!("%{id} is not an index"))),
        }
    }

    /// `OpSelect` of two pointers into the same memory.
    pub fn select_pointer(&mut self, inst: &Inst) -> Res<()> {
        let condition = self.one(inst.arg(0))?;
        if self.module.kernel {
            let (yes, no) = (self.address(inst.arg(1))?, self.address(inst.arg(2))?);
            let value = self.pick(condition, yes, no)?;
            return self.set(inst, vec![value]);
        }
        let (a, _, layout) = self.pointer(inst.arg(1))?;
        let (b, _, other) = self.pointer(inst.arg(2))?;
        let (Place::Mem { mem, addr, offset }, Place::Mem { mem: m, addr: ad, offset: off }) = (a, b) else {
            return self.unsupported("the simulator has no choice between pointers into registers");
        };
        if mem != m || layout != other {
            return self.unsupported("the simulator has no choice between pointers into different variables");
        }
        let mut sum = |addr: Option<Reg>, offset: u32| {
            let (base, offset) = (self.base(addr), self.u32(offset));
            self.emit(Code::Bin(crate::ir::Bin::Add, Ty::U32), Ty::U32, &[base, offset])
        };
        let (yes, no) = (sum(addr, offset)?, sum(ad, off)?);
        let addr = Some(self.pick(condition, yes, no)?);
        let place = Place::Mem { mem, addr, offset: 0 };
        self.frame().items.insert(inst.id, (inst.ty, Item::Place(place, layout)));
        Ok(())
    }
}
