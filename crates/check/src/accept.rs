//! Whether op and contract take a case: the one place that says so, for plans and for cases that a user writes.

use std::fmt;

use ktwin_lang::{CaseError, Value};
use ktwin_num::Layout;

use crate::case::Case;
use crate::contract::Limit;
use crate::footprint;
use crate::kernel::Kernel;
use crate::scalars;

/// Refuses a case that op or contract do not take, or that no memory would hold; the error says why.
pub fn accepts(kernel: &Kernel, case: &Case) -> Result<(), String> {
    once(case)?;
    sizes(kernel, case).map_err(|e| e.to_string())?;
    fixed(kernel, case)?;
    layouts(kernel, case)?;
    let at = case.bind(&kernel.op).map_err(|e| e.to_string())?;
    footprint::room(kernel, case, &at)
}

/// The quick part: whether sizes and scalars go together.
pub fn fits(kernel: &Kernel, case: &Case) -> bool {
    sizes(kernel, case).is_ok() && fixed(kernel, case).is_ok()
}

/// Whether sizes and scalars are those that op and contract take, however much memory they need.
pub fn takes(kernel: &Kernel, case: &Case) -> Result<(), String> {
    sizes(kernel, case).map_err(|e| e.to_string())?;
    fixed(kernel, case)
}

/// Names stand once.
fn once(case: &Case) -> Result<(), String> {
    let dims = case.dims.iter().map(|(name, _)| name);
    let names: Vec<&String> = dims.chain(case.scalars.iter().map(|(name, _)| name)).collect();
    let layouts: Vec<&String> = case.layouts.iter().map(|(name, _)| name).collect();
    for list in [names, layouts] {
        if let Some((_, name)) = list.iter().enumerate().find(|(at, name)| list[..*at].contains(name)) {
            return Err(format!("the case names {name} twice"));
        }
    }
    Ok(())
}

/// Sizes and scalars within the limits of op and contract.
fn sizes(kernel: &Kernel, case: &Case) -> Result<(), CaseError> {
    let dims: Vec<(&str, i64)> = case.dims.iter().map(|(n, v)| (n.as_str(), *v)).collect();
    let values: Vec<(&str, Value)> = case.scalars.iter().map(|(n, v)| (n.as_str(), *v)).collect();
    let (sizes, scalars) = kernel.op.takes(&dims, &values)?;
    for (dim, size) in kernel.op.dims.iter().zip(&sizes) {
        for limit in kernel.contract.limits_of(&dim.name) {
            if !limit.allows(*size) {
                return Err(CaseError(format!("{} = {size}, but the contract accepts {limit}", dim.name)));
            }
        }
    }
    for (info, value) in kernel.op.scalars.iter().zip(&scalars) {
        if matches!(value, Value::Real(v) if !v.is_finite()) {
            return Err(CaseError(format!("scalar {} is {value}; it must be finite", info.name)));
        }
    }
    for limit in &kernel.contract.limits {
        match kernel.value_of(limit, &sizes, &scalars).map_err(CaseError)? {
            Value::Bool(true) => {}
            _ => return Err(CaseError(format!("the contract accepts only cases where {}", limit.text))),
        }
    }
    Ok(())
}

/// What the contract fixes has that value.
fn fixed(kernel: &Kernel, case: &Case) -> Result<(), String> {
    for (name, number) in &kernel.contract.fix {
        let wanted = scalars::as_passed(kernel, name, scalars::as_value(*number));
        let dim = case.dims.iter().find(|(n, _)| **n == **name).map(|(_, size)| Value::Int(*size));
        let scalar = case.scalars.iter().find(|(n, _)| **n == **name);
        let scalar = scalar.map(|(_, value)| scalars::as_passed(kernel, name, *value));
        if let Some(found) = dim.or(scalar).filter(|v| v.to_f64() != wanted.to_f64()) {
            return Err(format!("{}={found}, but the contract fixes it to {wanted}", name.text));
        }
    }
    Ok(())
}

/// Layouts are of tensors that there are, and of those that the contract accepts.
fn layouts(kernel: &Kernel, case: &Case) -> Result<(), String> {
    for (tensor, layout) in &case.layouts {
        if kernel.op.input(tensor).is_none() && kernel.op.output(tensor).is_none() {
            return Err(format!("layout={tensor}:{layout}: op {} has no tensor `{tensor}`", kernel.op.name));
        }
        let named = kernel.contract.layout.iter().find(|(name, _)| **name == **tensor);
        if *layout != Layout::Row && !named.is_some_and(|(_, all)| all.contains(layout)) {
            return Err(format!("layout={tensor}:{layout}: the contract does not accept this layout"));
        }
    }
    Ok(())
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |s: &Option<i64>| s.map_or(String::new(), |n| n.to_string());
        match self {
            Limit::Range(Some(lo), Some(hi)) if lo == hi => write!(f, "{lo}"),
            Limit::Range(lo, None) => write!(f, "{}..", side(lo)),
            Limit::Range(lo, hi) => write!(f, "{}..={}", side(lo), side(hi)),
            Limit::Multiple(n) => write!(f, "a multiple of {n}"),
            Limit::PowerOfTwo => f.write_str("a power of two"),
            Limit::OneOf(sizes) => {
                let mut each: Vec<String> = sizes.iter().map(i64::to_string).collect();
                each.dedup();
                f.write_str(&each.join(" | "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPS: &[(&str, &str)] = &[
        (
            "rows",
            "op rows(x[R, D]; k in 1..D + 1 = 1, eps = 0.5) -> y[R, D]\n\ny[r, d] = x[r, d] * k + eps\n",
        ),
        ("big", "op big(x[A, B, C, D]) -> y[A, B, C, D]\n\ny[a, b, c, d] = x[a, b, c, d]\n"),
    ];
    const ROWS: &str = "op = 'rows'\nargs = ['x', 'y']\ndims = { D = ['..=64', 'multiple of 4'] }\n\
                        where = ['R * D <= 256']\nfix = { eps = 0.1 }\nlayout = { x = 'strided' }\n";

    fn said(toml: &str, case: &str) -> String {
        let kernel = Kernel::of_contract("k", toml, OPS).unwrap();
        let case = Case::parse(&kernel, case).unwrap();
        accepts(&kernel, &case).err().unwrap_or_default()
    }

    #[test]
    fn every_limit_has_its_words() {
        let twice = "D=4,R=1,k=1,D=4";
        for (case, wanted) in [
            ("R=2,D=4", ""),
            ("R=2,D=4,k=4,eps=0.1,layout=x:strided+y:row", ""),
            ("R=2,D=68", "D = 68, but the contract accepts ..=64"),
            ("R=2,D=6", "D = 6, but the contract accepts a multiple of 4"),
            ("R=8,D=64", "the contract accepts only cases where R * D <= 256"),
            ("R=2,D=4,k=5", "scalar k=5 is outside its domain 1..5"),
            ("R=2,D=4,eps=0.25", "eps=0.25, but the contract fixes it to 0.1"),
            ("R=2,D=4,layout=x:offset", "layout=x:offset: the contract does not accept this layout"),
            ("R=2,D=4,layout=z:row", "layout=z:row: op rows has no tensor `z`"),
            ("R=2,D=4,layout=x:row+x:strided", "the case names x twice"),
            (twice, "the case names D twice"),
        ] {
            let said = said(ROWS, case);
            assert!(said.starts_with(wanted) && said.is_empty() == wanted.is_empty(), "{case}: {said}");
        }
    }

    #[test]
    fn no_size_is_too_large_to_be_refused() {
        let big = "op = 'big'\nargs = ['x', 'y']\n";
        for case in ["A=1000000,B=1000000,C=1,D=1", "A=3037000500,B=3037000500,C=9,D=9"] {
            assert!(!said(big, case).is_empty(), "{case}");
        }
        for elements in ["100000000000", "4611686018427387904", "A * 4611686018427387904", "0 - A"] {
            let scratch = format!("scratch = {{ s = 'f64[{elements}]' }}\n");
            let said = said(&format!("{big}{scratch}"), "A=2,B=1,C=1,D=1");
            assert!(!said.is_empty(), "{elements}");
        }
    }
}
