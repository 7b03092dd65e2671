//! GLSL as glslang compiles it: what instructions compute.

mod glsl;

use glsl::{HEAD, map, spirv};
use ktwin_sim::{Buffer, Launch, Module, Options};

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
}

#[test]
fn structs_are_copied_between_layouts() {
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
