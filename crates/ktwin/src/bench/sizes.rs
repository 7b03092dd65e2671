//! The cases that are measured: those that a user names, those of a sweep that has a name, or a few that are usual.

use ktwin_check::{Amount, Case, Kernel, accepts, plan, production};
use ktwin_lang::{Cost, Op};
use ktwin_num::Regime;

/// Sweeps that have names, with the sizes that people use.
const SWEEPS: &[(&str, &str, &str)] = &[
    ("decode", "a language model writes: few columns", "M=4096 N=1,2,4,8 K=14336"),
    ("prefill", "a language model reads: many columns", "M=4096 N=128,512 K=14336"),
    ("square", "all dimensions 4096", ""),
];
/// The sweep of one case, the largest that language models have for the op.
const PRODUCTION: (&str, &str) = ("production", "the largest shape that a language model has for the op");

/// Operations of a case that is chosen without being asked for: the twin computes it within seconds.
const WORK: f64 = 3e7;
/// Bytes of a case that fits an inner cache.
const INNER: f64 = 256e3;
/// Bytes of the last cache where the system does not say.
const LAST: f64 = 32e6;
/// Cases that a command line may come to.
const MOST: usize = 256;

/// What the op costs in a case.
pub fn cost(kernel: &Kernel, case: &Case) -> Result<Cost, String> {
    let at = case.bind(&kernel.op).map_err(|e| e.to_string())?;
    let inputs: Vec<_> = kernel.op.inputs.iter().map(|i| kernel.dtype(&i.name)).collect();
    let outputs: Vec<_> = kernel.op.outputs.iter().map(|o| kernel.dtype(&o.name)).collect();
    Ok(at.cost(&inputs, &outputs))
}

/// The cases to measure: sizes by hand, a sweep, or neither.
pub fn cases(kernel: &Kernel, dims: &[String], sweep: Option<&str>) -> Result<Vec<Case>, String> {
    let like = like(kernel)?;
    match sweep {
        Some(name) if name == PRODUCTION.0 => Ok(vec![production(kernel)?]),
        Some(name) => {
            let Some((_, _, sizes)) = SWEEPS.iter().find(|(n, ..)| *n == name) else {
                let known = SWEEPS.iter().map(|(name, what, _)| (*name, *what)).chain([PRODUCTION]);
                let known = known.map(|(name, what)| format!("{name} ({what})"));
                return Err(format!("no sweep `{name}`: there are {}", known.collect::<Vec<_>>().join(", ")));
            };
            let all: Vec<String> = kernel.op.dims.iter().map(|dim| format!("{}=4096", dim.name)).collect();
            let named = of_matrices(&kernel.op, sizes);
            named_sizes(kernel, &like, if sizes.is_empty() { &all } else { &named })
        }
        None if dims.is_empty() => Ok(usual(kernel, &like)),
        None => named_sizes(kernel, &like, dims),
    }
}

/// The sizes of a sweep of matrix products, for an op that multiplies a matrix by one vector as well: this has K and
/// one other dimension, whichever its name is, which has the sizes of M. It has one column, so it only decodes.
fn of_matrices(op: &Op, sizes: &str) -> Vec<String> {
    let mut all: Vec<String> = sizes.split_whitespace().map(str::to_owned).collect();
    let has = |name: &str| op.dims.iter().any(|dim| dim.name == *name);
    if op.dims.len() == 2
        && has("K")
        && has("M") != has("N")
        && all.iter().any(|text| text.starts_with("N=1,"))
    {
        all.retain(|text| !text.starts_with("N="));
        if has("N") {
            all.iter_mut().for_each(|text| *text = text.replace("M=", "N="));
        }
    }
    all
}

/// A case that the plan has: its sizes where nothing else is said, and its scalars.
fn like(kernel: &Kernel) -> Result<Case, String> {
    let plan = plan(kernel, Amount::QUICK)?;
    let mut normal =
        plan.cases.iter().filter(|case| case.regime == Regime::Normal && case.layouts.is_empty());
    let last = normal.next_back().or(plan.cases.last()).cloned();
    last.map(|case| Case { regime: Regime::Normal, layouts: Vec::new(), ..case }).ok_or("no case fits".into())
}

/// The sizes of a dimension, given as NAME=SIZES.
fn sizes<'t>(op: &Op, text: &'t str) -> Result<(&'t str, Vec<i64>), String> {
    let (name, sizes) =
        text.split_once('=').ok_or_else(|| format!("`{text}`: write NAME=SIZES, as in N=1,2,4"))?;
    let names: Vec<&str> = op.dims.iter().map(|dim| dim.name.as_str()).collect();
    if !names.contains(&name) {
        let (op, names) = (&op.name, names.join(", "));
        return Err(format!("op {op} has no dimension `{name}`: it has {names}; name sizes with --dims"));
    }
    Ok((name, list(sizes).map_err(|why| format!("{text}: {why}"))?))
}

/// Whether these are sizes of the op's dimensions.
pub fn known(op: &Op, given: &[String]) -> Result<(), String> {
    given.iter().try_for_each(|text| sizes(op, text).map(drop))
}

/// Every combination of the sizes that are given; other dimensions are as in the plan.
fn named_sizes(kernel: &Kernel, like: &Case, given: &[String]) -> Result<Vec<Case>, String> {
    let mut cases = vec![like.clone()];
    let mut seen: Vec<&str> = Vec::new();
    for text in given {
        let (name, sizes) = sizes(&kernel.op, text)?;
        if seen.contains(&name) {
            return Err(format!("the sizes of {name} are given twice: write {name}=A,B"));
        }
        seen.push(name);
        let each = cases.iter().flat_map(|case| sizes.iter().map(|size| with(case, name, *size)));
        cases = each.collect();
        if cases.len() > MOST {
            return Err(format!("these are more than {MOST} cases: name fewer sizes"));
        }
    }
    for case in &cases {
        accepts(kernel, case).map_err(|why| format!("{}: {why}", case.seedless()))?;
    }
    Ok(cases)
}

fn with(case: &Case, name: &str, size: i64) -> Case {
    let mut case = case.clone();
    match case.dims.iter_mut().find(|(n, _)| n == name) {
        Some((_, own)) => *own = size,
        None => case.dims.push((name.into(), size)),
    }
    case
}

/// Sizes: single ones, `A..=B` for A and its doubles up to B, `A..=B+S` in steps of S.
pub fn list(text: &str) -> Result<Vec<i64>, String> {
    let number = |text: &str| {
        let size = text.trim().parse::<i64>().ok().filter(|n| *n >= 1);
        size.ok_or_else(|| {
            format!("`{text}` is not a size: write 8, 1,2,4, 1..=64 (doubling) or 16..=64+16 (steps)")
        })
    };
    let mut all = Vec::new();
    for part in text.split(',') {
        let Some((from, to)) = part.split_once("..=") else {
            all.push(number(part)?);
            continue;
        };
        let (to, step) = match to.split_once('+') {
            Some((to, step)) => (number(to)?, Some(number(step)?)),
            None => (number(to)?, None),
        };
        let mut size = number(from)?;
        if size > to {
            return Err(format!("`{part}` has no size: write the smaller end first"));
        }
        while size <= to && all.len() <= MOST {
            all.push(size);
            size = step.map_or(size.saturating_mul(2), |step| size.saturating_add(step));
        }
    }
    Ok(all)
}

/// One case that fits an inner cache, and one that does not fit the last, as far as the twin can follow; all
/// dimensions are the same power of two where the op takes that, and else as the plan has them.
fn usual(kernel: &Kernel, like: &Case) -> Vec<Case> {
    let same = |size: i64| {
        let dims = kernel.op.dims.iter().map(|dim| (dim.name.clone(), size)).collect();
        Case { dims, ..like.clone() }
    };
    let mut found: Vec<(f64, Case)> = Vec::new();
    for power in 3..27 {
        let case = same(1 << power);
        let Ok(cost) = cost(kernel, &case) else { continue };
        if cost.flops > WORK || cost.bytes() > 8.0 * last_cache() {
            break;
        }
        if accepts(kernel, &case).is_ok() {
            found.push((cost.bytes(), case));
        }
    }
    let inner = found.iter().rfind(|(bytes, _)| *bytes <= INNER).or(found.first());
    let outer = found.iter().find(|(bytes, _)| *bytes >= 2.0 * last_cache()).or(found.last());
    let mut cases: Vec<Case> = inner.into_iter().chain(outer).map(|(_, case)| case.clone()).collect();
    cases.dedup();
    if cases.is_empty() { vec![like.clone()] } else { cases }
}

/// What a simulator counted that stands for time.
pub fn counted(counts: &[(&'static str, f64)]) -> Option<f64> {
    counts.iter().find(|(name, _)| *name == "warp instructions").map(|(_, n)| *n)
}

fn last_cache() -> f64 {
    let text = std::fs::read_to_string("/sys/devices/system/cpu/cpu0/cache/index3/size").unwrap_or_default();
    text.trim().strip_suffix('K').and_then(|n| n.parse::<f64>().ok()).map_or(LAST, |n| n * 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_lists_doubles_and_steps() {
        assert_eq!(list("1,2,7"), Ok(vec![1, 2, 7]));
        assert_eq!(list("1..=9"), Ok(vec![1, 2, 4, 8]));
        assert!(list("1,8..=1").is_err_and(|why| why.contains("the smaller end first")));
        assert_eq!(list("3,16..=48+16"), Ok(vec![3, 16, 32, 48]));
        for wrong in ["", "0", "x", "1..=y", "-3", "1.5"] {
            assert!(list(wrong).is_err_and(|why| why.contains("is not a size")), "{wrong}");
        }
    }

    #[test]
    fn a_matrix_times_a_vector_decodes_with_one_column() {
        let sizes = |op: &str, sizes: &str| {
            of_matrices(&ktwin::catalogue::op(op).unwrap_or_else(|e| panic!("{op}: {e}")), sizes).join(" ")
        };
        let (decode, prefill) = (SWEEPS[0].2, SWEEPS[1].2);
        assert_eq!(sizes("gemv", decode), "N=4096 K=14336");
        assert_eq!(sizes("gemm_nt", decode), decode);
        // there is no such shape: the message names the dimension that is missing
        assert_eq!(sizes("gemv", prefill), prefill);
        assert_eq!(sizes("conv1d", decode), decode);
    }
}
