/*--- ktwin
op      = "gemm_nt"
types   = { a = "q8_1", b = "q4_0" }
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", "K // 32" = "u32" }]
grid    = ["ceil(N / 8)", "ceil(M / 8)", 1]
tile    = { M = 8, N = 8, K = 32 }
dims    = { M = "1..=16384", N = "1..=16384", K = ["32..=16384", "multiple of 32"] }
---*/
// One lane an element of the result. Within a block of 32 all is whole numbers, four products an
// instruction; the 8 that every weight of q4_0 is too large by is taken off as eight times the sum of the
// activations. A block of b is 18 bytes (scale, 16 bytes of two weights), one of a is nine words (scale
// and sum, 32 bytes).
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

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.y >= s.M || id.x >= s.N {
        return;
    }
    var sum = 0.0;
    for (var k = 0u; k < s.blocks; k++) {
        let at_a = (id.y * s.blocks + k) * 9u;
        let at_b = (id.x * s.blocks + k) * 18u;
        var whole = 0;
        for (var i = 0u; i < 4u; i++) {
            let pairs = word_at(at_b + 2u + 4u * i);
            let low = a[at_a + 1u + i];
            let high = a[at_a + 5u + i];
            whole += dot4I8Packed(pairs & 0x0f0f0f0fu, low);
            whole += dot4I8Packed((pairs >> 4u) & 0x0f0f0f0fu, high);
            whole -= dot4I8Packed(0x08080808u, low) + dot4I8Packed(0x08080808u, high);
        }
        let scale_b = unpack2x16float(b[at_b / 4u] >> (8u * (at_b % 4u))).x;
        sum += f32(whole) * (unpack2x16float(a[at_a]).x * scale_b);
    }
    c[id.y * s.N + id.x] = sum;
}
