//! Where along one size or scalar the sides of a comparison meet. Pure numbers.

use std::cmp::Ordering;

/// What is known along it: its values, and how far the first side is above the second there.
pub type Points = [(f64, f64)];

/// How values may be changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Steps {
    /// By multiples of this.
    Whole(f64),
    /// Anyhow.
    Real,
}

/// By how much a real number is changed first, relative to it, and how far past the place where sides meet it goes.
const SHARE: f64 = 0.25;
const PAST: f64 = 0.02;
/// Numbers by which a value and one further on are likely to leave the same, where both lead to the comparison.
const DIVISORS: [i64; 12] = [2, 4, 3, 8, 5, 7, 6, 16, 32, 10, 64, 128];
/// Values at which sides are as far apart as at the first, after which no other is.
const FLAT: usize = 5;
/// As far as values are doubled.
const LARGEST: f64 = 1e9;

/// By how much the sides come apart for each step, about where they are nearest to each other; none where all that is
/// known are as far apart.
pub fn slope(points: &Points) -> Option<f64> {
    let (x, y, x1, y1) = nearest(points)?;
    Some((y1 - y) / (x1 - x))
}

/// Where sides are nearest to each other, and the next value at which they are not as far apart.
fn nearest(points: &Points) -> Option<(f64, f64, f64, f64)> {
    let (x, y) = points.iter().copied().min_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))?;
    let others = points.iter().filter(|other| other.1 != y);
    let (x1, y1) = others.copied().min_by(|a, b| closer(x, a.0, b.0))?;
    Some((x, y, x1, y1))
}

impl Steps {
    /// Values at which a comparison may come out in this way, the likeliest first. The first point is where one stands.
    pub fn next(self, points: &Points, wanted: Ordering) -> Vec<f64> {
        let Some((here, apart)) = points.first().copied() else { return Vec::new() };
        match nearest(points) {
            Some((x, y, x1, y1)) => {
                let mut out = self.about(here, x, x - y * (x1 - x) / (y1 - y), wanted);
                let crossed = points.iter().filter(|p| p.1 * y < 0.0).min_by(|a, b| closer(x, a.0, b.0));
                out.extend(crossed.map(|(x1, _)| self.rounded((x + x1) / 2.0)));
                out
            }
            None if points.len() == 1 => self.beside(here),
            // nothing hangs on it
            None if points.len() > FLAT => Vec::new(),
            // no slope: further out, where numbers of so many digits begin
            None => self.doubled(points, apart),
        }
    }

    /// The same where nothing is known but one point, and the slope elsewhere.
    pub fn along(self, (here, apart): (f64, f64), slope: f64, wanted: Ordering) -> Vec<f64> {
        self.about(here, here, here - apart / slope, wanted)
    }

    /// The first values to try.
    fn beside(self, here: f64) -> Vec<f64> {
        match self {
            Steps::Whole(step) => {
                // what else leads to the comparison may be a remainder; and steps may be refused where one stands
                let further = DIVISORS.iter().map(|by| here + *by as f64 * step);
                let near = [here + step, here - step].into_iter().chain(further);
                near.chain([2.0 * here, here / 2.0].map(|x| self.rounded(x))).collect()
            }
            Steps::Real if here == 0.0 => vec![SHARE, -SHARE],
            Steps::Real => vec![here * (1.0 + SHARE), here * (1.0 - SHARE)],
        }
    }

    /// About the place where the sides meet.
    fn about(self, here: f64, from: f64, meet: f64, wanted: Ordering) -> Vec<f64> {
        match self {
            Steps::Whole(step) => {
                let nearest = self.rounded(meet);
                let mut out = vec![nearest, nearest + step, nearest - step];
                if wanted != Ordering::Equal {
                    out.push(self.rounded(meet + (meet - from)));
                }
                out.extend(DIVISORS.iter().map(|by| alike(here, nearest, *by as f64 * step)));
                out
            }
            Steps::Real if wanted == Ordering::Equal => vec![meet],
            Steps::Real => {
                let past = (PAST * (meet - from)).abs().max(1e-3 * meet.abs()).copysign(meet - from);
                vec![meet + past, meet - past, meet + 8.0 * past]
            }
        }
    }

    fn doubled(self, points: &Points, apart: f64) -> Vec<f64> {
        let values = points.iter().filter(|p| p.1 == apart).map(|p| p.0);
        let (least, most) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
        let mut out = vec![2.0 * most, least / 2.0, 4.0 * most];
        if let Steps::Real = self {
            out.push(-most);
        }
        out.into_iter().map(|x| self.rounded(x)).filter(|x| x.abs() < LARGEST).collect()
    }

    fn rounded(self, x: f64) -> f64 {
        match self {
            Steps::Whole(step) => (x / step).round() * step,
            Steps::Real => x,
        }
    }
}

fn closer(to: f64, a: f64, b: f64) -> Ordering {
    (a - to).abs().total_cmp(&(b - to).abs())
}

/// The nearest value from another one on that leaves what `like` leaves, divided by a number.
fn alike(like: f64, from: f64, by: f64) -> f64 {
    from + (like - from).rem_euclid(by)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tries after which a comparison comes out in this way, from one value.
    fn tries(steps: Steps, from: f64, wanted: Ordering, apart: impl Fn(f64) -> Option<f64>) -> Option<usize> {
        let mut points = vec![(from, apart(from)?)];
        let mut seen = vec![from];
        for number in 1..40 {
            let all = steps.next(&points, wanted);
            let next = all.into_iter().find(|x| *x > 0.0 && *x < 16384.0 && !seen.contains(x))?;
            seen.push(next);
            let Some(apart) = apart(next) else { continue };
            if apart.partial_cmp(&0.0) == Some(wanted) {
                return Some(number);
            }
            points.push((next, apart));
        }
        None
    }

    #[test]
    fn what_is_linear_is_solved_at_once() {
        let whole = Steps::Whole(1.0);
        assert_eq!(tries(whole, 12.0, Ordering::Equal, |d| Some(4.0 * d - 1236.0)), Some(2));
        assert_eq!(tries(whole, 12.0, Ordering::Greater, |d| Some(d - 200.0)), Some(3));
        assert_eq!(tries(Steps::Whole(4.0), 12.0, Ordering::Equal, |d| Some(4.0 * d - 1232.0)), Some(2));
    }

    #[test]
    fn steps_are_climbed() {
        let whole = Steps::Whole(1.0);
        let shifted = |d: f64| Some((d as i64 >> 4) as f64 - 6.0);
        assert!(tries(whole, 2.0, Ordering::Equal, shifted).is_some_and(|n| n < 12));
        let zeros = |d: f64| Some(f64::from((d as u32).leading_zeros()) - 21.0);
        assert!(tries(whole, 3.0, Ordering::Equal, zeros).is_some_and(|n| n < 24));
    }

    #[test]
    fn a_remainder_that_leads_there_is_kept() {
        let far = |d: f64| (d % 7.0 == 5.0).then_some(d - 200.0);
        assert!(tries(Steps::Whole(1.0), 12.0, Ordering::Greater, far).is_some_and(|n| n < 12));
    }

    #[test]
    fn real_numbers_come_close() {
        let square = |s: f64| Some(s * s - 0.06);
        assert!(tries(Steps::Real, 2.0, Ordering::Less, square).is_some_and(|n| n < 12));
    }
}
