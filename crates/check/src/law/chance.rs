//! How likely counts and means are, as bounds that always hold: logarithms of probabilities, never too small.

use std::f64::consts::LN_2;

use ktwin_num::math::log;

/// A bound on the probability that so many of `n` independent events of probability `p` happen, or a number that is as
/// far off on either side (Chernoff's bound; `n` may also be the size of a sample without replacement).
pub fn count(k: u64, n: u64, p: f64) -> f64 {
    if n == 0 {
        return 0.0;
    }
    let share = k as f64 / n as f64;
    let part = |x: f64, of: f64| if x == 0.0 { 0.0 } else { x * log(x / of) };
    let divergence = part(share, p) + part(1.0 - share, 1.0 - p);
    (LN_2 - n as f64 * divergence.max(0.0)).min(0.0)
}

/// The variance of a rank that is uniform on 0 to `most`.
pub fn variance(most: u8) -> f64 {
    let values = f64::from(most) + 1.0;
    (values * values - 1.0) / 12.0
}

/// A bound on the probability that the mean of `n` ranks, each uniform on 0 to `most`, is as far from the middle. Such
/// ranks are strictly subgaussian: their tails are no heavier than a normal variable's of the same variance.
pub fn mean(of: f64, n: u64, most: u8) -> f64 {
    let off = of - f64::from(most) / 2.0;
    (LN_2 - n as f64 * off * off / (2.0 * variance(most))).min(0.0)
}

/// The change of the probability of one of two outcomes that `n` ranks show 999 times of 1000, if a mean is refused
/// from the logarithm `limit` on.
pub fn visible(n: u64, most: u8, limit: f64) -> f64 {
    let (n, variance) = (n as f64, variance(most));
    let refused = (2.0 * variance * (LN_2 - limit) / n).sqrt();
    2.0 / f64::from(most) * (refused + 3.1 * (variance / n).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The probability of exactly `k` of `n`, times a power of e that keeps it in range.
    fn binomial(n: u64, p: f64) -> Vec<f64> {
        let mut ln = vec![n as f64 * (1.0 - p).ln()];
        for k in 0..n {
            let next = ln[k as usize] + ((n - k) as f64 / (k + 1) as f64 * p / (1.0 - p)).ln();
            ln.push(next);
        }
        ln.into_iter().map(f64::exp).collect()
    }

    #[test]
    fn bounds_hold_for_every_count() {
        for (n, p) in [(40, 0.5), (200, 0.125), (300, 1.0 / 64.0)] {
            let exact = binomial(n, p);
            for k in 0..=n {
                let tail: f64 = match (k as f64) < n as f64 * p {
                    true => exact[..=k as usize].iter().sum(),
                    false => exact[k as usize..].iter().sum(),
                };
                assert!(count(k, n, p) >= tail.ln() - 1e-9, "{k} of {n} at {p}");
            }
        }
    }

    #[test]
    fn a_bound_is_not_much_too_large() {
        // 600 of 1000 fair coins: 1.4e-10 on one side
        let bound = count(600, 1000, 0.5).exp();
        assert!(bound > 2.7e-10 && bound < 1e-8, "{bound:e}");
        assert_eq!(count(0, 10, 0.5), (2f64.ln() - 10.0 * 2f64.ln()));
        assert_eq!(count(0, 0, 0.5), 0.0);
        assert!(mean(3.5, 100, 7) == 0.0 && mean(4.5, 1000, 7) < -90.0);
    }

    #[test]
    fn more_samples_show_smaller_changes() {
        let limit = (1e-13f64).ln();
        assert!(visible(1 << 19, 7, limit) < 0.01 && visible(1 << 13, 7, limit) > 0.05);
    }
}
