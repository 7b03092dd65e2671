/*--- ktwin
op      = "gemm_nt"
types   = { a = "q8_1", b = "q5_0" }
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", "K // 32" = "u32" }]
grid    = ["ceil(N / 16)", "ceil(M / 4)", 1]
tile    = { M = 4, N = 16, K = 32 }
dims    = { M = "1..=16384", N = "1..=16384", K = ["32..=16384", "multiple of 32"] }
---*/
// One lane an element of the result. A block of b is 22 bytes: a scale, the fifth bits of 32 weights, 16
// bytes with the low four bits of weights i and i + 16. Weights are put together four at a time.
struct Scalars { M: u32, N: u32, blocks: u32 }

@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> s: Scalars;

// four bytes of b from an even byte on
fn word_at(byte: u32) -> u32 {
    let i = byte / 4u;
    if byte % 4u == 0u {
        return b[i];
    }
    return (b[i] >> 16u) | (b[i + 1u] << 16u);
}

// the lowest four bits, one to the fifth place of each byte
fn spread(bits: u32) -> u32 {
    return ((bits & 1u) << 4u) | ((bits & 2u) << 11u) | ((bits & 4u) << 18u) | ((bits & 8u) << 25u);
}

@compute @workgroup_size(16, 4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.y >= s.M || id.x >= s.N {
        return;
    }
    var sum = 0.0;
    for (var k = 0u; k < s.blocks; k++) {
        let at_a = (id.y * s.blocks + k) * 9u;
        let at_b = (id.x * s.blocks + k) * 22u;
        let fifth = word_at(at_b + 2u);
        var whole = 0;
        for (var i = 0u; i < 4u; i++) {
            let pairs = word_at(at_b + 6u + 4u * i);
            let low = (pairs & 0x0f0f0f0fu) | spread(fifth >> (4u * i));
            let high = ((pairs >> 4u) & 0x0f0f0f0fu) | spread(fifth >> (16u + 4u * i));
            let a_low = a[at_a + 1u + i];
            let a_high = a[at_a + 5u + i];
            whole += dot4I8Packed(low, a_low) + dot4I8Packed(high, a_high);
            whole -= dot4I8Packed(0x10101010u, a_low) + dot4I8Packed(0x10101010u, a_high);
        }
        let scale_b = unpack2x16float(b[at_b / 4u] >> (8u * (at_b % 4u))).x;
        sum += f32(whole) * (unpack2x16float(a[at_a]).x * scale_b);
    }
    c[id.y * s.N + id.x] = sum;
}
