//! Finding scales: what several encoders share. Plain search for the least squared error, no weights.

// Added and taken away again, it leaves a whole number, ties to even: cheaper than a rounding instruction
// that not every machine has.
const MAGIC: f32 = 12_582_912.0;

/// x times `inverse` as a code in `lo..=hi`.
#[inline(always)]
fn code(x: f32, inverse: f32, lo: f32, hi: f32) -> f32 {
    let bounded = (x * inverse).max(lo).min(hi);
    (bounded + MAGIC) - MAGIC
}

/// The same as an integer.
pub fn quantise(x: f32, inverse: f32, lo: i32, hi: i32) -> i32 {
    code(x, inverse, lo as f32, hi as f32) as i32
}

/// The number of largest magnitude, with its sign: the first of equals.
pub fn extreme(x: &[f32]) -> f32 {
    x.iter().fold(0.0f32, |best, &v| if v.abs() > best.abs() { v } else { best })
}

/// The scale that fits its own codes best in the mean square, of some trials: each a code's value that the
/// extreme number is to meet. `code` makes the value of a code from a number in those units.
///
/// With codes q the best scale is Σxq / Σq², and leaves the error Σx² - (Σxq)² / Σq².
#[inline(always)]
pub fn best_scale(x: &[f32], trials: impl Iterator<Item = f32>, code: impl Fn(f32) -> f32) -> f32 {
    let extreme = extreme(x);
    if extreme == 0.0 || !extreme.is_finite() {
        return 0.0;
    }
    // About 1, so that squares neither overflow nor vanish.
    let mut unit = [0.0f32; 32];
    unit.iter_mut().zip(x).for_each(|(u, v)| *u = v / extreme);
    let mut best = (0.0, 0.0);
    for reach in trials {
        let (mut xq, mut qq) = ([0.0f32; 4], [0.0f32; 4]);
        for four in unit[..x.len()].as_chunks::<4>().0 {
            for i in 0..4 {
                let q = code(four[i] * reach);
                xq[i] += q * four[i];
                qq[i] += q * q;
            }
        }
        let (xq, qq) = (xq.iter().sum::<f32>(), qq.iter().sum::<f32>());
        if qq > 0.0 && xq * xq / qq > best.0 {
            best = (xq * xq / qq, xq / qq);
        }
    }
    best.1 * extreme
}

/// The scale d for which codes `lo..=hi` times d come nearest to `x` (of at most 32 numbers, a multiple of
/// 4) in the mean square. Negative where that lets the longer side of the codes meet the extreme value.
pub fn symmetric(x: &[f32], lo: i32, hi: i32) -> f32 {
    let (lo, hi) = (lo as f32, hi as f32);
    let reach = |end: f32| (-5..=5).map(move |step| end + end.signum() * step as f32 * 0.18);
    best_scale(x, reach(lo).chain(reach(hi)), |v| code(v, 1.0, lo, hi))
}

/// Scale d >= 0 and minimum m >= 0 for which `d * code - m`, codes `0..=hi`, comes nearest to `x` (of at most 32
/// numbers, a multiple of 4).
pub fn affine(x: &[f32], hi: i32) -> (f32, f32) {
    let hi = hi as f32;
    let (lo, top) = x.iter().fold((0.0f32, f32::MIN), |(a, b), &v| (a.min(v), b.max(v)));
    let range = top - lo;
    if !(range > 0.0 && range.is_finite()) {
        return (0.0, -lo);
    }
    // In units of the range, so that squares neither overflow nor vanish.
    let mut unit = [0.0f32; 32];
    unit.iter_mut().zip(x).for_each(|(u, v)| *u = v / range);
    let unit = &unit[..x.len()];
    let mut best = (f32::INFINITY, 0.0, 0.0);
    for step in -4..=4 {
        let (mut d, mut m) = (1.0 / (hi + step as f32 * 0.22), -lo / range);
        // Alternate: codes for the scale, then scale and minimum for the codes.
        for _ in 0..3 {
            let (error, next_d, next_m) = refit(unit, d, m, hi);
            if error < best.0 {
                best = (error, d, m);
            }
            (d, m) = (next_d, next_m);
            if d <= 0.0 || !d.is_finite() {
                break;
            }
        }
    }
    (best.1 * range, best.2 * range)
}

// The squared error at (d, m), and the pair that fits the codes chosen there best, m kept from going negative.
fn refit(x: &[f32], d: f32, m: f32, hi: f32) -> (f32, f32, f32) {
    // Of each: error², q, q², x, x q, four numbers at a time.
    let mut sums = [[0.0f32; 4]; 5];
    for four in x.as_chunks::<4>().0 {
        for i in 0..4 {
            let v = four[i];
            let q = code(v + m, 1.0 / d, 0.0, hi);
            let e = q * d - m - v;
            for (sum, term) in sums.iter_mut().zip([e * e, q, q * q, v, v * q]) {
                sum[i] += term;
            }
        }
    }
    let [error, q1, q2, x1, xq] = sums.map(|s| (s[0] + s[1]) + (s[2] + s[3]));
    let n = x.len() as f32;
    let determinant = n * q2 - q1 * q1;
    if determinant <= 0.0 {
        return (error, 0.0, 0.0);
    }
    let (next_d, next_m) = ((n * xq - q1 * x1) / determinant, (q1 * xq - q2 * x1) / determinant);
    if next_m < 0.0 { (error, xq / q2, 0.0) } else { (error, next_d, next_m) }
}
