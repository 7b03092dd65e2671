//! `cp.async.mbarrier.arrive`: whoever passes the barrier sees what was copied.

use ktwin_sim::{Buffer, FindingKind, Launch, Module, Options, Param};

const WAIT: &str = "WAIT: mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;\n@!%p1 bra WAIT;";

/// Each lane copies an element and reads that of another.
fn source(arrive: &str, wait: &str) -> String {
    format!(
        ".version 7.0\n.target sm_80\n.address_size 64\n\
        .visible .entry turned(.param .u64 x, .param .u64 y)\n{{\n\
        .reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n.reg .pred %p<2>;\n.reg .f32 %f<2>;\n\
        .shared .align 8 .b64 bar;\n.shared .align 16 .b8 all[256];\n\
        ld.param.u64 %rd1, [x];\nld.param.u64 %rd2, [y];\nmov.u32 %r1, %tid.x;\n\
        setp.ne.u32 %p1, %r1, 0;\n@%p1 bra READY;\nmbarrier.init.shared.b64 [bar], 64;\nREADY: bar.sync 0;\n\
        mul.wide.u32 %rd3, %r1, 4;\nadd.u64 %rd4, %rd1, %rd3;\nadd.u64 %rd5, %rd2, %rd3;\n\
        mov.u32 %r2, all;\nshl.b32 %r3, %r1, 2;\nadd.u32 %r4, %r2, %r3;\n\
        cp.async.ca.shared.global [%r4], [%rd4], 4;\n{arrive}\n{wait}\n\
        xor.b32 %r5, %r3, 252;\nadd.u32 %r6, %r2, %r5;\nld.shared.f32 %f1, [%r6];\n\
        st.global.f32 [%rd5], %f1;\nret;\n}}\n"
    )
}

fn run(source: &str) -> (Vec<f32>, Vec<FindingKind>) {
    let module = Module::from_ptx(source).unwrap_or_else(|e| panic!("{}\n{source}", e.rendered));
    let x: Vec<f32> = (0..64u8).map(f32::from).collect();
    let mut launch = Launch::new([1, 1, 1]).entry("turned").block([64, 1, 1]);
    launch.buffers = vec![Buffer::from_f32(0, 0, &x), Buffer::from_f32(0, 1, &[0.0; 64])];
    launch.params = vec![Param::pointer(0), Param::pointer(1)];
    let options = Options { budget: 1 << 20, ..Options::default() };
    let run = module.run(&mut launch, &options).expect("it runs");
    (launch.buffers[1].to_f32(), run.errors().map(|f| f.kind).collect())
}

#[test]
fn copies_have_come_once_the_barrier_is_passed() {
    // an arrival of its own after each, where copies count none
    let apart = "cp.async.mbarrier.arrive.shared.b64 [bar];\nmbarrier.arrive.shared.b64 _, [bar];";
    for arrive in ["cp.async.mbarrier.arrive.noinc.shared.b64 [bar];", apart] {
        let (y, findings) = run(&source(arrive, WAIT));
        assert!(findings.is_empty(), "{findings:?}");
        assert!(y.iter().enumerate().all(|(at, y)| *y == 63.0 - at as f32), "{y:?}");
    }
}

#[test]
fn copies_that_count_no_arrival_let_nobody_pass() {
    let (_, findings) = run(&source("cp.async.mbarrier.arrive.shared.b64 [bar];", WAIT));
    assert!(findings.contains(&FindingKind::Deadlock), "{findings:?}");
}
