//! Sizes at which a grid stops growing: from there on workgroups must come back for more. And those at which it has
//! more workgroups than devices launch.

use ktwin_num::Regime;

use super::large::{alone, bound, launches};
use super::shapes::Shapes;
use super::solve::{Palette, Shape};
use super::{Amount, Expr, Maker, sizes};
use crate::device::MOST_GROUPS;
use crate::kernel::Kernel;
use crate::languages::Code;

/// The points of an element that such a case may have.
const POINTS: f64 = 8.0;
/// The longest size that is looked at, as a power of two, by the level of the plan.
const LONGEST: [u32; 4] = [21, 23, 24, 25];
/// The largest size for which a grid is looked at, to see whether it has too many workgroups: WebGPU promises storage
/// buffers of 2^27 bytes, and no larger ones.
const BOUND: i64 = 1 << 25;
/// How much longer than where it stops growing a grid is looked at.
const BEYOND: i64 = 4;

/// The work of so long a size, with a few points for each element.
fn work(longest: u32) -> f64 {
    POINTS * f64::from(1u32 << longest)
}

/// The expressions of a grid that devices take no more than [`MOST_GROUPS`] of: with CUDA, those after the first.
fn counted(kernel: &Kernel) -> impl Iterator<Item = &Expr> {
    let first = match kernel.source.kind.row().code {
        Code::Shader => 0,
        Code::Ptx => 1,
        _ => usize::MAX,
    };
    kernel.contract.chain.iter().flat_map(move |link| link.grid.iter().skip(first))
}

impl Maker<'_> {
    /// One case past each size at which a direction of the grid has as many workgroups as it ever gets.
    pub(super) fn capped(&mut self, shapes: &Shapes, amount: Amount) {
        let kernel = self.kernel;
        for expr in kernel.contract.chain.iter().flat_map(|link| &link.grid) {
            for dim in 0..shapes.solver.dims.len() {
                if let Some((shape, most)) = self.past_end(shapes, dim, expr, amount.of(LONGEST)) {
                    let name = &shapes.solver.dims[dim].name;
                    let why = format!("{name} is past what {most} workgroups take at once");
                    self.add(&shape, Regime::Normal, &[], &why);
                }
            }
        }
    }

    /// One case where a limit that the contract names asks for more workgroups in one direction than devices start.
    /// Where it names none, that is a gap.
    pub(super) fn overfull(&mut self, shapes: &Shapes) -> Vec<String> {
        let (kernel, mut gaps) = (self.kernel, Vec::new());
        for expr in counted(kernel) {
            for dim in 0..shapes.solver.dims.len() {
                let name = &shapes.solver.dims[dim].name;
                let groups = |shape: &Shape| kernel.whole(expr, &bound(kernel, shape)?).ok();
                let over = |size: i64, work: f64| {
                    alone(shapes, dim, size, Palette::Least, work)
                        .filter(|s| groups(s) > Some(i64::from(MOST_GROUPS)))
                };
                match sizes::largest(kernel, name) {
                    Some(most) => {
                        let sizes = (16..=LONGEST[0]).map(|power| (1i64 << power).min(most));
                        let sizes = sizes.filter(|size| *size > i64::from(MOST_GROUPS));
                        if let Some(shape) = { sizes }.find_map(|size| over(size, work(LONGEST[0]))) {
                            let why =
                                format!("{name} needs more than {MOST_GROUPS} workgroups in one direction");
                            self.add(&shape, Regime::Normal, &[], &why);
                        }
                    }
                    None => {
                        let is_over = |size: i64| over(size, f64::INFINITY).is_some();
                        let from = is_over(BOUND).then(|| sizes::least(0, BOUND, |size| Some(is_over(size))));
                        gaps.extend(from.flatten().map(|from| {
                            format!(
                                "from {name} = {from} on, `grid` has more than {MOST_GROUPS} workgroups in one \
                                 direction, which no device starts: limit {name} in `dims`"
                            )
                        }));
                    }
                }
            }
        }
        gaps
    }

    /// A size past the one at which an expression of the grid stops growing, and what it then is.
    fn past_end(&self, shapes: &Shapes, dim: usize, expr: &Expr, longest: u32) -> Option<(Shape, i64)> {
        let shape = |size: i64| alone(shapes, dim, size, Palette::Least, work(longest));
        let groups = |shape: &Shape| self.kernel.whole(expr, &bound(self.kernel, shape)?).ok();
        let at = |size: i64| groups(&shape(size)?);
        let longest = (1..=longest).rev().map(|power| 1i64 << power).find(|size| shape(*size).is_some())?;
        let most = at(longest)?;
        if most < 2 || at(longest / BEYOND)? != most {
            return None;
        }
        let end = sizes::least(0, longest / BEYOND, |size| Some(at(size)? == most))?;
        // another workgroup's share, and a little of the next
        let share = ((end - 1) / (most - 1)).max(1);
        let past = shape(end + share + share / 2).filter(|past| launches(self.kernel, past))?;
        Some((past, most))
    }
}
