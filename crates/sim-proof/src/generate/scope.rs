//! Variables in sight. Plain data.

use super::types::Ty;
use crate::rng::Rng;

/// A name, its type, and whether it may be assigned.
#[derive(Clone, Debug)]
pub struct Var {
    pub name: String,
    pub ty: Ty,
    pub mutable: bool,
}

/// Variables in sight, inner ones last.
#[derive(Clone, Debug, Default)]
pub struct Scope(Vec<Var>);

impl Scope {
    pub fn add(&mut self, name: &str, ty: Ty, mutable: bool) {
        self.0.push(Var { name: name.to_string(), ty, mutable });
    }

    pub fn mark(&self) -> usize {
        self.0.len()
    }

    pub fn forget(&mut self, mark: usize) {
        self.0.truncate(mark);
    }

    pub fn all(&self) -> Vec<(String, Ty)> {
        self.0.iter().map(|v| (v.name.clone(), v.ty)).collect()
    }

    /// Some variable of the type.
    pub fn some(&self, rng: &mut Rng, ty: Ty) -> Option<String> {
        let fitting: Vec<&Var> = self.0.iter().filter(|v| v.ty == ty).collect();
        (!fitting.is_empty()).then(|| rng.pick(&fitting).name.clone())
    }

    /// Some variable that may be assigned.
    pub fn mutable(&self, rng: &mut Rng) -> Option<Var> {
        let fitting: Vec<&Var> = self.0.iter().filter(|v| v.mutable).collect();
        (!fitting.is_empty()).then(|| (*rng.pick(&fitting)).clone())
    }

    /// Some variable of the type that may be assigned.
    pub fn mutable_of(&self, rng: &mut Rng, ty: Ty) -> Option<String> {
        let fitting: Vec<&Var> = self.0.iter().filter(|v| v.mutable && v.ty == ty).collect();
        (!fitting.is_empty()).then(|| rng.pick(&fitting).name.clone())
    }
}
