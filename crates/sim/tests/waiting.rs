//! Lanes of one warp that wait for each other, whichever of them comes first in the code; and loops that can be
//! entered in several places.

use ktwin_sim::{Buffer, FindingKind, Launch, Module, Options, Param, Run};

/// Widths and schedules: all lanes together, and warps that take turns.
const SCHEDULES: [(u32, u64); 4] = [(32, 0), (32, 7), (64, 0), (8, 3)];

fn wgsl(body: &str) -> Module {
    let source = format!(
        "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @group(0) @binding(1) var<storage, read_write> flag: atomic<u32>;
        var<workgroup> ready: atomic<u32>;
        var<workgroup> data: array<u32, 64>;
        @compute @workgroup_size(64)
        fn main(@builtin(local_invocation_index) lane: u32) {{ {body} }}"
    );
    Module::from_wgsl(&source).unwrap_or_else(|e| panic!("{}", e.rendered))
}

fn launch(module: &Module, warp: u32, seed: u64) -> (Run, Vec<u32>) {
    let mut launch = Launch::new([1, 1, 1]).buffer(Buffer::from_u32(0, 0, &[0; 64]));
    launch = launch.buffer(Buffer::from_u32(0, 1, &[0]));
    let options = Options { warp, seed, budget: 1 << 20, ..Options::default() };
    let run = module.run(&mut launch, &options).expect("it runs");
    (run, launch.buffers[0].to_u32())
}

/// What is run by WGSL lanes that release, and by those that wait.
const RELEASE: &str = "atomicStore(&ready, 1u);";
const SPIN: &str = "loop { if (atomicLoad(&ready) == 1u) { break; } }";
/// The same with lanes that part and meet again within each round, and with a loop of its own in it.
const BUSY: &str = "var n = lane; loop { if (atomicLoad(&ready) == 1u) { break; }
    if ((n & 1u) == 0u) { n += 3u; } else { n += 1u; } for (var i = 0u; i < (lane & 3u); i++) { n ^= i; } }";

#[test]
fn lanes_of_wgsl_get_what_they_wait_for_in_either_order() {
    for spin in [SPIN, BUSY] {
        for who in [0u32, 5, 63] {
            let first = format!("if (lane == {who}u) {{ {RELEASE} }} else {{ {spin} }}");
            let last = format!("if (lane != {who}u) {{ {spin} }} else {{ {RELEASE} }}");
            let after = format!("if (lane != {who}u) {{ {spin} }} if (lane == {who}u) {{ {RELEASE} }}");
            for waiting in [first, after, last] {
                let module = wgsl(&format!("{waiting} out[lane] = lane + 1u;"));
                for (warp, seed) in SCHEDULES {
                    let (run, out) = launch(&module, warp, seed);
                    // lanes of a wide warp can only wait where the one that releases comes to its turn
                    assert!(run.is_clean(), "{waiting}, warp {warp}, seed {seed}: {:?}", run.findings);
                    assert_eq!(out, (1..=64).collect::<Vec<u32>>(), "{waiting}, warp {warp}, seed {seed}");
                }
            }
        }
    }
}

#[test]
fn lanes_that_run_ahead_wait_at_barriers_and_where_lanes_meet() {
    // lane 0 runs ahead to a barrier and to a sum over the subgroup: it must not go past them alone
    let body = format!(
        "data[lane] = lane; if (lane != 0u) {{ {SPIN} }} else {{ {RELEASE} }}
         let sum = subgroupAdd(1u); workgroupBarrier(); out[lane] = data[63u - lane] + sum;"
    );
    let module = wgsl(&body);
    for (warp, seed) in [(32, 0), (32, 7), (64, 0)] {
        let (run, out) = launch(&module, warp, seed);
        assert!(run.is_clean(), "warp {warp}, seed {seed}: {:?}", run.findings);
        assert_eq!(out, (0..64).map(|i| 63 - i + warp).collect::<Vec<u32>>(), "warp {warp}, seed {seed}");
    }
}

#[test]
fn lanes_that_wait_in_vain_are_found() {
    let module = wgsl(&format!("if (lane != 0u) {{ {SPIN} }} out[lane] = 1u;"));
    let (run, _) = launch(&module, 32, 0);
    assert!(run.findings.iter().any(|f| f.kind == FindingKind::Deadlock), "{:?}", run.findings);
    // a barrier that some lanes never come to
    let module = wgsl(&format!(
        "if (lane == 1u) {{ return; }} if (lane > 1u) {{ {SPIN} }} else {{ {RELEASE} }} {SYNC}"
    ));
    let (run, _) = launch(&module, 32, 0);
    assert!(run.findings.iter().any(|f| f.kind == FindingKind::DivergentBarrier), "{:?}", run.findings);
}

const SYNC: &str = "workgroupBarrier(); out[lane] = 1u;";

fn ptx(body: &str) -> Module {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 o, .param .u64 f) {{
        .reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %d<8>;
        ld.param.u64 %d1, [o]; ld.param.u64 %d2, [f];
        cvta.to.global.u64 %d1, %d1; cvta.to.global.u64 %d2, %d2;
        mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, 4; add.s64 %d3, %d1, %d3;
        {body} }}"
    );
    Module::from_ptx(&text).unwrap_or_else(|e| panic!("{}", e.rendered))
}

fn launch_ptx(module: &Module, seed: u64) -> (Run, Vec<u32>) {
    let mut launch = Launch::new([1, 1, 1]).block([64, 1, 1]);
    launch.buffers = vec![Buffer::from_u32(0, 0, &[0; 64]), Buffer::from_u32(0, 1, &[0])];
    launch.params = (0..2).map(Param::pointer).collect();
    let options = Options { seed, budget: 1 << 20, ..Options::default() };
    let run = module.run(&mut launch, &options).expect("it runs");
    (run, launch.buffers[0].to_u32())
}

#[test]
fn lanes_of_ptx_get_what_they_wait_for_in_either_order() {
    let spin = "SPIN: atom.global.add.u32 %r2, [%d2], 0; setp.eq.u32 %p2, %r2, 0; @%p2 bra SPIN;";
    let release = "atom.global.exch.b32 %r3, [%d2], 1;";
    let done = "add.u32 %r4, %r1, 1; st.global.u32 [%d3], %r4; ret;";
    for who in [0, 5, 63] {
        let first =
            format!("setp.ne.u32 %p1, %r1, {who}; @%p1 bra SPIN; {release} bra DONE; {spin} DONE: {done}");
        let last =
            format!("setp.eq.u32 %p1, %r1, {who}; @%p1 bra GO; {spin} bra DONE; GO: {release} DONE: {done}");
        for body in [first, last] {
            let module = ptx(&body);
            for seed in [0, 7] {
                let (run, out) = launch_ptx(&module, seed);
                assert!(run.is_clean(), "{body}, seed {seed}: {:?}", run.findings);
                assert_eq!(out, (1..=64).collect::<Vec<u32>>(), "{body}, seed {seed}");
            }
        }
    }
}

/// Two blocks that lead to each other, each of which some lanes enter first, through a block of their own. What does
/// not change in the second must not move to where only the first is entered from.
#[test]
fn a_loop_with_two_ways_in_computes_what_each_lane_would_alone() {
    let module = ptx("mov.u32 %r5, 0; and.b32 %r6, %r1, 7; mov.u32 %r7, %r1; and.b32 %r8, %r1, 1;
        setp.eq.u32 %p1, %r8, 0; @%p1 bra TO_B;
        add.u32 %r7, %r7, 9; bra A;
        TO_B: add.u32 %r7, %r7, 4; bra B;
        A: mad.lo.u32 %r7, %r7, 3, 1; add.u32 %r9, %r7, %r5; add.u32 %r5, %r5, 1;
        setp.gt.u32 %p2, %r5, %r6; @%p2 bra DONE;
        B: mul.lo.u32 %r11, %r6, %r6; mad.lo.u32 %r7, %r7, 5, %r11;
        xor.b32 %r9, %r7, %r5; add.u32 %r5, %r5, 1;
        setp.le.u32 %p3, %r5, %r6; @%p3 bra A;
        DONE: add.u32 %r10, %r7, %r9; st.global.u32 [%d3], %r10; ret;");
    let alone = |lane: u32| {
        let limit = lane & 7;
        let (mut n, mut at_b) = (0u32, lane & 1 == 0);
        let mut x = lane + if at_b { 4 } else { 9 };
        loop {
            x = if at_b {
                x.wrapping_mul(5).wrapping_add(limit * limit)
            } else {
                x.wrapping_mul(3).wrapping_add(1)
            };
            let y = if at_b { x ^ n } else { x.wrapping_add(n) };
            n += 1;
            if n > limit {
                return x.wrapping_add(y);
            }
            at_b = !at_b;
        }
    };
    for seed in [0, 1, 9] {
        let (run, out) = launch_ptx(&module, seed);
        assert!(run.is_clean(), "{:?}", run.findings);
        assert_eq!(out, (0..64).map(alone).collect::<Vec<u32>>(), "seed {seed}");
    }
}

/// Each block writes its number, all meet at the grid's barrier, and each reads what the next has written.
const MEETING: &str = ".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 y)
{
.reg .pred %p<3>;
.reg .b32 %r<12>;
.reg .b64 %d<12>;
ld.param.u64 %d0, [y];
mov.u32 %r0, %ctaid.x;
mov.u32 %r1, %nctaid.x;
mul.wide.u32 %d1, %r0, 8;
add.u64 %d2, %d0, %d1;
st.global.u32 [%d2], %r0;
mov.u32 %r2, %envreg1;
mov.u32 %r3, %envreg2;
cvt.u64.u32 %d3, %r2;
shl.b64 %d3, %d3, 32;
cvt.u64.u32 %d4, %r3;
or.b64 %d5, %d3, %d4;
setp.eq.u32 %p0, %r0, 0;
sub.u32 %r4, 0x80000001, %r1;
selp.b32 %r5, %r4, 1, %p0;
atom.add.release.gpu.u32 %r6, [%d5+4], %r5;
$wait:
ld.acquire.gpu.u32 %r7, [%d5+4];
xor.b32 %r8, %r6, %r7;
setp.ge.s32 %p1, %r8, 0;
@%p1 bra $wait;
add.u32 %r9, %r0, 1;
rem.u32 %r9, %r9, %r1;
mul.wide.u32 %d6, %r9, 8;
add.u64 %d7, %d0, %d6;
ld.global.u32 %r10, [%d7];
st.global.u32 [%d2+4], %r10;
ret;
}
";

#[test]
fn blocks_meet_at_the_barrier_of_a_grid_that_fits_on_the_card() {
    let module = Module::from_ptx(MEETING).expect("it is supported");
    let meet = |blocks: u32, lanes: u32| {
        let mut launch = Launch::new([blocks, 1, 1]).block([lanes, 1, 1]).param(Param::pointer(0));
        launch.buffers = vec![Buffer::output(0, 0, 8 * blocks as usize)];
        let run = module.run(&mut launch, &Options { seed: 5, ..Options::default() });
        run.map(|run| (run.is_clean(), launch.buffers[0].to_u32()))
    };
    for blocks in [1, 2, 40] {
        let (clean, out) = meet(blocks, 1).expect("it runs");
        assert!(clean, "{blocks} blocks");
        let want: Vec<u32> = (0..blocks).flat_map(|b| [b, (b + 1) % blocks]).collect();
        assert_eq!(out, want, "{blocks} blocks");
    }
    let text = meet(257, 1024).expect_err("it is refused").to_string();
    assert!(text.contains("all 257 blocks on the card at once: the simulated one holds 256"), "{text}");
}
