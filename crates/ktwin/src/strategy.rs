//! Cases as a proptest strategy: for tests that draw sizes, regimes and layouts of their own and shrink what fails.

use ktwin_check::{Case, Draw, Kernel, Space};
use ktwin_num::Regime;
use proptest::prelude::*;
use proptest::sample::select;

/// Regimes that every kernel of reals must take.
const REGIMES: [Regime; 10] = [
    Regime::Normal,
    Regime::Exact,
    Regime::Mixed,
    Regime::Uniform,
    Regime::Zeros,
    Regime::Sparse,
    Regime::Outliers,
    Regime::Below,
    Regime::Above,
    Regime::Tiny,
];

/// Any case of a kernel with sizes up to `most`: what its contract takes, in any regime and layout. What fails shrinks
/// to small sizes in the plainest regime.
///
/// ```
/// use proptest::prelude::*;
///
/// let test = ktwin::kernel("../../kernels/wgsl/silu.wgsl");
/// let kernel = test.load()?;
/// proptest!(ProptestConfig::with_cases(8), |(case in ktwin::cases(&kernel, 300))| {
///     ktwin::kernel("../../kernels/wgsl/silu.wgsl").case(case).not_wrong();
/// });
/// # Ok::<(), String>(())
/// ```
pub fn cases(kernel: &Kernel, most: i64) -> impl Strategy<Value = Case> + use<> {
    let kernel = kernel.clone();
    let dims = kernel.op.free_dims().len();
    // small sizes as likely as large ones
    let octaves = 64 - (most.max(1) as u64).leading_zeros();
    let size = (0..octaves).prop_flat_map(move |octave| 1..=(1i64 << (octave + 1)).min(most.max(1)));
    let draws =
        (prop::collection::vec(size, dims), select(&REGIMES[..]), 0..64usize, 0..8usize, any::<u64>());
    draws.prop_filter_map("op and contract do not take these sizes together", move |parts| {
        let (sizes, regime, turn, layout, seed) = parts;
        let space = Space::of(&kernel).ok()?;
        space.case(&Draw { sizes, regime, turn, layout, seed })
    })
}
