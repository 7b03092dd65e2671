//! Global variables: buffers, push constants, memory of the workgroup, variables of the lane, built-in values.

use super::{Item, Lower};
use crate::api::error::RunError;
use crate::emit::place::Place;
use crate::emit::{Res, Value, unbound};
use crate::ir::{Bin, Fmt, MemObject, MemSpace, Op, Reg, Special, Ty, Un};
use crate::spirv::decode::Inst;
use crate::spirv::module::{Entry, Type};
use crate::spirv::types::{Layout, broken};
use spirv::{BuiltIn, Decoration, StorageClass};

impl Lower<'_> {
    /// Makes places of the variables that the entry point uses.
    pub fn declare(&mut self, entry: &Entry) -> Res<()> {
        let used = crate::spirv::uses::used(self.module, entry.function);
        let module = self.module;
        self.indexed = match module.kernel {
            true => crate::spirv::origin::addressed(module),
            false => crate::spirv::uses::indexed(module),
        };
        self.tables = crate::spirv::uses::tables(module);
        for inst in module.variables.iter().filter(|v| used.contains(&v.id)) {
            self.name = format!("OpVariable of `{}`", module.name(inst));
            let to = self.types().pointee(inst.ty)?;
            let class = StorageClass::from_u32(inst.arg(0));
            let place = match class {
                Some(StorageClass::Uniform | StorageClass::StorageBuffer) => self.buffer(inst, to)?,
                Some(StorageClass::PushConstant) => self.push_constants(inst, to)?,
                Some(StorageClass::Workgroup) => self.shared(inst, to)?,
                Some(StorageClass::UniformConstant) if module.kernel => self.constant_variable(inst, to)?,
                Some(StorageClass::Private) => self.own_variable(inst, to)?,
                Some(StorageClass::Input) => {
                    let value = self.built_in(inst, to)?;
                    Place::Regs(value)
                }
                Some(other) => {
                    return self.unsupported(&format!("the simulator has no memory of class {other:?}"));
                }
                None => return Err(broken(format!("storage class {}", inst.arg(0)))),
            };
            self.globals.insert(inst.id, (inst.ty, Item::Place(place, Layout::default())));
        }
        self.name.clear();
        Ok(())
    }

    /// A buffer. Variables with the same binding are one: they see each other's writes.
    fn buffer(&mut self, inst: &Inst, to: u32) -> Res<Place> {
        if let Type::Array { .. } | Type::Open { .. } = self.types().get(to)? {
            return self.unsupported("the simulator has no arrays of bindings");
        }
        let group = self.module.number(inst.id, Decoration::DescriptorSet).unwrap_or(0);
        let Some(binding) = self.module.number(inst.id, Decoration::Binding) else {
            return Err(broken(format!("%{} has no binding", inst.id)));
        };
        let size = self.types().size(to, Layout::default())?;
        let place = Some((group, binding));
        if let Some(at) = self.prog.mems.iter().position(|m| m.binding == place) {
            let mem = &mut self.prog.mems[at];
            mem.size = mem.size.min(size);
            return Ok(Place::Mem { mem: at as u32, addr: None, offset: 0 });
        }
        let name = self.module.name(inst);
        Ok(self.memory(MemObject { name, binding: place, size, ..unbound(MemSpace::Global) }))
    }

    fn push_constants(&mut self, inst: &Inst, to: u32) -> Res<Place> {
        let size = self.types().size(to, Layout::default())?;
        if let Some(mem) = self.prog.param_mem {
            let object = &mut self.prog.mems[mem as usize];
            object.size = object.size.max(size);
            return Ok(Place::Mem { mem, addr: None, offset: 0 });
        }
        let name = self.module.name(inst);
        self.prog.param_mem = Some(self.prog.mems.len() as u32);
        self.prog.param_starts = vec![0];
        Ok(self.memory(MemObject { name, size, ..unbound(MemSpace::Constant) }))
    }

    /// Memory of the workgroup. Blocks with a layout of their own are all the same memory.
    fn shared(&mut self, inst: &Inst, to: u32) -> Res<Place> {
        let size = self.types().held(to)?;
        let explicit = self.module.decoration(to, Decoration::Block).is_some();
        let own = |m: &MemObject| m.space == MemSpace::Shared && m.dynamic;
        if explicit && let Some(at) = self.prog.mems.iter().position(own) {
            let mem = &mut self.prog.mems[at];
            mem.size = mem.size.max(size);
            return Ok(Place::Mem { mem: at as u32, addr: None, offset: 0 });
        }
        let zeroed = inst.args.len() > 1 && !self.module.kernel;
        let name = crate::spirv::kernel::name(self.module, inst.id);
        let name = if self.module.kernel { name } else { self.module.name(inst) };
        let place =
            self.memory(MemObject { name, size, zeroed, dynamic: explicit, ..unbound(MemSpace::Shared) });
        self.settle(inst.id, &place, StorageClass::Workgroup);
        Ok(place)
    }

    /// A variable of one lane.
    pub fn own_variable(&mut self, inst: &Inst, to: u32) -> Res<Place> {
        let scalars = self.types().scalars(to)?;
        let init = match inst.args.get(1) {
            Some(&init) => Some(self.value(init)?),
            None => None,
        };
        if init.as_ref().is_some_and(|init| init.len() != scalars.len()) {
            return Err(broken(format!("%{} begins with a value of another type", inst.id)));
        }
        if self.indexed.contains(&inst.id) && self.module.kernel {
            return self.addressed_variable(inst, to);
        }
        if self.indexed.contains(&inst.id) && self.types().has_array(to) {
            if let Some(&constant) = self.tables.get(&inst.id)
                && let Some(place) = self.table(constant, to)?
            {
                return Ok(place);
            }
            let size = self.types().size(to, Layout::default())?;
            let name = self.module.names.get(&inst.id).cloned().unwrap_or_default();
            let place = self.private(&name, size);
            if let Some(init) = init {
                let leaves = self.types().leaves(to, Layout::default())?;
                self.store_place(&place, &leaves, &init)?;
            }
            return Ok(place);
        }
        let regs: Value = scalars.iter().map(|s| self.prog.reg(s.ty(), true)).collect();
        let init = init.unwrap_or_else(|| {
            scalars.iter().map(|&s| self.constant(s.ty(), crate::spirv::consts::poison(s))).collect()
        });
        for (&reg, &value) in regs.iter().zip(&init) {
            self.assign(reg, value)?;
        }
        Ok(Place::Regs(regs))
    }

    /// Constant memory with the value of a constant.
    pub fn table(&mut self, constant: u32, ty: u32) -> Res<Option<Place>> {
        let leaves = self.types().leaves(ty, Layout::default())?;
        let (Some(bits), true) = (self.consts.get(constant), self.consts.ty(constant) == Some(ty)) else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        for (leaf, &bits) in leaves.iter().zip(bits) {
            let bits = match leaf.fmt {
                Fmt::Half => u64::from(ktwin_num::f32_to_f16(f32::from_bits(bits as u32))),
                _ => bits,
            };
            let (at, size) = (leaf.offset as usize, leaf.fmt.bytes() as usize);
            bytes.resize(bytes.len().max(at + size), 0);
            bytes[at..at + size].copy_from_slice(&bits.to_le_bytes()[..size]);
        }
        Ok(Some(self.constant_place(crate::exec::words_of(&bytes))))
    }

    fn special(&mut self, special: Special) -> Res<Reg> {
        self.emit(Op::Special(special), Ty::U32, &[])
    }

    fn built_in(&mut self, inst: &Inst, to: u32) -> Res<Value> {
        let number = self.module.number(inst.id, Decoration::BuiltIn);
        let Some(built_in) = number.and_then(BuiltIn::from_u32) else {
            return self.unsupported("a compute shader has only built-in inputs");
        };
        let triple = |make: fn(u8) -> Special| vec![make(0), make(1), make(2)];
        let specials = match built_in {
            BuiltIn::GlobalInvocationId => triple(Special::GlobalId),
            BuiltIn::LocalInvocationId => triple(Special::LocalId),
            BuiltIn::WorkgroupId => triple(Special::WorkgroupId),
            BuiltIn::NumWorkgroups => triple(Special::NumWorkgroups),
            BuiltIn::WorkgroupSize => triple(Special::WorkgroupSize),
            BuiltIn::LocalInvocationIndex => vec![Special::LocalIndex],
            BuiltIn::SubgroupSize => vec![Special::SubgroupSize],
            BuiltIn::SubgroupLocalInvocationId => vec![Special::SubgroupLane],
            BuiltIn::SubgroupId => vec![Special::SubgroupId],
            BuiltIn::NumSubgroups => vec![Special::NumSubgroups],
            BuiltIn::EnqueuedWorkgroupSize => triple(Special::WorkgroupSize),
            BuiltIn::SubgroupMaxSize => vec![Special::SubgroupSize],
            BuiltIn::NumEnqueuedSubgroups => vec![Special::NumSubgroups],
            BuiltIn::GlobalSize | BuiltIn::GlobalOffset | BuiltIn::WorkDim => {
                return self.range(built_in, to);
            }
            BuiltIn::DeviceIndex => return Ok(vec![self.u32(0)]),
            BuiltIn::SubgroupEqMask
            | BuiltIn::SubgroupGeMask
            | BuiltIn::SubgroupGtMask
            | BuiltIn::SubgroupLeMask
            | BuiltIn::SubgroupLtMask => return self.lane_mask(built_in),
            other => {
                return Err(RunError::Unsupported(format!(
                    "a compute shader here has no built-in {other:?}"
                )));
            }
        };
        if specials.len() != self.types().width(to)? {
            return Err(broken(format!("{built_in:?} is not of this type")));
        }
        let ty = self.types().scalar(to)?.ty();
        let each = |s| self.special(s).and_then(|value| self.convert(Ty::U32, ty, value));
        specials.into_iter().map(each).collect()
    }

    /// What OpenCL says of all work-items together: launches have three dimensions, and begin at 0.
    fn range(&mut self, built_in: BuiltIn, to: u32) -> Res<Value> {
        let ty = self.types().scalar(to)?.ty();
        let count = match built_in {
            BuiltIn::WorkDim => return Ok(vec![self.constant(ty, 3)]),
            BuiltIn::GlobalOffset => return Ok(vec![self.constant(ty, 0); 3]),
            _ => 0..3,
        };
        let mut out = Vec::new();
        for axis in count {
            let (groups, lanes) =
                (self.special(Special::NumWorkgroups(axis))?, self.special(Special::WorkgroupSize(axis))?);
            let product = self.bin(Bin::Mul, Ty::U32, groups, lanes)?;
            out.push(self.convert(Ty::U32, ty, product)?);
        }
        Ok(out)
    }

    /// The lanes that are equal to this one, above it or below it, as four words.
    fn lane_mask(&mut self, built_in: BuiltIn) -> Res<Value> {
        let lane = self.special(Special::SubgroupLane)?;
        let (one, ones, zero, low) = (self.u32(1), self.u32(u32::MAX), self.u32(0), self.u32(31));
        let mut out = Vec::new();
        for word in 0..2u32 {
            let first = self.u32(word * 32);
            let past = self.u32(word * 32 + 32);
            let by = self.bin(Bin::And, Ty::U32, lane, low)?;
            let bit = self.bin(Bin::ShlFixed, Ty::U32, one, by)?;
            let from = self.bin(Bin::ShlFixed, Ty::U32, ones, by)?;
            let below = self.bin(Bin::Lt, Ty::U32, lane, first)?;
            let above = self.bin(Bin::Ge, Ty::U32, lane, past)?;
            // in this word: the lane's own bit, and those from it on
            let here = self.pick(above, zero, bit)?;
            let equal = self.pick(below, zero, here)?;
            let here = self.pick(above, zero, from)?;
            let upwards = self.pick(below, ones, here)?;
            let downwards = self.un(Un::Not, Ty::U32, upwards)?;
            out.push(match built_in {
                BuiltIn::SubgroupEqMask => equal,
                BuiltIn::SubgroupGeMask => upwards,
                BuiltIn::SubgroupGtMask => self.bin(Bin::Xor, Ty::U32, upwards, equal)?,
                BuiltIn::SubgroupLtMask => downwards,
                _ => self.bin(Bin::Or, Ty::U32, downwards, equal)?,
            });
        }
        // lanes that there are not are in no mask
        let size = self.special(Special::SubgroupSize)?;
        let limits = self.size_mask(size)?;
        let mut masked = Vec::new();
        for (&word, &limit) in out.iter().zip(&limits) {
            masked.push(self.bin(Bin::And, Ty::U32, word, limit)?);
        }
        Ok([masked, vec![zero, zero]].concat())
    }

    /// Two words with a bit for each lane of a subgroup.
    fn size_mask(&mut self, size: Reg) -> Res<Value> {
        let (ones, zero, thirty_two) = (self.u32(u32::MAX), self.u32(0), self.u32(32));
        let part = self.bin(Bin::Sub, Ty::U32, thirty_two, size)?;
        let down = self.bin(Bin::ShrFixed, Ty::U32, ones, part)?;
        let narrow = self.bin(Bin::Lt, Ty::U32, size, thirty_two)?;
        let low = self.pick(narrow, down, ones)?;
        let wide = self.bin(Bin::Gt, Ty::U32, size, thirty_two)?;
        let high = self.pick(wide, ones, zero)?;
        Ok(vec![low, high])
    }
}
