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
}
