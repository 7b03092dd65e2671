//! Subgroups of every width in SPIR-V: barriers within them, whether a kernel depends on the width, and kernels that
//! ask for one.

mod glsl;

use glsl::{HEAD, bound, spirv};
use ktwin_sim::{FindingKind, Module, Options};

fn shader(code: &str) -> String {
    format!(
        "{HEAD}layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer A {{ uint x[]; }};
layout(binding = 1) buffer B {{ uint y[]; }};
shared uint s[128];
uint lane() {{ return gl_SubgroupInvocationID; }}
void main() {{ uint i = gl_LocalInvocationID.x; {code} }}"
    )
}

fn module(code: &str) -> Option<Module> {
    Some(Module::from_spirv(&spirv(&shader(code))?).unwrap_or_else(|e| panic!("{}", e.rendered)))
}

/// What is found where each lane trades with another over shared memory.
fn found(module: &Module, warp: u32, seed: u64) -> Vec<FindingKind> {
    let mut launch = bound(&[7; 128], 128);
    let options = Options { warp, seed, ..Options::default() };
    let run = module.run(&mut launch, &options).unwrap_or_else(|e| panic!("{e}"));
    run.errors().map(|finding| finding.kind).collect()
}

#[test]
fn barriers_of_subgroups_order_what_their_own_lanes_do() {
    let trade = "s[i] = x[i]; subgroupBarrier(); uint v = s[i ^ (gl_SubgroupSize - 1u)]; y[i] = v;";
    let fixed = "s[i] = x[i]; subgroupBarrier(); y[i] = s[i ^ 31u];";
    let (Some(trade), Some(fixed)) = (module(trade), module(fixed)) else { return };
    for (warp, seed) in [4, 8, 16, 32, 64].into_iter().flat_map(|warp| [(warp, 0), (warp, 1), (warp, 2)]) {
        assert_eq!(found(&trade, warp, seed), [], "{warp} lanes, seed {seed}");
        let all = found(&fixed, warp, seed);
        let races = warp < 32;
        assert!(
            all.contains(&FindingKind::Race) == races && all.is_empty() != races,
            "{warp} lanes: {all:?}"
        );
    }
}

#[test]
fn entry_points_say_whether_they_depend_on_subgroups() {
    let uses = |code: &str| module(code).map(|module| module.entry_points()[0].subgroups);
    let Some(plain) = uses("s[i] = x[i]; barrier(); y[i] = s[127u - i];") else { return };
    assert!(!plain);
    for code in [
        "y[i] = subgroupAdd(x[i]);",
        "y[i] = gl_SubgroupSize;",
        "y[i] = lane();",
        "s[i] = x[i]; subgroupBarrier(); y[i] = s[i ^ 1u];",
        "y[i] = subgroupBallot(x[i] > 3u).x;",
    ] {
        assert_eq!(uses(code), Some(true), "{code}");
    }
}

/// The same module with another execution mode behind `LocalSize`.
fn with_mode(bytes: &[u8], mode: [u32; 2]) -> Vec<u8> {
    let mut words: Vec<u32> =
        bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
    // OpExecutionMode %main LocalSize x y z
    let at = (5..words.len()).find(|&at| words[at] == 6 << 16 | 16 && words[at + 2] == 17).expect("a size");
    let main = words[at + 1];
    words.splice(at + 6..at + 6, [4 << 16 | 16, main, mode[0], mode[1]]);
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn a_kernel_may_ask_for_a_width() {
    const SUBGROUP_SIZE: u32 = 35;
    let Some(bytes) = spirv(&shader("y[i] = subgroupAdd(x[i]);")) else { return };
    let asks = |bytes: &[u8]| Module::from_spirv(bytes).expect("it is whole").entry_points()[0].subgroup;
    assert_eq!(asks(&bytes), None);
    assert_eq!(asks(&with_mode(&bytes, [SUBGROUP_SIZE, 16])), Some(16));
}
