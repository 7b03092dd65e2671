//! What the lanes of a warp do together: all of them, on the way that all go.

use super::text::{Ins, Program, list};
use super::{Machine, Thread};
use half::f16;

pub fn is_together(name: &str, ins: &Ins) -> bool {
    matches!(name, "shfl" | "vote" | "match" | "ldmatrix")
        || name == "mma"
        || name == "bar" && ins.has("warp")
}

pub fn together(m: &mut Machine, program: &Program, ins: &Ins, mut lanes: Vec<&mut Thread>) {
    match ins.name() {
        "ldmatrix" => return ldmatrix(m, program, ins, &mut lanes),
        "mma" => return mma(program, ins, &mut lanes),
        "bar" => return,
        _ => {}
    }
    let of = |t: &Thread, i: usize| t.value(program, &ins.args[i], "b32");
    let values: Vec<u64> = lanes.iter().map(|t| of(t, 1)).collect();
    for lane in 0..lanes.len() {
        let thread = &mut lanes[lane];
        let out = match ins.name() {
            "shfl" => {
                let (by, clamp) = (of(thread, 2) as usize & 31, of(thread, 3) as usize);
                let (segment, clamp) = (clamp >> 8 & 31, clamp & 31);
                let most = (lane & segment) | (clamp & !segment);
                let (from, fits) = match ins.op[2].as_str() {
                    "up" => (lane.wrapping_sub(by), lane as i64 - by as i64 >= most as i64),
                    "down" => (lane + by, lane + by <= most),
                    "bfly" => (lane ^ by, lane ^ by <= most),
                    _ => {
                        let from = (lane & segment) | (by & !segment);
                        (from, from <= most)
                    }
                };
                let (dst, p) = ins.args[0].split_once('|').unwrap_or((&ins.args[0], ""));
                if !p.is_empty() {
                    thread.set(p, u64::from(fits));
                }
                thread.set(dst, values[if fits { from } else { lane }]);
                continue;
            }
            "vote" => values.iter().rev().fold(0, |all, v| all << 1 | v & 1),
            _ => values.iter().rev().fold(0, |all, v| all << 1 | u64::from(*v == values[lane])),
        };
        thread.set(&ins.args[0], out);
    }
}

/// Row `i` of matrix `k` lies where lane `8 k + i` says; each lane gets two neighbours of its row.
fn ldmatrix(m: &mut Machine, program: &Program, ins: &Ins, lanes: &mut [&mut Thread]) {
    let at: Vec<u64> = lanes.iter().map(|t| m.address(program, t, &ins.args[1], "shared")).collect();
    let dst = list(&ins.args[0]);
    for lane in 0..32 {
        for (k, reg) in dst.iter().enumerate() {
            let value = m.read(lanes[lane], at[8 * k + lane / 4] + 4 * (lane as u64 % 4), 4);
            lanes[lane].set(reg, value);
        }
    }
}

/// `mma.m16n8k16` of f16, with sums in f32 that are exact here.
fn mma(program: &Program, ins: &Ins, lanes: &mut [&mut Thread]) {
    assert!(ins.has("m16n8k16") && ins.op[6..] == ["f32", "f16", "f16", "f32"], "{:?}", ins.op);
    let words = |t: &Thread, arg: usize| -> Vec<u64> {
        list(&ins.args[arg]).iter().map(|r| t.value(program, r, "b32")).collect()
    };
    let (mut a, mut b, mut d) = ([[0f64; 16]; 16], [[0f64; 8]; 16], [[0f64; 8]; 16]);
    for (lane, thread) in lanes.iter().enumerate() {
        let (group, part) = (lane / 4, lane % 4);
        for (i, word) in words(thread, 1).into_iter().enumerate() {
            for half in 0..2 {
                let value = f64::from(f16::from_bits((word >> (16 * half)) as u16));
                a[group + 8 * (i % 2)][2 * part + half + 8 * (i / 2)] = value;
            }
        }
        for (i, word) in words(thread, 2).into_iter().enumerate() {
            for half in 0..2 {
                b[2 * part + half + 8 * i][group] = f64::from(f16::from_bits((word >> (16 * half)) as u16));
            }
        }
        for (i, word) in words(thread, 3).into_iter().enumerate() {
            d[group + 8 * (i / 2)][2 * part + i % 2] = f64::from(f32::from_bits(word as u32));
        }
    }
    for (row, sums) in a.iter().zip(&mut d) {
        for (col, sum) in sums.iter_mut().enumerate() {
            *sum += row.iter().zip(&b).map(|(x, y)| x * y[col]).sum::<f64>();
        }
    }
    for (lane, thread) in lanes.iter_mut().enumerate() {
        for (i, reg) in list(&ins.args[0]).iter().enumerate() {
            let value = d[lane / 4 + 8 * (i / 2)][2 * (lane % 4) + i % 2];
            thread.set(reg, u64::from((value as f32).to_bits()));
        }
    }
}
