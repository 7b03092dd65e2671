//! Real numbers in the place of drawn ones: arrays that were given for inputs. They are laid over those of every case,
//! whatever its sizes: a smaller case has their first rows and columns, a larger one has them over and over.

use std::sync::Arc;

use ktwin_lang::Case as OpCase;
use ktwin_num::{Regime, Tensor, did_you_mean};

use crate::accept;
use crate::case::Case;
use crate::contract::Nan;
use crate::elsewhere::{SHORT, needed};
use crate::kernel::Kernel;
use crate::marks;
use crate::setup::Setup;

/// Cases of the arrays' own sizes.
const OWN: usize = 2;

/// What a report says of a kernel that was tested with given arrays; nothing where all was drawn.
pub fn given(kernel: &Kernel) -> String {
    let inputs: Vec<&str> = kernel.weights.iter().map(|one| one.input.as_str()).collect();
    if inputs.is_empty() { String::new() } else { format!("with the given arrays for {}", inputs.join(", ")) }
}

/// An array that was given for an input.
#[derive(Clone, Debug)]
pub struct Weights {
    /// The input.
    pub input: String,
    /// Where the array comes from, as it was written.
    pub from: String,
    tensor: Arc<Tensor>,
    values: Arc<Vec<f64>>,
}

impl Weights {
    /// An array for an input.
    pub fn new(input: &str, from: &str, tensor: Tensor) -> Weights {
        let values = Arc::new(tensor.to_f64());
        Weights { input: input.into(), from: from.into(), tensor: Arc::new(tensor), values }
    }

    /// Refuses numbers that the input must not hold. NaN and infinities are welcome where they must come out.
    fn inside(&self, kernel: &Kernel, at: &OpCase, input: usize) -> Result<(), String> {
        let (domain, propagates) = (at.input_domain(input), kernel.contract.promises.nan == Nan::Propagate);
        let fits = |value: f64| domain.contains(value) || propagates && !value.is_finite();
        match self.values.iter().find(|value| !fits(**value)) {
            Some(value) => Err(format!("{} has {value}, which {} must not hold", self.from, self.input)),
            None => Ok(()),
        }
    }

    /// The array as a case of these sizes has it.
    fn laid(&self, case: &Case, at: &OpCase, setup: &Setup, input: usize) -> Result<Tensor, String> {
        let (shape, dtype) = (&at.input_shapes[input], setup.inputs[input]);
        let whole = if *shape == self.tensor.shape && dtype == self.tensor.dtype {
            Tensor::clone(&self.tensor)
        } else {
            let values: Vec<f64> = self.wrapped(shape).into_iter().map(|at| self.values[at]).collect();
            Tensor::from_f64(dtype, shape, &values)
        };
        whole.laid_out(case.layout(&self.input), &setup.told[input])
    }

    /// For every element of a shape, the one of the array that is there.
    fn wrapped(&self, shape: &[usize]) -> Vec<usize> {
        let mut out = vec![0];
        for (size, own) in shape.iter().zip(&self.tensor.shape) {
            out = out.iter().flat_map(|row| (0..*size).map(move |n| row * own + n % own)).collect();
        }
        out
    }
}

impl Kernel {
    /// Gives inputs real numbers, in every case that is prepared from now on.
    pub fn take(&mut self, weights: &[Weights]) -> Result<(), String> {
        for one in weights {
            let inputs = || self.op.inputs.iter().map(|info| info.name.as_str());
            let Some(info) = self.op.inputs.iter().find(|info| info.name == one.input) else {
                let (near, all) =
                    (did_you_mean(&one.input, inputs()), inputs().collect::<Vec<_>>().join(", "));
                return Err(format!(
                    "--weights: op {} has no input `{}`{near} (it has {all})",
                    self.op.name, one.input
                ));
            };
            if info.integer {
                return Err(format!(
                    "--weights {}: {info} holds integers; weights are real numbers",
                    one.input
                ));
            }
            let shape = &one.tensor.shape;
            if shape.len() != info.axes.len() || shape.contains(&0) {
                return Err(format!(
                    "--weights {}: {} has the shape {shape:?}, and the op has {info}",
                    one.input, one.from
                ));
            }
        }
        self.weights = weights.to_vec();
        Ok(())
    }
}

/// Puts what was given over the inputs of a case.
pub fn lay(
    kernel: &Kernel,
    case: &Case,
    at: &OpCase,
    setup: &Setup,
    inputs: &mut [Tensor],
) -> Result<(), String> {
    for one in &kernel.weights {
        if let Some(input) = kernel.op.inputs.iter().position(|info| info.name == one.input) {
            one.inside(kernel, at, input)?;
            inputs[input] = one.laid(case, at, setup, input)?;
        }
    }
    Ok(())
}

/// Whether roundings of sums of these inputs may conspire: of given numbers nobody knows before honest orders were
/// tried on them.
pub fn is_structured(
    kernel: &Kernel,
    case: &Case,
    at: &OpCase,
    setup: &Setup,
    inputs: &[Tensor],
) -> Result<bool, String> {
    let structured = case.regime.is_structured() || marks::are_in(case, kernel);
    if kernel.weights.is_empty() || structured || at.longest_sum() <= SHORT {
        return Ok(structured);
    }
    Ok(needed(at, inputs, &setup.promise(at, inputs, false), setup.rounding(at))? > 1.0)
}

/// Cases in which the arrays are whole, made of planned ones; the error says why there is none.
pub fn whole(kernel: &Kernel, planned: &[Case]) -> Result<Vec<Case>, String> {
    let shape = |info: &ktwin_lang::TensorInfo| {
        kernel.weights.iter().find(|one| one.input == info.name).map(|one| one.tensor.shape.clone())
    };
    let shapes: Vec<Option<Vec<usize>>> = kernel.op.inputs.iter().map(shape).collect();
    let sizes = kernel.op.sizes(&[], &shapes).map_err(|e| e.to_string())?;
    let plain = planned.iter().filter(|case| case.layouts.is_empty() && case.regime == Regime::Normal);
    let own = plain.map(|case| {
        let mut case = case.clone();
        let named = |name: &str| sizes.iter().find(|(dim, _)| dim == name).map(|(_, size)| *size);
        case.dims.iter_mut().for_each(|(name, size)| *size = named(name).unwrap_or(*size));
        case
    });
    let (mut out, mut why): (Vec<Case>, _) = (Vec::new(), "no planned case has their sizes".to_string());
    for case in own {
        match accept::accepts(kernel, &case) {
            Ok(()) if !out.contains(&case) => out.push(case),
            Ok(()) => {}
            Err(refused) => why = refused,
        }
        if out.len() == OWN {
            break;
        }
    }
    if out.is_empty() { Err(why) } else { Ok(out) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inputs::prepare;
    use ktwin_num::DType;

    const OPS: &[(&str, &str)] =
        &[("gemv", "op gemv(a[M, K], x[K] > 0) -> y[M]\n\ny[m] = sum[k](a[m, k] * x[k])\n")];

    fn kernel(weights: &[Weights]) -> Result<Kernel, String> {
        let toml = "op = 'gemv'\nargs = ['a', 'x', 'y', { M = 'u32', K = 'u32' }]\ntypes = { a = 'f16' }\n";
        let mut kernel = Kernel::of_contract("kernel", toml, OPS).map_err(|e| e.to_string())?;
        kernel.take(weights).map(|()| kernel)
    }

    fn weights(input: &str, shape: &[usize]) -> Weights {
        let values: Vec<f64> = (0..shape.iter().product()).map(|n: usize| n as f64).collect();
        Weights::new(input, "w.npy", Tensor::from_f64(DType::F32, shape, &values))
    }

    #[test]
    fn a_case_has_the_first_of_them_or_has_them_over_and_over() {
        let kernel = kernel(&[weights("a", &[2, 3])]).unwrap();
        let laid = |case: &str| {
            let case = Case::parse(&kernel, case).unwrap();
            prepare(&kernel, &case).unwrap().inputs[0].to_f64()
        };
        assert_eq!(laid("M=2,K=2,regime=normal,seed=7"), [0.0, 1.0, 3.0, 4.0]);
        assert_eq!(laid("M=3,K=4,regime=exact,seed=7"), [0., 1., 2., 0., 3., 4., 5., 3., 0., 1., 2., 0.]);
        let own = whole(&kernel, &[Case::parse(&kernel, "M=9,K=9,regime=normal,seed=7").unwrap()]).unwrap();
        assert_eq!(own[0].dims, [("M".to_string(), 2), ("K".to_string(), 3)]);
        assert!(whole(&kernel, &[]).unwrap_err().contains("no planned case"));
    }

    #[test]
    fn what_does_not_fit_is_refused_with_a_reason() {
        let refused = |input: &str, shape: &[usize]| kernel(&[weights(input, shape)]).unwrap_err();
        assert!(refused("aa", &[2, 3]).contains("did you mean `a`?"));
        assert!(refused("a", &[6]).contains("has the shape [6], and the op has a[M, K]"));
        assert!(refused("a", &[0, 3]).contains("[0, 3]"));
        let outside = kernel(&[weights("x", &[4])]).unwrap();
        let case = Case::parse(&outside, "M=1,K=2,regime=normal,seed=7").unwrap();
        let error = prepare(&outside, &case).unwrap_err();
        assert_eq!(error, "w.npy has 0, which x must not hold");
    }

    #[test]
    fn sums_of_given_numbers_are_bounded_as_honest_orders_of_them_behave() {
        let values: Vec<f64> = (0..600u32).map(|n| f64::from(n * 7919 % 1000) / 1000.0).collect();
        let tensor = Tensor::from_f64(DType::F32, &[1, 600], &values);
        let kernel = kernel(&[Weights::new("a", "w.npy", tensor)]).unwrap();
        let structured = |regime: &str| {
            let case = Case::parse(&kernel, &format!("M=1,K=600,regime={regime},seed=7")).unwrap();
            prepare(&kernel, &case).unwrap().structured
        };
        assert!(!structured("normal") && structured("mixed"));
    }
}
