//! Loads, stores, copies, lengths of arrays, barriers.

use super::{Item, Lower};
use crate::emit::place::Place;
use crate::emit::{Res, Value};
use crate::ir::{Ins, MemSpace, Op as Code, Term, Ty, Warp};
use crate::spirv::decode::Inst;
use crate::spirv::module::Type;
use crate::spirv::types::{Layout, broken};
use spirv::{MemorySemantics, Scope};

impl Lower<'_> {
    pub fn load(&mut self, inst: &Inst) -> Res<()> {
        if let Some(taken) = self.module.parts.read.get(&inst.id) {
            return self.load_parts(inst, taken);
        }
        let results: Vec<Ty> = self.types().scalars(inst.ty)?.iter().map(|s| s.ty()).collect();
        let value = self.at_pointer(inst.arg(0), &results, &mut |own, place, ty, layout| {
            if ty != inst.ty {
                return Err(broken(format!("OpLoad of %{ty} gives %{}", inst.ty)));
            }
            own.load_from(place, ty, layout)
        })?;
        self.set(inst, value)
    }

    pub fn load_from(&mut self, place: &Place, ty: u32, layout: Layout) -> Res<Value> {
        self.touch(place);
        let leaves =
            if let Place::Mem { .. } = place { self.types().leaves(ty, layout)? } else { Vec::new() };
        self.load_place(place, &leaves)
    }

    pub fn store(&mut self, inst: &Inst) -> Res<()> {
        if let Some(puts) = self.module.parts.written.get(&inst.arg(1)) {
            return self.store_parts(inst.arg(0), puts);
        }
        let value = self.value(inst.arg(1))?;
        self.store_at(inst.arg(0), &value)
    }

    /// Stores a value where a pointer leads to.
    pub fn store_at(&mut self, pointer: u32, value: &[u32]) -> Res<()> {
        self.at_pointer(pointer, &[], &mut |own, place, ty, layout| {
            own.store_to(place, ty, layout, value).map(|()| Vec::new())
        })?;
        Ok(())
    }

    pub fn store_to(&mut self, place: &Place, ty: u32, layout: Layout, value: &[u32]) -> Res<()> {
        self.touch(place);
        if self.types().width(ty)? != value.len() {
            return Err(broken(format!("a value of {} scalars is stored as %{ty}", value.len())));
        }
        if let Place::Mem { mem, .. } = place
            && self.prog.mems[*mem as usize].space == MemSpace::Constant
        {
            // a table is stored once more where it is used; it is there already
            return match (self.prog.param_mem == Some(*mem), self.module.kernel) {
                (true, true) => self.unsupported("a store to a parameter: copy it to a variable first"),
                (true, false) => self.unsupported("a store to push constants"),
                (false, true) => self.unsupported("a store to constant memory"),
                (false, false) => Ok(()),
            };
        }
        let leaves =
            if let Place::Mem { .. } = place { self.types().leaves(ty, layout)? } else { Vec::new() };
        self.store_place(place, &leaves, value)
    }

    /// An access: memory barriers before it order nothing that a barrier after it waits for.
    pub fn touch(&mut self, place: &Place) {
        if let Place::Mem { mem, .. } = place {
            match self.prog.mems[*mem as usize].space {
                MemSpace::Shared => self.ordered.0 = false,
                MemSpace::Global => self.ordered.1 = false,
                _ => {}
            }
        }
    }

    pub fn copy_memory(&mut self, inst: &Inst) -> Res<()> {
        let ty = self.type_of(inst.arg(1))?;
        let ty = self.types().pointee(ty)?;
        let results: Vec<Ty> = self.types().scalars(ty)?.iter().map(|s| s.ty()).collect();
        let load = &mut |own: &mut Self, place: &Place, ty, layout| own.load_from(place, ty, layout);
        let value = self.at_pointer(inst.arg(1), &results, load)?;
        self.store_at(inst.arg(0), &value)
    }

    /// `OpArrayLength`: a pointer to a struct, and the member that is an array with an open end.
    pub fn array_length(&mut self, inst: &Inst) -> Res<()> {
        let (place, ty, _) = self.pointer(inst.arg(0))?;
        let Type::Struct { members } = self.types().get(ty)? else {
            return Err(broken("OpArrayLength of something other than a struct".into()));
        };
        let (at, _) = self.types().member(ty, inst.arg(1))?;
        let Some(&member) = members.get(inst.arg(1) as usize) else {
            return Err(broken("OpArrayLength of a member that does not exist".into()));
        };
        let stride = self.types().open_stride(member);
        let Place::Mem { mem, addr: None, offset } = place else {
            return self.unsupported("the length of an array that is not in a buffer");
        };
        let dst = self.prog.reg(Ty::U32, false);
        let mut ins = Ins::new(Code::ArrayLength, &[dst], &[], self.at);
        (ins.mem, ins.imm, ins.imm2) = (mem, offset.saturating_add(at), stride);
        self.push(ins)?;
        self.set(inst, vec![dst])
    }

    /// Copies a value or a pointer.
    pub fn copy(&mut self, inst: &Inst) -> Res<()> {
        match self.item(inst.arg(0))?.1 {
            Item::Value(value) => self.set(inst, value),
            place => {
                self.frame().items.insert(inst.id, (inst.ty, place));
                Ok(())
            }
        }
    }

    /// Which memories semantics order: that of the workgroup, buffers.
    fn orders(&mut self, semantics: u32) -> Res<(bool, bool)> {
        let bits = MemorySemantics::from_bits_truncate(self.consts.u32(semantics)?);
        let ways = MemorySemantics::ACQUIRE
            | MemorySemantics::RELEASE
            | MemorySemantics::ACQUIRE_RELEASE
            | MemorySemantics::SEQUENTIALLY_CONSISTENT;
        if !bits.intersects(ways) {
            return Ok((false, false));
        }
        let global = MemorySemantics::UNIFORM_MEMORY | MemorySemantics::CROSS_WORKGROUP_MEMORY;
        Ok((bits.contains(MemorySemantics::WORKGROUP_MEMORY), bits.intersects(global)))
    }

    pub fn memory_barrier(&mut self, inst: &Inst) -> Res<()> {
        let (shared, global) = self.orders(inst.arg(1))?;
        self.ordered = (self.ordered.0 | shared, self.ordered.1 | global);
        if self.consts.u32(inst.arg(0))? == Scope::Subgroup as u32 {
            self.ordered = (false, false);
        }
        if global { self.fence_for(inst.arg(0)) } else { Ok(()) }
    }

    /// Puts what was before in order for other workgroups, where the scope reaches them.
    fn fence_for(&mut self, scope: u32) -> Res<()> {
        let scope = self.consts.u32(scope)?;
        let wide = [Scope::Device, Scope::CrossDevice, Scope::QueueFamily].map(|scope| scope as u32);
        if !wide.contains(&scope) {
            return Ok(());
        }
        self.prog.rules.fences = true;
        self.add(Code::Warp(Warp::Fence), &[], &[])
    }

    /// The fence that an atomic operation is on one side, by its semantics: before it where it releases, after it where
    /// it acquires.
    pub fn fence_of(&mut self, atomic: &Inst, way: MemorySemantics) -> Res<()> {
        let bits = MemorySemantics::from_bits_truncate(self.consts.u32(atomic.arg(2))?);
        let both = MemorySemantics::ACQUIRE_RELEASE | MemorySemantics::SEQUENTIALLY_CONSISTENT;
        if bits.intersects(way | both) { self.fence_for(atomic.arg(1)) } else { Ok(()) }
    }

    /// Lanes of a subgroup run in lockstep: what is left to say is that each sees what the others wrote before.
    fn subgroup_barrier(&mut self, orders: bool) -> Res<()> {
        if !orders {
            return Ok(());
        }
        let active = self.emit(Code::Warp(Warp::Active), Ty::U32, &[])?;
        self.add(Code::Warp(Warp::Sync), &[], &[active])
    }

    pub fn control_barrier(&mut self, inst: &Inst) -> Res<()> {
        let scope = self.consts.u32(inst.arg(0))?;
        let (shared, global) = self.orders(inst.arg(2))?;
        if scope == Scope::Subgroup as u32 {
            return self.subgroup_barrier(shared | global);
        }
        if scope != Scope::Workgroup as u32 {
            return self.unsupported("a barrier of more than a workgroup");
        }
        let next = self.block();
        let (shared, global) = (shared | self.ordered.0, global | self.ordered.1);
        self.end(Term::Barrier { shared, global, next });
        self.open(next);
        self.ordered = (false, false);
        Ok(())
    }
}
