//! What the tests of SPIR-V share: GLSL as glslang compiles it, and running it. Where there is no glslangValidator they
//! are skipped, unless KTWIN_REQUIRE names glsl.
#![allow(dead_code)] // no test uses all of it

use ktwin_sim::{Buffer, Finding, Launch, Module, Options};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// The SPIR-V of a compute shader; nothing where there is no compiler.
pub fn spirv(text: &str) -> Option<Vec<u8>> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let room = std::env::temp_dir().join(format!("ktwin-spirv-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&room).expect("a folder");
    let (from, out) = (room.join("kernel.comp"), room.join("kernel.spv"));
    std::fs::write(&from, text).expect("it is written");
    let mut command = Command::new("glslangValidator");
    command.args(["-V", "--target-env", "vulkan1.2", "-g", "-o"]).arg(&out).arg(&from);
    let Ok(said) = command.output() else {
        let required = std::env::var("KTWIN_REQUIRE").unwrap_or_default();
        assert!(!required.split(',').any(|d| d == "glsl"), "glslangValidator is not on PATH");
        return None;
    };
    assert!(said.status.success(), "{text}\n{}", String::from_utf8_lossy(&said.stdout));
    let bytes = std::fs::read(&out).expect("it was written");
    std::fs::remove_dir_all(&room).ok();
    Some(bytes)
}

pub const HEAD: &str = "#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_EXT_control_flow_attributes : require
";

/// The lines of [`HEAD`].
pub const FIRST: u32 = 11;

/// What a launch left in binding 1, and what was found; the shader's own first line is line 1 of the message.
pub fn run(body: &str, launch: Launch) -> Option<(Vec<u32>, Vec<Finding>)> {
    let module =
        Module::from_spirv(&spirv(&format!("{HEAD}{body}"))?).unwrap_or_else(|e| panic!("{}", e.rendered));
    let mut launch = launch;
    let run = module.run(&mut launch, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let out = launch.bound(0, 1).map(Buffer::to_u32).unwrap_or_default();
    Some((out, run.findings.into_iter().filter(|f| f.severity == ktwin_sim::Severity::Error).collect()))
}

pub fn bound(input: &[u32], out: usize) -> Launch {
    Launch::new([1, 1, 1]).buffer(Buffer::from_u32(0, 0, input)).buffer(Buffer::output(0, 1, 4 * out))
}

/// Runs a shader of 32 lanes that computes `out[i]` of `x[i]`, and expects nothing to be found.
pub fn map(code: &str, f: impl Fn(u32) -> u32) {
    let input: Vec<u32> = (0..32u32).map(|i| i.wrapping_mul(0x9e37_79b9) ^ i).collect();
    let body = format!(
        "layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A {{ uint x[]; }};
layout(binding = 1) writeonly buffer B {{ uint y[]; }};
void main() {{ uint i = gl_GlobalInvocationID.x; uint a = x[i]; uint r; {code} y[i] = r; }}"
    );
    let Some((out, found)) = run(&body, bound(&input, 32)) else { return };
    assert_eq!(found, [], "{code}");
    let want: Vec<u32> = input.iter().map(|&v| f(v)).collect();
    assert_eq!(out, want, "{code}");
}
