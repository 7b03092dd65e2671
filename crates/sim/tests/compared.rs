//! What comparisons compare that are the same for all lanes is told where it is asked for, and nowhere else.

use ktwin_sim::{Buffer, Compare, Launch, Module, Options, Sides};

const SOURCE: &str = "@group(0) @binding(0) var<uniform> sizes: vec4u;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) at: vec3u) {
    if at.x >= sizes.x { return; }
    var sum = 0u;
    for (var i = 0u; i < sizes.y; i++) {
        if sizes.z * 4u == 308u { sum += 2u; }
        sum += i * sizes.w;
    }
    if f32(sizes.w) * 0.5 < 0.25 { sum += 1u; }
    if sizes.y == 5u && sizes.w * 7u == 22u { sum += 1u; }
    out[at.x] = sum;
}";

fn told(compares: bool) -> Vec<Compare> {
    let module = Module::from_wgsl(SOURCE).unwrap_or_else(|e| panic!("{}", e.rendered));
    let mut launch = Launch::new([2, 1, 1])
        .buffer(Buffer::from_u32(0, 0, &[16, 5, 70, 3]))
        .buffer(Buffer::from_u32(0, 1, &[0; 16]));
    let run = module.run(&mut launch, &Options { compares, ..Options::default() }).expect("it runs");
    assert!(run.is_clean(), "{:?}", run.findings);
    let sum = (0..5).map(|i| i * 3).sum::<u32>();
    assert_eq!(launch.buffers[1].to_u32(), [sum; 16]);
    run.compared
}

#[test]
fn both_sides_of_what_is_the_same_for_all_lanes_are_told() {
    let told = told(true);
    let at = |line: u32| told.iter().find(|one| one.line == line).map(|one| one.sides);
    assert_eq!(at(8), Some(Some(Sides::Whole(280, 308))), "{told:?}");
    assert_eq!(at(11), Some(Some(Sides::Real(1.5, 0.25))), "{told:?}");
    assert_eq!(at(7), Some(None), "the end of the loop: {told:?}");
    assert_eq!(at(5), Some(None), "each lane has its own: {told:?}");
    let second = told.iter().any(|one| one.line == 12 && one.sides == Some(Sides::Whole(21, 22)));
    assert!(second, "lanes may have gone other ways before: {told:?}");
}

#[test]
fn nothing_is_told_unasked() {
    assert_eq!(told(false), []);
}
