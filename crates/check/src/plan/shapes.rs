//! Combinations of sizes: every size of every dimension, and every pair where it is not too dear. Sizes
//! that the op or the contract refuses together are never combined.

use ktwin_spec::{Ty, Value};

use super::Amount;
use super::sizes;
use crate::case::Case;
use crate::inputs;
use crate::kernel::Kernel;
use crate::scalars;
use ktwin_num::Regime;

/// A shape: the sizes of the free dimensions.
pub type Shape = Vec<(String, i64)>;

/// The product of all dimensions that a combination of several sizes may have.
const DEAREST: i64 = 1 << 17;
/// A size that is long by itself.
const LONG: i64 = 1 << 13;
/// Most shapes that are there for their pairs alone.
const PAIRED: usize = 24;
/// Ways of completing a few given sizes that are tried.
const TRIES: usize = 40;

/// The chosen shapes.
pub struct Shapes {
    /// Every shape; those that cover single sizes first.
    pub each: Vec<Shape>,
    /// How many those are.
    pub single: usize,
    /// Values for the scalars that must be given one.
    pub scalars: Vec<(String, Value)>,
    /// Sizes and pairs that are left out.
    pub gaps: Vec<String>,
}

struct Chooser<'a> {
    kernel: &'a Kernel,
    names: Vec<String>,
    sizes: Vec<Vec<i64>>,
    scalars: Vec<(String, Value)>,
}

impl Shapes {
    /// Chooses shapes for a kernel.
    pub fn choose(kernel: &Kernel, amount: Amount) -> Result<Shapes, String> {
        let free = kernel.op.free_dims();
        let names: Vec<String> = free.iter().map(|d| kernel.op.dims[*d].name.clone()).collect();
        let sizes: Vec<Vec<i64>> = names.iter().map(|n| sizes::candidates(kernel, n, names.len())).collect();
        if let Some(empty) = sizes.iter().position(Vec::is_empty) {
            return Err(format!("no size of {} is within its limits", names[empty]));
        }
        let mut chooser = Chooser { kernel, names, sizes, scalars: Vec::new() };
        chooser.scalars = chooser.starting_scalars()?;
        let mut chosen: Vec<Vec<i64>> = Vec::new();
        let mut gaps = chooser.singles(&mut chosen);
        let single = chosen.len();
        if single == 0 {
            return Err("no sizes fit the op's constraints and the contract's limits together".into());
        }
        if !amount.quick {
            gaps.extend(chooser.pairs(&mut chosen));
        }
        let each = chosen.iter().map(|s| chooser.named(s)).collect();
        Ok(Shapes { each, single, scalars: chooser.scalars, gaps })
    }

    /// The shape that regimes and layouts are tried at: the dearest that is not dear.
    pub fn usual(&self) -> &[(String, i64)] {
        let cost = |s: &Shape| s.iter().map(|(_, n)| *n).product::<i64>();
        let modest = self.each.iter().filter(|s| cost(s) <= 1 << 12);
        modest.max_by_key(|s| (s.iter().filter(|(_, n)| *n > 1).count(), cost(s))).unwrap_or(&self.each[0])
    }
}

/// The cost of a case: the product of all its dimensions.
pub fn cost_of(kernel: &Kernel, case: &Case) -> i64 {
    case.bind(&kernel.op).map_or(i64::MAX, |at| at.dims.iter().fold(1, |a: i64, b| a.saturating_mul(*b)))
}

/// Whether op and contract take a case.
pub fn accepts(kernel: &Kernel, case: &Case) -> bool {
    let Ok(at) = case.bind(&kernel.op) else { return false };
    let dims = kernel.op.dims.iter().zip(&at.dims);
    let limits =
        dims.into_iter().all(|(d, size)| kernel.contract.limits_of(&d.name).all(|l| l.allows(*size)));
    let wheres = kernel.contract.limits.iter().all(|e| kernel.value(e, &at) == Ok(Value::Bool(true)));
    let fits = inputs::room(kernel, &at).is_ok();
    limits && wheres && fits
}

impl Chooser<'_> {
    fn named(&self, sizes: &[i64]) -> Shape {
        self.names.iter().cloned().zip(sizes.iter().copied()).collect()
    }

    fn case(&self, sizes: &[i64]) -> Case {
        Case {
            dims: self.named(sizes),
            scalars: self.scalars.clone(),
            regime: Regime::Normal,
            chosen: 0,
            seed: 0,
            layouts: Vec::new(),
        }
    }

    /// Values for scalars that are fixed or have no default.
    fn starting_scalars(&mut self) -> Result<Vec<(String, Value)>, String> {
        let scalars = &self.kernel.op.scalars;
        let mut last = String::new();
        for real in [0.375, 1.0, 0.0625, 100.0, 1000.0, -1.0, 0.0] {
            self.scalars.clear();
            for info in scalars {
                let fixed = self.kernel.fixed(&info.name).map(scalars::as_value);
                let open = info.default.is_none() && info.ty == Ty::Real;
                let value = fixed.or(open.then_some(Value::Real(real)));
                if let Some(value) = value {
                    let value = if fixed.is_some() {
                        value
                    } else {
                        scalars::as_passed(self.kernel, &info.name, value)
                    };
                    self.scalars.push((info.name.clone(), value));
                }
            }
            match self.complete(&[], 0) {
                Some(_) => return Ok(self.scalars.clone()),
                None => {
                    let sizes: Vec<i64> = self.sizes.iter().map(|s| s[s.len() / 2]).collect();
                    last = self.case(&sizes).bind(&self.kernel.op).map_or_else(
                        |e| e.to_string(),
                        |_| "no sizes fit the op's constraints and the contract's limits together".into(),
                    );
                }
            }
        }
        Err(last)
    }

    /// Sizes for all dimensions with these given, cheap enough where that can be. Where no other size goes with them,
    /// one more dimension is made as large: a constraint may want it so.
    fn complete(&self, given: &[(usize, i64)], turn: usize) -> Option<Vec<i64>> {
        let alike = given.iter().map(|(_, size)| *size).max();
        let others = (0..self.sizes.len()).filter(|d| given.iter().all(|(g, _)| g != d));
        let widened = others.filter_map(|d| {
            let size = sizes::allowed(alike?, &sizes::limits(self.kernel, &self.names[d]))?;
            self.completed(&[given, &[(d, size)]].concat(), turn)
        });
        self.completed(given, turn).or_else(|| widened.min_by_key(|s| cost_of(self.kernel, &self.case(s))))
    }

    fn completed(&self, given: &[(usize, i64)], turn: usize) -> Option<Vec<i64>> {
        let mut cheapest: Option<(i64, Vec<i64>)> = None;
        for t in 0..TRIES {
            let pick = |d: usize| {
                let options = &self.sizes[d];
                let pinned = given.iter().find(|(g, _)| *g == d).map(|(_, size)| *size);
                // later tries walk the options of each dimension at a pace of its own
                pinned.unwrap_or(options[(turn + t * (d + 1) + t / options.len()) % options.len()])
            };
            let sizes: Vec<i64> = (0..self.sizes.len()).map(pick).collect();
            let case = self.case(&sizes);
            if !accepts(self.kernel, &case) {
                continue;
            }
            let cost = cost_of(self.kernel, &case);
            if cost <= dearest(&sizes) {
                return Some(sizes);
            }
            if cheapest.as_ref().is_none_or(|(c, _)| cost < *c) {
                cheapest = Some((cost, sizes));
            }
        }
        cheapest.map(|(_, sizes)| sizes)
    }

    /// Shapes that hold every size of every dimension once.
    fn singles(&self, chosen: &mut Vec<Vec<i64>>) -> Vec<String> {
        let most = self.sizes.iter().map(Vec::len).max().unwrap_or(1);
        for turn in 0..most {
            let sizes: Vec<i64> = self.sizes.iter().map(|s| s[turn % s.len()]).collect();
            let case = self.case(&sizes);
            if accepts(self.kernel, &case) && cost_of(self.kernel, &case) <= dearest(&sizes) {
                chosen.push(sizes);
            }
        }
        let mut gaps = Vec::new();
        for (dim, sizes) in self.sizes.iter().enumerate() {
            for (turn, size) in sizes.iter().enumerate() {
                if chosen.iter().any(|s| s[dim] == *size) {
                    continue;
                }
                match self.complete(&[(dim, *size)], turn) {
                    Some(shape) => chosen.push(shape),
                    None => gaps.push(format!("{} = {size} goes with no other sizes", self.names[dim])),
                }
            }
        }
        if chosen.is_empty() && self.names.is_empty() {
            chosen.push(Vec::new());
        }
        gaps
    }

    /// Shapes for pairs of sizes that are not together yet.
    fn pairs(&self, chosen: &mut Vec<Vec<i64>>) -> Vec<String> {
        let (mut all, mut missing) = (0, 0);
        let until = chosen.len() + PAIRED;
        for (a, b) in pairs_of(self.sizes.len()) {
            for (turn, (x, y)) in product(&self.sizes[a], &self.sizes[b]).enumerate() {
                all += 1;
                if chosen.iter().any(|s| s[a] == x && s[b] == y) {
                    continue;
                }
                let made = (chosen.len() < until).then(|| self.complete(&[(a, x), (b, y)], turn)).flatten();
                match made.filter(|s| cost_of(self.kernel, &self.case(s)) <= dearest(s)) {
                    Some(shape) => chosen.push(shape),
                    None => missing += 1,
                }
            }
        }
        if missing == 0 { Vec::new() } else { vec![format!("{missing} of {all} pairs of sizes do not meet")] }
    }
}

/// The cost that a combination may have: half as much where one size makes most of it, and more of it shows nothing.
fn dearest(sizes: &[i64]) -> i64 {
    if sizes.iter().any(|size| *size >= LONG) { DEAREST / 2 } else { DEAREST }
}

fn pairs_of(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(move |a| (a + 1..n).map(move |b| (a, b)))
}

fn product<'a>(a: &'a [i64], b: &'a [i64]) -> impl Iterator<Item = (i64, i64)> + 'a {
    a.iter().flat_map(move |x| b.iter().map(move |y| (*x, *y)))
}
