//! Sizes and scalars that go together: some are given, the others are drawn until op and contract take them all. Drawn
//! by fixed sequences, so that the same contract gets the same shapes.

use std::cell::OnceCell;

use ktwin_lang::{Bound, Case as OpCase, Expression, Scalar, Ty, Value};
use ktwin_num::{Domain, Regime, Rng};

use super::sizes;
use crate::accept;
use crate::case::Case;
use crate::contract::Limit;
use crate::footprint;
use crate::kernel::Kernel;
use crate::scalars;

/// Draws for one shape.
const TRIES: usize = 400;
/// The octaves that are tried where no usual size fits.
const FAR: u64 = 24;
/// Draws before other sizes than those of the palette are tried.
const PLAIN: usize = 24;
/// The largest of the small sizes.
const SMALL: u64 = 12;
/// The size from which on a dimension is long.
const LONG: i64 = 1 << 11;
/// How much cheaper an element is that a tile holds beyond the tensor.
const SPARE: f64 = 8.0;
/// The terms that plain loops add in a few seconds: one running sum just past 65536 elements.
const MOST_LOOPS: f64 = 9.0 * (1 << 28) as f64;

/// Sizes of the free dimensions, scalars that go with them, and the work that it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Sizes of the free dimensions.
    pub dims: Vec<(String, i64)>,
    /// Scalars that differ from their defaults, or have none.
    pub scalars: Vec<(String, Value)>,
    /// See [`Solver::work`].
    pub work: f64,
    /// Why it was chosen.
    pub why: String,
}

/// Where sizes come from that are not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Palette {
    /// 1 to 3.
    Thin,
    /// 1, or the next size that there is; more only where constraints want it.
    Least,
    /// Edges of tiles, or the small sizes of dimensions without.
    Edges,
    /// Any size of up to so many octaves, each octave as likely.
    Octaves(u64),
}

/// A dimension that has a size of its own.
pub struct Dim {
    /// Its name.
    pub name: String,
    /// Its number in the op.
    pub number: usize,
    /// The sizes that every plan holds.
    pub sizes: Vec<i64>,
    /// Those that go with sizes of others, since they are not long by themselves.
    pub edges: Vec<i64>,
    /// What op and contract say of it.
    pub limits: Vec<Limit>,
    /// Its largest tile; 1 where it has none.
    pub tile: i64,
    /// Its smallest, which says what idle lanes cost.
    pub least_tile: i64,
}

/// What shapes are made for.
pub struct Solver<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// Its free dimensions.
    pub dims: Vec<Dim>,
    /// Scalars that are fixed or have no default.
    pub scalars: Vec<(String, Value)>,
    /// Why a small shape has no room for scratch, if any has none.
    pub narrowed: OnceCell<String>,
    /// What the contract demands of sizes, as far as it may give one of them.
    equations: Vec<Expression>,
}

/// Given sizes: numbers of free dimensions, and their sizes.
pub type Given<'g> = &'g [(usize, i64)];

/// What is said of a dimension that has no size: at the line where the contract limits it.
fn nothing(kernel: &Kernel, dim: &str) -> String {
    let own = kernel.contract.dims.iter().find(|(name, _)| **name == *dim).map(|(name, _)| name.spot.line);
    let limits = kernel.contract.limits.iter();
    let mut others = limits.filter(|limit| {
        kernel
            .expression(limit)
            .is_ok_and(|parsed| parsed.bounds().iter().any(|(of, _)| kernel.op.dims[*of].name == dim))
    });
    let line = own.or_else(|| others.next().map(|limit| limit.spot.line));
    let place = line.map_or(String::new(), |line| format!(" (line {line})"));
    let of_op = kernel.op.bounds().into_iter().find_map(|(of, bound)| match bound {
        Bound::Multiple(unit) if kernel.op.dims[of].name == dim => Some(unit),
        _ => None,
    });
    let needed =
        of_op.map_or(String::new(), |unit| format!(", and op {} needs {dim} % {unit} == 0", kernel.op.name));
    format!("no size of {dim} is within its limits{place}{needed}: write limits that some size meets")
}

impl<'a> Solver<'a> {
    /// The dimensions of a kernel.
    pub fn new(kernel: &'a Kernel) -> Result<Solver<'a>, String> {
        let free = kernel.op.free_dims();
        let count = free.len();
        let dim = |number: usize| {
            let name = kernel.op.dims[number].name.clone();
            let tiles = kernel.contract.tile.iter().filter(|(n, _)| **n == *name);
            let all: Vec<i64> = tiles.map(|(_, tile)| *tile).collect();
            let tile = all.iter().copied().max().unwrap_or(1);
            let least_tile = all.into_iter().min().unwrap_or(1);
            let sizes = sizes::candidates(kernel, &name, count);
            let limits = sizes::limits(kernel, &name);
            let short: Vec<i64> = sizes.iter().copied().filter(|size| *size <= LONG).collect();
            let edges = if short.is_empty() { sizes.clone() } else { short };
            Dim { name, number, sizes, edges, limits, tile, least_tile }
        };
        let dims: Vec<Dim> = free.into_iter().map(dim).collect();
        if let Some(empty) = dims.iter().find(|d| d.sizes.is_empty()) {
            return Err(nothing(kernel, &empty.name));
        }
        let limits = kernel.contract.limits.iter();
        let equations =
            limits.filter_map(|limit| kernel.expression(limit).ok()).filter(Expression::is_equation);
        let equations = equations.collect();
        let mut solver = Solver { kernel, dims, scalars: Vec::new(), narrowed: OnceCell::new(), equations };
        solver.scalars = solver.starting_scalars()?;
        Ok(solver)
    }

    /// A case of these sizes.
    pub fn case(&self, sizes: &[i64], scalars: Vec<(String, Value)>) -> Case {
        let dims = self.dims.iter().map(|d| d.name.clone()).zip(sizes.iter().copied()).collect();
        let layouts = Vec::new();
        Case { dims, scalars, regime: Regime::Normal, chosen: 0, seed: 0, layouts }
    }

    /// Values for scalars that are fixed or have no default.
    fn starting_scalars(&mut self) -> Result<Vec<(String, Value)>, String> {
        for real in [0.375, 1.0, 0.0625, 100.0, 1000.0, -1.0, 0.0] {
            self.scalars.clear();
            for (number, info) in self.kernel.op.scalars.iter().enumerate() {
                // what lies outside of the domain at any sizes is never drawn
                let domain = self.kernel.op.domain_anywhere(number).unwrap_or(Domain::ALL_REALS);
                let outside = domain.is_bounded() && !domain.contains(real);
                let real = if outside { 0.5 * (domain.lo + domain.hi) } else { real };
                let fixed = self.kernel.fixed(&info.name).map(scalars::as_value);
                let open = info.default.is_none() && info.ty == Ty::Real;
                if let Some(value) = fixed.or(open.then_some(Value::Real(real))) {
                    let value = scalars::as_passed(self.kernel, &info.name, value);
                    self.scalars.push((info.name.clone(), value));
                }
            }
            if self.solve(&[], Palette::Edges, f64::INFINITY, 0).is_some() {
                return Ok(self.scalars.clone());
            }
        }
        let sizes: Vec<i64> = self.dims.iter().map(|d| d.sizes[d.sizes.len() / 2]).collect();
        let refused = accept::accepts(self.kernel, &self.case(&sizes, self.scalars.clone()));
        let none = "no sizes fit the op's constraints and the contract's limits together";
        Err(refused.err().unwrap_or_else(|| none.into()))
    }

    /// A shape with the given sizes that is no more work than `most`, else the least work that was found. Another
    /// `turn` draws other sizes for what is not given.
    pub fn solve(&self, given: Given, palette: Palette, most: f64, turn: usize) -> Option<Shape> {
        self.solve_for(given, palette, most, turn, &|_| true)
    }

    /// The same with a condition on the shapes of tensors.
    pub fn solve_for(
        &self,
        given: Given,
        palette: Palette,
        most: f64,
        turn: usize,
        wanted: &dyn Fn(&OpCase) -> bool,
    ) -> Option<Shape> {
        let mut rng = Rng::new(0x736f_6c76, turn as u64);
        let mut least: Option<Shape> = None;
        for tried in 0..2 * TRIES {
            let wide = tried >= TRIES;
            if wide && (least.is_some() || self.kernel.contract.limits.is_empty()) {
                break;
            }
            // what a contract wants may be far from the sizes that plans begin with
            let palette = if wide { Palette::Octaves(FAR) } else { palette };
            let Some(case) = self.tried(given, palette, tried, &mut rng) else { continue };
            let Ok(at) = case.bind(&self.kernel.op) else { continue };
            let work = self.work(&at);
            let fewer = least.as_ref().is_none_or(|l| work < l.work);
            if !fewer || !wanted(&at) {
                continue;
            }
            if footprint::room(self.kernel, &case, &at).is_err() {
                footprint::narrowed(self.kernel, &case, &at).map(|why| self.narrowed.set(why));
                continue;
            }
            least = Some(Shape { dims: case.dims, scalars: case.scalars, work, why: String::new() });
            if work <= most {
                break;
            }
        }
        least
    }

    /// Sizes and scalars that go together, of this many octaves, however much work they are.
    pub fn draw(&self, octaves: u64, turn: usize) -> Option<Shape> {
        let mut rng = Rng::new(0x646f_6d61, turn as u64);
        let palette = Palette::Octaves(octaves);
        let case = (0..TRIES).find_map(|tried| self.tried(&[], palette, tried, &mut rng))?;
        Some(Shape { dims: case.dims, scalars: case.scalars, work: 0.0, why: String::new() })
    }

    /// One try at sizes and scalars that op and contract take.
    fn tried(&self, given: Given, palette: Palette, tried: usize, rng: &mut Rng) -> Option<Case> {
        let sizes = self.sizes(given, palette, tried, rng)?;
        let mut scalars = self.scalars.clone();
        if tried % 2 == 1 {
            self.draw_scalars(&sizes, &mut scalars, rng);
        }
        let case = self.case(&sizes, scalars);
        accept::fits(self.kernel, &case).then_some(case)
    }

    /// The points that the twin walks, or the elements of all tensors where those are more; where tiles are only in
    /// part in use, an eighth of those that they hold, but lanes without a key do nothing. No limit allows what takes a
    /// plain kernel too long.
    pub fn work(&self, at: &OpCase) -> f64 {
        if at.loops() > MOST_LOOPS {
            return f64::INFINITY;
        }
        let held = |dim: &Dim| {
            let size = at.dims[dim.number].max(1);
            ((size - 1) / dim.least_tile + 1) as f64 * dim.least_tile as f64 / size as f64
        };
        let tensors = at.input_shapes.iter().chain(&at.output_shapes);
        let elements = tensors.map(|shape| shape.iter().map(|n| *n as f64).product::<f64>()).sum();
        let points = at.points().max(elements);
        if at.is_keyed() {
            return points;
        }
        points.max(points * self.dims.iter().map(held).product::<f64>() / SPARE)
    }

    /// One draw of all sizes; none where limits leave nothing near it.
    fn sizes(&self, given: Given, palette: Palette, tried: usize, rng: &mut Rng) -> Option<Vec<i64>> {
        let mut out = vec![0; self.dims.len()];
        given.iter().for_each(|(dim, size)| out[*dim] = *size);
        for (at, slot) in out.iter_mut().enumerate().filter(|(_, slot)| **slot == 0) {
            let size = self.size(at, given, palette, tried, rng);
            *slot = sizes::allowed(size.max(1), &self.dims[at].limits)?;
        }
        self.equate(&mut out, given, tried);
        Some(out)
    }

    /// Makes equations of the contract hold where one of the sizes that are not given can be what they want: another
    /// in each try.
    fn equate(&self, sizes: &mut [i64], given: Given, tried: usize) {
        let op = &self.kernel.op;
        let value = |info: &Scalar| self.scalars.iter().find(|(name, _)| *name == info.name).map(|(_, v)| *v);
        let scalars: Vec<Value> =
            op.scalars.iter().map(|info| value(info).or(info.default).unwrap_or(Value::Int(1))).collect();
        for equation in &self.equations {
            for turn in 0..sizes.len() {
                let at = (tried + turn) % sizes.len();
                if given.iter().any(|(dim, _)| *dim == at) {
                    continue;
                }
                let others = self.dims.iter().zip(&*sizes).map(|(dim, size)| (dim.number, *size));
                let others: Vec<(usize, i64)> =
                    others.filter(|(of, _)| *of != self.dims[at].number).collect();
                let size = equation.solved_for(self.dims[at].number, op, &others, &scalars);
                let fits =
                    |size: &i64| *size > 0 && sizes::allowed(*size, &self.dims[at].limits) == Some(*size);
                if let Some(size) = size.filter(fits) {
                    sizes[at] = size;
                    break;
                }
            }
        }
    }

    /// One draw of a size: of the palette, and later of what constraints may ask for.
    fn size(&self, at: usize, given: Given, palette: Palette, tried: usize, rng: &mut Rng) -> i64 {
        let size = self.drawn_size(at, given, palette, tried, rng);
        // parts of a size that the contract fixes: a whole number of them
        let fixed =
            |dim: &&Dim| dim.sizes.len() == 1 && dim.sizes[0] > 1 && dim.number != self.dims[at].number;
        match self.dims.iter().find(fixed) {
            Some(part) if tried >= PLAIN && rng.below(2) == 0 => {
                (size / part.sizes[0]).max(1).saturating_mul(part.sizes[0])
            }
            _ => size,
        }
    }

    fn drawn_size(&self, at: usize, given: Given, palette: Palette, tried: usize, rng: &mut Rng) -> i64 {
        let any = |list: &[i64], rng: &mut Rng| list[rng.below(list.len() as u64) as usize];
        let thin = |rng: &mut Rng| 1 + rng.below(3) as i64;
        match if tried < PLAIN { 4 } else { rng.below(6) } {
            0 => thin(rng),
            1 => any(&self.dims[at].sizes, rng),
            2 => 1 + rng.below(SMALL) as i64,
            3 if !given.is_empty() => {
                let size = given[rng.below(given.len() as u64) as usize].1;
                [size, size.saturating_mul(2), size.saturating_add(1), size / 2][rng.below(4) as usize]
            }
            _ => match palette {
                Palette::Thin => thin(rng),
                Palette::Least => 1,
                Palette::Edges => any(&self.dims[at].edges, rng),
                Palette::Octaves(count) => {
                    let octave = 1i64 << rng.below(count.min(40));
                    octave + rng.below(octave as u64) as i64
                }
            },
        }
    }

    /// Other values for whole-number scalars that the contract leaves open: small ones, the ends of their domains, and
    /// those that sizes make likely.
    fn draw_scalars(&self, sizes: &[i64], scalars: &mut Vec<(String, Value)>, rng: &mut Rng) {
        for (number, info) in self.kernel.op.scalars.iter().enumerate() {
            if info.ty != Ty::Int || self.kernel.fixed(&info.name).is_some() {
                continue;
            }
            let case = self.case(sizes, scalars.clone());
            let domain = case.domain_of(&self.kernel.op, number).unwrap_or(Domain::ALL_REALS);
            let size = if sizes.is_empty() { 1 } else { sizes[rng.below(sizes.len() as u64) as usize] };
            let small = rng.below(SMALL) as i64;
            let value = match rng.below(4) {
                0 => size,
                1 => size.saturating_sub(small),
                2 => size.saturating_add(small),
                _ => small,
            };
            let value = Value::Int(domain.fold(value as f64) as i64);
            scalars.retain(|(name, _)| *name != info.name);
            scalars.push((info.name.clone(), value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::kernel;
    use super::*;

    #[test]
    fn equations_of_the_contract_are_solved() {
        let kernel = kernel("op = 'turn'\nargs = ['x', 'y']\nwhere = ['T * D == 1024']");
        let solver = Solver::new(&kernel).unwrap();
        for turn in 0..8 {
            let shape = solver.solve(&[], Palette::Edges, f64::INFINITY, turn).unwrap();
            let size =
                |name: &str| shape.dims.iter().find(|(own, _)| own == name).map_or(0, |(_, size)| *size);
            assert_eq!(size("T") * size("D"), 1024, "{shape:?}");
        }
        let thin = solver.solve(&[(0, 2)], Palette::Thin, f64::INFINITY, 0).unwrap();
        assert_eq!(thin.dims.iter().map(|(_, size)| *size).product::<i64>(), 1024, "{thin:?}");
    }
}
