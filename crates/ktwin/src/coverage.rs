//! What cases cover beside sizes, in words that a plan and a page have in common: which of two dimensions is larger,
//! types, layouts, regimes. Makes strings; prints nothing.

use ktwin_check::{Case, Kernel, Plan, coverage};
use ktwin_num::{Regime, plural};

/// For each two dimensions, the cases in which either is the larger.
pub fn pairs(kernel: &Kernel, plan: &Plan) -> Vec<String> {
    let pair = |pair: coverage::Pair| {
        let (a, b) = pair.dims;
        format!("{a} < {b} in {}, {a} > {b} in {}", plural(pair.less, "case"), pair.more)
    };
    coverage::pairs(kernel, plan).into_iter().map(pair).collect()
}

/// How each tensor is stored.
pub fn types(kernel: &Kernel) -> String {
    let names = kernel.op.inputs.iter().chain(&kernel.op.outputs).map(|tensor| tensor.name.as_str());
    let mut all: Vec<String> = Vec::new();
    for one in names.map(|name| format!("{name} {}", kernel.dtype(name))) {
        // a tensor that is written in place is an input and an output
        if !all.contains(&one) {
            all.push(one);
        }
    }
    all.join(", ")
}

/// The cases in which tensors have a layout other than by rows; nothing where none has.
pub fn layouts(cases: &[Case]) -> Vec<String> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for (tensor, layout) in cases.iter().flat_map(|case| &case.layouts) {
        let name = format!("{tensor} {layout}");
        match counts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => counts.push((name, 1)),
        }
    }
    counts.sort();
    counts.into_iter().map(|(name, count)| format!("{name} in {}", plural(count, "case"))).collect()
}

/// The cases of each regime that there are any of.
pub fn regimes(cases: &[Case]) -> Vec<(usize, Regime)> {
    let count = |regime: Regime| (cases.iter().filter(|case| case.regime == regime).count(), regime);
    Regime::ALL.into_iter().map(count).filter(|(count, _)| *count > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPS: &[(&str, &str)] =
        &[("twice", "op twice(x[R, D]; a = 2) -> x[R, D]\n\nx[r, d] = a * x[r, d]\n")];

    #[test]
    fn types_and_layouts_are_named_once() {
        let toml = "op = 'twice'\nargs = ['x', { R = 'u32', D = 'u32', a = 'f32' }]\ntypes = { x = 'f16' }\n\
                    layout = { x = ['row', 'strided'] }\n";
        let kernel = Kernel::of_contract("k", toml, OPS).unwrap();
        assert_eq!(types(&kernel), "x f16");
        let case = |text: &str| Case::parse(&kernel, text).unwrap();
        let cases = [case("R=1,D=2,layout=x:strided"), case("R=2,D=2,layout=x:strided"), case("R=2,D=1")];
        assert_eq!(layouts(&cases), ["x strided in 2 cases"]);
        assert_eq!(regimes(&cases), [(3, Regime::Normal)]);
        let plan = Plan { cases: cases.to_vec(), ..Plan::default() };
        assert_eq!(pairs(&kernel, &plan), ["R < D in 1 case, R > D in 1"]);
    }
}
