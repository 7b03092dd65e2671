//! What holds of PTX that Triton made: lanes hold copies of values, and may store them at once; different values that
//! different instructions store to one place are a race as ever.

use ktwin_sim::{Buffer, CompileError, FindingKind, Launch, Module, Options};

/// Two lanes store to the first word of shared memory, what `value` says of lane `%r1`.
fn text(value: &str, space: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.extern .shared .align 16 .b8 all[];\n\
         .visible .entry k(.param .u64 out, .param .u64 none)\n.reqntid 2\n{{\n.reg .b32 %r<6>;\n.reg .b64 %rd<4>;\n\
         ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, all;\n{value}\n{space}\nbar.sync 0;\n\
         ld.shared.u32 %r4, [%r2];\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n\
         st.global.u32 [%rd3], %r4;\nret;\n}}\n"
    )
}

const SHARED: &str = "st.shared.u32 [%r2], %r3;";

fn races(compile: fn(&str, &str) -> Result<Module, CompileError>, text: &str) -> usize {
    let module = compile(text, "").unwrap_or_else(|e| panic!("{}", e.rendered));
    let out = Buffer::output(0, 0, 8);
    let launch = Launch { dynamic_shared: 16, ..Launch::new([1; 3]) }.block([2, 1, 1]).buffer(out);
    let mut launch = launch.param(ktwin_sim::Param::pointer(0)).param(ktwin_sim::Param::bytes(vec![0; 8]));
    let run = module.run(&mut launch, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    assert!(run.findings.iter().all(|f| f.kind == FindingKind::Race), "{:?}", run.findings);
    run.findings.len()
}

#[test]
fn one_value_does_not_race_with_itself() {
    let same = text("mov.u32 %r3, 7;", &format!("{SHARED}\nst.global.u32 [%rd1], %r3;"));
    assert_eq!(races(Module::from_triton, &same), 0);
    assert_eq!(races(Module::from_ptx_with_source, &same), 0);
}

#[test]
fn different_stores_race_and_so_do_buffers() {
    let lanes = "add.u32 %r3, %r1, 7;";
    assert_eq!(races(Module::from_triton, &text(lanes, SHARED)), 0);
    assert_eq!(races(Module::from_ptx_with_source, &text(lanes, SHARED)), 1);
    let two = "setp.eq.u32 %p1, %r1, 0;\n@%p1 st.shared.u32 [%r2], 5;\n@!%p1 st.shared.u32 [%r2], 6;";
    let two = text(".reg .pred %p1;", two);
    assert_eq!(races(Module::from_triton, &two), 1);
    let global = text(lanes, &format!("{SHARED}\nst.global.u32 [%rd1], %r3;"));
    assert_eq!(races(Module::from_triton, &global), 1);
}
