/*--- ktwin
op      = "gemm"
types   = { a = "f16", b = "f16" }
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
grid    = ["ceil(N / 16)", "ceil(M / 16)", 1]
tile    = { M = 16, N = 16, K = 16 }
dims    = { M = "1..=16384", N = "1..=16384", K = "1..=16384" }
---*/
// fault: uninitialised read
// pattern: every wrong element is NaN
// The sum is added to what the result holds, and nobody cleared it.
struct Scalars { M: u32, N: u32, K: u32 }

@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> s: Scalars;

var<workgroup> tile_a: array<array<f32, 16>, 16>;
var<workgroup> tile_b: array<array<f32, 16>, 16>;

fn a_at(i: u32) -> f32 {
    return unpack2x16float(a[i / 2u] >> (16u * (i % 2u))).x;
}

fn b_at(i: u32) -> f32 {
    return unpack2x16float(b[i / 2u] >> (16u * (i % 2u))).x;
}

@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) lane: vec3<u32>) {
    let m = group.y * 16u + lane.y;
    let n = group.x * 16u + lane.x;
    var sum = 0.0;
    for (var k0 = 0u; k0 < s.K; k0 += 16u) {
        var va = 0.0;
        var vb = 0.0;
        if m < s.M && k0 + lane.x < s.K {
            va = a_at(m * s.K + k0 + lane.x);
        }
        if n < s.N && k0 + lane.y < s.K {
            vb = b_at((k0 + lane.y) * s.N + n);
        }
        tile_a[lane.y][lane.x] = va;
        tile_b[lane.y][lane.x] = vb;
        workgroupBarrier();
        for (var k = 0u; k < 16u; k++) {
            sum += tile_a[lane.y][k] * tile_b[k][lane.x];
        }
        workgroupBarrier();
    }
    if m < s.M && n < s.N {
        c[m * s.N + n] += sum;
    }
}
