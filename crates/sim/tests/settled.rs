//! Races that go on for long: once their places are known they are counted, and no longer looked into.

use ktwin_sim::{Buffer, FindingKind, Launch, Module, Options, Run};

const TURNS: u64 = 200;
const LANES: u64 = 64;

fn run(turn: &str) -> Run {
    let source = format!(
        "@group(0) @binding(0) var<storage, read_write> y: array<f32>;
var<workgroup> tile: array<f32, {LANES}>;
var<workgroup> other: array<f32, {LANES}>;
@compute @workgroup_size({LANES})
fn main(@builtin(local_invocation_index) lane: u32) {{
    let next = (lane + 1u) % {LANES}u;
    for (var turn = 0u; turn < {TURNS}u; turn++) {{
        {turn}
        workgroupBarrier();
    }}
}}"
    );
    let module = Module::from_wgsl(&source).unwrap_or_else(|e| panic!("{}", e.rendered));
    let mut launch = Launch::new([1, 1, 1]).buffer(Buffer::input(0, 0, vec![0; 4 * LANES as usize]));
    module.run(&mut launch, &Options::default()).expect("it runs")
}

#[test]
fn every_place_is_found_and_every_turn_counted() {
    let run = run("tile[lane] = f32(turn);
        y[lane] += tile[next];
        if turn > 5u { other[lane] = f32(turn);
        y[lane] += other[next]; }");
    let races: Vec<_> = run.findings.iter().filter(|f| f.kind == FindingKind::Race).collect();
    let lines: Vec<u32> = races.iter().map(|race| race.line).collect();
    assert_eq!(lines, [9, 11], "{:?}", run.findings);
    for (race, other) in races.iter().zip([8, 10]) {
        assert_eq!(race.other.as_ref().map(|o| o.line), Some(other), "{race:?}");
        assert!(race.count > (TURNS - 6) * LANES / 2, "{race:?}");
    }
}

#[test]
fn without_a_race_nothing_settles() {
    let run = run("tile[lane] = f32(turn);
        workgroupBarrier();
        y[lane] += tile[next];");
    assert!(run.is_clean(), "{:?}", run.findings);
}
