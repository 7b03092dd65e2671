//! Every op of the catalogue and every kernel of the repository: any two dimensions that may differ occur with either
//! the larger, above 1 and above their tiles, or a gap says that they do not.

use std::path::{Path, PathBuf};

use super::shapes::order_gap;
use super::{Amount, plan};
use crate::kernel::Kernel;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn files(folder: &str, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(root().join(folder)).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files(&format!("{folder}/{}", path.file_name().unwrap().to_string_lossy()), out),
            false => out.push(path),
        }
    }
    out.sort();
}

fn catalogue() -> Vec<(&'static str, &'static str)> {
    let mut paths = Vec::new();
    files("ops", &mut paths);
    paths.retain(|path| path.extension().is_some_and(|e| e == "op"));
    let text = |path: &PathBuf| -> &'static str { std::fs::read_to_string(path).unwrap().leak() };
    let name =
        |path: &PathBuf| -> &'static str { path.file_stem().unwrap().to_string_lossy().into_owned().leak() };
    paths.iter().map(|path| (name(path), text(path))).collect()
}

/// A contract that leaves everything open.
fn open(name: &str, text: &str, ops: &[(&str, &str)]) -> Kernel {
    let op = ktwin_lang::Op::parse_with(name, text, &|name| crate::ops::find(name, None, ops)).unwrap();
    let tensors = op.inputs.iter().chain(&op.outputs).map(|t| format!("'{}'", t.name));
    let mut args: Vec<String> = tensors.collect();
    args.dedup();
    Kernel::of_contract(name, &format!("op = '{name}'\nargs = [{}]", args.join(", ")), ops).unwrap()
}

/// Pairs of a kernel's dimensions of which the first is never the smaller. All of these are ruled out by constraints;
/// panics where a gap says so none the less.
fn never(kernel: &Kernel, amount: Amount) -> Vec<String> {
    let plan = plan(kernel, amount).unwrap_or_else(|e| panic!("{}: {e}", kernel.name));
    let free = kernel.op.free_dims();
    let dims: Vec<&str> = free.iter().map(|d| kernel.op.dims[*d].name.as_str()).collect();
    let tile = |dim: &str| {
        let tiles = kernel.contract.tile.iter().filter(|(name, _)| **name == *dim);
        tiles.map(|(_, tile)| *tile).max().unwrap_or(1)
    };
    let mut out = Vec::new();
    for (a, b) in dims.iter().flat_map(|a| dims.iter().map(move |b| (*a, *b))).filter(|(a, b)| a != b) {
        let met = plan.cases.iter().any(|case| {
            let size = |dim: &str| case.dims.iter().find(|(n, _)| n == dim).unwrap().1;
            size(a) < size(b) && size(a) > tile(a) && size(b) > tile(b)
        });
        let one = |dim: &str| kernel.fixed(dim).is_some();
        if !met && !one(a) && !one(b) {
            assert!(
                !plan.gaps.contains(&order_gap(a, b)),
                "{}: {a} < {b} is listed as a gap: {:?}",
                kernel.name,
                plan.gaps
            );
            out.push(format!("{} {a} < {b}", kernel.name));
        }
    }
    out
}

#[test]
fn any_two_dimensions_of_an_op_differ_both_ways() {
    let ops = catalogue();
    let mut out = Vec::new();
    for (name, text) in &ops {
        // what a quick plan holds, a full one does too
        out.extend(never(&open(name, text, &ops), Amount::QUICK));
    }
    assert_eq!(out, EXCEPTIONS);
}

/// What constraints of the ops rule out.
const EXCEPTIONS: &[&str] = &[
    "attention H < G",
    "attention T < S",
    "attention_backward H < G",
    "attention_backward T < S",
    "attention_kv H < G",
    "attention_kv T < S",
    "attention_paged H < G",
    "kv_write T < S",
];

#[test]
fn any_two_dimensions_of_a_kernel_differ_both_ways() {
    let (ops, mut paths) = (catalogue(), Vec::new());
    files("kernels/c", &mut paths);
    files("kernels/wgsl", &mut paths);
    assert!(paths.len() > 50);
    let mut out = Vec::new();
    for path in paths.into_iter().filter(|path| path.extension().is_none_or(|of| of != "op")) {
        let mut kernel = Kernel::load(&path, &ops).unwrap_or_else(|e| panic!("{e}"));
        kernel.name = path.file_name().unwrap().to_string_lossy().into_owned();
        out.extend(never(&kernel, Amount::default()));
    }
    assert_eq!(out, KERNEL_EXCEPTIONS);
}

/// What constraints of their ops and limits of their own rule out.
const KERNEL_EXCEPTIONS: &[&str] = &[
    "attention.c H < G",
    "attention.c T < S",
    "transformer_block.c H < G",
    "attention.wgsl H < G",
    "attention.wgsl T < S",
    "attention_online.wgsl H < G",
    "attention_online.wgsl T < S",
];

#[test]
fn groups_meet_more_outputs_than_inputs_and_fewer() {
    let text = "op grouped(x[C], w[O]; groups in 1..5 = 1) -> y[O]\nwhere C % groups == 0, O % groups == 0\n
                y[o] = w[o] * x[o // (O // groups) * (C // groups)]";
    let plan = plan(&open("grouped", text, &[("grouped", text)]), Amount::QUICK).unwrap();
    let met = |order: &dyn Fn(i64, i64) -> bool| {
        plan.cases.iter().any(|case| {
            let size = |dim: &str| case.dims.iter().find(|(n, _)| n == dim).unwrap().1;
            let groups = case.scalars.iter().find(|(n, _)| n == "groups").map(|(_, v)| *v);
            matches!(groups, Some(ktwin_lang::Value::Int(2..))) && order(size("O"), size("C"))
        })
    };
    assert!(met(&|o, c| o > c) && met(&|o, c| o < c), "{:?}", plan.cases);
}
