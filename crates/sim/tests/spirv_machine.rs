//! GLSL as glslang compiles it: constants of a launch, subgroups, what the machine finds, and broken binaries.

mod glsl;

use glsl::{FIRST, HEAD, bound, run, spirv};
use ktwin_sim::{Buffer, FindingKind, Launch, Module, Options, Param};

#[test]
fn constants_of_a_launch_size_everything() {
    let body = "layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LANES = 8;
layout(constant_id = 1) const uint ROWS = 2;
layout(constant_id = 2) const float SCALE = 1.0;
layout(binding = 0) readonly buffer A { float16_t x[]; };
layout(binding = 0) readonly buffer A4 { f16vec4 x4[]; };
layout(binding = 1) buffer B { float y[]; };
layout(push_constant) uniform P { uint n; uint8_t shift; float16_t add; } p;
shared float tile[LANES * ROWS + 1];
void main() {
    uint i = gl_LocalInvocationID.x;
    [[unroll]] for (uint k = 0; k < ROWS; k++) tile[k * LANES + i] = float(x[k * LANES + i]) * SCALE;
    barrier();
    if (i >= p.n) return;
    float sum = float(x4[0].y) + float(p.add);
    for (uint k = 0; k < ROWS; k++) sum += tile[k * LANES + (i ^ p.shift)];
    y[i] = sum;
}";
    let Some(bytes) = spirv(&format!("{HEAD}{body}")) else { return };
    let module = Module::from_spirv(&bytes).unwrap_or_else(|e| panic!("{}", e.rendered));
    // what local_size_x_id names is 1 until a launch says otherwise, whatever the constant beside it begins with
    assert_eq!(module.entry_points()[0].workgroup, [1, 1, 1]);
    assert_eq!((module.entry_points()[0].push, module.entry_points()[0].bindings.len()), (8, 2));
    let halves: Vec<u8> = (0..64u16).flat_map(|i| half::f16::from_f32(f32::from(i)).to_le_bytes()).collect();
    let push: Vec<u8> = [&16u32.to_le_bytes()[..], &[3, 0], &half::f16::from_f32(0.5).to_le_bytes()].concat();
    let mut launch = Launch::new([1, 1, 1])
        .buffer(Buffer::input(0, 0, halves))
        .buffer(Buffer::output(0, 1, 64))
        .set("LANES", 16.0)
        .set("1", 4.0)
        .set("SCALE", 2.0)
        .param(Param::bytes(push));
    let run = module.run(&mut launch, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(run.errors().count(), 0, "{:?}", run.findings);
    let want: Vec<f32> =
        (0..16u16).map(|i| 1.5 + (0..4).map(|k| 2.0 * f32::from(k * 16 + (i ^ 3))).sum::<f32>()).collect();
    assert_eq!(launch.buffers[1].to_f32(), want);
    let mut short = Launch::new([1, 1, 1]).set("LANES", 16.5);
    assert!(module.run(&mut short, &Options::default()).unwrap_err().to_string().contains("16.5"));
    let mut unknown = Launch::new([1, 1, 1]).set("LANE", 16.0);
    assert!(module.run(&mut unknown, &Options::default()).unwrap_err().to_string().contains("LANE"));
}

/// Runs a shader of one subgroup, whose lanes give numbers by their place.
fn lanes(code: &str, f: impl Fn(u32) -> u32) {
    let body = format!(
        "layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A {{ uint x[]; }};
layout(binding = 1) writeonly buffer B {{ uint y[]; }};
void main() {{ uint i = gl_SubgroupInvocationID; uint r = 0; {code} y[i] = r + x[0]; }}"
    );
    let Some((out, found)) = run(&body, bound(&[0], 32)) else { return };
    assert_eq!(found, [], "{code}");
    assert_eq!(out, (0..32).map(f).collect::<Vec<u32>>(), "{code}");
}

#[test]
fn subgroups() {
    lanes("r = subgroupClusteredAdd(i, 8u);", |i| (i / 8 * 8..i / 8 * 8 + 8).sum());
    lanes("r = uint(subgroupClusteredMax(int(i) - 20, 4u) + 50);", |i| i / 4 * 4 + 3 + 30);
    lanes("r = subgroupShuffleXor(i, 5u) + 100u * subgroupShuffle(i, 31u - i);", |i| {
        (i ^ 5) + 100 * (31 - i)
    });
    lanes("uvec4 b = subgroupBallot(i % 3u == 0u); r = subgroupBallotExclusiveBitCount(b);", |i| {
        i.div_ceil(3)
    });
    lanes(
        "uvec4 b = subgroupBallot(i > 4u); r = subgroupBallotFindLSB(b) + 64u * subgroupBallotFindMSB(b);",
        |_| 5 + 64 * 31,
    );
    lanes("r = uint(subgroupInverseBallot(uvec4(0x12345678u, 0, 0, 0)));", |i| 0x1234_5678 >> i & 1);
    lanes("r = subgroupInclusiveAdd(i) + uint(subgroupElect());", |i| i * (i + 1) / 2 + u32::from(i == 0));
    lanes("r = gl_SubgroupLtMask.x ^ gl_SubgroupGeMask.x ^ gl_SubgroupEqMask.x;", |i| !(1 << i));
    lanes("r = uint(subgroupMin(float(i) - 3.0) + 3.0) + uint(subgroupAllEqual(i / 32u));", |_| 1);
}

/// The line of the shader's own text on which something is found, by its kind.
fn finds(body: &str, launch: Launch, kind: FindingKind, line: u32) {
    let Some((_, found)) = run(body, launch) else { return };
    let Some(first) = found.first() else { panic!("nothing is found in {body}") };
    assert_eq!((first.kind, first.line), (kind, FIRST + line), "{first}");
    assert!(!first.text.is_empty(), "{first}");
}

#[test]
fn faults_are_found_at_their_lines() {
    let head = "layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { uint x[]; };
layout(binding = 1) buffer B { uint y[]; };
shared uint s[64];
";
    let ends = |code: &str| format!("{head}void main() {{ uint i = gl_LocalInvocationID.x;\n{code}\n}}");
    let input = [7; 64];
    finds(&ends("y[i] = x[i + 1u];"), bound(&input, 64), FindingKind::OutOfBounds, 6);
    finds(&ends("s[i] = x[i];\ny[i] = s[63u - i];"), bound(&input, 64), FindingKind::Race, 7);
    finds(&ends("y[i] = s[i];"), bound(&input, 64), FindingKind::Uninitialised, 6);
    finds(&ends("y[i] = y[i] + 1u;"), bound(&input, 64), FindingKind::Uninitialised, 6);
    finds(
        &ends("if (i < 7u) {\nbarrier(); }\ny[i] = x[i];"),
        bound(&input, 64),
        FindingKind::DivergentBarrier,
        7,
    );
    finds(
        &ends("s[i + 1u] = x[i]; barrier();\ny[i] = x[i];"),
        bound(&input, 64),
        FindingKind::OutOfBounds,
        6,
    );
    // a barrier of the workgroup's memory orders no buffers
    let swapped = "y[i] = x[i];\nBARRIER\nuint v = y[63u - i]; barrier(); y[i] = v;";
    finds(&ends(&swapped.replace("BARRIER", "barrier();")), bound(&input, 64), FindingKind::Race, 8);
    let ordered = "memoryBarrierBuffer(); barrier();";
    if let Some((_, found)) =
        run(&ends("y[i] = x[i];\nmemoryBarrierBuffer(); barrier();\ny[i] += x[i];"), bound(&input, 64))
    {
        assert_eq!(found, [], "{ordered}");
    }
    // subgroups of 32 lanes wait for each other, and for no others
    let within = "s[i] = x[i];\nsubgroupBarrier();\ny[i] = s[i ^ 31u];";
    if let Some((_, found)) = run(&ends(within), bound(&input, 64)) {
        assert_eq!(found, []);
    }
    finds(&ends(&within.replace("31u", "32u")), bound(&input, 64), FindingKind::Race, 8);
    finds(&ends(&within.replace("subgroupBarrier();", "")), bound(&input, 64), FindingKind::Race, 8);
    // a variable that nobody set is not a number
    let Some((out, _)) =
        run(&ends("float f; f += float(x[i]); y[i] = floatBitsToUint(f);"), bound(&input, 64))
    else {
        return;
    };
    assert!(out.iter().all(|&bits| f32::from_bits(bits).is_nan()));
}

#[test]
fn what_is_not_there_is_refused_with_its_name_and_line() {
    let text = format!(
        "{HEAD}layout(local_size_x = 1) in;\nlayout(binding = 0, r32f) uniform image2D img;
void main() {{\nimageStore(img, ivec2(0), vec4(1)); }}"
    );
    let Some(bytes) = spirv(&text) else { return };
    let error = Module::from_spirv(&bytes).unwrap_err();
    assert!(error.unsupported && error.message.contains("img"), "{error}");
    let whole = Module::from_spirv(&bytes[..bytes.len() - 4]).unwrap_err();
    assert!(!whole.unsupported, "{whole}");
}

#[test]
fn broken_binaries_are_refused_or_run() {
    let body = "layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint N = 4;
layout(binding = 0) readonly buffer A { uint8_t x[]; };
layout(binding = 1) buffer B { f16vec2 y[]; };
shared float s[N * 8];
float twice(inout float v[4], uint k) { v[k] *= 2.0; return v[k]; }
void main() {
    float v[4]; for (int k = 0; k < 4; k++) v[k] = float(x[k]);
    s[gl_LocalInvocationID.x] = twice(v, gl_LocalInvocationID.x % N); barrier();
    y[0] = f16vec2(subgroupAdd(s[0]), mod(s[1], 3.0));
    switch (uint(x[1])) { case 3: y[1] = y[0]; break; default: break; }
}";
    let Some(bytes) = spirv(&format!("{HEAD}{body}")) else { return };
    let mut state = 1u64;
    let mut next = |most: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % most
    };
    let mut ran = 0;
    for _ in 0..4000 {
        let mut broken = bytes.clone();
        for _ in 0..=next(3) {
            let at = next(broken.len());
            broken[at] = if next(2) == 0 { next(256) as u8 } else { broken[next(bytes.len())] };
        }
        let Ok(module) = Module::from_spirv(&broken) else { continue };
        let mut launch = bound(&[3, 5], 2);
        launch.entry = module.entry_points()[0].name.clone();
        let options = Options { budget: 1 << 14, ..Options::default() };
        ran += u32::from(module.run(&mut launch, &options).is_ok());
    }
    assert!(ran > 100, "{ran}");
}

#[test]
fn halves_are_multiplied_and_added_as_floats() {
    let body = "#extension GL_EXT_spirv_intrinsics : require
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer A { f16vec2 x[]; };
layout(binding = 1) writeonly buffer B { float y[]; };
spirv_instruction(extensions = [\"SPV_VALVE_mixed_float_dot_product\"], capabilities = [6912], id = 6916)
float mixed(f16vec2 a, f16vec2 b, float onto);
void main() { y[0] = mixed(x[0], x[1], 0.25); }";
    let half = |v: f32| u32::from(half::f16::from_f32(v).to_bits());
    let pair = |a: f32, b: f32| half(a) | half(b) << 16;
    // 300 * 300 is past the largest half, and 90000.25 takes more digits than a half has
    let Some((out, found)) = run(body, bound(&[pair(300.0, 2.0), pair(300.0, -1.0)], 1)) else { return };
    assert_eq!((f32::from_bits(out[0]), found), (89998.25, vec![]));
}
