//! Tests of passes, each a file of `passes/`: a line that says what is tested, a program, and what comes of it.
//! `KTWIN_BLESS=1 cargo test -p ktwin-sim passes` writes what comes into the files, to be read before it is kept.

use super::alloc::{NOWHERE, allocate, file};
use super::graph::{EXIT, Graph};
use super::order::{Order, finish};
use super::{PASSES, classify, filled, legal, meets, swapped, uniform};
use crate::ir::text::{parse, print};
use crate::ir::{Program, Reg};
use std::fmt::Write as _;
use std::path::PathBuf;

const BETWEEN: &str = "\n----\n";

/// What comes of a program.
fn outcome(test: &str, mut prog: Program) -> Result<String, String> {
    let source: Vec<u32> = (0..prog.blocks.len() as u32).collect();
    match test {
        "verify" => return Ok(prog.verify().err().unwrap_or_else(|| "it is whole".to_owned())),
        "order source" => return finish(prog, &source, Order::Source).and_then(whole),
        "order graph" => return finish(prog, &source, Order::Graph).and_then(whole),
        "classify" | "classify irreducible" => {
            classify::classify(&mut prog, test == "classify irreducible");
            return whole(prog);
        }
        _ => prog.verify().map_err(|error| format!("the program given is broken: {error}"))?,
    }
    match test {
        "graph" => return Ok(graph(&prog)),
        "uniform" => {
            let divergent = uniform::divergent(&prog, &Graph::new(&prog));
            return Ok(format!("by lane: {}", list(&divergent)));
        }
        "legal" => {
            let divergent = uniform::divergent(&prog, &Graph::new(&prog));
            let split = legal::split(&mut prog, &divergent);
            return Ok(format!("shared: {}\n{}", list(&split.shared), print(&prog)));
        }
        "alloc" => return Ok(places(prog)),
        "filled" => return Ok(watched(prog)),
        "meets" => {
            let order = meets::split(&mut prog, &source);
            let order: Vec<String> = order.iter().map(|b| format!("b{b}")).collect();
            return Ok(format!("in order: {}\n{}", order.join(" "), print(&prog)));
        }
        "spinning" => {
            let loops = classify::spinning(&prog);
            let loops: Vec<String> = loops.iter().map(|(start, end)| format!("b{start}..b{end}")).collect();
            return Ok(format!("waits for others: {}", loops.join(" ")));
        }
        "swapped" => {
            swapped::mark(&mut prog);
            return whole(prog);
        }
        _ => {}
    }
    let pass = PASSES.iter().find(|(name, _)| *name == test).ok_or(format!("no pass `{test}`"))?;
    (pass.1)(&mut prog);
    whole(prog)
}

fn whole(prog: Program) -> Result<String, String> {
    prog.verify().map_err(|error| format!("{error}\n{}", print(&prog)))?;
    Ok(print(&prog))
}

/// The registers of which something holds.
fn list(holds: &[bool]) -> String {
    let regs = holds.iter().enumerate().filter(|(_, holds)| **holds);
    regs.map(|(reg, _)| format!("r{reg} ")).collect::<String>().trim_end().to_owned()
}

fn graph(prog: &Program) -> String {
    let graph = Graph::new(prog);
    let name = |b: u32| if b == EXIT { "-".to_owned() } else { format!("b{b}") };
    let mut out = String::new();
    for b in 0..prog.blocks.len() as u32 {
        let mut controlled = graph.controlled(b);
        controlled.sort_unstable();
        let controlled: Vec<String> = controlled.into_iter().map(name).collect();
        let (over, after) = (name(graph.idom[b as usize]), name(graph.ipdom[b as usize]));
        let controlled = controlled.join(" ");
        let _ = writeln!(out, "b{b}: dominated by {over}, leads to {after}, controls {controlled}");
    }
    out
}

/// A program that asks for what its matrix products are given, and before it what it does first.
fn watched(mut prog: Program) -> String {
    let live = classify::live_at_entry(&prog);
    let first = filled::watch(&mut prog, &live);
    prog.blocks[0].ins.splice(0..0, first);
    print(&prog)
}

fn places(mut prog: Program) -> String {
    let divergent = uniform::divergent(&prog, &Graph::new(&prog));
    let split = legal::split(&mut prog, &divergent);
    let places = allocate(&prog, &split);
    let mut out = format!("places of 32 and 64 bits by lane, of 32 and 64 bits shared: {:?}\n", places.sizes);
    for (reg, &place) in places.place.iter().enumerate().filter(|(_, place)| **place != NOWHERE) {
        let file = ["lanes", "wide lanes", "shared", "wide shared"][file(&prog, &split.shared, reg as Reg)];
        let _ = writeln!(out, "r{reg}: {file} {place}");
    }
    out + &print(&prog)
}

fn run(path: &PathBuf, bless: bool) -> Result<String, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let (given, want) = text.split_once(BETWEEN).unwrap_or((&text, ""));
    let (first, program) = given.split_once('\n').ok_or("it has one line")?;
    let test = first.strip_prefix("test ").ok_or("it must begin with `test` and what is tested")?;
    let got = outcome(test, parse(program).map_err(|error| format!("after the first line, {error}"))?)?;
    if bless {
        let whole = format!("{}{BETWEEN}{}\n", given.trim_end(), got.trim_end());
        std::fs::write(path, whole).map_err(|error| error.to_string())?;
    } else if got.trim_end() != want.trim_end() {
        return Err(format!("expected:\n{want}\ngot:\n{got}"));
    }
    Ok(test.to_owned())
}

#[test]
fn passes_do_what_their_files_say() {
    let bless = std::env::var_os("KTWIN_BLESS").is_some();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/passes");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let (mut seen, mut wrong) = (Vec::new(), String::new());
    for path in &paths {
        match run(path, bless) {
            Ok(test) => seen.push(test),
            Err(error) => wrong += &format!("{}: {error}\n", path.display()),
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    let analyses = [
        "alloc",
        "classify",
        "filled",
        "graph",
        "legal",
        "meets",
        "order graph",
        "order source",
        "spinning",
        "swapped",
        "uniform",
        "verify",
    ];
    for name in PASSES.iter().map(|(name, _)| *name).chain(analyses) {
        assert!(seen.iter().filter(|test| *test == name).count() >= 2, "`{name}` has fewer than two tests");
    }
}
