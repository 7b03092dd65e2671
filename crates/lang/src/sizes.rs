//! Sizes of dimensions from the shapes of arrays.

use crate::case::{CaseError, wrong};
use crate::node::NodeKind;
use crate::op::{Op, TensorInfo};
use ktwin_num::plural;

/// A dimension's size and where it was said.
type Known = Option<(i64, String)>;

impl Op {
    /// The sizes that follow from the shapes of inputs, where they are known, together with those that are
    /// given.
    pub fn sizes(
        &self,
        given: &[(&str, i64)],
        shapes: &[Option<Vec<usize>>],
    ) -> Result<Vec<(String, i64)>, CaseError> {
        let mut known: Vec<Known> = vec![None; self.dims.len()];
        for (name, size) in given {
            if let Some(at) = self.dim(name) {
                known[at] = Some((*size, format!("{name}={size} is given")));
            }
        }
        for (info, shape) in self.inputs.iter().zip(shapes) {
            if let Some(shape) = shape {
                self.take(info, shape, &mut known)?;
            }
        }
        let sizes = self.dims.iter().zip(known);
        let mut out: Vec<(String, i64)> =
            sizes.filter_map(|(dim, known)| Some((dim.name.clone(), known?.0))).collect();
        // what is not a dimension is kept, for `bind` to refuse
        out.extend(given.iter().filter(|(n, _)| self.dim(n).is_none()).map(|(n, s)| (n.to_string(), *s)));
        Ok(out)
    }

    /// Adds what one array's shape says.
    fn take(&self, info: &TensorInfo, shape: &[usize], known: &mut [Known]) -> Result<(), CaseError> {
        let declared = info.to_string();
        if shape.len() != info.dims.len() {
            let (has, due) = (plural(shape.len(), "dimension"), info.dims.len());
            return wrong(format!("the array for {declared} has {has}, not {due} (shape {shape:?})"));
        }
        for (dim, size) in info.dims.iter().zip(shape) {
            match dim.kind {
                NodeKind::Int(wanted) if wanted != *size as i64 => {
                    return wrong(format!("the array for {declared} has the shape {shape:?}"));
                }
                NodeKind::Dim(dim) => {
                    let (name, size) = (&self.dims[dim].name, *size as i64);
                    match &known[dim] {
                        Some((have, from)) if *have != size => {
                            return wrong(format!(
                                "the array for {declared} has {name} = {size} (shape {shape:?}), but {from}"
                            ));
                        }
                        Some(_) => {}
                        None => {
                            known[dim] = Some((size, format!("the array for {declared} has {name} = {size}")))
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_give_sizes_and_contradict_each_other() {
        let op = Op::parse("a.op", "op a(x[R, D], w[D], p[R, 3]) -> y[R]\n\ny[r] = x[r, 0] * w[0] * p[r, 0]")
            .unwrap();
        let shapes =
            |x: &[usize], w: Option<&[usize]>| vec![Some(x.to_vec()), w.map(<[usize]>::to_vec), None];
        let sizes = op.sizes(&[], &shapes(&[2, 5], None)).unwrap();
        assert_eq!(sizes, [("R".to_string(), 2), ("D".to_string(), 5)]);
        let error = op.sizes(&[], &shapes(&[2, 5], Some(&[4]))).unwrap_err().to_string();
        assert_eq!(error, "the array for w[D] has D = 4 (shape [4]), but the array for x[R, D] has D = 5");
        let error = op.sizes(&[("R", 3)], &shapes(&[2, 5], None)).unwrap_err().to_string();
        assert_eq!(error, "the array for x[R, D] has R = 2 (shape [2, 5]), but R=3 is given");
        let error = op.sizes(&[], &shapes(&[2], None)).unwrap_err().to_string();
        assert_eq!(error, "the array for x[R, D] has 1 dimension, not 2 (shape [2])");
        let error = op.sizes(&[], &[None, None, Some(vec![2, 4])]).unwrap_err().to_string();
        assert_eq!(error, "the array for p[R, 3] has the shape [2, 4]");
    }
}
