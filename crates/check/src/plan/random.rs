//! Cases of random ops. Few regimes, since what differs between them is how numbers round; some shapes with many
//! independent outcomes, where the law shows.

use ktwin_lang::{Case as OpCase, Ty, Value};
use ktwin_num::Regime;

use super::large::LARGE;
use super::literal::{self, FIRST, What};
use super::shapes::Shapes;
use super::solve::{Dim, Palette, Shape};
use super::{Amount, Maker, Plan, between, reasons};
use crate::case::Case;
use crate::{accept, scalars};

/// Regimes that are tried at one size.
const ONCE: [Regime; 6] =
    [Regime::Uniform, Regime::Exact, Regime::Mixed, Regime::Wide, Regime::Zeros, Regime::Ties];
/// Shapes with many outcomes, in quick plans and in others.
const MANY: [usize; 2] = [2, 6];
/// The first of them have scalars as they usually are.
const USUALLY: usize = 2;
/// The same of equal numbers.
const EQUAL: [usize; 2] = [1, 2];
/// Independent outcomes that a shape has at least, and points that the twin walks for each of them at least: in every
/// other shape from the second on, the first that is possible.
const WANTED: [(usize, f64); 5] = [(1 << 14, 0.0), (1 << 10, 64.0), (1 << 10, 0.0), (1 << 7, 0.0), (1, 0.0)];
/// How often such a shape is looked for, and how far apart these draws are.
const TRIES: usize = 6;
const TURNS: usize = 64;
/// The points that it walks at most: as a rule, and where one is chosen among many places.
const WORK: f64 = (1 << 18) as f64;
const AMONG: f64 = (1 << 19) as f64;
/// Cases of scalars that the source compares with something, and of sizes, by the level of the plan.
const LITERALS: [usize; 4] = [3, 6, 12, 24];
/// Points of the twin for each outcome where outcomes are cheap.
const CHEAP: f64 = 8.0;
/// Places that one is chosen among, in a case of its own where no other has as many: more than 8 bits count.
const PLACES: [i64; 2] = [1031, 262];
/// Independent outcomes along one dimension alone, in a case of its own where no other has the least of them: more than
/// 16 bits count, or as many as go.
const ROWS: [i64; 3] = [LARGE, 16_411, 4099];
/// A probability that bytes do not hold.
const SELDOM: f64 = 1.0 / 700.0;
/// Octaves of the sizes that are drawn for them: of one dimension, and of several.
const OCTAVES: [u64; 2] = [17, 15];

impl Maker<'_> {
    /// The plan of a kernel of a random op.
    pub(super) fn random(mut self, shapes: &Shapes, amount: Amount) -> Plan {
        for shape in &shapes.each {
            self.add(shape, Regime::Normal, &[], &shape.why);
        }
        for regime in ONCE {
            self.add(shapes.usual(), regime, &[], &reasons::regime(regime));
        }
        self.layouts(shapes.usual(), shapes.partial(), shapes.whole().as_ref());
        for turn in 0..MANY[usize::from(!amount.is_quick())] {
            if let Some((shape, outcomes)) = self.outcomes(shapes, turn) {
                let why = format!("the law in {outcomes} independent outcomes a launch");
                self.add(&shape, Regime::Normal, &[], &why);
                if turn < USUALLY {
                    // probabilities as they usually are: half and half shows most, and where one is 0 there is no law
                    self.as_usual();
                }
            }
        }
        self.equal(shapes, amount);
        self.seldom(shapes);
        self.seldom_up(shapes);
        self.compared(shapes, amount);
        self.among_many(shapes);
        self.many_rows(shapes);
        let mut gaps = shapes.gaps.clone();
        gaps.extend(self.scalar_gaps(shapes.usual()));
        if self
            .kernel
            .op
            .seeds()
            .iter()
            .all(|s| self.kernel.fixed(&self.kernel.op.scalars[*s].name).is_some())
        {
            gaps.push(
                "no scalar chooses the draws: one launch a case tells all that is known of the law".into(),
            );
        }
        let kernel = self.kernel;
        let mut plan = self.planned(gaps);
        plan.gaps.splice(0..0, between::beyond(kernel, &shapes.solver, &plan.cases, ""));
        plan
    }

    /// Gives the scalars of the last case that have a default that value.
    fn as_usual(&mut self) {
        let (op, kernel) = (&self.kernel.op, self.kernel);
        let usual = |name: &String| op.scalar(name).is_some_and(|s| op.scalars[s].default.is_some());
        if let Some((case, _)) = self.cases.last_mut() {
            case.scalars.retain(|(name, _)| !usual(name) || kernel.fixed(name).is_some());
        }
    }

    /// Many outcomes where much is equal to something else, so that more or less may be left to choose from than is
    /// due.
    fn equal(&mut self, shapes: &Shapes, amount: Amount) {
        if !self.places() || !self.takes(Regime::Ties) {
            return;
        }
        for turn in 0..EQUAL[usize::from(!amount.is_quick())] {
            let Some((shape, outcomes)) = self.outcomes(shapes, turn) else { return };
            let why = format!("equal numbers, in {outcomes} independent outcomes a launch");
            self.add(&shape, Regime::Ties, &[], &why);
            if turn == 0 {
                self.as_usual();
            }
        }
    }

    /// Many outcomes with the scalars and the sizes that the source compares with something.
    fn compared(&mut self, shapes: &Shapes, amount: Amount) {
        let (wishes, mut left) = (self.wishes(shapes, amount), [amount.of(LITERALS); 2]);
        for (turn, wish) in wishes.iter().filter(|wish| wish.rank == FIRST).enumerate() {
            let (sizes, kind) = match wish.what {
                What::Dim(dim) => (vec![(dim, wish.value as i64)], 0),
                What::Scalar(_) => (Vec::new(), 1),
            };
            if left[kind] == 0 {
                continue;
            }
            let Some((shape, outcomes)) = self.outcomes_of(shapes, &sizes, turn) else { continue };
            let why = format!("as in the source, in {outcomes} independent outcomes a launch");
            self.add(&shape, Regime::Normal, &[], &why);
            let Some((case, _)) = self.cases.last_mut() else { return };
            if let What::Scalar(scalar) = wish.what {
                let info = &self.kernel.op.scalars[scalar];
                case.set_scalar(&info.name, literal::scalar(self.kernel, info, wish.value));
            }
            if accept::fits(self.kernel, case) {
                left[kind] -= 1;
            } else {
                self.cases.pop();
            }
        }
    }

    /// Places among more than short numbers count, none of which is likelier than many others.
    fn among_many(&mut self, shapes: &Shapes) {
        for dim in 0..shapes.solver.dims.len() {
            let name = &shapes.solver.dims[dim].name;
            let has = |case: &Case| case.dims.iter().any(|(own, size)| own == name && *size >= PLACES[1]);
            if !self.places() || self.cases.iter().any(|(case, _)| has(case)) {
                continue;
            }
            // fewer where each is looked at beside each
            let of = |size: &i64| Some((*size, self.outcomes_within(AMONG, shapes, &[(dim, *size)], 0)?));
            let several = |(_, (_, outcomes)): &(i64, (Shape, usize))| *outcomes > 1;
            let found = PLACES.iter().filter_map(of).find(several);
            let Some((size, (shape, outcomes))) = found else { continue };
            let why = format!("one of {size} places, in {outcomes} independent outcomes a launch");
            self.add(&shape, Regime::Uniform, &[], &why);
        }
    }

    /// Outcomes that are many along one dimension: a generator may begin again there.
    fn many_rows(&mut self, shapes: &Shapes) {
        let op = &self.kernel.op;
        for (dim, Dim { name, .. }) in shapes.solver.dims.iter().enumerate() {
            let apart = op.outputs.iter().zip(op.sharing()).any(|(output, sharing)| {
                sharing.random
                    && output.axes.iter().zip(sharing.apart).any(|(axis, apart)| apart && axis == name)
            });
            let long = |case: &Case| case.dims.iter().any(|(own, size)| own == name && *size >= ROWS[2]);
            if !apart || self.cases.iter().any(|(case, _)| long(case)) {
                continue;
            }
            let found = ROWS.iter().find_map(|size| self.outcomes_of(shapes, &[(dim, *size)], 0));
            if let Some((shape, outcomes)) = found {
                let why = format!("{name} alone is long, in {outcomes} independent outcomes a launch");
                self.add(&shape, Regime::Normal, &[], &why);
            }
        }
    }

    /// Many outcomes where what has a probability of its own comes next to never.
    fn seldom(&mut self, shapes: &Shapes) {
        let kernel = self.kernel;
        let Some((shape, outcomes)) = self.outcomes(shapes, 0) else { return };
        let why = format!("what is seldom, in {outcomes} independent outcomes a launch");
        self.add(&shape, Regime::Normal, &[], &why);
        let Some((case, _)) = self.cases.last_mut() else { return };
        let mut any = false;
        for (number, info) in kernel.op.scalars.iter().enumerate() {
            let Ok(at) = case.bind(&kernel.op) else { break };
            let domain = at.scalar_domain(number);
            if info.ty != Ty::Real || !domain.is_bounded() || kernel.fixed(&info.name).is_some() {
                continue;
            }
            let seldom = Value::Real(domain.lo + SELDOM * (domain.hi - domain.lo));
            let mut tried = case.clone();
            tried.set_scalar(&info.name, scalars::as_passed(kernel, &info.name, seldom));
            if accept::fits(kernel, &tried) {
                (*case, any) = (tried, true);
            }
        }
        if !any {
            self.cases.pop();
        }
    }

    /// Many outcomes of numbers that a draw takes up to the next seldom, where outcomes are cheap.
    fn seldom_up(&mut self, shapes: &Shapes) {
        let cheap = |(shape, outcomes): &(Shape, usize)| shape.work <= CHEAP * *outcomes as f64;
        let Some((shape, _)) = self.outcomes(shapes, 0).filter(cheap) else { return };
        if self.takes(Regime::Neighbours) {
            self.kind(&shape, Regime::Neighbours, 1);
        }
    }

    /// A shape with many independent outcomes.
    fn outcomes(&self, shapes: &Shapes, turn: usize) -> Option<(Shape, usize)> {
        self.outcomes_of(shapes, &[], turn)
    }

    /// The same, with these sizes.
    fn outcomes_of(&self, shapes: &Shapes, sizes: &[(usize, i64)], turn: usize) -> Option<(Shape, usize)> {
        self.outcomes_within(WORK, shapes, sizes, turn)
    }

    /// The same, where the twin walks so many points at most.
    fn outcomes_within(
        &self,
        work: f64,
        shapes: &Shapes,
        sizes: &[(usize, i64)],
        turn: usize,
    ) -> Option<(Shape, usize)> {
        let op = &self.kernel.op;
        let sharing = op.sharing();
        let count = |at: &OpCase| {
            let each = at.output_shapes.iter().zip(&sharing).filter(|(_, sharing)| sharing.random);
            let units = |(shape, sharing): (&Vec<usize>, &ktwin_lang::Sharing)| {
                shape
                    .iter()
                    .zip(&sharing.apart)
                    .filter(|(_, apart)| **apart)
                    .map(|(n, _)| *n)
                    .product::<usize>()
            };
            each.map(units).max().unwrap_or(0)
        };
        let octaves = Palette::Octaves(OCTAVES[usize::from(shapes.solver.dims.len() > 1)]);
        let of = |(least, each): &(usize, f64), choice: bool| {
            let several = |at: &OpCase| at.input_shapes.iter().flatten().all(|size| *size > 1);
            let wide = |at: &OpCase| at.points() >= each * count(at) as f64 && (!choice || several(at));
            let wanted = |at: &OpCase| count(at) >= *least && at.points() <= work && wide(at);
            let drawn = |try_: usize| {
                shapes.solver.solve_for(sizes, octaves, f64::INFINITY, turn + TURNS * try_, &wanted)
            };
            (0..TRIES).find_map(drawn)
        };
        // of one token there is nothing to choose
        let mut choices = [true, false].into_iter();
        let shape =
            choices.find_map(|choice| WANTED[turn % 2..].iter().find_map(|wanted| of(wanted, choice)))?;
        let units = super::large::bound(self.kernel, &shape).map_or(0, |at| count(&at));
        Some((shape, units))
    }
}
