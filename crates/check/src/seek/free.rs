//! What may be changed in the cases of a kernel, as numbers: sizes and scalars.

use ktwin_lang::{Ty, Value};

use super::line::Steps;
use crate::case::Case;
use crate::kernel::Kernel;
use crate::plan::{limits, step};
use crate::scalars;

/// A size or scalar that a case may have another value of.
pub(super) struct Free {
    name: String,
    /// Which size it is; none of a scalar.
    dim: Option<usize>,
    /// The scalar's type and usual value.
    scalar: Option<(Ty, f64)>,
    /// How it may be changed.
    pub steps: Steps,
}

/// What is free in the cases of a kernel.
pub(super) fn free(kernel: &Kernel) -> Vec<Free> {
    let dims = kernel.op.free_dims().into_iter().enumerate().map(|(dim, number)| {
        let name = kernel.op.dims[number].name.clone();
        let steps = Steps::Whole(step(&limits(kernel, &name)) as f64);
        Free { name, dim: Some(dim), scalar: None, steps }
    });
    let open = kernel.op.scalars.iter().filter(|info| kernel.fixed(&info.name).is_none());
    let scalars = open.filter(|info| info.ty != Ty::Bool).map(|info| {
        let usual = info.default.map_or(0.0, Value::to_f64);
        let steps = if info.ty == Ty::Int { Steps::Whole(1.0) } else { Steps::Real };
        Free { name: info.name.clone(), dim: None, scalar: Some((info.ty, usual)), steps }
    });
    dims.chain(scalars).collect()
}

impl Free {
    /// The value that a case has.
    pub fn of(&self, case: &Case) -> f64 {
        if let Some(dim) = self.dim {
            return case.dims.get(dim).map_or(0.0, |(_, size)| *size as f64);
        }
        let usual = self.scalar.map_or(0.0, |(_, usual)| usual);
        case.scalars.iter().find(|(name, _)| *name == self.name).map_or(usual, |(_, value)| value.to_f64())
    }

    /// Gives a case another value.
    pub fn set(&self, kernel: &Kernel, case: &mut Case, value: f64) {
        match (self.dim.and_then(|dim| case.dims.get_mut(dim)), self.scalar) {
            (Some((_, size)), _) => *size = value as i64,
            (None, Some((Ty::Int, _))) => case.set_scalar(&self.name, Value::Int(value as i64)),
            _ => case.set_scalar(&self.name, scalars::as_passed(kernel, &self.name, Value::Real(value))),
        }
    }
}
