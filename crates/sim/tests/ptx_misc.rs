//! What kernels do with memory: local arrays, tables of pointers, structs through calls, compare-and-swap loops.

mod common;

use common::{close, f32s, numbers, out, result, run};
use ktwin_sim::{Buffer, FindingKind, Launch, Mode, Module, Options, Param};

fn of(entry: &str, x: &[f32], y: &[f32], d: u32) -> Vec<f32> {
    let mut launch =
        Launch::new([1, 1, 1]).entry(entry).block([64, 1, 1]).buffer(f32s(0, x)).buffer(f32s(1, y));
    launch.params = vec![Param::pointer(0), Param::pointer(1), Param::u32(d)];
    run("misc", &mut launch);
    result(&launch, 1)
}

#[test]
fn local_arrays() {
    let x = numbers(64 * 20, 40);
    let want = x.chunks(20).flat_map(|row| {
        let mut row = row.to_vec();
        row.sort_by(|a, b| b.total_cmp(a));
        row[..4].to_vec()
    });
    assert_eq!(of("top4", &x, &[0.0; 256], 20), want.collect::<Vec<f32>>());
}

#[test]
fn structs_through_calls() {
    let x: Vec<f32> = (0..64 * 6).map(|i| i as f32).collect();
    let want: Vec<f32> = x.chunks(6).flat_map(|row| [row.iter().sum(), 3.0]).collect();
    assert_eq!(of("structs", &x, &[0.0; 128], 6), want);
}

#[test]
fn tables_of_pointers() {
    let x = numbers(64, 41);
    let want: Vec<f32> = (0..64).map(|t| if (t + 1) % 2 == 1 { -x[t] } else { x[t] }).collect();
    assert_eq!(of("tables", &x, &[0.0; 64], 0), want);
}

#[test]
fn compare_and_swap() {
    let x: Vec<f32> = (0..64).map(|i| (i * 29 % 64) as f32 / 8.0).collect();
    let got = of("swaps", &x, &[0.0; 8], 0);
    assert_eq!(got[0], 63.0 / 8.0);
    let double = f64::from_bits(u64::from(got[2].to_bits()) | u64::from(got[3].to_bits()) << 32);
    assert_eq!(double, x.iter().map(|v| f64::from(*v)).sum::<f64>());
    let halves = got[4].to_bits();
    assert_eq!((halves & 0xffff, halves >> 16), (0x5400, 0x5000)); // 64 and 32
    assert_eq!(got[5..7], [x[..32].iter().sum::<f32>(), x[32..].iter().sum::<f32>()]);
}

#[test]
fn copies_fill_with_zeros() {
    let x = numbers(101, 42);
    let want: Vec<f32> = (0..256).map(|i| x.get(i).copied().unwrap_or(0.0)).collect();
    assert_eq!(of("edges", &x, &[1.0; 256], 101), want);
}

#[test]
fn fast_functions() {
    let x = numbers(64, 43);
    let want = x.iter().map(|&v| {
        let (v, size) = (f64::from(v), f64::from(v.abs()));
        (v.exp() / (1.0 + v.exp()) + v.tan() * size.powf(1.5) + size.sqrt() / (v + 2.0)) as f32
    });
    close(&of("fast", &x, &[0.0; 64], 0), &want.collect::<Vec<f32>>(), 1e-5);
}

#[test]
fn sums_of_halves() {
    let got = of("halves", &[0.0], &[0.0; 2], 0);
    let half = |bits: u32| ktwin_num::f16_to_f32(bits as u16);
    let words: Vec<u32> = got.iter().map(|v| v.to_bits()).collect();
    let sums = [half(words[0]), half(words[0] >> 16), half(words[1]), half(words[1] >> 16)];
    assert_eq!(sums, [22.0, 42.0, 63.0, 0.0]);
}

#[test]
fn barriers_in_shared_memory() {
    let x = numbers(64, 44);
    let want: Vec<f32> = (0..64).map(|t| x[(t + 4) % 64]).collect();
    assert_eq!(of("arrivals", &x, &[0.0; 64], 0), want);
}

fn text(body: &str) -> Module {
    let head = ".version 8.0 .target sm_80 .address_size 64 .visible .entry k(.param .u64 y)";
    let regs = "{ .reg .b32 %r<9>; .reg .pred %p<4>; .reg .b64 %rd<4>; mov.u32 %r1, %tid.x;";
    let tail = "ld.param.u64 %rd1, [y]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;
        st.global.u32 [%rd3], %r3; ret; }";
    Module::from_ptx(&format!("{head} {regs} {body} {tail}")).expect("it compiles")
}

#[test]
fn arrays_that_the_launch_sizes_begin_at_one_address() {
    let head = ".version 8.0 .target sm_80 .address_size 64 .extern .shared .align 4 .b8 ints[];
        .extern .shared .align 16 .b8 floats[]; .visible .entry k(.param .u64 y)";
    let body = "{ .reg .b32 %r<9>; .reg .b64 %rd<4>; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2;
        mov.u32 %r4, ints; add.u32 %r4, %r4, %r2; mov.u32 %r5, floats; add.u32 %r5, %r5, %r2;
        mad.lo.u32 %r6, %r1, 3, 5; st.shared.u32 [%r4], %r6; ld.shared.u32 %r3, [%r5];
        ld.param.u64 %rd1, [y]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;
        st.global.u32 [%rd3], %r3; ret; }";
    let module = Module::from_ptx(&format!("{head} {body}")).expect("it compiles");
    let mut launch = Launch { dynamic_shared: 256, ..Launch::new([1, 1, 1]) };
    launch = launch.block([64, 1, 1]).buffer(out(0, 64)).param(Param::pointer(0));
    let run = module.run(&mut launch, &Options::default()).expect("it runs");
    assert!(run.is_clean(), "{:?}", run.findings);
    assert_eq!(launch.buffers[0].to_u32(), (0..64).map(|t| 3 * t + 5).collect::<Vec<u32>>());
}

#[test]
fn a_loop_with_two_ways_in() {
    let module = text(
        "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; and.b32 %r7, %r1, 7; mov.u32 %r3, 0; mov.u32 %r4, 0;
         @%p1 bra B;
         A: add.u32 %r3, %r3, 1;
         B: add.u32 %r3, %r3, 100; add.u32 %r4, %r4, 1; setp.le.u32 %p2, %r4, %r7;
         @%p2 bra A;",
    );
    for seed in 0..4 {
        let mut launch = Launch::new([1, 1, 1]).block([64, 1, 1]).buffer(out(0, 64)).param(Param::pointer(0));
        let run = module.run(&mut launch, &Options { seed, ..Options::default() }).expect("it runs");
        assert!(run.is_clean(), "{:?}", run.findings);
        let want = (0..64u32).map(|t| 101 * (t % 8 + 1) - u32::from(t % 2 == 0));
        assert_eq!(launch.buffers[0].to_u32(), want.collect::<Vec<u32>>());
    }
}

#[test]
fn lanes_that_wait_for_ever_are_found() {
    let module = text(
        ".shared .align 4 .b32 flag; mov.u32 %r2, 0; atom.shared.exch.b32 %r4, [flag], 0; bar.sync 0;
         L: atom.shared.add.u32 %r3, [flag], 0; setp.eq.u32 %p1, %r3, 0; @%p1 bra L;",
    );
    let mut launch = Launch::new([1, 1, 1]).block([64, 1, 1]).buffer(out(0, 64)).param(Param::pointer(0));
    let run = module.run(&mut launch, &Options { budget: 1 << 14, ..Options::default() }).expect("it runs");
    assert_eq!(run.errors().next().map(|f| f.kind), Some(FindingKind::Deadlock));
}

#[test]
fn approximations_stay_inside_what_the_manual_allows() {
    let module = text("cvt.rn.f32.u32 %r2, %r1; mul.f32 %r2, %r2, 0f3E19999A; ex2.approx.f32 %r3, %r2;");
    let run = |mode, seed| {
        let mut launch = Launch::new([1, 1, 1]).block([64, 1, 1]).buffer(out(0, 64)).param(Param::pointer(0));
        module.run(&mut launch, &Options { mode, seed, ..Options::default() }).expect("it runs");
        result(&launch, 0)
    };
    let near = run(Mode::Nearest, 0);
    let mut moved = 0;
    for seed in 0..4 {
        for (mode, most) in [(Mode::Worst, 2), (Mode::Range, 2)] {
            for (a, b) in near.iter().zip(run(mode, seed)) {
                let ulps = a.to_bits().abs_diff(b.to_bits());
                assert!(ulps <= most, "{a} {b}");
                moved += ulps;
            }
        }
    }
    assert!(moved > 100, "{moved}");
}

const TWO: &str = ".version 8.0
.target sm_90
.address_size 64
.visible .entry plain(.param .u64 y)
{
.reg .b64 %d<2>;
.reg .b32 %r<2>;
ld.param.u64 %d0, [y];
mov.u32 %r0, 7;
st.global.u32 [%d0], %r0;
ret;
}
.visible .entry cluster(.param .u64 y)
{
.loc 1 3 5
barrier.cluster.arrive;
ret;
}
.file 1 \"k.cu\"
";

#[test]
fn what_one_entry_point_needs_stops_no_other() {
    let source = "first\nsecond\nthis_cluster().sync();\n";
    let module = Module::from_ptx_with_source(TWO, source).expect("one of them is supported");
    let launch = |entry: &str| {
        let mut launch = Launch::new([1, 1, 1]).entry(entry).block([1, 1, 1]).param(Param::pointer(0));
        launch.buffers = vec![Buffer::output(0, 0, 4)];
        let run = module.run(&mut launch, &Options::default());
        run.map(|_| launch.buffers[0].bytes.clone())
    };
    assert_eq!(launch("plain").expect("it runs"), [7, 0, 0, 0]);
    let text = launch("cluster").expect_err("it is refused").to_string();
    assert!(text.contains("clusters of sm_90 are not simulated"), "{text}");
    assert!(text.contains("line 3: this_cluster().sync();") && text.contains("ptx:16:"), "{text}");
    let alone = TWO.replace("mov.u32 %r0, 7;", "mov.u32 %r0, %envreg7;");
    let error = Module::from_ptx(&alone).expect_err("neither is supported");
    assert_eq!(error.line, Some(9));
    assert!(error.message.contains("`%envreg7` is not declared, or is not supported"), "{}", error.message);
}

#[test]
fn a_predicate_that_nobody_set_is_true() {
    let text = TWO
        .replace(".reg .b32 %r<2>;", ".reg .b32 %r<2>;\n.reg .pred %p<2>;")
        .replace("mov.u32 %r0, 7;", "mov.u32 %r0, 7;\n@%p1 mov.u32 %r0, 8;");
    let module = Module::from_ptx(&text).expect("it compiles");
    let mut launch = Launch::new([1, 1, 1]).entry("plain").block([1, 1, 1]).param(Param::pointer(0));
    launch.buffers = vec![Buffer::output(0, 0, 4)];
    module.run(&mut launch, &Options::default()).expect("it runs");
    assert_eq!(launch.buffers[0].bytes, [8, 0, 0, 0]);
}

/// Runs a body on two pointers, `%rd1` and `%rd2`, in one lane.
fn alone(body: &str, x: Vec<u8>, y: Vec<u8>) -> (Vec<FindingKind>, Vec<u8>) {
    let head = ".version 8.0 .target sm_90 .address_size 64 .visible .entry k(.param .u64 x, .param .u64 y)";
    let regs = "{ .reg .b16 %h<4>; .reg .b32 %r<4>; .reg .b64 %rd<5>;
        ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y];";
    let module = Module::from_ptx(&format!("{head}\n{regs}\n{body}\nret; }}")).expect("it compiles");
    let mut launch = Launch::new([1, 1, 1]).entry("k").block([1, 1, 1]);
    launch.buffers = vec![Buffer::input(0, 0, x), Buffer::input(0, 1, y)];
    launch.params = vec![Param::pointer(0), Param::pointer(1)];
    let run = module.run(&mut launch, &Options::default()).expect("it runs");
    (run.findings.iter().map(|f| f.kind).collect(), launch.buffers[1].bytes.clone())
}

#[test]
fn signed_loads_fill_wider_registers_with_their_sign() {
    for (ty, bytes) in
        [("s8", vec![0x9c; 4]), ("s16", vec![0x9c, 0xff, 0, 0]), ("s32", vec![0x9c, 0xff, 0xff, 0xff])]
    {
        let body = format!("ld.global.{ty} %rd3, [%rd1]; st.global.u64 [%rd2], %rd3;");
        let (found, y) = alone(&body, bytes.clone(), vec![0; 8]);
        assert_eq!((found, y), (vec![], (-100i64).to_le_bytes().to_vec()), "{ty}");
        let body = body.replace(&format!(".{ty}"), &ty.replace('s', ".u"));
        let (_, y) = alone(&body, bytes, vec![0; 8]);
        assert_eq!(y[4..], [0; 4], "{ty}");
    }
}

#[test]
fn atomics_of_16_bits_touch_no_more() {
    // 1.5 + 1 in the last two bytes of a buffer of six
    let body =
        "mov.b16 %h1, 0x3e00; atom.global.add.noftz.f16 %h2, [%rd2+4], %h1; st.global.b16 [%rd2], %h2;";
    let (found, y) = alone(body, vec![0; 4], vec![1, 2, 7, 0, 0, 0x3c]);
    assert_eq!((found, y), (vec![], vec![0, 0x3c, 7, 0, 0, 0x41]));
    let (found, _) =
        alone("mov.b16 %h1, 0; atom.global.add.noftz.f16 %h2, [%rd2+6], %h1;", vec![0; 4], vec![0; 6]);
    assert_eq!(found, [FindingKind::OutOfBounds]);
}
