//! The numbers of a kernel's source, as sizes and scalars: where it compares, divides or ends at one, it does
//! what no other case shows.

use ktwin_lang::{Ty, Value};
use ktwin_num::{Regime, Rng};

use super::large::HARDER;
use super::mixed::{self, Given};
use super::shapes::Shapes;
use super::solve::{Palette, Shape};
use super::{Amount, Maker, everywhere, sizes};
use crate::case::Case;
use crate::kernel::Kernel;
use crate::literals::{self, Literal, Pair, Relation, Side, Use};
use crate::scalars;

/// Cases of such numbers, by the level of the plan.
const CASES: [usize; 4] = [10, 32, 64, 128];
/// The work that such a case may be: of several statements, of one, and where one size alone is more, by the level of
/// the plan.
const WORK: (f64, f64) = ((1 << 15) as f64, (1 << 17) as f64);
const MOST_WORK: [f64; 4] = [(1 << 19) as f64, (1 << 23) as f64, (1 << 24) as f64, (1 << 25) as f64];
/// Numbers that nothing is known of are no sizes below this.
const LEAST: f64 = 16.0;

/// Sizes of dimensions that are compared with each other: more than one, for what else is asked of them.
const SQUARES: [f64; 3] = [6.0, 3.0, 2.0];
/// The value of whole numbers that no wish is of.
const UNUSUAL: f64 = 2.0;
/// How far beside 0 a real number is tried; four times how far beside others, relative to them.
const STEP: f64 = 1.0 / 16.0;

/// What a number can be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum What {
    Dim(usize),
    Scalar(usize),
}

/// A number for a dimension or a scalar.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wish {
    pub(super) what: What,
    pub(super) value: f64,
    /// What is most likely a way of its own comes first.
    pub(super) rank: u8,
    statement: usize,
}

impl Wish {
    /// Whether another has said so; what is likely a way of its own counts for each statement.
    fn repeats(&self, other: &Wish) -> bool {
        let same = self.statement == other.statement || self.rank != FIRST;
        same && (self.what, self.value) == (other.what, other.value)
    }
}

/// Ranks: compared by name; divided by name, or compared; what may be beside it; anything else.
pub(super) const FIRST: u8 = 0;
const LIKELY: u8 = 1;
const BESIDE: u8 = 2;
const OTHER: u8 = 3;
/// Regimes that cases of each rank are in.
const REGIMES: [usize; 4] = [4, 2, 1, 1];

impl Maker<'_> {
    /// Adds cases of these numbers, as many of them together as go together, those of one statement first.
    pub(super) fn literal(&mut self, shapes: &Shapes, amount: Amount) {
        let mut open = self.wishes(shapes, amount);
        let mut rng = Rng::new(0x6c69_7465, 0);
        for number in 0..amount.of(CASES) {
            if open.is_empty() {
                return;
            }
            let first = open.remove(0);
            let (rank, statement) = (first.rank, first.statement);
            let mut given = vec![first];
            if made(shapes, &given, number, amount, &mut rng).is_none() {
                continue;
            }
            let (mut others, left): (Vec<Wish>, Vec<Wish>) =
                open.iter().cloned().partition(|wish| wish.statement == statement);
            let drawn = |_| left.get(rng.below(left.len().max(1) as u64) as usize).cloned();
            others.extend((0..2 * shapes.solver.dims.len()).filter_map(drawn));
            for other in others {
                if given.iter().any(|wish| wish.what == other.what) {
                    continue;
                }
                let tried = [&given[..], std::slice::from_ref(&other)].concat();
                if made(shapes, &tried, number, amount, &mut rng).is_some() {
                    open.retain(|wish| !wish.repeats(&other));
                    given = tried;
                }
            }
            self.with(shapes, &given, number, (amount, rank), &mut rng);
        }
    }

    /// Adds cases with these numbers: in the more regimes, the likelier they are to be a way of their own.
    fn with(
        &mut self,
        shapes: &Shapes,
        given: &[Wish],
        number: usize,
        (amount, rank): (Amount, u8),
        rng: &mut Rng,
    ) {
        let named = |wish: &Wish| match wish.what {
            What::Dim(dim) => format!("{} = {}", shapes.solver.dims[dim].name, wish.value),
            What::Scalar(scalar) => format!("{} = {}", self.kernel.op.scalars[scalar].name, wish.value),
        };
        let why: Vec<String> = given.iter().map(named).collect();
        let why = format!("{}: from numbers in the source", why.join(", "));
        let harder = HARDER[number % HARDER.len()];
        let regimes = [everywhere(number), harder, Regime::Spread, Regime::Small];
        // what takes long is tried in one regime or two
        let fewer = |work: f64| usize::from(work > WORK.0) + 2 * usize::from(work > WORK.1);
        let count = REGIMES[usize::from(rank)];
        for (at, regime) in regimes.into_iter().enumerate() {
            // sizes are tried in the first whatever the inputs are
            if at > 0 && !self.takes(regime) {
                continue;
            }
            let unusual = self.unusual(given, at).and_then(|other| {
                let more = [given, &[other]].concat();
                made(shapes, &more, number, amount, rng)
            });
            match unusual.or_else(|| made(shapes, given, number, amount, rng)) {
                Some(Made::Shape(shape)) if at == 0 || at + fewer(shape.work) < count => {
                    self.add(&shape, regime, &[], &why);
                }
                Some(Made::Case(case)) if at < count => {
                    self.cases.push((Case { regime, chosen: number, ..case }, why.clone()));
                }
                _ => {}
            }
        }
    }

    /// A whole number that no wish is of, with a value that it seldom has: in all regimes but the first, each in turn.
    fn unusual(&self, given: &[Wish], at: usize) -> Option<Wish> {
        let all = self.kernel.op.scalars.iter().enumerate();
        let free = all.filter(|(number, info)| {
            let is_given = given.iter().any(|wish| wish.what == What::Scalar(*number));
            info.ty == Ty::Int && !is_given && self.kernel.fixed(&info.name).is_none()
        });
        let free: Vec<usize> = free.map(|(number, _)| number).collect();
        let turn = at.checked_sub(1)?.checked_rem(free.len())?;
        Some(Wish {
            what: What::Scalar(free[turn]),
            value: UNUSUAL,
            rank: OTHER,
            statement: given[0].statement,
        })
    }

    /// What the source's numbers can be, the likeliest first, each once. Sizes that the plan has already are left out,
    /// unless something is compared with them.
    pub(super) fn wishes(&self, shapes: &Shapes, amount: Amount) -> Vec<Wish> {
        let (mut literals, pairs) = literals::of(self.kernel);
        literals.extend(pairs.iter().flat_map(|pair| together(pair, &literals)).collect::<Vec<_>>());
        literals.sort_by_key(|literal| literal.statement);
        literals.extend(multiples(&literals));
        let mut all: Vec<Wish> = literals.iter().flat_map(|l| self.wished(shapes, l, amount)).collect();
        let planned = |wish: &Wish| match wish.what {
            What::Dim(dim) => {
                let name = &shapes.solver.dims[dim].name;
                let size = (name.clone(), wish.value as i64);
                self.cases.iter().any(|(case, _)| case.dims.contains(&size))
            }
            What::Scalar(_) => false,
        };
        all.retain(|wish| wish.rank == FIRST || !planned(wish));
        // stable: in the order of the source
        all.sort_by_key(|wish| wish.rank);
        let mut out: Vec<Wish> = Vec::new();
        for wish in all {
            if !out.iter().any(|other| wish.repeats(other)) {
                out.push(wish);
            }
        }
        // each statement once before any of them again
        let turns: Vec<usize> = (0..out.len())
            .map(|at| out[..at].iter().filter(|other| other.statement == out[at].statement).count())
            .collect();
        let mut turns = turns.into_iter();
        out.sort_by_cached_key(|wish| (wish.rank, turns.next()));
        out
    }

    fn wished(&self, shapes: &Shapes, literal: &Literal, amount: Amount) -> Vec<Wish> {
        let (op, dims) = (&self.kernel.op, &shapes.solver.dims);
        let named = |name: &String| {
            let dim = dims.iter().position(|dim| dim.name == *name).map(What::Dim);
            let free = |at: &usize| self.kernel.fixed(&op.scalars[*at].name).is_none();
            dim.or_else(|| {
                op.scalars.iter().position(|info| info.name == *name).filter(free).map(What::Scalar)
            })
        };
        let (value, known) = (literal.value, literal.of.is_some());
        let some: Vec<What> = match &literal.of {
            Some(name) => named(name).into_iter().collect(),
            None => (0..dims.len()).map(What::Dim).collect(),
        };
        let is_real = |what: &What| match what {
            What::Dim(_) => false,
            What::Scalar(at) => op.scalars[*at].ty == Ty::Real,
        };
        let sizes = some.iter().flat_map(|what| {
            let mut values = values(value, literal.used, known, is_real(what));
            // it may be an absolute value that is compared
            let largest = values.iter().map(|(value, _)| *value).max_by(f64::total_cmp);
            values.extend(largest.filter(|_| known && is_real(what)).map(|value| (-value, LIKELY)));
            values.into_iter().map(move |(value, rank)| (*what, value, rank))
        });
        let is_one = |(what, value, _): &(What, f64, u8)| match what {
            What::Dim(dim) => {
                let (size, least) = (*value as i64, if known { 1.0 } else { 2.0 });
                value.fract() == 0.0
                    && (least..=amount.of(MOST_WORK)).contains(value)
                    && sizes::allowed(size, &dims[*dim].limits) == Some(size)
            }
            What::Scalar(at) => op.scalars[*at].ty == Ty::Real || value.fract() == 0.0,
        };
        let wish = |(what, value, rank)| Wish { what, value, rank, statement: literal.statement };
        sizes.filter(is_one).map(wish).collect()
    }
}

/// The values that a number of the source asks for, and their ranks.
fn values(value: f64, used: Use, known: bool, real: bool) -> Vec<(f64, u8)> {
    let compared = if known { FIRST } else { LIKELY };
    match used {
        Use::Equals => vec![(value, compared)],
        Use::Bounds(side) => {
            let [above, below] = if real { beside(value) } else { [value + 1.0, value - 1.0] };
            let (first, second, third) = match side {
                Side::Above => (above, value, below),
                Side::From => (value, above, below),
                Side::Below => (below, value, above),
                Side::To => (value, below, above),
            };
            let mut all = vec![(first, compared), (second, LIKELY), (third, BESIDE)];
            if real && (0.0..1.0).contains(&value) {
                // half way to the ends of the range of shares
                all.extend([((1.0 + value) / 2.0, LIKELY), (value / 2.0, BESIDE)]);
            } else {
                all.push((2.0 * value + 1.0, BESIDE));
            }
            all
        }
        Use::Divides => {
            let first = if known { LIKELY } else { OTHER };
            vec![(2.0 * value, first), (value, first.max(BESIDE)), (3.0 * value, first.max(BESIDE))]
        }
        Use::Length => vec![(value, BESIDE), (value + 1.0, BESIDE)],
        Use::Other | Use::Clamps if value >= LEAST => vec![(value, OTHER), (value + 1.0, OTHER)],
        Use::Other | Use::Clamps => Vec::new(),
    }
}

/// Real numbers a little above another and a little below it.
fn beside(value: f64) -> [f64; 2] {
    let step = if value == 0.0 { STEP } else { value.abs() * STEP / 4.0 };
    [value + step, value - step]
}

/// What two dimensions or scalars must be: as each other, at what the source compares one of them with; or a product.
fn together(pair: &Pair, literals: &[Literal]) -> Vec<Literal> {
    let equals = |of: &String, value: f64| Literal {
        value,
        used: Use::Equals,
        of: Some(of.clone()),
        statement: pair.statement,
    };
    let [one, other] = &pair.names;
    if let Relation::Product(product) = pair.relation {
        let whole = product.abs().min(f64::from(u32::MAX)) as u64;
        let part = (1..=whole.isqrt()).rev().find(|part| whole.is_multiple_of(*part)).unwrap_or(1);
        return vec![equals(one, part as f64), equals(other, (whole / part) as f64)];
    }
    let named = |l: &&Literal| l.of.as_ref().is_some_and(|of| pair.names.contains(of));
    let beside = literals.iter().filter(|l| l.statement == pair.statement && l.used == Use::Equals);
    let values: Vec<f64> = beside.filter(named).map(|l| l.value).chain(SQUARES).collect();
    let larger = |value: f64| if pair.relation == Relation::Larger { 2.0 * value } else { value };
    values.iter().flat_map(|value| [equals(one, larger(*value)), equals(other, *value)]).collect()
}

/// Sizes that are past what a dimension is compared with and still what it is divided by: a way for whole parts may
/// begin there.
fn multiples(literals: &[Literal]) -> Vec<Literal> {
    let divides = literals.iter().filter(|literal| literal.used == Use::Divides && literal.of.is_some());
    let past = divides.flat_map(|by| {
        let compared = |l: &&Literal| {
            l.of == by.of && matches!(l.used, Use::Bounds(_)) && l.value >= by.value && by.value > 1.0
        };
        let next = |l: &Literal| (l.value / by.value).floor() * by.value + by.value;
        literals.iter().filter(compared).map(move |l| Literal {
            value: next(l),
            used: Use::Equals,
            ..by.clone()
        })
    });
    past.collect()
}

/// What numbers come to.
enum Made {
    /// Sizes, to which scalars are chosen in turn.
    Shape(Shape),
    /// All of it.
    Case(Case),
}

/// A scalar's value out of a number.
pub(super) fn scalar(kernel: &Kernel, info: &ktwin_lang::Scalar, value: f64) -> Value {
    match info.ty {
        Ty::Real => scalars::as_passed(kernel, &info.name, Value::Real(value)),
        Ty::Int => Value::Int(value as i64),
        Ty::Bool => Value::Bool(value != 0.0),
    }
}

/// Sizes and scalars as wished. Sizes stand beside others of any length, if that is little work; where one alone is
/// more, beside the least.
fn made(shapes: &Shapes, given: &[Wish], turn: usize, amount: Amount, rng: &mut Rng) -> Option<Made> {
    let (kernel, mut sizes, mut scalars) = (shapes.solver.kernel, Vec::new(), Vec::new());
    for wish in given {
        match wish.what {
            What::Dim(dim) => sizes.push((dim, wish.value as i64)),
            What::Scalar(scalar) => {
                scalars.push((scalar, self::scalar(kernel, &kernel.op.scalars[scalar], wish.value)));
            }
        }
    }
    if !scalars.is_empty() {
        return mixed::found(shapes, &Given::of(sizes, scalars), rng).map(Made::Case);
    }
    // what one statement asks for belongs together
    let most = if given.iter().all(|wish| wish.statement == given[0].statement) { WORK.1 } else { WORK.0 };
    let within = |palette, most: f64| {
        shapes.solver.solve(&sizes, palette, most, turn).filter(|shape| shape.work <= most)
    };
    let alone = || if given.len() == 1 { within(Palette::Least, amount.of(MOST_WORK)) } else { None };
    within(Palette::Octaves(5), most).or_else(alone).map(Made::Shape)
}

#[cfg(test)]
mod tests {
    use crate::Kernel;
    use crate::languages::SourceKind;
    use crate::plan::{Amount, plan};
    use crate::source::Source;
    use ktwin_lang::Value;

    const OPS: &[(&str, &str)] =
        &[("scaled", "op scaled(x[R, D]; s = 2.0) -> y[R, D]\ny[r, d] = x[r, d] * s\n")];

    #[test]
    fn what_the_source_compares_sizes_and_scalars_with_is_planned() {
        let toml = "op = 'scaled'\nargs = ['x', 'y', { R = 'u32' }, { D = 'u32' }, { s = 'f32' }]";
        let kernel = Kernel::of_contract("k", toml, OPS).unwrap();
        let text = "void k(const float *x, float *y, int r, int d, float s) {\n\
                    if (d == 1500 && r == 37 && s == 0.7f) {} if (d > 777) {} }";
        let source = Source { kind: SourceKind::C, path: "k.c".into(), bytes: text.into() };
        let cases = |kernel: &Kernel| plan(kernel, Amount::QUICK).unwrap().cases;
        let has = |cases: &[crate::Case], name: &str, size| {
            cases.iter().any(|case| case.dims.contains(&(name.to_owned(), size)))
        };
        let (without, with) = (cases(&kernel), cases(&Kernel { source, ..kernel.clone() }));
        let together = |case: &&crate::Case| {
            let sizes =
                [("D", 1500), ("R", 37)].iter().all(|(n, size)| case.dims.contains(&((*n).into(), *size)));
            sizes && case.to_string().contains("s=0.7")
        };
        assert!(with.iter().filter(together).count() > 1, "in several regimes");
        assert!(!has(&without, "D", 778) && has(&with, "D", 778));
        let text = "void k(const float *x, float *y, int r, int d, float s) {\n\
                    if (s > 0.95f && r == d || r % 12 == 7 && d > 100 && s < -3.0f) {} if (r * d == 143) {} }";
        let source = Source { kind: SourceKind::C, path: "k.c".into(), bytes: text.into() };
        let all = cases(&Kernel { source, ..kernel });
        let some = |what: &dyn Fn(i64, i64, f64) -> bool| {
            all.iter().any(|case| {
                let size = |name: &str| case.dims.iter().find(|(own, _)| own == name).map_or(0, |d| d.1);
                let real = |(_, value): &(String, Value)| if let Value::Real(s) = value { *s } else { 0.0 };
                what(size("R"), size("D"), case.scalars.first().map_or(0.0, real))
            })
        };
        assert!(some(&|r, d, s| r == d && r > 1 && s > 0.95 && s < 1.0), "{all:?}");
        assert!(some(&|r, d, s| r % 12 == 7 && d > 100 && s < -3.0), "{all:?}");
        assert!(some(&|r, d, _| r == 11 && d == 13), "{all:?}");
    }
}
