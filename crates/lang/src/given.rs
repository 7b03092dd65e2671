//! What arrays must be to be an op's inputs: as many, of their shapes, with values in their domains and order.

use ktwin_num::{DType, Sorted, Tensor};

use crate::case::{Case, inside, shown};
use crate::evaluate::EvalError;

impl Case<'_> {
    /// Refuses arrays that are not what the op declares.
    pub(crate) fn check_inputs(&self, inputs: &[Tensor]) -> Result<(), EvalError> {
        let infos = &self.op.inputs;
        if inputs.len() != infos.len() {
            let message =
                format!("op {} takes {} inputs, {} are given", self.op.name, infos.len(), inputs.len());
            return Err(EvalError::Input(message));
        }
        for (at, (tensor, info)) in inputs.iter().zip(infos).enumerate() {
            if tensor.shape != self.input_shapes[at] {
                return Err(EvalError::Input(format!(
                    "{info} has shape {:?} here, the array has {:?}",
                    self.input_shapes[at], tensor.shape
                )));
            }
            let counts = tensor.dtype.is_integer() || tensor.dtype.float().is_some();
            if info.integer && !counts && tensor.dtype != DType::Bool {
                let message = format!("{} holds integers, the array is {}", info.name, tensor.dtype.name());
                return Err(EvalError::Input(message));
            }
            self.check_domain(at, tensor)?;
            self.check_order(at, tensor)?;
        }
        Ok(())
    }

    /// Integers must lie in their domain: they are used as indices. Reals outside theirs are the caller's
    /// concern.
    fn check_domain(&self, input: usize, tensor: &Tensor) -> Result<(), EvalError> {
        let (info, domain) = (&self.op.inputs[input], self.input_domain(input));
        if !info.integer {
            return held(&info.name, tensor);
        }
        let wrong = |at: usize, value: &dyn std::fmt::Display| {
            EvalError::Input(format!("{}: element {at} is {value}, outside {}", info.name, shown(&domain)))
        };
        if tensor.dtype.float().is_some() {
            let values = tensor.to_f64();
            let at = values.iter().position(|v| !inside(&domain, *v));
            return at.map_or(Ok(()), |at| Err(wrong(at, &values[at])));
        }
        let values = tensor.to_i64();
        let at = values.iter().position(|v| !inside(&domain, *v as f64));
        at.map_or(Ok(()), |at| Err(wrong(at, &values[at])))
    }

    /// What is declared to be in order is.
    fn check_order(&self, input: usize, tensor: &Tensor) -> Result<(), EvalError> {
        let (name, domain) = (&self.op.inputs[input].name, self.input_domain(input));
        let Some(order) = domain.sorted else { return Ok(()) };
        let values = tensor.to_f64();
        let length = tensor.shape.last().copied().unwrap_or(1).max(1);
        for (number, row) in values.chunks_exact(length).enumerate() {
            if order == Sorted::Distinct {
                apart(name, number * length, row)?;
                continue;
            }
            if let Some(at) = row.windows(2).position(|pair| pair[0] > pair[1]) {
                let (at, before, own) = (number * length + at + 1, row[at], row[at + 1]);
                let message =
                    format!("{name}: element {at} is {own}, after {before}; the op wants them to rise");
                return Err(EvalError::Input(message));
            }
            let ends = (row[0], row[length - 1]);
            if order == Sorted::Splits && length > 1 && ends != domain.ends() {
                let (due, (first, last)) = (domain.ends(), ends);
                let message = format!(
                    "{name}: its elements run from {first} to {last}, and the op wants {} to {}",
                    due.0, due.1
                );
                return Err(EvalError::Input(message));
            }
        }
        Ok(())
    }
}

/// Refuses numbers of 64 bits that f64, which all is computed with, does not hold.
fn held(name: &str, tensor: &Tensor) -> Result<(), EvalError> {
    let DType::Int { bits: 64, signed } = tensor.dtype else { return Ok(()) };
    let whole = |v: i64| if signed { i128::from(v) } else { i128::from(v.cast_unsigned()) };
    let mut all = tensor.to_i64().into_iter().map(whole);
    let Some((at, value)) = all.by_ref().enumerate().find(|(_, v)| *v as f64 as i128 != *v) else {
        return Ok(());
    };
    Err(EvalError::Input(format!(
        "{name}: element {at} is {value}, which f64 does not hold: integers up to 2^53 are computed with"
    )))
}

/// Refuses a row, whose first element has this number, in which two elements are equal.
fn apart(name: &str, first: usize, row: &[f64]) -> Result<(), EvalError> {
    let mut places: Vec<usize> = (0..row.len()).collect();
    places.sort_by(|a, b| row[*a].total_cmp(&row[*b]));
    let Some(two) = places.windows(2).find(|two| row[two[0]] == row[two[1]]) else { return Ok(()) };
    let (a, b, value) = (first + two[0], first + two[1], row[two[0]]);
    Err(EvalError::Input(format!(
        "{name}: elements {a} and {b} are both {value}; the op wants them distinct"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::Op;
    use crate::{Elements, Meaning};

    /// What is said of values of the first input of an op.
    fn said(head: &str, values: &[f64]) -> String {
        let op = Op::parse("a.op", &format!("op a({head}) -> y[N]\n\ny[n] = i[n] + 0.0\n")).unwrap();
        let case = op.bind(&[("N", values.len() as i64)], &[]).unwrap();
        let input = Tensor::from_f64(DType::F32, &[values.len()], values);
        let ran = case.evaluate(&[input], &Meaning::Exact, Elements::All);
        ran.err().map_or(String::new(), |e| e.to_string())
    }

    #[test]
    fn integers_in_floats_are_whole() {
        assert_eq!(said("i[N] in 0..5", &[4.0, 0.0]), "");
        assert!(said("i[N] in 0..5", &[4.0, 0.5]).contains("i: element 1 is 0.5, outside 0..5"));
        assert!(said("i[N] in 0..5", &[f64::NAN, 0.0]).contains("i: element 0 is NaN, outside 0..5"));
    }

    #[test]
    fn what_is_declared_in_order_is_held_to_it() {
        assert_eq!(said("i[N] rising", &[-1.0, 2.5, 2.5]), "");
        assert!(said("i[N] rising", &[1.0, 3.0, 2.0]).contains("i: element 2 is 2, after 3"));
        assert_eq!(said("i[N] splits 7", &[0.0, 0.0, 7.0]), "");
        assert!(said("i[N] splits 7", &[0.0, 3.0, 6.0]).contains("run from 0 to 6, and the op wants 0 to 7"));
        assert!(said("i[N] splits 7", &[0.0, 5.0, 4.0, 7.0]).contains("i: element 2 is 4, after 5"));
        assert!(said("i[N] in 0..5 rising", &[0.0, 5.0]).contains("outside 0..5"));
        assert_eq!(said("i[N] in 0..N distinct", &[2.0, 0.0, 1.0]), "");
        let twice = said("i[N] in 0..N distinct", &[1.0, 2.0, 0.0, 2.0]);
        assert!(twice.contains("i: elements 1 and 3 are both 2; the op wants them distinct"), "{twice}");
    }
}
