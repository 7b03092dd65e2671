//! The numbers of a kernel's source, as sizes and scalars: where it compares, divides or ends at one, it does
//! what no other case shows.

use ktwin_lang::{Ty, Value};
use ktwin_num::{Regime, Rng};

use super::large::HARDER;
use super::mixed::{self, Given};
use super::shapes::Shapes;
use super::solve::{Palette, Shape};
use super::{Amount, EVERYWHERE, Maker, sizes};
use crate::case::Case;
use crate::literals::{self, Literal, Use};
use crate::scalars;

/// Cases of such numbers, by the level of the plan.
const CASES: [usize; 4] = [10, 32, 64, 128];
/// The work that such a case may be: of several statements, of one, and where one size alone is more, by the level of
/// the plan.
const WORK: (f64, f64) = ((1 << 15) as f64, (1 << 17) as f64);
const MOST_WORK: [f64; 4] = [(1 << 19) as f64, (1 << 23) as f64, (1 << 24) as f64, (1 << 25) as f64];
/// Numbers that nothing is known of are no sizes below this.
const LEAST: f64 = 16.0;

/// What a number can be.
#[derive(Clone, Copy, Debug, PartialEq)]
enum What {
    Dim(usize),
    Scalar(usize),
}

/// A number for a dimension or a scalar.
#[derive(Clone, Debug, PartialEq)]
struct Wish {
    what: What,
    value: f64,
    /// What is most likely a way of its own comes first.
    rank: u8,
    statement: usize,
}

/// Ranks: compared by name; divided by name, or compared; what may be beside it; anything else.
const FIRST: u8 = 0;
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
                    open.retain(|wish| (wish.what, wish.value) != (other.what, other.value));
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
        let why = format!("{}: as in the source", why.join(", "));
        let harder = HARDER[number % HARDER.len()];
        let regimes = [EVERYWHERE[number % EVERYWHERE.len()], harder, Regime::Spread, Regime::Small];
        // what takes long is tried in one regime or two
        let fewer = |work: f64| usize::from(work > WORK.0) + 2 * usize::from(work > WORK.1);
        let count = REGIMES[usize::from(rank)];
        for (at, regime) in regimes.into_iter().enumerate() {
            // sizes are tried in the first whatever the inputs are
            if at > 0 && !self.takes(regime) {
                continue;
            }
            match made(shapes, given, number, amount, rng) {
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

    /// What the source's numbers can be, the likeliest first, each once. Sizes that the plan has already are left out,
    /// unless something is compared with them.
    fn wishes(&self, shapes: &Shapes, amount: Amount) -> Vec<Wish> {
        let literals = literals::of(self.kernel);
        let mut all: Vec<Wish> = literals
            .iter()
            .chain(&multiples(&literals))
            .flat_map(|l| self.wished(shapes, l, amount))
            .collect();
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
            if !out.iter().any(|other| (other.what, other.value) == (wish.what, wish.value)) {
                out.push(wish);
            }
        }
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
        let compared = if known { FIRST } else { LIKELY };
        let values: Vec<(f64, u8)> = match literal.used {
            Use::Equals => vec![(value, compared)],
            Use::Bounds => {
                vec![
                    (value, compared),
                    (value + 1.0, compared),
                    (value - 1.0, BESIDE),
                    (2.0 * value + 1.0, BESIDE),
                ]
            }
            Use::Divides => {
                let first = if known { LIKELY } else { OTHER };
                vec![(2.0 * value, first), (value, first.max(BESIDE)), (3.0 * value, first.max(BESIDE))]
            }
            Use::Length => vec![(value, BESIDE), (value + 1.0, BESIDE)],
            Use::Other if value >= LEAST => vec![(value, OTHER), (value + 1.0, OTHER)],
            Use::Other => Vec::new(),
        };
        let sizes =
            values.into_iter().flat_map(|(value, rank)| some.iter().map(move |what| (*what, value, rank)));
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

/// Sizes that are past what a dimension is compared with and still what it is divided by: a way for whole parts may
/// begin there.
fn multiples(literals: &[Literal]) -> Vec<Literal> {
    let divides = literals.iter().filter(|literal| literal.used == Use::Divides && literal.of.is_some());
    let past = divides.flat_map(|by| {
        let compared =
            |l: &&Literal| l.of == by.of && l.used == Use::Bounds && l.value >= by.value && by.value > 1.0;
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

/// Sizes and scalars as wished. Sizes stand beside others of any length, if that is little work; where one alone is
/// more, beside the least.
fn made(shapes: &Shapes, given: &[Wish], turn: usize, amount: Amount, rng: &mut Rng) -> Option<Made> {
    let (kernel, mut sizes, mut scalars) = (shapes.solver.kernel, Vec::new(), Vec::new());
    for wish in given {
        match wish.what {
            What::Dim(dim) => sizes.push((dim, wish.value as i64)),
            What::Scalar(scalar) => {
                let info = &kernel.op.scalars[scalar];
                let value = match info.ty {
                    Ty::Real => scalars::as_passed(kernel, &info.name, Value::Real(wish.value)),
                    Ty::Int => Value::Int(wish.value as i64),
                    Ty::Bool => Value::Bool(wish.value != 0.0),
                };
                scalars.push((scalar, value));
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
    }
}
