//! The values of a stage over a box of its indices, held while others read them.

use crate::case::Axis;

/// A stage's values over a box.
#[derive(Clone, Debug, Default)]
pub struct Plane {
    pub v: Vec<f64>,
    pub b: Vec<f64>,
    /// First index value of each dimension of the box.
    pub lo: Vec<i64>,
    pub strides: Vec<i64>,
}

impl Plane {
    /// A plane for this box, its values still to be filled in.
    pub fn over(axes: &[Axis], second: bool) -> Plane {
        let total = axes.iter().map(|a| a.extent).product();
        let mut plane = Plane::shape(axes);
        plane.v = vec![0.0; total];
        plane.b = if second { vec![0.0; total] } else { Vec::new() };
        plane
    }

    /// A plane without values.
    pub fn shape(axes: &[Axis]) -> Plane {
        let mut strides = vec![1i64; axes.len()];
        for at in (1..axes.len()).rev() {
            strides[at - 1] = strides[at] * axes[at].extent as i64;
        }
        Plane { v: Vec::new(), b: Vec::new(), lo: axes.iter().map(|a| a.lo).collect(), strides }
    }
}

impl Plane {
    /// Sets the value (and what stands beside it) of one element.
    pub fn put(&mut self, at: usize, v: f64, b: f64) {
        self.v[at] = v;
        if let Some(slot) = self.b.get_mut(at) {
            *slot = b;
        }
    }

    /// Where the rows of a box stand in it: the first of each, in row-major order.
    fn rows<'r>(&'r self, ranges: &'r [(i64, usize)]) -> impl Iterator<Item = usize> + 'r {
        let outer = &ranges[..ranges.len().saturating_sub(1)];
        let start: i64 =
            ranges.iter().zip(&self.lo).zip(&self.strides).map(|(((lo, _), own), s)| (lo - own) * s).sum();
        (0..outer.iter().map(|(_, extent)| extent).product()).map(move |row| {
            let (mut rest, mut at) = (row, start);
            for ((_, extent), stride) in outer.iter().zip(&self.strides).rev() {
                at += (rest % extent) as i64 * stride;
                rest /= extent;
            }
            at as usize
        })
    }

    /// Sets the part of it that a box holds to the values of another plane, which is that box.
    pub fn set(&mut self, part: &Plane, ranges: &[(i64, usize)]) {
        let run = ranges.last().map_or(1, |(_, extent)| *extent);
        let rows: Vec<usize> = self.rows(ranges).collect();
        for (row, to) in rows.into_iter().enumerate() {
            let from = row * run..(row + 1) * run;
            self.v[to..to + run].copy_from_slice(&part.v[from.clone()]);
            if !self.b.is_empty() {
                self.b[to..to + run].copy_from_slice(&part.b[from]);
            }
        }
    }

    /// The part of it that a box holds.
    pub fn part(&self, axes: &[Axis]) -> Plane {
        let ranges: Vec<(i64, usize)> = axes.iter().map(|a| (a.lo, a.extent)).collect();
        let run = ranges.last().map_or(1, |(_, extent)| *extent);
        let mut out = Plane::shape(axes);
        for from in self.rows(&ranges) {
            out.v.extend_from_slice(&self.v[from..from + run]);
            if !self.b.is_empty() {
                out.b.extend_from_slice(&self.b[from..from + run]);
            }
        }
        out
    }
}
