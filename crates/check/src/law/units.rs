//! The independent parts of an output: elements of different units share no draw.

use ktwin_lang::Sharing;

use crate::inputs::Prepared;

/// How an output falls into units.
pub struct Units {
    /// The axes along which units lie, with their sizes.
    pub axes: Vec<(usize, usize)>,
    /// How many units there are.
    pub count: usize,
    /// Elements of each.
    pub each: usize,
    /// The elements' places in row order, unit by unit.
    places: Vec<usize>,
}

/// Those of each output of a case.
pub fn units(prepared: &Prepared, sharing: &[Sharing]) -> Vec<Units> {
    prepared.at.output_shapes.iter().zip(sharing).map(|(shape, s)| Units::new(shape, s)).collect()
}

impl Units {
    pub fn new(shape: &[usize], sharing: &Sharing) -> Units {
        let split = |wanted: bool| -> Vec<(usize, usize)> {
            (0..shape.len()).filter(|a| sharing.apart[*a] == wanted).map(|a| (a, shape[a])).collect()
        };
        let (axes, inner) = (split(true), split(false));
        let size = |axes: &[(usize, usize)]| axes.iter().map(|(_, n)| n).product::<usize>();
        let (count, each) = (size(&axes), size(&inner));
        let stride = |axis: usize| shape[axis + 1..].iter().product::<usize>();
        let offset = |axes: &[(usize, usize)], mut number: usize| {
            axes.iter().rev().fold(0, |sum, (axis, size)| {
                let index = number % size;
                number /= size;
                sum + index * stride(*axis)
            })
        };
        let inside: Vec<usize> = (0..each).map(|n| offset(&inner, n)).collect();
        let unit = |n: usize| {
            let first = offset(&axes, n);
            inside.iter().map(move |at| first + at).collect::<Vec<_>>()
        };
        let places = (0..count).flat_map(unit).collect();
        Units { axes, count, each, places }
    }

    /// The places of a unit's elements.
    pub fn of(&self, unit: usize) -> &[usize] {
        &self.places[unit * self.each..(unit + 1) * self.each]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_lie_along_the_axes_that_share_nothing() {
        let sharing = Sharing { random: true, apart: vec![true, false, true], single: None };
        let units = Units::new(&[2, 3, 2], &sharing);
        assert_eq!((units.count, units.each), (4, 3));
        assert_eq!(units.of(1), [1, 3, 5]);
        assert_eq!(units.of(2), [6, 8, 10]);
    }
}
