//! Launches in which few workgroups join what many of an earlier one have left: sizes at which there are more parts
//! than a workgroup has lanes.

use ktwin_num::Regime;

use super::large::{bound, launches};
use super::shapes::Shapes;
use super::solve::{Palette, Shape};
use super::{Amount, Maker, sizes};
use crate::contract::Link;

/// One more than twice the lanes of the largest workgroups there are, as many as them, or what is less dear: the first
/// part that is left out counts in what comes after it.
const PARTS: [i64; 4] = [2049, 1025, 513, 257];
/// The longest size that is looked at, as a power of two, by the level of the plan; the work that such a case may be is
/// as much.
const LONGEST: [u32; 4] = [21, 23, 24, 25];

impl Maker<'_> {
    /// Two cases a dimension with more parts than lanes: of ordinary numbers, and with the largest at the end.
    pub(super) fn joined(&mut self, shapes: &Shapes, amount: Amount) {
        let kernel = self.kernel;
        let chain = &kernel.contract.chain;
        let pairs =
            chain.iter().enumerate().flat_map(|(at, join)| chain[..at].iter().map(move |p| (p, join)));
        for (parts, join) in pairs {
            for (dim, info) in shapes.solver.dims.iter().enumerate() {
                let past = |most: &i64| self.past(shapes, dim, [parts, join], *most, amount.of(LONGEST));
                let Some((shape, groups)) = PARTS.iter().find_map(past) else { continue };
                let longer =
                    |dims: &[(String, i64)]| shape.dims.iter().zip(dims).all(|(new, old)| old.1 >= new.1);
                if self.cases.iter().any(|(case, _)| longer(&case.dims)) {
                    continue;
                }
                let why = format!("{} has {groups} parts to be joined", info.name);
                let before = self.cases.len();
                self.add(&shape, Regime::Normal, &[], &why);
                if self.takes(Regime::Peaks) {
                    self.kind(&shape, Regime::Peaks, 0);
                }
                self.stretch(shapes, self.cases.len() - before);
            }
        }
    }

    /// The least size with more parts than this, and how many it has, where the workgroups that join them stay as many.
    fn past(
        &self,
        shapes: &Shapes,
        dim: usize,
        [parts, join]: [&Link; 2],
        most: i64,
        longest: u32,
    ) -> Option<(Shape, i64)> {
        // kernels of several launches have no plain loops to wait for
        let shape = |size: i64| {
            let size = sizes::allowed(size, &shapes.solver.dims[dim].limits).filter(|near| *near >= size)?;
            let shape = shapes.solver.solve(&[(dim, size)], Palette::Least, f64::INFINITY, dim)?;
            let points = bound(self.kernel, &shape)?.points();
            (points <= f64::from(1u32 << longest)).then_some(shape)
        };
        let groups = |link: &Link, shape: &Shape| {
            let at = bound(self.kernel, shape)?;
            link.grid.iter().try_fold(1i64, |all, expr| all.checked_mul(self.kernel.whole(expr, &at).ok()?))
        };
        let first = shape(1)?;
        let least = groups(parts, &first)?;
        let of = |size: i64| Some(groups(parts, &shape(size)?)? / least.max(1));
        let large = (0..=longest).map(|power| 1i64 << power).find(|size| of(*size) > Some(most))?;
        let end = sizes::least(1, large, |size| Some(of(size)? > most))?;
        // half a part more: the last one alone could be an accident
        let found = shape(end + end / most / 2)?;
        let same = groups(join, &found)? == groups(join, &first)?;
        let launched = launches(self.kernel, &found).then_some(found)?;
        same.then_some((launched, most + 1))
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::Kernel;
    use crate::plan::{Amount, plan};

    const UPTO: &str = "op upto(x[N]) -> y[N]\ny[n] = sum[m in N where m <= n](x[m])\n";

    /// The longest size of a plan, where sums of 1024 elements are joined by so many workgroups.
    fn longest(groups: &str) -> i64 {
        let text = format!(
            "op = 'upto'\nscratch = {{ s = 'f32[ceil(N / 1024)]' }}\nchain = [\n\
             {{ args = ['x', 's'], entry = 'a', grid = ['ceil(N / 1024)'] }},\n\
             {{ args = ['s'], entry = 'b', grid = ['{groups}'] }},\n\
             {{ args = ['x', 's', 'y'], entry = 'c', grid = ['ceil(N / 1024)'] }}]\n"
        );
        let kernel = Kernel::of_contract("k", &text, &[("upto", UPTO)]).unwrap();
        let plan = plan(&kernel, Amount::default()).unwrap();
        plan.cases.iter().map(|case| case.dims[0].1).max().unwrap()
    }

    #[test]
    fn what_counts_places_of_a_long_dimension_counts_most_of_it() {
        let op = "op cache(x[R, T, D]; len in 1..4097) -> y[R, D]\nwhere len <= T\n\n\
                  y[r, d] = sum[t in 0..len](x[r, t, d])\n";
        let text = "op = 'cache'\nscratch = { s = 'f32[R * ceil(T / 64) * D]' }\ndims = { D = '64 | 128' }\nchain = [\n\
                    { args = ['x', 's'], entry = 'a', grid = ['R', 'ceil(T / 64)'] },\n\
                    { args = ['s', 'y'], entry = 'b', grid = ['R'] }]\n";
        let kernel = Kernel::of_contract("k", text, &[("cache", op)]).unwrap();
        let plan = plan(&kernel, Amount::default()).unwrap();
        let lens = |joined: bool| {
            let said = plan
                .cases
                .iter()
                .zip(&plan.why)
                .filter(|(_, why)| why.contains("parts to be joined") == joined);
            said.map(|(case, _)| case.scalars[0].1.to_f64()).fold(0.0, f64::max)
        };
        assert!(lens(false) > 4000.0 && lens(true) > 4000.0, "{} {}", lens(false), lens(true));
    }

    #[test]
    fn there_are_more_parts_than_a_workgroup_has_lanes() {
        assert_eq!(longest("1"), 2049 * 1024 + 1 + 512);
        // as many workgroups as there are parts join nothing
        assert!(longest("ceil(N / 1024)") < 1024 * 1024);
    }
}
