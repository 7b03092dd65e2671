/*--- ktwin
op      = "gemm"
compute = "f32"
tile    = { M = 8, N = 8, K = [4, 64] }
dims    = { M = "1..=512", N = "1..=512", K = "1..=16384" }
scratch = { parts = "f32[4 * M * N]" }
chain   = [
    { entry = "products", args = ["a", "b", "parts", { M = "u32", N = "u32", K = "u32" }], grid = ["ceil(N / 8)", "ceil(M / 8)", 4] },
    { entry = "together", args = ["parts", "c", { "M * N" = "u32" }], grid = ["ceil(M * N / 64)", 1, 1] },
]
---*/
// Variant: K split in four stretches that are summed apart into scratch, and added in a second pass.
struct Scalars { M: u32, N: u32, K: u32 }

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> parts: array<f32>;
@group(0) @binding(3) var<uniform> s: Scalars;

@group(0) @binding(0) var<storage, read> made: array<f32>;
@group(0) @binding(1) var<storage, read_write> c: array<f32>;
@group(0) @binding(2) var<uniform> count: u32;

@compute @workgroup_size(8, 8)
fn products(@builtin(workgroup_id) group: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    if id.y >= s.M || id.x >= s.N {
        return;
    }
    let each = (s.K + 3u) / 4u;
    let last = min((group.z + 1u) * each, s.K);
    var sum = 0.0;
    for (var k = group.z * each; k < last; k++) {
        sum += a[id.y * s.K + k] * b[k * s.N + id.x];
    }
    parts[(group.z * s.M + id.y) * s.N + id.x] = sum;
}

@compute @workgroup_size(64)
fn together(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < count {
        c[id.x] = (made[id.x] + made[id.x + count]) + (made[id.x + 2u * count] + made[id.x + 3u * count]);
    }
}
