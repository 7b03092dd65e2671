//! Sizes past those of a plan, for kernels of which it is known that they need few steps: where plain loops over the op
//! would take too long.

use super::large::{FAR, LARGE, LARGER, alone, launches};
use super::shapes::Shapes;
use super::solve::{Dim, Palette, Shape};
use super::{Amount, Plan, between, sizes};
use crate::accept;
use crate::case::Case;
use crate::footprint;
use crate::kernel::Kernel;

/// The size at which steps are counted: those of a kernel that needs many are many there, and soon done.
const NEAR: i64 = 4099;
/// The points that the twin may walk.
const WORK: f64 = (1 << 23) as f64;

/// Plain loops that take so many times what one pass does are why a plan ends early.
const DEARER: f64 = 4.0;

/// A case that tells how many steps a kernel needs, and longer ones.
pub(crate) struct Further {
    /// The dimension that is long in them.
    pub dim: String,
    pub near: Case,
    pub far: Vec<Case>,
}

impl Further {
    /// One for each dimension along which plans end early.
    pub fn all(kernel: &Kernel, plan: &[Case]) -> Vec<Further> {
        let dear = |case: &Case| {
            case.bind(&kernel.op).is_ok_and(|at| at.loops() > DEARER * at.passes().max(NEAR as f64))
        };
        // choosing shapes takes its time
        if !plan.iter().any(dear) {
            return Vec::new();
        }
        let Ok(shapes) = Shapes::choose(kernel, Amount::default()) else { return Vec::new() };
        (0..shapes.solver.dims.len()).filter_map(|dim| Further::along(kernel, &shapes, dim)).collect()
    }

    fn along(kernel: &Kernel, shapes: &Shapes, dim: usize) -> Option<Further> {
        let near = alone(shapes, dim, NEAR, Palette::Least, f64::INFINITY)?;
        let with = |size: i64| {
            let mut sizes: Vec<i64> = near.dims.iter().map(|(_, size)| *size).collect();
            sizes[dim] = size;
            shapes.solver.case(&sizes, near.scalars.clone())
        };
        let longer = |size: i64| {
            let limits = &shapes.solver.dims[dim].limits;
            let size = sizes::allowed(size, limits).filter(|near| *near >= size)?;
            let case = with(size);
            let at = case.bind(&kernel.op).ok().filter(|_| accept::fits(kernel, &case))?;
            let far = shapes.solver.work(&at).is_infinite() && at.passes() <= WORK;
            let shape = Shape { dims: case.dims.clone(), ..near.clone() };
            let room = footprint::room(kernel, &case, &at).is_ok();
            (far && room && launches(kernel, &shape)).then_some(case)
        };
        let far: Vec<Case> = [LARGE, LARGER, FAR].into_iter().filter_map(longer).collect();
        let dim_of = || shapes.solver.dims[dim].name.clone();
        (!far.is_empty()).then(|| Further { dim: dim_of(), near: with(near.dims[dim].1), far })
    }
}

/// A plan that has grown: what its gaps say of sizes is said anew.
pub(crate) fn regrown(kernel: &Kernel, plan: &mut Plan) {
    let Ok(shapes) = Shapes::choose(kernel, Amount::default()) else { return };
    let (solver, cases) = (&shapes.solver, &plan.cases);
    let of_sizes = |gap: &String| {
        let begins = |dim: &Dim| [" is run at ", " is accepted "].map(|is| format!("{}{is}", dim.name));
        solver.dims.iter().flat_map(begins).any(|begin| gap.starts_with(&begin))
    };
    let said = [between::beyond(kernel, solver, cases, ""), between::gaps(solver, cases)].concat();
    plan.gaps.retain(|gap| !of_sizes(gap));
    plan.gaps.extend(said);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_sums_go_further_and_others_go_as_far_by_themselves() {
        let far = |body: &str, more: &str| {
            let op = format!("op a(x[N]) -> y[N]\n\ny[n] = {body}\n");
            let toml = format!("op = 'a'\nargs = ['x', 'y']\n{more}");
            let kernel = Kernel::of_contract("a", &toml, &[("a", &op)]).unwrap();
            let plan = crate::plan::plan(&kernel, Amount::default()).unwrap();
            let further = Further::all(&kernel, &plan.cases).pop();
            further.map(|further| further.far.iter().map(|case| case.dims[0].1).collect::<Vec<_>>())
        };
        let scan = "sum[m in N where m <= n](x[m])";
        assert_eq!(far(scan, ""), Some(vec![LARGER, FAR]));
        assert_eq!(far(scan, "dims = { N = '..=200000' }"), Some(vec![LARGER]));
        assert_eq!(far(scan, "dims = { N = '..=70000' }"), None);
        assert_eq!(far("x[n] * 2", ""), None);
        let rank = "sum[m in N where x[m] < x[n] or x[m] == x[n] and m < n](1)";
        assert_eq!(far(rank, ""), Some(vec![LARGE, LARGER, FAR]));
    }
}
