//! What orders accesses, and what comes out of another order of blocks (`tests/ptx/order.cu`): the
//! honest kernels are clean under every schedule, the others get their finding at their line, or
//! other results.

use ktwin_sim::{Buffer, FindingKind, Launch, Module, Options, Param, Run};

const SOURCE: &str = include_str!("ptx/order.cu");
const PTX: &str = include_str!("ptx/order.ptx");

fn module() -> Module {
    Module::from_ptx_with_source(PTX, SOURCE).expect("it compiles")
}

fn launch(entry: &str, blocks: u32, lanes: u32) -> Launch {
    let x: Vec<f32> = (0..64).map(|i| 1.0 + i as f32 / 7.0).collect();
    let mut launch = Launch::new([blocks, 1, 1]).entry(entry).block([lanes, 1, 1]);
    launch.buffers = vec![Buffer::from_f32(0, 0, &x), Buffer::from_f32(0, 1, &[0.0; 256])];
    launch.params = vec![Param::pointer(0), Param::pointer(1), Param::u32(6)];
    launch
}

fn run(launch: &mut Launch, seed: u64) -> Run {
    let options = Options { seed, budget: 1 << 21, ..Options::default() };
    module().run(launch, &options).expect("it runs")
}

fn clean(run: &Run) {
    let all: Vec<String> = run.errors().map(|f| f.to_string()).collect();
    assert!(all.is_empty(), "{all:#?}");
}

fn found(run: &Run, entry: &str, kind: FindingKind) {
    let mark = format!("// here: {entry}");
    let all: Vec<String> = run.errors().map(|f| f.to_string()).collect();
    let is = run.errors().any(|f| f.kind == kind && f.text.ends_with(&mark));
    assert!(is, "{entry}: {kind:?} is wanted, found {all:#?}");
}

#[test]
fn honest_orders_are_clean() {
    for (entry, blocks, lanes) in [
        ("warp_tree", 1, 32),
        ("half_tiles", 1, 32),
        ("flag_fenced", 2, 1),
        ("flag_twice", 2, 1),
        ("flag_packed", 2, 1),
        ("queue", 3, 64),
        ("arrivals_locked", 9, 1),
        ("fragment_filled", 1, 32),
    ] {
        for seed in 0..6 {
            clean(&run(&mut launch(entry, blocks, lanes), seed));
        }
    }
}

#[test]
fn what_nothing_orders_is_found() {
    for seed in [0, 1, 2] {
        found(&run(&mut launch("half_tiles_across", 1, 32), seed), "half_tiles_across", FindingKind::Race);
        let mut launch = launch("fragment_not_filled", 1, 32);
        found(&run(&mut launch, seed), "fragment_not_filled", FindingKind::Uninitialised);
    }
}

#[test]
fn a_flag_without_a_fence_may_come_before_what_it_tells_of() {
    let values = |launch: &Launch| launch.buffers[1].to_f32()[1];
    let mut first = launch("flag_alone", 2, 1);
    run(&mut first, 0);
    assert_eq!(values(&first), 1.0);
    // under any schedule, the number that was there before is one that may be read
    for seed in 1..8 {
        let mut other = launch("flag_alone", 2, 1);
        run(&mut other, seed);
        assert_eq!(values(&other), 0.0, "seed {seed}");
        let mut fenced = launch("flag_fenced", 2, 1);
        run(&mut fenced, seed);
        assert_eq!(values(&fenced), 1.0, "seed {seed}");
        // where nothing was there before, it is a finding of its own
        let mut bare = launch("flag_alone", 2, 1);
        bare.buffers[1].init = ktwin_sim::Init::Bytes({
            let mut set = ktwin_sim::ByteSet::new(1024);
            set.insert(8..1024);
            set
        });
        found(&run(&mut bare, seed), "flag_alone", FindingKind::Race);
    }
}

#[test]
fn blocks_come_in_the_order_of_the_seed() {
    for entry in ["arrivals", "arrivals_locked"] {
        let sum = |seed| {
            let mut launch = launch(entry, 48, 1);
            clean(&run(&mut launch, seed));
            launch.buffers[1].to_f32()[0].to_bits()
        };
        let sums: std::collections::HashSet<u32> = (0..8).map(sum).collect();
        assert!(sums.len() > 1, "{entry}: {sums:?}");
        assert_eq!(sum(3), sum(3));
    }
}

#[test]
fn variables_of_the_module_outlive_launches() {
    let (module, options) = (module(), Options::default());
    let mut globals = Vec::new();
    for calls in 6..9 {
        let mut launch = launch("count_calls", 1, 1);
        launch.globals = std::mem::take(&mut globals);
        module.run(&mut launch, &options).expect("it runs");
        assert_eq!(launch.buffers[1].to_f32()[0].to_bits(), calls);
        globals = launch.globals;
    }
    // without them, everything begins anew
    let mut launch = launch("count_calls", 1, 1);
    module.run(&mut launch, &options).expect("it runs");
    assert_eq!(launch.buffers[1].to_f32()[0].to_bits(), 6);
}

#[test]
fn local_arrays_begin_with_nothing() {
    let with = |n: u32, x: [f32; 2]| {
        let mut launch = launch("local_array", 1, 2);
        launch.buffers[0] = Buffer::from_f32(0, 0, &[x[0], x[1], 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
        launch.params[2] = Param::u32(n);
        run(&mut launch, 0)
    };
    clean(&with(6, [5.0, 0.0]));
    clean(&with(8, [7.0, 6.0]));
    found(&with(6, [5.0, 6.0]), "local_array", FindingKind::Uninitialised);
    found(&with(0, [0.0, 0.0]), "local_array", FindingKind::Uninitialised);
}
