//! The launch of a drafted contract: how many lanes and workgroups, guessed from what workgroups are for.

use ktwin_check::interface::{Interface, Spread};
use ktwin_lang::Op;

use crate::contract::{MARK, Start};
use crate::sizes::{factors, product};
use crate::template::bound;

/// Lanes of a workgroup where nobody says.
const LANES: [u32; 3] = [256, 1, 1];
/// The same where lanes have two numbers.
const PLANE: [u32; 3] = [16, 16, 1];

/// How many workgroups: one lane an element of the first output, along its last dimensions. A guess always.
pub(crate) fn launch(op: &Op, interface: &Interface, start: Start) -> Vec<String> {
    let Some(output) = op.outputs.first().filter(|_| start != Start::Called) else { return Vec::new() };
    let shape = factors(&output.axes);
    if start == Start::Programs {
        return vec![programs(&shape, interface)];
    }
    let [x, y, z] = interface.block.unwrap_or_else(|| lanes(interface)).map(|n| n.max(1));
    let parts = |n: &str, lanes: u32| if lanes == 1 { n.to_owned() } else { format!("ceil({n} / {lanes})") };
    // a reduction has an element for each of its rows
    let reduces = op.inputs.first().is_some_and(|input| input.axes.len() > shape.len());
    let rows = if reduces || shape.len() == 1 { &shape[..] } else { &shape[..shape.len().saturating_sub(1)] };
    let grid: Vec<String> = match (y, z) {
        _ if interface.spread == Spread::Rows => vec![product(rows), "1".into(), "1".into()],
        (1, 1) => vec![parts(&product(&shape), x), "1".into(), "1".into()],
        _ => {
            let mut rest = shape.into_iter().rev();
            let (n, m) = (rest.next().unwrap_or("1".into()), rest.next().unwrap_or("1".into()));
            let mut others: Vec<String> = rest.collect();
            others.reverse();
            vec![parts(&n, x), parts(&m, y), parts(&product(&others), z)]
        }
    };
    let mut lines = Vec::new();
    if start == Start::Launched {
        lines.push(format!("block   = [{x}, {y}, {z}] {MARK} how many lanes has a workgroup?"));
    }
    if let Some(name) = interface.local.first() {
        // a number for each lane
        let bytes = 4 * x * y * z;
        lines.push(format!("shared  = {bytes} {MARK} how many bytes does the host give `{name}`?"));
    }
    lines.push(format!("grid    = [{}] {MARK} how many workgroups does the host start?", quoted(&grid)));
    lines
}

/// Lanes of a workgroup, as many as the source allows; a guess all the same.
fn lanes(interface: &Interface) -> [u32; 3] {
    match (interface.spread, bound(interface)) {
        (Spread::Plane, Some(most)) => [PLANE[0], (most / PLANE[0]).clamp(1, PLANE[1]), 1],
        (Spread::Plane, None) => PLANE,
        (_, Some(most)) => [most, 1, 1],
        (_, None) => LANES,
    }
}

/// Numbers as they are, expressions as text.
fn quoted(grid: &[String]) -> String {
    let one = |text: &String| if text.parse::<u32>().is_ok() { text.clone() } else { format!("\"{text}\"") };
    grid.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// How many programs: a block of elements each, of a plane, or a row.
fn programs(shape: &[String], interface: &Interface) -> String {
    let blocks = interface.constants.iter().map(|(name, _)| name.as_str());
    let blocks: Vec<&str> = blocks.filter(|name| name.to_lowercase().contains("block")).collect();
    let parts = |n: String, at: usize| match blocks.get(at).or(blocks.first()) {
        Some(block) => format!("ceil({n} / {block})"),
        None => n,
    };
    let (rows, last) = (&shape[..shape.len().saturating_sub(1)], shape.last().cloned().unwrap_or("1".into()));
    let grid = match interface.spread {
        Spread::Rows if shape.len() == 1 => [last, "1".into(), "1".into()],
        Spread::Rows => [product(rows), "1".into(), "1".into()],
        Spread::Plane => [parts(product(rows), 0), parts(last, 1), "1".into()],
        Spread::Elements => [parts(product(shape), 0), "1".into(), "1".into()],
    };
    format!("grid    = [{}] {MARK} how many programs does the host start?", quoted(&grid))
}
