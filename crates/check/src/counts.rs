//! Counts of a contract that are plain numbers, and wrong whatever the sizes: told where they stand, before anything is
//! planned.

use ktwin_lang::{Diagnostic, Ty};

use crate::contract::{Expr, Name};
use crate::device::Number;
use crate::kernel::Kernel;
use crate::scalars;

/// What is wrong with them.
pub fn mistakes(kernel: &Kernel) -> Vec<Diagnostic> {
    let contract = &kernel.contract;
    let mut found = Vec::new();
    for link in &contract.chain {
        found.extend(link.grid.iter().filter_map(|e| below(kernel, e, 1, "a grid's part")));
        found.extend(link.block.iter().flatten().filter_map(|e| below(kernel, e, 1, "a block's part")));
        found.extend(link.shared.iter().filter_map(|e| below(kernel, e, 0, "`shared`")));
    }
    found.extend(
        contract.scratch.iter().filter_map(|s| below(kernel, &s.elements, 0, "a scratch buffer's size")),
    );
    found
}

/// The mistake where a number is below what it may be.
fn below(kernel: &Kernel, expr: &Expr, least: i64, what: &str) -> Option<Diagnostic> {
    let value = kernel.expression(expr).ok()?.value(&[], &[])?;
    (value.to_f64() < least as f64).then(|| {
        let message = format!("{what} is at least {least}, and this is {value}");
        let help = format!("write {least} or more, or an expression of sizes in quotes");
        kernel.mistake(expr.spot, &expr.text, message, Some(help))
    })
}

/// What is wrong with the numbers that `fix` gives.
pub fn fixed(kernel: &Kernel) -> Vec<Diagnostic> {
    let mistake = |(name, number): &(Name, Number)| {
        let wanted = wanted(kernel, name, *number)?;
        let value = scalars::as_value(*number);
        let message = format!("`{}` is {wanted}, and this fixes it to {value}", name.text);
        Some(kernel.mistake(name.spot, name, message, Some(format!("write {wanted}"))))
    };
    kernel.contract.fix.iter().filter_map(mistake).collect()
}

/// What a dimension or a scalar must be that a number is not.
fn wanted(kernel: &Kernel, name: &str, number: Number) -> Option<&'static str> {
    if kernel.op.dim(name).is_some() {
        return (!matches!(number, Number::Int(1..))).then_some("a whole number of at least 1");
    }
    let (fits, wanted) = match (kernel.op.scalars[kernel.op.scalar(name)?].ty, number) {
        (Ty::Bool, Number::Bool(_) | Number::Int(0 | 1)) | (Ty::Int, Number::Int(_)) => (true, ""),
        (Ty::Bool, _) => (false, "true or false"),
        (Ty::Int, Number::Real(v)) => (v.fract() == 0.0, "a whole number"),
        (Ty::Int, _) => (false, "a whole number"),
        (Ty::Real, Number::Real(v)) => (v.is_finite(), "a finite number"),
        (Ty::Real, number) => (matches!(number, Number::Int(_)), "a finite number"),
    };
    (!fits).then_some(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPS: &[(&str, &str)] = &[(
        "a",
        "op a(x[N]; s = 1.0, k = 2, on = true) -> y[N]\n\ny[n] = x[n] * s + (if on then k else 0)\n",
    )];

    fn said(keys: &str) -> String {
        let toml = format!("op = 'a'\nargs = ['x', 'y']\n{keys}\n");
        Kernel::of_contract("k", &toml, OPS).err().map_or(String::new(), |e| e.to_string())
    }

    #[test]
    fn what_is_fixed_is_what_the_op_has() {
        for (fix, wanted) in [
            ("N = 0", "a whole number of at least 1"),
            ("N = 3.5", "a whole number of at least 1"),
            ("N = inf", "a whole number of at least 1"),
            ("s = inf", "a finite number"),
            ("s = true", "a finite number"),
            ("k = 0.5", "a whole number"),
            ("on = 3", "true or false"),
        ] {
            let said = said(&format!("fix = {{ {fix} }}"));
            assert!(
                said.contains(&format!("is {wanted}, and this fixes it")) && said.contains(":3:"),
                "{fix}: {said}"
            );
        }
        for fix in ["N = 4", "s = 1", "k = 2.0", "on = false"] {
            assert_eq!(said(&format!("fix = {{ {fix} }}")), "", "{fix}");
        }
    }

    #[test]
    fn numbers_below_what_they_may_be_are_told_at_their_line() {
        for (keys, says) in [
            ("grid = [1, 0, 1]", "a grid's part is at least 1, and this is 0"),
            ("block = [-1]", "a block's part is at least 1, and this is -1"),
            ("shared = -4", "`shared` is at least 0, and this is -4"),
            ("scratch = { p = 'f32[3 - 4]' }", "a scratch buffer's size is at least 0, and this is -1"),
        ] {
            let said = said(keys);
            assert!(said.contains(says) && said.contains(":3:"), "{keys}: {said}");
        }
        assert_eq!(said("grid = ['N // 4']\nshared = 0\nscratch = { p = 'f32[0]' }"), "");
    }
}
