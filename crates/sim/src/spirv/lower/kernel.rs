//! The entry point of a kernel of OpenCL: its parameters, and variables that pointers point into.

use super::{Item, Lower};
use crate::emit::place::Place;
use crate::emit::{Res, unbound};
use crate::ir::{MemObject, MemSpace};
use crate::params::{self, buffer_base};
use crate::spirv::decode::Inst;
use crate::spirv::kernel::{Passed, passed};
use crate::spirv::module::{Entry, Function};
use crate::spirv::types::Layout;
use spirv::StorageClass;

impl Lower<'_> {
    /// The memory of the parameters, the buffers that pointers among them point into, and what each parameter is.
    pub fn parameters(&mut self, entry: &Entry, function: &Function) -> Res<Vec<(u32, Item)>> {
        let point = crate::spirv::kernel::describe(self.types(), entry)?;
        let (starts, size) = params::offsets(&point);
        self.buffers(function, &starts)?;
        let mem = self.prog.mems.len() as u32;
        self.prog.param_mem = Some(mem);
        self.prog.param_starts = starts.clone();
        self.memory(MemObject { name: "the parameters".into(), size, ..unbound(MemSpace::Constant) });
        let mut at = starts.into_iter();
        let mut out = Vec::new();
        for &(id, ty) in &function.params {
            let passed = passed(self.types(), id, ty)?;
            let start = if passed == Passed::Local { 0 } else { at.next().unwrap_or(0) };
            let place = Place::Mem { mem, addr: None, offset: start };
            out.push((
                ty,
                match passed {
                    Passed::Local => self.local_parameter(id)?,
                    Passed::Struct(_) => {
                        self.homes.settle(id, mem, params::PARAM, StorageClass::Function);
                        Item::Place(place, Layout::default())
                    }
                    Passed::Value => {
                        let leaves = self.types().leaves(ty, Layout::default())?;
                        Item::Value(self.load_place(&place, &leaves)?)
                    }
                },
            ));
        }
        Ok(out)
    }

    /// Memory objects of the buffers that the launch binds.
    fn buffers(&mut self, function: &Function, starts: &[u32]) -> Res<()> {
        let mut bindings: Vec<u32> = self.layout.pointers.iter().map(|p| p.1).collect();
        bindings.sort_unstable();
        bindings.dedup();
        let mut mems = Vec::new();
        for &binding in &bindings {
            mems.push(self.prog.mems.len() as u32);
            let object = MemObject { binding: Some((0, binding)), ..unbound(MemSpace::Global) };
            self.memory(object);
        }
        let mut at = starts.iter();
        for &(id, ty) in &function.params {
            if passed(self.types(), id, ty)? == Passed::Local {
                continue;
            }
            let start = at.next().copied().unwrap_or(0);
            let Some(&(_, binding)) = self.layout.pointers.iter().find(|p| p.0 == start) else { continue };
            let n = bindings.iter().position(|b| *b == binding).unwrap_or(0);
            let name = crate::spirv::kernel::name(self.module, id);
            let object = &mut self.prog.mems[mems[n] as usize];
            if object.name.is_empty() {
                object.name = name;
            }
            self.homes.settle(id, mems[n], buffer_base(n), StorageClass::CrossWorkgroup);
            if crate::spirv::kernel::class(self.types(), ty) == Some(StorageClass::UniformConstant) {
                self.homes.settle(id, mems[n], buffer_base(n), StorageClass::UniformConstant);
            }
        }
        self.prog.bindings = bindings;
        Ok(())
    }

    /// A pointer to local memory, as large as the launch says.
    fn local_parameter(&mut self, id: u32) -> Res<Item> {
        let size = self.layout.dynamic;
        let name = crate::spirv::kernel::name(self.module, id);
        let object = MemObject { name, size, dynamic: true, ..unbound(MemSpace::Shared) };
        let place = self.memory(object);
        self.settle(id, &place, StorageClass::Workgroup);
        Ok(Item::Place(place, Layout::default()))
    }

    /// Gives the memory of a variable its address.
    pub fn settle(&mut self, id: u32, place: &Place, class: StorageClass) {
        let Place::Mem { mem, .. } = *place else { return };
        let size = self.prog.mems[mem as usize].size;
        let window = match class {
            StorageClass::Workgroup => params::SHARED,
            StorageClass::UniformConstant => params::CONST,
            _ => params::LOCAL,
        };
        let start = self.homes.room(window, size);
        self.homes.settle(id, mem, start, class);
    }

    /// A variable of a work-item that pointers point into: memory that begins with nothing in it.
    pub fn addressed_variable(&mut self, inst: &Inst, to: u32) -> Res<Place> {
        let size = self.types().held(to)?;
        let name = crate::spirv::kernel::name(self.module, inst.id);
        let place = self.memory(MemObject { name, size, writable: true, ..unbound(MemSpace::Private) });
        self.settle(inst.id, &place, StorageClass::Function);
        Ok(place)
    }

    /// A variable of the program in constant memory.
    pub fn constant_variable(&mut self, inst: &Inst, to: u32) -> Res<Place> {
        let Some(&init) = inst.args.get(1) else {
            return self.unsupported("a variable in constant memory without a value");
        };
        match self.table(init, to)? {
            Some(place) => {
                self.settle(inst.id, &place, StorageClass::UniformConstant);
                Ok(place)
            }
            None => self.unsupported("the value of a variable in constant memory"),
        }
    }
}
