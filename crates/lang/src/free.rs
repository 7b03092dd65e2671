//! What a planner asks of an op: which sizes are free to choose, and what a scalar may be.

use ktwin_num::Domain;

use crate::bounds::Bound;
use crate::case::Case;
use crate::fold::Known;
use crate::func::Func;
use crate::node::{Node, NodeKind, Ty};
use crate::op::{Op, Value};
use crate::solve::solved;

/// A size that has many whole parts, and one that has none.
const EVEN: i64 = 64;
const ODD: i64 = 7;

impl Op {
    /// The values that a scalar may have beside these sizes and scalars, if the op takes them.
    pub fn domain_beside(
        &self,
        dims: &[(&str, i64)],
        scalars: &[(&str, Value)],
        scalar: usize,
    ) -> Option<Domain> {
        let (dims, scalars) = self.takes(dims, scalars).ok()?;
        let known = Known {
            dims: dims.into_iter().map(Some).collect(),
            scalars: scalars.into_iter().map(Some).collect(),
        };
        self.domain(&self.scalars[scalar].domain, &known)
    }

    /// The values that a scalar may have at any sizes, where its domain depends on none.
    pub fn domain_anywhere(&self, scalar: usize) -> Option<Domain> {
        let known = Known { dims: vec![None; self.dims.len()], scalars: vec![None; self.scalars.len()] };
        self.domain(&self.scalars[scalar].domain, &known)
    }

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
            let open = |at: &usize| known.dims[*at].is_none();
            let all = || (0..self.dims.len()).filter(open);
            let follow = |at: usize, size: i64| {
                let mut known = known.clone();
                known.dims[at] = Some(size);
                while self.derive(&mut known) {}
                known.dims.iter().flatten().count()
            };
            // of 3 * C any size will do for C, but not every size for the product
            let lost = |at: &usize| {
                let unit = self.unit(*at);
                follow(*at, EVEN * unit).saturating_sub(follow(*at, ODD * unit))
            };
            let mut unmade = all().filter(|at| !self.is_made(*at)).collect::<Vec<_>>();
            unmade.sort_by_key(lost);
            let Some(next) = unmade.first().copied().or(all().next()) else { return free };
            known.dims[next] = Some(EVEN);
            free.push(next);
        }
    }

    /// What a dimension must be a multiple of.
    fn unit(&self, dim: usize) -> i64 {
        let units = self.bounds().into_iter().filter_map(|(of, bound)| match bound {
            Bound::Multiple(unit) if of == dim => Some(unit),
            _ => None,
        });
        units.max().unwrap_or(1)
    }

    /// Whether an equation makes a dimension of others: it stands alone on one side.
    fn is_made(&self, dim: usize) -> bool {
        let alone = |node: &Node| matches!(node.kind, NodeKind::Dim(at) if at == dim);
        let made = |a: &Node, b: &Node| alone(a) && !matches!(b.kind, NodeKind::Dim(_) | NodeKind::Int(_));
        self.constraints.iter().any(|constraint| match &constraint.kind {
            NodeKind::Apply(Func::Eq, sides) => made(&sides[0], &sides[1]) || made(&sides[1], &sides[0]),
            _ => false,
        })
    }

    /// Finds one size that a constraint gives.
    pub(crate) fn derive(&self, known: &mut Known) -> bool {
        let found = self.constraints.iter().filter_map(|constraint| solved(constraint, known));
        match found.into_iter().find(|(dim, _)| known.dims[*dim].is_none()) {
            Some((dim, size)) => {
                known.dims[dim] = Some(size);
                true
            }
            None => false,
        }
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
    fn what_is_made_of_others_is_not_free() {
        let text = "op f(x[E], y[K, G]; group in 1..9 = 2) -> z[C]\nwhere E == 3 * C, G * group == K\n\
                    z[c] = x[3 * c] + y[0, 0]\n";
        let op = Op::parse("f.op", text).unwrap();
        let names: Vec<&str> = op.free_dims().iter().map(|d| op.dims[*d].name.as_str()).collect();
        assert_eq!(names, ["G", "C"]);
    }

    #[test]
    fn of_parts_and_wholes_the_part_is_free() {
        let text = "op f(x[M], y[B]) -> z[N]\nwhere N == 2 * M, N == 64 * B\nz[n] = x[n // 2] * y[n // 64]\n";
        let op = Op::parse("f.op", text).unwrap();
        let names: Vec<&str> = op.free_dims().iter().map(|d| op.dims[*d].name.as_str()).collect();
        assert_eq!(names, ["B"]);
    }

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
