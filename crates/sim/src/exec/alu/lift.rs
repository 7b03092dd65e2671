//! From an operation on one lane to one on rows of lanes, or on a shared value. The loops vectorise: `pulp`
//! chooses the machine's widest registers while running.

use crate::exec::lanes::{ROW, Raw, Row};
use crate::exec::machine::Machine;
use crate::exec::step::{Pair, Step};

pub trait Op1: 'static {
    type A: Raw;
    type D: Raw;
    fn f(a: Self::A) -> Self::D;
}

pub trait Op2: 'static {
    type A: Raw;
    type B: Raw;
    type D: Raw;
    fn f(a: Self::A, b: Self::B) -> Self::D;
}

pub trait Op3: 'static {
    type A: Raw;
    type B: Raw;
    type D: Raw;
    fn f(a: Self::A, b: Self::B, c: Self::B) -> Self::D;
}

pub fn pair1<O: Op1>() -> Pair {
    Pair { lanes: lanes1::<O>, once: once1::<O> }
}

pub fn pair2<O: Op2>() -> Pair {
    Pair { lanes: lanes2::<O>, once: once2::<O> }
}

pub fn pair3<O: Op3>() -> Pair {
    Pair { lanes: lanes3::<O>, once: once3::<O> }
}

/// Writes a row of results; a variable keeps what it had in lanes that are not active.
#[inline(always)]
pub fn put<T: Raw>(m: &mut Machine, step: &Step, slot: usize, row: usize, out: &Row<T>) {
    let mask = m.mask[row];
    let dst = &mut T::rows_mut(&mut m.regs)[step.dst[slot] as usize + row];
    if step.masked && mask != u32::MAX {
        for i in 0..ROW {
            dst[i] = if mask & (1 << i) != 0 { out[i] } else { dst[i] };
        }
    } else {
        *dst = *out;
    }
}

#[inline(always)]
pub fn get<T: Raw>(m: &Machine, step: &Step, slot: usize, row: usize) -> Row<T> {
    T::rows(&m.regs)[step.src[slot] as usize + row]
}

#[inline(always)]
pub fn one<T: Raw>(m: &Machine, step: &Step, slot: usize) -> T {
    T::ones(&m.regs)[step.src[slot] as usize]
}

#[inline(always)]
pub fn put_one<T: Raw>(m: &mut Machine, step: &Step, slot: usize, value: T) {
    T::ones_mut(&mut m.regs)[step.dst[slot] as usize] = value;
}

lanes! {
    fn lanes1<O: Op1>(m, step) {
        for k in 0..m.live_len {
            let row = m.live[k] as usize;
            let a = &O::A::rows(&m.regs)[step.src[0] as usize + row];
            let mut out = Row::<O::D>::default();
            for i in 0..ROW {
                out[i] = O::f(a[i]);
            }
            put(m, step, 0, row, &out);
        }
    }
}

lanes! {
    fn lanes2<O: Op2>(m, step) {
        for k in 0..m.live_len {
            let row = m.live[k] as usize;
            let a = &O::A::rows(&m.regs)[step.src[0] as usize + row];
            let b = &O::B::rows(&m.regs)[step.src[1] as usize + row];
            let mut out = Row::<O::D>::default();
            for i in 0..ROW {
                out[i] = O::f(a[i], b[i]);
            }
            put(m, step, 0, row, &out);
        }
    }
}

lanes! {
    fn lanes3<O: Op3>(m, step) {
        for k in 0..m.live_len {
            let row = m.live[k] as usize;
            let a = &O::A::rows(&m.regs)[step.src[0] as usize + row];
            let b = &O::B::rows(&m.regs)[step.src[1] as usize + row];
            let c = &O::B::rows(&m.regs)[step.src[2] as usize + row];
            let mut out = Row::<O::D>::default();
            for i in 0..ROW {
                out[i] = O::f(a[i], b[i], c[i]);
            }
            put(m, step, 0, row, &out);
        }
    }
}

fn once1<O: Op1>(m: &mut Machine, step: &Step) {
    let out = O::f(one(m, step, 0));
    put_one(m, step, 0, out);
}

fn once2<O: Op2>(m: &mut Machine, step: &Step) {
    let out = O::f(one(m, step, 0), one(m, step, 1));
    put_one(m, step, 0, out);
}

fn once3<O: Op3>(m: &mut Machine, step: &Step) {
    let out = O::f(one(m, step, 0), one(m, step, 1), one(m, step, 2));
    put_one(m, step, 0, out);
}
