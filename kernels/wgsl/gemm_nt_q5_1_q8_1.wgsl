/*--- ktwin
op      = "gemm_nt"
types   = { a = "q8_1", b = "q5_1" }
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
grid    = ["ceil(N / 8)", "ceil(M / 8)", 1]
tile    = { M = 8, N = 8, K = 32 }
dims    = { M = "1..=16384", N = "1..=16384", K = ["32..=16384", "multiple of 32"] }
---*/
// The plain way: every weight and every activation is dequantised to f32 where it is used. A block of b is
// six words: scale and minimum, the fifth bits, then four words of pairs; one of a is nine: scale and sum,
// 32 bytes.
struct Scalars { M: u32, N: u32, K: u32 }

@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> s: Scalars;

fn activation(m: u32, k: u32) -> f32 {
    let block = (m * (s.K / 32u) + k / 32u) * 9u;
    let j = k % 32u;
    let q = extractBits(bitcast<i32>(a[block + 1u + j / 4u]), 8u * (j % 4u), 8u);
    return f32(q) * unpack2x16float(a[block]).x;
}

fn weight(n: u32, k: u32) -> f32 {
    let block = (n * (s.K / 32u) + k / 32u) * 6u;
    let j = k % 32u;
    let pair = extractBits(b[block + 2u + (j % 16u) / 4u], 8u * (j % 4u), 8u);
    let q = select(pair & 15u, pair >> 4u, j >= 16u) | (extractBits(b[block + 1u], j, 1u) << 4u);
    let scale_min = unpack2x16float(b[block]);
    return f32(q) * scale_min.x + scale_min.y;
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.y >= s.M || id.x >= s.N {
        return;
    }
    var sum = 0.0;
    for (var k = 0u; k < s.K; k++) {
        sum += activation(id.y, k) * weight(id.x, k);
    }
    c[id.y * s.N + id.x] = sum;
}
