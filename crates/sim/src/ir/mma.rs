//! Matrix products of a warp: their shapes, and which lane holds which element. Plain data.

use super::scalar::Num;

/// The element type of a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(test, derive(serde::Serialize, serde::Deserialize))]
pub enum Elem {
    Float(Num),
    S8,
    U8,
    S4,
    U4,
    S32,
}

impl Elem {
    pub fn bits(self) -> u32 {
        match self {
            Elem::Float(num) => num.bits(),
            Elem::S8 | Elem::U8 => 8,
            Elem::S4 | Elem::U4 => 4,
            Elem::S32 => 32,
        }
    }

    /// How many lie in one register.
    pub fn packed(self) -> u32 {
        (32 / self.bits()).max(1)
    }
}

/// `d = a b + c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(test, derive(serde::Serialize, serde::Deserialize))]
pub struct Mma {
    pub m: u32,
    pub n: u32,
    pub k: u32,
    pub a: Elem,
    pub b: Elem,
    pub c: Elem,
    pub d: Elem,
    /// A fragment of `wmma`, whose layout is this machine's own: elements one after the other by lanes.
    pub opaque: bool,
    /// Whether `a` and `b` of such a fragment go by rows.
    pub rows: (bool, bool),
    /// Integers are clamped.
    pub sat: bool,
}

/// One of the four matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    A,
    B,
    C,
    D,
}

impl Mma {
    pub fn elem(&self, part: Part) -> Elem {
        match part {
            Part::A => self.a,
            Part::B => self.b,
            Part::C => self.c,
            Part::D => self.d,
        }
    }

    /// Rows and columns.
    pub fn size(&self, part: Part) -> (u32, u32) {
        match part {
            Part::A => (self.m, self.k),
            Part::B => (self.k, self.n),
            Part::C | Part::D => (self.m, self.n),
        }
    }

    /// Registers of a lane (64-bit ones count once).
    pub fn regs(&self, part: Part) -> u32 {
        let (rows, cols) = self.size(part);
        let elem = self.elem(part);
        let plain = (rows * cols / 32 / elem.packed()).max(1);
        let halves = elem == Elem::Float(Num::F16) && matches!(part, Part::A | Part::B);
        if self.opaque && halves { 8 } else { plain }
    }

    /// The row and the column of element `i` of register `r` of a lane.
    pub fn place(&self, part: Part, lane: u32, r: u32, i: u32) -> (u32, u32) {
        let (rows, cols) = self.size(part);
        let packed = self.elem(part).packed();
        if self.opaque {
            let distinct = (rows * cols / 32).max(1);
            let index = (lane * distinct + (r * packed + i) % distinct) % (rows * cols);
            let by_rows = match part {
                Part::A => self.rows.0,
                Part::B => self.rows.1,
                Part::C | Part::D => true,
            };
            return if by_rows { (index / cols, index % cols) } else { (index % rows, index / rows) };
        }
        let (group, inner) = (lane / 4, lane % 4);
        match part {
            Part::A if rows == 8 => (group, inner * packed + i + r * 4 * packed),
            Part::A => (group + 8 * (r & 1), inner * packed + i + (r >> 1) * 4 * packed),
            Part::B => (inner * packed + i + r * 4 * packed, group),
            Part::C | Part::D if packed == 2 => (group + 8 * r, inner * 2 + i),
            Part::C | Part::D => (group + 8 * (r >> 1), inner * 2 + (r & 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(m: u32, n: u32, k: u32, ab: Elem, cd: Elem, opaque: bool) -> Mma {
        Mma { m, n, k, a: ab, b: ab, c: cd, d: cd, opaque, rows: (true, false), sat: false }
    }

    #[test]
    fn every_element_has_a_place() {
        let half = Elem::Float(Num::F16);
        let single = Elem::Float(Num::F32);
        let all = [
            shape(16, 8, 16, half, single, false),
            shape(16, 8, 8, half, half, false),
            shape(16, 8, 8, Elem::Float(Num::Tf32), single, false),
            shape(16, 8, 32, Elem::S8, Elem::S32, false),
            shape(16, 8, 64, Elem::S4, Elem::S32, false),
            shape(8, 8, 4, Elem::Float(Num::F64), Elem::Float(Num::F64), false),
            shape(16, 16, 16, half, single, true),
            shape(32, 8, 16, half, half, true),
            shape(8, 32, 16, Elem::U8, Elem::S32, true),
            shape(16, 16, 8, Elem::Float(Num::Tf32), single, true),
        ];
        for mma in all {
            for part in [Part::A, Part::B, Part::C, Part::D] {
                let (rows, cols) = mma.size(part);
                let mut seen = vec![0u32; (rows * cols) as usize];
                for lane in 0..32 {
                    for r in 0..mma.regs(part) {
                        for i in 0..mma.elem(part).packed() {
                            let (row, col) = mma.place(part, lane, r, i);
                            seen[(row * cols + col) as usize] += 1;
                        }
                    }
                }
                let first = seen[0];
                assert!(first > 0 && seen.iter().all(|&n| n == first), "{mma:?} {part:?}");
                assert!(first == 1 || mma.opaque);
            }
        }
    }
}
