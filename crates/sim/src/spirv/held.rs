//! What lies in a buffer, as the source has it: names of members and their number types.

use super::kind::Type;
use super::types::{Scalar, Types};
use crate::api::module::Held;

impl Types<'_> {
    /// The elements of an array, or the members of a block; a block of one array is that array.
    pub fn holds(&self, block: u32) -> Vec<Held> {
        let Ok(Type::Struct { members }) = self.get(block) else {
            return vec![self.one(String::new(), block)];
        };
        match members[..] {
            [one] if self.is_array(one) => vec![self.one(String::new(), one)],
            _ => {
                let named = members.iter().zip(0..).map(|(ty, at)| {
                    let name = self.module.member_names.get(&(block, at)).cloned().unwrap_or_default();
                    self.one(name, *ty)
                });
                named.collect()
            }
        }
    }

    fn is_array(&self, ty: u32) -> bool {
        matches!(self.get(ty), Ok(Type::Array { .. } | Type::Open { .. }))
    }

    fn one(&self, name: String, ty: u32) -> Held {
        let mut inner = ty;
        while let Ok(Type::Array { elem, .. } | Type::Open { elem }) = self.get(inner) {
            inner = *elem;
        }
        let count = if let Ok(Type::Vector { len, .. }) = self.get(inner) { *len } else { 1 };
        let scalar = match self.scalar(inner) {
            Ok(Scalar::Float { width }) => format!("f{width}"),
            Ok(Scalar::Int { width, signed: true }) => format!("i{width}"),
            Ok(Scalar::Int { width, signed: false }) => format!("u{width}"),
            Ok(Scalar::Bool) | Err(_) => String::new(),
        };
        Held { name, scalar, count }
    }
}
