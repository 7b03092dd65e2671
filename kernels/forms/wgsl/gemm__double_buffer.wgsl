/*--- ktwin
op      = "gemm"
compute = "f32"
args    = ["a", "b", "c", { M = "u32", N = "u32", K = "u32" }]
grid    = ["ceil(N / 16)", "ceil(M / 16)", 1]
tile    = { M = 16, N = 16, K = [16, 32] }
dims    = { M = "1..=4096", N = "1..=4096", K = "1..=16384" }
---*/
// Variant: two tiles of each matrix, the next is filled while this one is used; one barrier a step.
struct Scalars { M: u32, N: u32, K: u32 }

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> s: Scalars;

var<workgroup> ta: array<array<array<f32, 16>, 16>, 2>;
var<workgroup> tb: array<array<array<f32, 16>, 16>, 2>;

fn at_a(m: u32, k: u32) -> f32 {
    if m < s.M && k < s.K {
        return a[m * s.K + k];
    }
    return 0.0;
}

fn at_b(k: u32, n: u32) -> f32 {
    if k < s.K && n < s.N {
        return b[k * s.N + n];
    }
    return 0.0;
}

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    ta[0][local.y][local.x] = at_a(id.y, local.x);
    tb[0][local.y][local.x] = at_b(local.y, id.x);
    workgroupBarrier();
    var sum = 0.0;
    var now = 0u;
    for (var k0 = 0u; k0 < s.K; k0 += 16u) {
        let next = 1u - now;
        if k0 + 16u < s.K {
            ta[next][local.y][local.x] = at_a(id.y, k0 + 16u + local.x);
            tb[next][local.y][local.x] = at_b(k0 + 16u + local.y, id.x);
        }
        for (var k = 0u; k < 16u; k++) {
            sum += ta[now][local.y][k] * tb[now][k][local.x];
        }
        workgroupBarrier();
        now = next;
    }
    if id.y < s.M && id.x < s.N {
        c[id.y * s.N + id.x] = sum;
    }
}
