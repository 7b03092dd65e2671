//! Kernels with one mistake each (`tests/ptx/faults.cu`), and the finding that each must get: its kind, and the line of
//! the CUDA source. Those without the mistake get none.

use ktwin_sim::{Buffer, FindingKind, Launch, Module, Options, Param, RunError, Severity};

const SOURCE: &str = include_str!("ptx/faults.cu");
const PTX: &str = include_str!("ptx/faults.ptx");

const FAULTS: &[(&str, FindingKind)] = &[
    ("race", FindingKind::Race),
    ("off_by_one", FindingKind::OutOfBounds),
    ("before_start", FindingKind::OutOfBounds),
    ("inlined", FindingKind::OutOfBounds),
    ("shared_end", FindingKind::OutOfBounds),
    ("unwritten", FindingKind::Uninitialised),
    ("branch_barrier", FindingKind::DivergentBarrier),
    ("left_lanes", FindingKind::Warp),
    ("endless", FindingKind::EndlessLoop),
    ("askew", FindingKind::Misaligned),
    ("no_wait", FindingKind::Uninitialised),
    ("warp_race", FindingKind::Race),
    ("warp_race_across", FindingKind::Race),
    ("asserts", FindingKind::Trap),
    ("same_place", FindingKind::Race),
    ("no_fence", FindingKind::Race),
    ("by_zero", FindingKind::DivisionByZero),
];

fn launch(entry: &str) -> Launch {
    let x: Vec<f32> = (0..64).map(|i| i as f32 * 0.5).collect();
    let blocks = if entry.starts_with("no_fence") { 2 } else { 1 };
    let mut launch = Launch::new([blocks, 1, 1]).entry(entry).block([64, 1, 1]);
    launch.buffers = vec![Buffer::from_f32(0, 0, &x), Buffer::from_f32(0, 1, &[0.0; 64])];
    launch.params = vec![Param::pointer(0), Param::pointer(1), Param::u32(64)];
    launch
}

#[test]
fn every_fault_is_found_at_its_line() {
    let module = Module::from_ptx_with_source(PTX, SOURCE).expect("it compiles");
    let options = Options { budget: 1 << 20, ..Options::default() };
    let mut wrong = Vec::new();
    for (entry, kind) in FAULTS {
        let mark = format!("// here: {entry}");
        let line = 1 + SOURCE.lines().position(|l| l.ends_with(&mark)).expect("it is marked") as u32;
        let run = module.run(&mut launch(entry), &options).expect("it runs");
        let first = run.errors().next();
        match first {
            Some(f) if f.kind == *kind && f.line == line && f.text.ends_with(&mark) => {}
            other => wrong
                .push(format!("{entry}: {kind:?} at line {line}, found {:?}", other.map(|f| f.to_string()))),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_is_mended_is_clean() {
    let module = Module::from_ptx_with_source(PTX, SOURCE).expect("it compiles");
    let fixed: Vec<&str> =
        module.entry_points().iter().map(|e| e.name.as_str()).filter(|n| n.ends_with("_fixed")).collect();
    assert_eq!(fixed.len(), 5);
    for seed in [0, 1, 2] {
        for entry in &fixed {
            let run =
                module.run(&mut launch(entry), &Options { seed, ..Options::default() }).expect("it runs");
            let all: Vec<String> = run.errors().map(|f| f.to_string()).collect();
            assert!(all.is_empty(), "{entry} with seed {seed}: {all:#?}");
        }
    }
}

#[test]
fn messages_say_where_in_which_buffer() {
    let module = Module::from_ptx_with_source(PTX, SOURCE).expect("it compiles");
    let of = |mut launch: Launch| {
        let run = module.run(&mut launch, &Options::default()).expect("it runs");
        run.errors().next().map(|f| f.message.clone()).unwrap_or_default()
    };
    let message = |entry: &str| of(launch(entry));
    assert_eq!(message("off_by_one"), "reads past the end of `parameter 0`: byte 256, and it has 256 bytes");
    let mut named = launch("off_by_one");
    named.buffers[0].name = "x".into();
    assert_eq!(of(named), "reads past the end of `x`: byte 256, and it has 256 bytes");
    assert_eq!(message("before_start"), "reads 4 bytes before the start of `parameter 0`");
    assert_eq!(message("shared_end"), "writes past the end of `a`: byte 128, and it has 128 bytes");
    let text = "reads byte 128 of `s`, which an asynchronous copy may not have written yet";
    assert_eq!(message("no_wait").replace("252", "128"), text);
}

/// Lanes that skip a shuffle have not ended before it, whatever comes first here.
#[test]
fn a_shuffle_from_lanes_that_skip_it_says_no_more_than_that() {
    let ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{
        .reg .pred %p<3>; .reg .b32 %r<5>; .reg .b64 %d<4>;
        ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 15; @%p1 bra $over;
        shfl.sync.down.b32 %r2, %r1, 16, 31, -1;
        mul.wide.u32 %d2, %r1, 4; add.s64 %d3, %d1, %d2; st.global.u32 [%d3], %r2;
        $over: ret;\n}";
    let module = Module::from_ptx(ptx).unwrap_or_else(|e| panic!("{}", e.rendered));
    let mut launch = Launch::new([1, 1, 1]).entry("k").block([32, 1, 1]);
    launch.buffers = vec![Buffer::input(0, 0, vec![0; 128])];
    launch.params = vec![Param::pointer(0)];
    let run = module.run(&mut launch, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let all: Vec<&str> = run.errors().map(|found| found.message.as_str()).collect();
    assert!(
        all.iter().any(|text| text.contains("do not take part") || text.contains("do not come here")),
        "{all:?}"
    );
    assert!(!all.iter().any(|text| text.contains("lanes that have ended")), "{all:?}");
}

/// A barrier does not wait for lanes that ended before they did anything that others may see.
#[test]
fn a_barrier_lets_lanes_go_that_left_no_trace() {
    let found = |before: &str| {
        let ptx = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{
            .reg .pred %p<3>; .reg .b32 %r<5>; .reg .b64 %d<4>; .shared .align 4 .b8 s[256];
            ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.s64 %d3, %d1, %d2;
            mul.lo.u32 %r2, %r1, 4; mov.u32 %r3, s; add.u32 %r3, %r3, %r2;
            {before} setp.gt.u32 %p1, %r1, 40; @%p1 bra $over;
            bar.sync 0; st.global.u32 [%d3], %r1;
            $over: ret;\n}}"
        );
        let module = Module::from_ptx(&ptx).unwrap_or_else(|e| panic!("{}", e.rendered));
        let mut launch = Launch::new([1, 1, 1]).entry("k").block([64, 1, 1]);
        launch.buffers = vec![Buffer::input(0, 0, vec![0; 256])];
        launch.params = vec![Param::pointer(0)];
        let run = module.run(&mut launch, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
        run.errors().map(|found| found.message.clone()).collect::<Vec<_>>()
    };
    assert_eq!(found(""), Vec::<String>::new());
    assert_eq!(found("ld.global.u32 %r4, [%d3];"), Vec::<String>::new());
    for seen in
        ["st.shared.u32 [%r3], %r1;", "st.global.u32 [%d3], %r1;", "atom.global.add.u32 %r4, [%d3], 1;"]
    {
        let all = found(seen);
        assert!(
            all.iter().any(|text| text.contains("only 41 of 64 lanes reach this barrier")),
            "{seen}: {all:?}"
        );
    }
}

/// A compiler loads four numbers where three are wanted: what the fourth is does not matter, unless it is used.
#[test]
fn a_part_of_a_vector_that_nobody_reads_may_be_unwritten() {
    let found = |last: &str| {
        let ptx = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{
            .reg .b32 %r<5>; .reg .f32 %f<8>; .reg .b64 %d<4>; .shared .align 16 .b8 s[512];
            ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.s64 %d3, %d1, %d2;
            shl.b32 %r2, %r1, 4; mov.u32 %r3, s; add.u32 %r3, %r3, %r2; mov.f32 %f1, 0f3F800000;
            st.shared.f32 [%r3], %f1; st.shared.f32 [%r3+4], %f1; st.shared.f32 [%r3+8], %f1;
            ld.shared.v4.f32 {{%f2, %f3, %f4, %f5}}, [%r3];
            add.f32 %f6, %f2, %f3; add.f32 %f6, %f6, {last}; st.global.f32 [%d3], %f6; ret;\n}}"
        );
        let module = Module::from_ptx(&ptx).unwrap_or_else(|e| panic!("{}", e.rendered));
        let mut launch = Launch::new([1, 1, 1]).entry("k").block([32, 1, 1]);
        launch.buffers = vec![Buffer::input(0, 0, vec![0; 128])];
        launch.params = vec![Param::pointer(0)];
        let run = module.run(&mut launch, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
        run.errors().map(|found| found.kind).collect::<Vec<_>>()
    };
    assert_eq!(found("%f4"), []);
    assert_eq!(found("%f5"), [FindingKind::Uninitialised]);
}

/// What a shuffle gets from lanes that its mask leaves out may be dropped, so that it is a note.
#[test]
fn a_shuffle_from_outside_its_mask_is_noted() {
    let shuffled = |by: u32, mask: &str| {
        let ptx = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{
            .reg .pred %p<3>; .reg .b32 %r<5>; .reg .b64 %d<4>;
            ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 15; @%p1 bra $over;
            shfl.sync.down.b32 %r2, %r1, {by}, 31, {mask};
            $over: bar.warp.sync -1;
            mul.wide.u32 %d2, %r1, 4; add.s64 %d3, %d1, %d2; st.global.u32 [%d3], %r2;
            ret;\n}}"
        );
        let module = Module::from_ptx(&ptx).unwrap_or_else(|e| panic!("{}", e.rendered));
        let mut launch = Launch::new([1, 1, 1]).entry("k").block([32, 1, 1]);
        launch.buffers = vec![Buffer::input(0, 0, vec![0; 128])];
        launch.params = vec![Param::pointer(0)];
        let run = module.run(&mut launch, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
        let shuffles = run.findings.iter().filter(|f| f.kind == FindingKind::UndefinedShuffle);
        shuffles.map(|f| (f.severity, f.count)).collect::<Vec<_>>()
    };
    // the upper eight of sixteen read past them
    assert_eq!(shuffled(8, "65535"), [(Severity::Note, 8)]);
    assert_eq!(shuffled(0, "65535"), []);
    // a mask that names lanes that do not come is an error of its own
    assert_eq!(shuffled(8, "-1"), []);
}

#[test]
fn launches_that_cannot_be_are_refused() {
    let module = Module::from_ptx(PTX).expect("it compiles");
    let options = Options::default();
    let refused = |launch: &mut Launch, text: &str| {
        let error = module.run(launch, &options).expect_err("it is refused");
        assert!(!matches!(error, RunError::Broken(_)) && error.to_string().contains(text), "{error}");
    };
    refused(&mut launch("race").block([64, 17, 1]), "1088 lanes");
    refused(&mut launch("race").block([0, 1, 1]), "at least 1");
    let mut few = launch("race");
    few.params.pop();
    refused(&mut few, "has 3 parameters, the launch gives 2");
    let mut long = launch("race");
    long.params[2] = Param::bytes(vec![0; 8]);
    refused(&mut long, "has 4 bytes, the launch gives 8");
    let mut loose = launch("race");
    loose.params[0] = Param::pointer(7);
    refused(&mut loose, "buffer 7, which is not bound");
    let mut shared = launch("race");
    shared.dynamic_shared = 1 << 30;
    refused(&mut shared, "bytes of shared memory: the limit is 232448");
}
