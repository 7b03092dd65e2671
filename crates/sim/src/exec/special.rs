//! Values that the machine gives: where a lane is, how large everything is.

use super::alu::lift::{put, put_one};
use super::lanes::{ROW, Row};
use super::machine::Machine;
use super::step::{Pair, Step};
use crate::ir::Special;

/// The number of a special in a step.
pub fn code(special: Special) -> u32 {
    let (base, axis) = match special {
        Special::LocalId(axis) => (0, axis),
        Special::GlobalId(axis) => (3, axis),
        Special::WorkgroupId(axis) => (6, axis),
        Special::NumWorkgroups(axis) => (9, axis),
        Special::WorkgroupSize(axis) => (12, axis),
        Special::LocalIndex => (15, 0),
        Special::SubgroupSize => (16, 0),
        Special::SubgroupLane => (17, 0),
        Special::SubgroupId => (18, 0),
        Special::NumSubgroups => (19, 0),
    };
    base + u32::from(axis)
}

fn value(m: &Machine, code: u32, lane: u32) -> u32 {
    let size = m.shape.size;
    let local = [lane % size[0], lane / size[0] % size[1], lane / size[0] / size[1]];
    let axis = (code % 3) as usize;
    match code {
        0..3 => local[axis],
        3..6 => m.group[axis].wrapping_mul(size[axis]).wrapping_add(local[axis]),
        6..9 => m.group[axis],
        9..12 => m.shape.grid[axis],
        12..15 => size[axis],
        15 => lane,
        16 => m.shape.warp,
        17 => lane % m.shape.warp,
        18 => lane / m.shape.warp,
        _ => m.shape.lanes.div_ceil(m.shape.warp),
    }
}

fn lanes(m: &mut Machine, step: &Step) {
    for k in 0..m.live_len {
        let row = m.live[k] as usize;
        let mut out = Row([0; ROW]);
        for (i, slot) in out.iter_mut().enumerate() {
            *slot = value(m, step.imm, m.lane(row, i));
        }
        put(m, step, 0, row, &out);
    }
}

fn once(m: &mut Machine, step: &Step) {
    let out = value(m, step.imm, 0);
    put_one(m, step, 0, out);
}

pub fn pair() -> Pair {
    Pair { lanes, once }
}
