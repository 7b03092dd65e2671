//! Copies, selections, and copies of shared values to all lanes.

use super::lift::{get, one, put, put_one};
use crate::exec::lanes::{ROW, Raw, Row};
use crate::exec::machine::Machine;
use crate::exec::step::{Pair, Step};

lanes! {
    fn select_lanes<T: Raw>(m, step) {
        for k in 0..m.live_len {
            let row = m.live[k] as usize;
            let c = &u32::rows(&m.regs)[step.src[0] as usize + row];
            let a = &T::rows(&m.regs)[step.src[1] as usize + row];
            let b = &T::rows(&m.regs)[step.src[2] as usize + row];
            let mut out = Row::<T>::default();
            for i in 0..ROW {
                out[i] = if c[i] != 0 { a[i] } else { b[i] };
            }
            put(m, step, 0, row, &out);
        }
    }
}

fn select_once<T: Raw>(m: &mut Machine, step: &Step) {
    let slot = if one::<u32>(m, step, 0) != 0 { 1 } else { 2 };
    let out: T = one(m, step, slot);
    put_one(m, step, 0, out);
}

lanes! {
    fn copy_lanes<T: Raw>(m, step) {
        for k in 0..m.live_len {
            let row = m.live[k] as usize;
            let a = get::<T>(m, step, 0, row);
            put(m, step, 0, row, &a);
        }
    }
}

fn copy_once<T: Raw>(m: &mut Machine, step: &Step) {
    let out: T = one(m, step, 0);
    put_one(m, step, 0, out);
}

lanes! {
    fn splat<T: Raw>(m, step) {
        let out = Row([one::<T>(m, step, 0); ROW]);
        for k in 0..m.live_len {
            let row = m.live[k] as usize;
            put(m, step, 0, row, &out);
        }
    }
}

pub fn select(wide: bool) -> Pair {
    match wide {
        false => Pair { lanes: select_lanes::<u32>, once: select_once::<u32> },
        true => Pair { lanes: select_lanes::<u64>, once: select_once::<u64> },
    }
}

pub fn copy(wide: bool) -> Pair {
    match wide {
        false => Pair { lanes: copy_lanes::<u32>, once: copy_once::<u32> },
        true => Pair { lanes: copy_lanes::<u64>, once: copy_once::<u64> },
    }
}

pub fn spread(wide: bool) -> Pair {
    match wide {
        false => Pair { lanes: splat::<u32>, once: splat::<u32> },
        true => Pair { lanes: splat::<u64>, once: splat::<u64> },
    }
}
