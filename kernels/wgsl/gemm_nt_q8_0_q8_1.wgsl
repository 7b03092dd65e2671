/*--- ktwin
op      = "gemm_nt"
types   = { a = "q8_1", b = "q8_0" }
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", "K // 32" = "u32" }]
grid    = ["ceil(N / 16)", "ceil(M / 16)", 1]
tile    = { M = 16, N = 16, K = 32 }
dims    = { M = "1..=16384", N = "1..=16384", K = ["32..=16384", "multiple of 32"] }
---*/
// 16 x 16 elements of the result a workgroup. For every block of 32 along K, 16 blocks of each matrix are
// brought to workgroup memory, bytes as words; products are summed in whole numbers and scaled once a
// block.
struct Scalars { M: u32, N: u32, blocks: u32 }

@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> s: Scalars;

var<workgroup> bytes_a: array<array<u32, 8>, 16>;
var<workgroup> bytes_b: array<array<u32, 8>, 16>;
var<workgroup> scale_a: array<f32, 16>;
var<workgroup> scale_b: array<f32, 16>;

// four bytes of b from an even byte on
fn word_at(byte: u32) -> u32 {
    let i = byte / 4u;
    if byte % 4u == 0u {
        return b[i];
    }
    return (b[i] >> 16u) | (b[i + 1u] << 16u);
}

fn load_a(row: u32, m: u32, k: u32, i: u32) {
    var word = 0u;
    var scale = 0.0;
    if m < s.M {
        let at = (m * s.blocks + k) * 9u;
        word = a[at + 1u + i];
        scale = unpack2x16float(a[at]).x;
    }
    bytes_a[row][i] = word;
    if i == 0u {
        scale_a[row] = scale;
    }
}

fn load_b(row: u32, n: u32, k: u32, i: u32) {
    var word = 0u;
    var scale = 0.0;
    if n < s.N {
        let at = (n * s.blocks + k) * 34u;
        word = word_at(at + 2u + 4u * i);
        scale = unpack2x16float(b[at / 4u] >> (8u * (at % 4u))).x;
    }
    bytes_b[row][i] = word;
    if i == 0u {
        scale_b[row] = scale;
    }
}

@compute @workgroup_size(16, 16)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) lane: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let m = group.y * 16u + lane.y;
    let n = group.x * 16u + lane.x;
    let row = (index % 128u) / 8u;
    var sum = 0.0;
    for (var k = 0u; k < s.blocks; k++) {
        // the first 128 lanes bring a, the others b
        if index < 128u {
            load_a(row, group.y * 16u + row, k, index % 8u);
        } else {
            load_b(row, group.x * 16u + row, k, index % 8u);
        }
        workgroupBarrier();
        var whole = 0;
        for (var i = 0u; i < 8u; i++) {
            whole += dot4I8Packed(bytes_a[lane.y][i], bytes_b[lane.x][i]);
        }
        sum += f32(whole) * (scale_a[lane.y] * scale_b[lane.x]);
        workgroupBarrier();
    }
    if m < s.M && n < s.N {
        c[m * s.N + n] = sum;
    }
}
