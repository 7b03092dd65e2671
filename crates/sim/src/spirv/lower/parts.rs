//! Loads and stores of some components of a vector in memory.

use super::Lower;
use crate::emit::place::Place;
use crate::emit::{Res, Value};
use crate::ir::{Reg, Ty};
use crate::spirv::consts::poison;
use crate::spirv::decode::Inst;
use crate::spirv::parts::{At, Put};
use crate::spirv::types::{Layout, broken};

impl Lower<'_> {
    /// Loads the components that are taken of a vector; what the others are, nobody asks.
    pub fn load_parts(&mut self, inst: &Inst, taken: &[bool]) -> Res<()> {
        let scalars = self.types().scalars(inst.ty)?;
        let some: Vec<Ty> = kept(&scalars, taken).map(|scalar| scalar.ty()).collect();
        let loaded = self.at_pointer(inst.arg(0), &some, &mut |own, place, ty, layout| {
            if ty != inst.ty {
                return Err(broken(format!("OpLoad of %{ty} gives %{}", inst.ty)));
            }
            own.load_some(place, ty, layout, taken)
        })?;
        let mut loaded = loaded.into_iter();
        let mut value = Vec::new();
        for (scalar, taken) in scalars.iter().zip(taken) {
            let part = if *taken { loaded.next() } else { None };
            value.push(part.unwrap_or_else(|| self.constant(scalar.ty(), poison(*scalar))));
        }
        self.set(inst, value)
    }

    fn load_some(&mut self, place: &Place, ty: u32, layout: Layout, taken: &[bool]) -> Res<Value> {
        let Place::Mem { .. } = place else {
            return Ok(kept(&self.load_from(place, ty, layout)?, taken).copied().collect());
        };
        self.touch(place);
        let leaves: Vec<_> = kept(&self.types().leaves(ty, layout)?, taken).copied().collect();
        self.load_place(place, &leaves)
    }

    /// Stores the components of a vector that change.
    pub fn store_parts(&mut self, pointer: u32, puts: &[Put]) -> Res<()> {
        let mut values = Vec::new();
        for put in puts {
            let from = self.value(put.from)?.get(put.component as usize).copied();
            values.push(from.ok_or_else(|| broken(format!("%{} lacks a component", put.from)))?);
        }
        self.at_pointer(pointer, &[], &mut |own, place, ty, layout| {
            for (put, &value) in puts.iter().zip(&values) {
                own.store_part(place, (ty, layout), put.at, value)?;
            }
            Ok(Vec::new())
        })?;
        Ok(())
    }

    fn store_part(&mut self, place: &Place, (ty, layout): (u32, Layout), at: At, value: Reg) -> Res<()> {
        let (part, ty, layout) = match at {
            At::Known(at) => self.known_part(place, ty, layout, at)?,
            At::Id(id) => self.part(place, ty, layout, id)?,
        };
        self.store_to(&part, ty, layout, &[value])
    }
}

/// Those of the same number as what is taken.
fn kept<'v, T>(all: &'v [T], taken: &'v [bool]) -> impl Iterator<Item = &'v T> {
    all.iter().zip(taken).filter(|(_, taken)| **taken).map(|(one, _)| one)
}
