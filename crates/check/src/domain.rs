//! How much of an op's domain a contract takes. Draws cases of the whole domain, by fixed sequences, and asks
//! the contract.

use ktwin_lang::Ty;

use crate::accept;
use crate::case::Case;
use crate::contract::{Contract, Limit};
use crate::kernel::Kernel;
use crate::plan::{self, Domain};
use crate::scalars;

/// Draws that the share is measured with.
const DRAWS: usize = 512;
/// Draws that one domain is held against another with.
const HELD: usize = 256;
/// Sizes up to here are all looked at when one domain is held against another.
const EVERY: i64 = 1 << 16;

/// The kernel with a domain as wide as another contract has it.
fn with_domain(kernel: &Kernel, of: &Contract) -> Kernel {
    let mut wide = kernel.clone();
    wide.contract.dims = of.dims.clone();
    wide.contract.limits = of.limits.clone();
    wide.contract.fix = of.fix.clone();
    wide
}

/// The share of the op's domain that a contract takes. Sizes are as likely in each octave; truth values and
/// whole numbers take theirs in turn; of real scalars that are fixed nothing is said.
pub fn share(kernel: &Kernel) -> f64 {
    let Contract { dims, limits, fix, .. } = &kernel.contract;
    if dims.is_empty() && limits.is_empty() && fix.is_empty() {
        return 1.0;
    }
    let wide = with_domain(kernel, &Contract::empty());
    let Ok(domain) = Domain::of(&wide) else { return 0.0 };
    let drawn: Vec<Case> = (0..DRAWS).filter_map(|turn| domain.case(turn)).collect();
    let taken = drawn.iter().filter(|case| refusal(kernel, &with_reals(kernel, case)).is_none()).count();
    let share = taken as f64 / drawn.len().max(1) as f64;
    // a condition leaves something out, even where no draw shows it
    if limits.is_empty() { share } else { share.min(1.0 - 1.0 / DRAWS as f64) }
}

/// The case with real scalars as the contract fixes them.
fn with_reals(kernel: &Kernel, case: &Case) -> Case {
    let mut case = case.clone();
    for (name, number) in &kernel.contract.fix {
        if is_real(kernel, name) {
            case.set_scalar(name, scalars::as_passed(kernel, name, scalars::as_value(*number)));
        }
    }
    case
}

fn refusal(kernel: &Kernel, case: &Case) -> Option<String> {
    accept::takes(kernel, case).err()
}

/// What is taken as given, and by the other contract is not.
pub fn fixed(kernel: &Kernel, least: &Contract) -> Option<String> {
    assumed(kernel, least, &|_| true)
}

/// The same of real scalars alone.
pub fn fixed_real(kernel: &Kernel, least: &Contract) -> Option<String> {
    assumed(kernel, least, &|name| is_real(kernel, name))
}

fn is_real(kernel: &Kernel, name: &str) -> bool {
    kernel.op.scalar(name).is_some_and(|at| kernel.op.scalars[at].ty == Ty::Real)
}

fn assumed(kernel: &Kernel, least: &Contract, counts: &dyn Fn(&str) -> bool) -> Option<String> {
    let same = |name: &str, value: f64| least.fix.iter().any(|(n, v)| **n == *name && v.to_f64() == value);
    let mut fixed = kernel.contract.fix.iter().filter(|(name, _)| counts(name));
    let (name, number) = fixed.find(|(name, v)| !same(name, v.to_f64()))?;
    Some(format!("it assumes {} = {number}", name.text))
}

/// A size of one dimension that the other contract takes, and this kernel does not: of those that it names, and of any
/// other up to where all sizes are looked at, since so many devices launch.
pub fn sizes(kernel: &Kernel, least: &Contract, of_any: bool) -> Option<String> {
    let names = least.dims.iter().map(|(name, _)| name);
    if let Some(unknown) = names.into_iter().find(|name| kernel.op.dim(name).is_none()) {
        return Some(format!("op {} has no dimension `{}`", kernel.op.name, unknown.text));
    }
    let wide = with_domain(kernel, least);
    let named = |dim: &str| least.dims.iter().any(|(name, _)| **name == *dim);
    kernel.op.dims.iter().filter(|dim| of_any || named(&dim.name)).find_map(|dim| {
        let own: Vec<Limit> = kernel.contract.limits_of(&dim.name).collect();
        // what the op itself asks of a size narrows nothing
        let wanted = plan::limits(&wide, &dim.name);
        let ends = own.iter().chain(&wanted).flat_map(|limit| match limit {
            Limit::Range(lo, hi) => vec![lo.unwrap_or(1), hi.unwrap_or(EVERY)],
            Limit::OneOf(sizes) => sizes.to_vec(),
            _ => vec![1, EVERY],
        });
        let beside = ends.flat_map(|end| [end.saturating_sub(1), end, end.saturating_add(1)]);
        let further = (16..40).map(|n| 1 << n).chain(beside);
        let mut tried = (1..=EVERY).chain(further.filter(|size| *size > EVERY && named(&dim.name)));
        let size = tried.find(|size| {
            wanted.iter().all(|limit| limit.allows(*size)) && !own.iter().all(|limit| limit.allows(*size))
        })?;
        let refused = own.iter().find(|limit| !limit.allows(size))?;
        Some(format!("{} = {size} is not accepted, only {refused}", dim.name))
    })
}

/// Sizes and scalars that the other contract takes together, and this kernel does not.
pub fn together(kernel: &Kernel, least: &Contract) -> Option<String> {
    if kernel.contract.limits.is_empty() {
        return None;
    }
    let wide = with_domain(kernel, least);
    let domain = Domain::of(&wide).ok()?;
    (0..HELD).filter_map(|turn| domain.case(turn)).find_map(|case| {
        let why = refusal(kernel, &case)?;
        let sizes = case.dims.iter().map(|(name, size)| format!("{name} = {size}"));
        let values = case.scalars.iter().map(|(name, value)| format!("{name} = {value}"));
        Some(format!("{} is not accepted: {why}", sizes.chain(values).collect::<Vec<_>>().join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPS: &[(&str, &str)] = &[
        ("half", "op half(x[N]; a = 0.5, up = true) -> y[N]\n\ny[n] = if up then x[n] * a else 0\n"),
        ("even", "op even(x[N]) -> y[N]\nwhere N % 2 == 0\n\ny[n] = 2 * x[n]\n"),
        (
            "heads",
            "op heads(x[H, D], k[G, D]) -> y[H, D]\nwhere H % G == 0\n\ny[h, d] = x[h, d] * k[h // (H // G), d]\n",
        ),
    ];

    fn kernel(op: &str, more: &str) -> Kernel {
        let args = if op == "half" { "['x', 'y']" } else { "['x', 'k', 'y']" };
        Kernel::of_contract("k", &format!("op = '{op}'\nargs = {args}\n{more}"), OPS).unwrap()
    }

    #[test]
    fn shares_are_those_of_sizes_by_their_octaves() {
        for (more, least, most) in [
            ("", 1.0, 1.0),
            ("dims = { N = '1..' }", 1.0, 1.0),
            ("dims = { N = '..=64' }", 0.3, 0.45),
            ("dims = { N = 64 }", 0.0, 0.01),
            ("dims = { N = 'multiple of 4' }", 0.1, 0.35),
            ("where = ['N % 7 == 1']", 0.05, 0.3),
            ("where = ['N != 1000']", 0.99, 0.999),
            ("fix = { up = true }", 0.4, 0.6),
            ("fix = { a = 1.0 }", 1.0, 1.0),
        ] {
            let share = share(&kernel("half", more));
            assert!((least..=most).contains(&share), "{more}: {share}");
        }
        assert_eq!(share(&kernel("heads", "dims = { G = '1..' }")), 1.0);
        let one = share(&kernel("heads", "dims = { G = 1 }"));
        assert!((0.3..0.8).contains(&one), "{one}");
    }

    #[test]
    fn what_is_missing_is_named() {
        let least = |more: &str| kernel("half", more).contract;
        for (own, wanted, says) in [
            ("", "", ""),
            ("dims = { N = '..=64' }", "", "N = 65 is not accepted, only ..=64"),
            ("dims = { N = '..=64' }", "dims = { N = '..=32' }", ""),
            ("dims = { N = 'multiple of 4' }", "dims = { N = 'multiple of 8' }", ""),
            ("dims = { N = 'multiple of 8' }", "dims = { N = 'multiple of 4' }", "N = 4 is not accepted"),
            // devices launch no more
            ("dims = { N = '..=1000000' }", "", ""),
            ("dims = { N = '..=1000000' }", "dims = { N = '1..' }", "N = 1048576 is not accepted"),
            (
                "where = ['N % 7 == 1']",
                "",
                "is not accepted: the contract accepts only cases where N % 7 == 1",
            ),
            ("fix = { a = 1.0 }", "", "it assumes a = 1"),
            ("fix = { a = 1.0 }", "fix = { a = 1.0 }", ""),
        ] {
            let (kernel, least) = (kernel("half", own), least(wanted));
            let parts = [sizes(&kernel, &least, true), fixed(&kernel, &least), together(&kernel, &least)];
            let said = parts.into_iter().flatten().next().unwrap_or_default();
            assert!(said.contains(says) && said.is_empty() == says.is_empty(), "{own} / {wanted}: {said}");
        }
    }

    #[test]
    fn sizes_that_nobody_named_may_have_limits() {
        // the op asks for even sizes, so a contract that says so takes all of them
        let even =
            Kernel::of_contract("k", "op = 'even'\nargs = ['x', 'y']\ndims = { N = 'multiple of 2' }", OPS);
        assert_eq!(sizes(&even.unwrap(), &Contract::empty(), true), None);
        let kernel = kernel("heads", "dims = { G = '..=4' }");
        let least = self::kernel("heads", "dims = { H = '..=2' }").contract;
        assert!(sizes(&kernel, &least, true).is_some_and(|why| why.contains("G = 5")));
        assert_eq!(sizes(&kernel, &least, false), None);
    }
}
