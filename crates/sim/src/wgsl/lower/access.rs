//! Parts of values and of variables: members, elements, and pointers to them.

use super::build::{Lower, Res};
use super::frame::{Frame, Item, Value};
use crate::api::error::RunError;
use crate::emit::NOWHERE;
use crate::emit::place::Place;
use crate::ir::Reg;
use naga::{Expression, Function, Handle, LocalVariable, Statement, TypeInner};
use std::collections::HashSet;

/// The largest choice by selections; larger values are indexed in memory.
const LARGEST_CHOICE: usize = 16;

impl<'a> Lower<'a> {
    pub fn access(&mut self, frame: &mut Frame<'a>, expression: &Expression) -> Res<Item> {
        match *expression {
            Expression::LocalVariable(local) => Ok(Item::Place(frame.locals[&local].clone())),
            Expression::GlobalVariable(global) => match self.globals.get(&global) {
                Some(place) => Ok(Item::Place(place.clone())),
                None => Err(RunError::Unsupported("a variable that the entry point does not use".into())),
            },
            Expression::AccessIndex { base, index } => match self.item(frame, base)? {
                Item::Place(place) => {
                    let inner = self.pointee(frame, base)?;
                    Ok(Item::Place(self.member(&place, &inner, index)?))
                }
                Item::Value(value) => {
                    let inner = self.ty(frame, base).clone();
                    let (at, len, _) = self.member_at(&inner, index)?;
                    Ok(Item::Value(value[at..at + len].to_vec()))
                }
            },
            Expression::Access { base, index } => {
                let at = self.one(frame, index)?;
                let at = self.index_word(at)?;
                match self.item(frame, base)? {
                    Item::Place(place) => {
                        let inner = self.pointee(frame, base)?;
                        Ok(Item::Place(self.indexed(&place, &inner, at)?))
                    }
                    Item::Value(value) => {
                        let inner = self.ty(frame, base).clone();
                        Ok(Item::Value(self.indexed_value(&value, &inner, at)?))
                    }
                }
            }
            _ => Err(RunError::Unsupported("a pointer of an unknown kind".into())),
        }
    }

    pub fn pointer(&mut self, frame: &mut Frame<'a>, handle: Handle<Expression>) -> Res<Place> {
        match self.item(frame, handle)? {
            Item::Place(place) => Ok(place),
            Item::Value(_) => Err(RunError::Unsupported("a value is used as a pointer".into())),
        }
    }

    /// What a pointer expression points at.
    pub fn pointee(&self, frame: &Frame<'a>, handle: Handle<Expression>) -> Res<TypeInner> {
        match *self.ty(frame, handle) {
            TypeInner::Pointer { base, .. } => Ok(self.module.types[base].inner.clone()),
            TypeInner::ValuePointer { size: Some(size), scalar, .. } => {
                Ok(TypeInner::Vector { size, scalar })
            }
            TypeInner::ValuePointer { size: None, scalar, .. } => Ok(TypeInner::Scalar(scalar)),
            ref other => Err(super::types::unsupported(other)),
        }
    }

    /// Where member `index` is: first scalar, scalars, byte offset.
    fn member_at(&self, inner: &TypeInner, index: u32) -> Res<(usize, usize, u32)> {
        if let TypeInner::Struct { members, .. } = inner {
            let mut at = 0;
            for member in &members[..index as usize] {
                at += self.width_of(&self.module.types[member.ty].inner).unwrap_or(0);
            }
            let member = &members[index as usize];
            let len = self.width_of(&self.module.types[member.ty].inner)?;
            return Ok((at, len, member.offset));
        }
        let (element, _, stride) = self.element(inner)?;
        let len = self.width_of(&element)?;
        Ok((index as usize * len, len, index.saturating_mul(stride)))
    }

    fn member(&mut self, place: &Place, inner: &TypeInner, index: u32) -> Res<Place> {
        if let Place::Mem { mem, addr, offset } = place {
            let bytes = match inner {
                TypeInner::Struct { members, .. } => members[index as usize].offset,
                _ => index.saturating_mul(self.element(inner)?.2),
            };
            let offset = offset.saturating_add(bytes).min(NOWHERE);
            return Ok(Place::Mem { mem: *mem, addr: *addr, offset });
        }
        let (at, len, bytes) = self.member_at(inner, index)?;
        Ok(place.part(at, len, bytes))
    }

    /// A pointer to the element at an index that is known only while running.
    fn indexed(&mut self, place: &Place, inner: &TypeInner, index: Reg) -> Res<Place> {
        let (element, len, stride) = self.element(inner)?;
        let each = if let Place::Mem { .. } = place { 0 } else { self.width_of(&element)? };
        self.indexed_place(place, index, len, stride, each)
    }

    /// The element of a value at an index that is known only while running.
    fn indexed_value(&mut self, value: &Value, inner: &TypeInner, index: Reg) -> Res<Value> {
        let (element, len, stride) = self.element(inner)?;
        let each = self.width_of(&element)?;
        if len as usize <= LARGEST_CHOICE {
            let parts: Vec<_> = value.chunks(each.max(1)).map(<[Reg]>::to_vec).collect();
            return self.load_pick(&parts, index);
        }
        let place = match self.constant_words(value, inner)? {
            Some(words) => self.constant_place(words),
            None => {
                let place = self.private("a value indexed while running", len.saturating_mul(stride));
                self.store_leaves(&place, inner, value)?;
                place
            }
        };
        let place = self.indexed(&place, inner, index)?;
        self.load_leaves(&place, &element)
    }

    /// The words of a value in memory, when all of it is constant.
    fn constant_words(&self, value: &Value, inner: &TypeInner) -> Res<Option<Vec<u32>>> {
        let leaves = self.leaves(inner, 0)?;
        let mut words = Vec::new();
        for (&reg, leaf) in value.iter().zip(&leaves) {
            let Some(bits) = self.known(reg) else { return Ok(None) };
            if leaf.ty.bits() != 32 {
                return Ok(None);
            }
            let at = leaf.offset as usize / 4;
            words.resize(words.len().max(at + 1), 0);
            words[at] = bits as u32;
        }
        Ok(Some(words))
    }
}

/// The variables that must lie in memory: an array in them is indexed while running, or their address is
/// passed on.
pub fn indexed_locals(function: &Function) -> HashSet<Handle<LocalVariable>> {
    let mut out = HashSet::new();
    for (_, expression) in function.expressions.iter() {
        if let Expression::Access { base, .. } = *expression {
            out.extend(root(function, base));
        }
    }
    let mut blocks = vec![&function.body];
    while let Some(block) = blocks.pop() {
        for statement in block.iter() {
            match statement {
                Statement::Call { arguments, .. } => {
                    out.extend(arguments.iter().filter_map(|&a| root(function, a)));
                }
                Statement::Block(inner) => blocks.push(inner),
                Statement::If { accept, reject, .. } => blocks.extend([accept, reject]),
                Statement::Switch { cases, .. } => blocks.extend(cases.iter().map(|case| &case.body)),
                Statement::Loop { body, continuing, .. } => blocks.extend([body, continuing]),
                _ => {}
            }
        }
    }
    out
}

/// The variable that a pointer expression starts from.
fn root(function: &Function, mut handle: Handle<Expression>) -> Option<Handle<LocalVariable>> {
    loop {
        match function.expressions[handle] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => handle = base,
            Expression::LocalVariable(local) => return Some(local),
            _ => return None,
        }
    }
}
