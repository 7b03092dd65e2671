//! Which part each input plays in the `exact` regime: of the factors of a sum's terms one alone carries the
//! bits.

use ktwin_num::Role;

use crate::case::{BoundKind, Case, points};
use crate::code::{Code, CodeKind};
use crate::node::{Fold, Source};

impl Case<'_> {
    /// The role of each input. In every sum, the longest first, the first tensor that its term reads is
    /// wide and the
    /// others are signs; what no sum reads is wide too: a bias or a factor afterwards.
    pub fn sharp_roles(&self) -> Vec<Role> {
        let mut sums: Vec<(usize, &Code)> = self
            .stages
            .iter()
            .filter_map(|stage| match &stage.kind {
                BoundKind::Reduce { fold: Fold::Sum | Fold::Mean, over, term, .. } => {
                    Some((points(over), term))
                }
                _ => None,
            })
            .collect();
        sums.sort_by_key(|(length, _)| std::cmp::Reverse(*length));
        let mut roles: Vec<Option<Role>> = vec![None; self.input_shapes.len()];
        for (_, term) in sums {
            let mut read = Vec::new();
            tensors(term, &mut read);
            let mut wide = read.iter().any(|t| roles[*t] == Some(Role::Wide));
            for tensor in read {
                if roles[tensor].is_none() {
                    roles[tensor] = Some(if wide { Role::Signs } else { Role::Wide });
                    wide = true;
                }
            }
        }
        roles.into_iter().map(|role| role.unwrap_or(Role::Wide)).collect()
    }
}

/// The inputs that an expression reads as values, in order; not those that its indices read.
fn tensors(code: &Code, out: &mut Vec<usize>) {
    match &code.kind {
        CodeKind::Read(read) => {
            if let Source::Tensor(at) = read.source
                && !out.contains(&at)
            {
                out.push(at);
            }
            read.otherwise.iter().for_each(|o| tensors(o, out));
        }
        CodeKind::Apply(_, args) => args.iter().for_each(|a| tensors(a, out)),
        CodeKind::If(parts) => parts[1..].iter().for_each(|p| tensors(p, out)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::{Op, Value};

    #[test]
    fn one_factor_of_every_sum_is_wide() {
        let roles = |text: &str, dims: &[(&str, i64)], scalars: &[(&str, Value)]| {
            Op::parse("a.op", text).unwrap().bind(dims, scalars).unwrap().sharp_roles()
        };
        let (wide, signs) = (Role::Wide, Role::Signs);
        let gemm = "op a(a[M, K], b[K, N], c[N]) -> y[M, N]\n\ny[m, n] = sum[k](a[m, k] * b[k, n]) + c[n]";
        assert_eq!(roles(gemm, &[("M", 2), ("K", 3), ("N", 4)], &[]), [wide, signs, wide]);
        // the longer sum decides: v, and of the shorter one q
        let attention = "op a(q[S, D], k[T, D], v[T, D]) -> o[S, D]\n
            z[s, t] = sum[d](q[s, d] * k[t, d])
            o[s, d] = sum[t](z[s, t] * v[t, d])";
        assert_eq!(roles(attention, &[("S", 2), ("T", 9), ("D", 4)], &[]), [wide, signs, wide]);
        let gather = "op a(ids[T] in 0..V, table[V, D]) -> y[T]\n\ny[t] = sum[d](table[ids[t], d])";
        assert_eq!(roles(gather, &[("T", 2), ("V", 9), ("D", 4)], &[]), [wide, wide]);
    }
}
