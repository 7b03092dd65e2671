//! What a planner asks of an op: which sizes are free to choose, and what a scalar may be.

use ktwin_num::Domain;

use crate::case::Case;
use crate::fold::{self, Known};
use crate::func::Func;
use crate::node::{NodeKind, Ty};
use crate::op::{Op, Value};

impl Op {
    /// The dimensions whose size follows from nothing else, by number: a size for each of them makes a case.
    pub fn free_dims(&self) -> Vec<usize> {
        let any = |ty: Ty| match ty {
            Ty::Int => Value::Int(1),
            Ty::Real => Value::Real(1.0),
            Ty::Bool => Value::Bool(true),
        };
        let scalars = self.scalars.iter().map(|s| Some(s.default.unwrap_or(any(s.ty)))).collect();
        let mut known = Known { dims: vec![None; self.dims.len()], scalars };
        let mut free = Vec::new();
        loop {
            while self.derive(&mut known) {}
            let Some(next) = known.dims.iter().position(Option::is_none) else { return free };
            known.dims[next] = Some(64);
            free.push(next);
        }
    }

    /// Finds one size that a constraint `D == ...` gives.
    fn derive(&self, known: &mut Known) -> bool {
        for constraint in &self.constraints {
            let NodeKind::Apply(Func::Eq, args) = &constraint.kind else { continue };
            let NodeKind::Dim(dim) = args[0].kind else { continue };
            if known.dims[dim].is_none()
                && let Some(size) = fold::integer(&args[1], known)
            {
                known.dims[dim] = Some(size);
                return true;
            }
        }
        false
    }
}

impl Case<'_> {
    /// The values that a scalar may have at these sizes.
    pub fn scalar_domain(&self, scalar: usize) -> Domain {
        self.op.domain(&self.op.scalars[scalar].domain, &self.known()).unwrap_or(Domain::ALL_REALS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_follow_are_not_free() {
        let text = "op f(x[N, H], s[3]; k in 1..9 = 2) -> y[N, P]\nwhere P == H - k + 1\n\
                    y[n, p] = sum[i in 0..k](x[n, p + i]) * s[0]\n";
        let op = Op::parse("f.op", text).unwrap();
        let names: Vec<&str> = op.free_dims().iter().map(|d| op.dims[*d].name.as_str()).collect();
        assert_eq!(names, ["N", "H"]);
        let case = op.bind(&[("N", 2), ("H", 5)], &[]).unwrap();
        let domain = case.scalar_domain(0);
        assert_eq!((domain.lo, domain.hi, domain.integer), (1.0, 9.0, true));
    }
}
