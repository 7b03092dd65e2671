//! Workgroups that go on in turns: what only shows while several of them are alive, and what never may.

use ktwin_sim::{Buffer, Launch, Module, Options, Run};

const GROUPS: u32 = 200;

fn wgsl(body: &str) -> Module {
    let source = format!(
        "@group(0) @binding(0) var<storage, read_write> sum: atomic<u32>;
        @group(0) @binding(1) var<storage, read_write> flags: array<atomic<u32>, {GROUPS}>;
        var<workgroup> part: u32;
        @compute @workgroup_size(48)
        fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) at: vec3u) {{
            let own = at.x + 1u;
            {body}
        }}"
    );
    Module::from_wgsl(&source).unwrap_or_else(|e| panic!("{}", e.rendered))
}

fn launch(module: &Module, seed: u64, turns: bool) -> (Run, u32) {
    let mut launch = Launch::new([GROUPS, 1, 1]).buffer(Buffer::from_u32(0, 0, &[0]));
    launch = launch.buffer(Buffer::from_u32(0, 1, &[0; GROUPS as usize]));
    let run = module.run(&mut launch, &Options { seed, turns, ..Options::default() }).expect("it runs");
    (run, launch.buffers[0].to_u32()[0])
}

const WHOLE: u32 = GROUPS * (GROUPS + 1) / 2;
/// Exchanged until it took place, by one lane.
const UNTIL: &str = "if lane != 0u { return; }
    loop { let old = atomicLoad(&sum);
        if atomicCompareExchangeWeak(&sum, old, old + own).exchanged { break; } }";
/// Tried once, and stored where that failed.
const ONCE: &str = "if lane != 0u { return; }
    let tried = atomicCompareExchangeWeak(&sum, atomicLoad(&sum), atomicLoad(&sum) + own);
    if !tried.exchanged { atomicStore(&sum, tried.old_value + own); }";
/// Each waits for the one before it.
const CHAIN: &str = "if lane == 0u && at.x > 0u {
        loop { if atomicLoad(&flags[at.x - 1u]) == 1u { break; } } }
    workgroupBarrier();
    if lane == 0u { atomicStore(&sum, atomicLoad(&sum) + own); atomicStore(&flags[at.x], 1u); }";
/// Through the memory of workgroups, with barriers between lanes.
const SHARED: &str = "if lane == 0u { part = atomicAdd(&flags[0], 1u) * 0u + own; }
    workgroupBarrier();
    if lane == 47u { atomicAdd(&sum, part); }";

#[test]
fn honest_workgroups_give_the_same_in_turns() {
    for body in [UNTIL, CHAIN, SHARED] {
        let module = wgsl(body);
        for seed in 1..8 {
            let (run, sum) = launch(&module, seed, true);
            assert!(run.is_clean(), "{body}, seed {seed}: {:?}", run.findings);
            assert_eq!(sum, WHOLE, "{body}, seed {seed}");
        }
    }
}

#[test]
fn what_others_did_in_between_is_lost_in_turns_alone() {
    let module = wgsl(ONCE);
    for seed in 1..8 {
        let (_, sum) = launch(&module, seed, true);
        assert!(sum < WHOLE, "seed {seed}: {sum}");
        assert_eq!(
            (sum, sum),
            (launch(&module, seed, true).1, launch(&module, seed, true).1),
            "the same again"
        );
    }
    // without a seed there are no turns
    assert_eq!(launch(&module, 0, true).1, WHOLE);
}

#[test]
fn turns_change_neither_findings_nor_counts() {
    for body in [UNTIL, ONCE, SHARED] {
        let module = wgsl(body);
        let ((with, _), (without, _)) = (launch(&module, 3, true), launch(&module, 3, false));
        assert_eq!(format!("{:?}", with.findings), format!("{:?}", without.findings), "{body}");
        assert_eq!(format!("{:?}", with.counts), format!("{:?}", without.counts), "{body}");
    }
}
