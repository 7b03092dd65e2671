//! The seeds of the launches that a law is judged by: pairs of which one scalar differs by 1 or in one high bit, and
//! all else drawn.

use ktwin_lang::Value;
use ktwin_num::Rng;

use crate::accept;
use crate::case::Case;
use crate::inputs::Prepared;
use crate::kernel::Kernel;

/// Draws for one launch that op and contract take.
const TRIES: usize = 16;
/// Every so many pairs differ in a high bit: a seed that is cut to fewer bits shows there.
const HIGH: usize = 4;
/// The bits, one after the other.
const BITS: [u32; 5] = [16, 31, 24, 8, 20];

/// The scalars of the op that choose its draws, as far as the contract leaves them open.
pub fn open(kernel: &Kernel) -> Vec<usize> {
    let scalars = &kernel.op.scalars;
    let values = kernel.contract.define.iter().filter_map(|(_, define)| define.value());
    let values: Vec<&str> = values.map(|expr| expr.text.as_str()).collect();
    let compiled = |name: &str| values.iter().any(|text| text.contains(name));
    let mut seeds = kernel.op.seeds();
    seeds.retain(|at| kernel.fixed(&scalars[*at].name).is_none() && !compiled(&scalars[*at].name));
    seeds
}

/// So many cases that differ in their seeds alone; one where there are no seeds.
pub fn cases(prepared: &Prepared, count: usize) -> Vec<Case> {
    let seeds = open(prepared.kernel);
    if seeds.is_empty() {
        return vec![prepared.case.clone()];
    }
    let mut rng = Rng::new(prepared.case.seed, 0x7365_6564);
    let mut out = Vec::new();
    for pair in 0..count.div_ceil(2) {
        let first = (0..TRIES).map(|_| drawn(prepared, &seeds, &mut rng)).find(|c| takes(prepared.kernel, c));
        let Some(first) = first else { continue };
        let seed = seeds[pair % seeds.len()];
        let next = match pair % HIGH == HIGH - 1 {
            true => with(prepared, &first, seeds[pair / HIGH % seeds.len()], |value, ends| {
                far(value, BITS[pair / HIGH / seeds.len() % BITS.len()], ends)
            }),
            false => with(prepared, &first, seed, beside),
        };
        out.extend([first, next].into_iter().filter(|case| takes(prepared.kernel, case)));
    }
    out.truncate(count);
    if out.is_empty() { vec![prepared.case.clone()] } else { out }
}

/// The next value, or the first after the last.
fn beside(value: i64, (lo, hi): (i64, i64)) -> i64 {
    if value < hi { value + 1 } else { lo }
}

/// A value that differs in this bit, where there is one.
fn far(value: i64, bit: u32, (lo, hi): (i64, i64)) -> i64 {
    let other = value ^ 1 << bit;
    if (lo..=hi).contains(&other) { other } else { beside(value, (lo, hi)) }
}

fn takes(kernel: &Kernel, case: &Case) -> bool {
    accept::fits(kernel, case)
}

fn drawn(prepared: &Prepared, seeds: &[usize], rng: &mut Rng) -> Case {
    seeds.iter().fold(prepared.case.clone(), |case, seed| {
        with(prepared, &case, *seed, |_, (lo, hi)| lo + rng.below(hi.abs_diff(lo).saturating_add(1)) as i64)
    })
}

/// The case with another value of a seed, made of its value and of the ends of what it may be.
fn with(prepared: &Prepared, case: &Case, seed: usize, value: impl FnOnce(i64, (i64, i64)) -> i64) -> Case {
    let name = &prepared.kernel.op.scalars[seed].name;
    let domain = prepared.at.scalar_domain(seed);
    let passed = prepared.kernel.passed_as(name).and_then(|dtype| dtype.integer_range());
    let fits = |v: i128| v.clamp(-(1 << 52), 1 << 52) as f64;
    let (least, most) = passed.map_or((0.0, f64::from(u32::MAX)), |(lo, hi)| (fits(lo), fits(hi)));
    let last = domain.hi - f64::from(u8::from(domain.hi_open));
    let ends = (domain.lo.max(least) as i64, last.min(most) as i64);
    let mut case = case.clone();
    let own = case.scalars.iter().find(|(n, _)| n == name).map_or(ends.0, |(_, v)| v.to_f64() as i64);
    let value = value(own, ends);
    case.set_scalar(name, Value::Int(value));
    case
}
