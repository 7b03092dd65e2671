//! GLSL as glslang compiles it: what the front end for SPIR-V takes, and what the machine finds in it. Skipped where
//! there is no glslangValidator, unless KTWIN_REQUIRE names glsl.

use ktwin_sim::{Buffer, Finding, FindingKind, Launch, Module, Options, Param};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// The SPIR-V of a compute shader; nothing where there is no compiler.
fn spirv(text: &str) -> Option<Vec<u8>> {
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

const HEAD: &str = "#version 450
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
const FIRST: u32 = 11;

/// What a launch left in binding 1, and what was found; the shader's own first line is line 1 of the message.
fn run(body: &str, launch: Launch) -> Option<(Vec<u32>, Vec<Finding>)> {
    let module =
        Module::from_spirv(&spirv(&format!("{HEAD}{body}"))?).unwrap_or_else(|e| panic!("{}", e.rendered));
    let mut launch = launch;
    let run = module.run(&mut launch, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let out = launch.bound(0, 1).map(Buffer::to_u32).unwrap_or_default();
    Some((out, run.findings.into_iter().filter(|f| f.severity == ktwin_sim::Severity::Error).collect()))
}

fn bound(input: &[u32], out: usize) -> Launch {
    Launch::new([1, 1, 1]).buffer(Buffer::from_u32(0, 0, input)).buffer(Buffer::output(0, 1, 4 * out))
}

/// Runs a shader of 32 lanes that computes `out[i]` of `x[i]`, and expects nothing to be found.
fn map(code: &str, f: impl Fn(u32) -> u32) {
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

#[test]
fn wide_and_narrow_integers() {
    map("uint h, l; umulExtended(a, 0xdeadbeefu, h, l); r = h ^ l;", |a| {
        let p = u64::from(a) * 0xdead_beef;
        (p >> 32) as u32 ^ p as u32
    });
    map("int h, l; imulExtended(int(a), -77777, h, l); r = uint(h) ^ uint(l);", |a| {
        let p = i64::from(a as i32) * -77777;
        (p >> 32) as u32 ^ p as u32
    });
    map("uint c; r = uaddCarry(a, 0xf0000000u, c); r ^= c << 7;", |a| {
        a.wrapping_add(0xf000_0000) ^ u32::from(a.checked_add(0xf000_0000).is_none()) << 7
    });
    map("uint64_t w = uint64_t(a) * 0x123456789abcdul; r = uint(w >> 20);", |a| {
        (u64::from(a).wrapping_mul(0x1_2345_6789_abcd) >> 20) as u32
    });
    map("int8_t b = int8_t(a); b = b / int8_t(3); r = uint(int(b) - 5);", |a| {
        ((a as i8 / 3) as i32 - 5) as u32
    });
    map("int16_t b = int16_t(a >> 3); b *= int16_t(7); r = uint(int(b));", |a| {
        ((a >> 3) as i16).wrapping_mul(7) as i32 as u32
    });
    map("u8vec4 v = unpack8(a); r = uint(v.x) + uint(v.y) * 3u + uint(v.z) * 5u + uint(v.w) * 7u;", |a| {
        let [x, y, z, w] = a.to_le_bytes().map(u32::from);
        x + y * 3 + z * 5 + w * 7
    });
    map("i8vec4 v = unpack8(int(a)); i8vec4 w = v >> int8_t(2); r = uint(pack32(w));", |a| {
        u32::from_le_bytes(a.to_le_bytes().map(|b| ((b as i8) >> 2) as u8))
    });
    map("u16vec2 v = unpack16(a); r = uint(v.y - v.x);", |a| {
        u32::from(((a >> 16) as u16).wrapping_sub(a as u16))
    });
    map("r = bitfieldExtract(a, 5, 9) | bitfieldReverse(a) | uint(findMSB(a));", |a| {
        (a >> 5 & 0x1ff) | a.reverse_bits() | if a == 0 { u32::MAX } else { 31 - a.leading_zeros() }
    });
    map(
        "r = uint(bitfieldExtract(int(a), 4, 6)); r = bitfieldInsert(r, 0x5u, 8, 4) + uint(bitCount(a));",
        |a| {
            let field = ((a << 22) as i32 >> 26) as u32;
            (field & !0xf00 | 0x500).wrapping_add(a.count_ones())
        },
    );
}

#[test]
fn floats_and_their_constants() {
    map("float m = -1.0 / 0.0; m = max(m, float(a & 255u)); r = uint(m);", |a| a & 255);
    map("double d = double(a) / 3.0lf; r = uint(d);", |a| (f64::from(a) / 3.0) as u32);
    map("float16_t h = float16_t(a & 1023u) * 0.5hf; r = uint(float(h) * 2.0);", |a| a & 1023);
    map("f16vec2 v = unpackFloat2x16(a & 0x3fff3fffu); r = packFloat2x16(v);", |a| a & 0x3fff_3fff);
    map("r = floatBitsToUint(ldexp(1.5, int(a & 15u))); ", |a| (1.5 * f32::from(1u16 << (a & 15))).to_bits());
    map(
        "vec4 v = vec4(a & 3u, 1, 2, 3); mat2 m = mat2(v); vec2 w = m * vec2(1, 2); r = uint(w.x + w.y);",
        |a| {
            let x = a & 3;
            x + 4 + 1 + 6
        },
    );
    map("r = uint(isinf(uintBitsToFloat(0x7f800000u))) + 2u * uint(isnan(float(a)));", |_| 1);
    map("r = uint(mod(-float(a & 7u), 4.0)) + uint(-int(a & 7u) % 4 == 0);", |a| {
        let x = (a & 7) as i32;
        ((-x).rem_euclid(4) + i32::from(-x % 4 == 0)) as u32
    });
}

#[test]
fn control_flow_and_functions() {
    map("r = 0; for (uint k = 0; k < (a & 7u); k++) { if (k == 5u) continue; r += k * k; }", |a| {
        (0..a & 7).filter(|&k| k != 5).map(|k| k * k).sum()
    });
    map(
        "switch (a & 3u) { case 0: r = 10; break; case 1: r = 11; case 2: r = 12; break; default: r = a; }",
        |a| match a & 3 {
            0 => 10,
            1 | 2 => 12,
            _ => a,
        },
    );
    map("uint v[5]; for (int k = 0; k < 5; k++) v[k] = a + k; r = v[a % 5u];", |a| a.wrapping_add(a % 5));
    map(
        "uint n = 0, z = a; do { z = (z & 1u) == 1u ? z * 3u + 1u : z / 2u; n++; } while (z > 4u && n < 40u); r = n;",
        |a| {
            let (mut n, mut z) = (0, a);
            loop {
                z = if z & 1 == 1 { z.wrapping_mul(3).wrapping_add(1) } else { z / 2 };
                n += 1;
                if z <= 4 || n >= 40 {
                    return n;
                }
            }
        },
    );
    map("r = a; while (true) { if (r < 100u) break; r /= 3u; if (r % 7u == 0u) break; }", |a| {
        let mut r = a;
        while r >= 100 {
            r /= 3;
            if r.is_multiple_of(7) {
                break;
            }
        }
        r
    });
}

/// In the manner of inference engines: tables, structs copied between layouts, division by multiplication, loops that
/// are to be unrolled, a matrix of specialised size in the registers of a lane.
#[test]
fn what_inference_engines_write() {
    map("const uint t[8] = uint[8](3, 1, 4, 1, 5, 9, 2, 6); r = t[a & 7u] + t[(a >> 3) & 7u];", |a| {
        let t = [3, 1, 4, 1, 5, 9, 2, 6];
        t[(a & 7) as usize] + t[(a >> 3 & 7) as usize]
    });
    map(
        "const int8_t t[4] = int8_t[4](int8_t(-127), int8_t(-1), int8_t(1), int8_t(113)); r = uint(int(t[a & 3u]));",
        |a| [-127i32, -1, 1, 113][(a & 3) as usize] as u32,
    );
    // n / 7 by a product and shifts
    map(
        "uint h, l; umulExtended(a, 613566757u, h, l); r = (h + a) >> 3; r = (h + ((a - h) >> 1)) >> 2;",
        |a| a / 7,
    );
    let body = "layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint TM = 1;
layout(constant_id = 2) const bool ROWS = false;
struct Block { float16_t d; uint8_t qs[6]; };
layout(binding = 0) readonly buffer A { Block x[]; };
layout(binding = 0) readonly buffer A16 { uint16_t x16[]; };
layout(binding = 1) writeonly buffer B { f16vec2 y[]; };
shared Block held[4];
float16_t take(const in Block b, uint i) { return b.d * float16_t(b.qs[i]); }
void main() {
    const uint lane = gl_LocalInvocationID.x;
    if (lane < 4) held[lane] = x[lane];
    barrier();
    f16vec2 acc[TM * TM];
    [[unroll]] for (uint i = 0; i < TM * TM; i++) acc[i] = f16vec2(0.0hf);
    [[unroll]] for (uint i = 0; i < TM; i++) {
        [[unroll]] for (uint j = 0; j < TM; j++) {
            Block b = held[(lane + i) % 4];
            acc[ROWS ? i * TM + j : j * TM + i] = fma(f16vec2(b.d), f16vec2(b.qs[j], take(held[j], i)), f16vec2(1.0hf));
        }
    }
    for (uint i = 0; i < TM * TM; i++) y[lane * TM * TM + i] = acc[i] + f16vec2(float16_t(x16[0] & 1us));
}";
    let Some(bytes) = spirv(&format!("{HEAD}{body}")) else { return };
    let module = Module::from_spirv(&bytes).unwrap_or_else(|e| panic!("{}", e.rendered));
    let half = |v: f32| half::f16::from_f32(v);
    let blocks: Vec<u8> = (0..4u8)
        .flat_map(|i| {
            let d = half(f32::from(i + 1) * 0.5).to_le_bytes();
            [d[0], d[1], i, i + 1, i + 2, i + 3, i + 4, i + 5]
        })
        .collect();
    let mut launch = Launch::new([1, 1, 1])
        .buffer(Buffer::input(0, 0, blocks))
        .buffer(Buffer::output(0, 1, 8 * 9 * 4))
        .set("0", 8.0)
        .set("TM", 3.0)
        .set("ROWS", 1.0);
    let run = module.run(&mut launch, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(run.errors().count(), 0, "{:?}", run.findings);
    let mut want = Vec::new();
    for lane in 0..8u8 {
        for (i, j) in (0..3u8).flat_map(|i| (0..3u8).map(move |j| (i, j))) {
            let b = (lane + i) % 4;
            let (d, q) = (f32::from(b + 1) * 0.5, f32::from(b + j));
            let taken = f32::from(j + 1) * 0.5 * f32::from(j + i);
            want.extend([half(d * q + 1.0).to_le_bytes(), half(d * taken + 1.0).to_le_bytes()].concat());
        }
    }
    assert_eq!(launch.buffers[1].bytes, want);
}

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
    // a variable that nobody set is no number
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
    y[0] = f16vec2(subgroupAdd(s[0]), mod(s[1], 3.0)); switch (uint(x[1])) { case 3: y[1] = y[0]; break; default: break; }
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
