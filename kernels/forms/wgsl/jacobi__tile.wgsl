/*--- ktwin
op      = "jacobi"
compute = "f32"
args    = ["x", "y", { H = "u32", W = "u32", rate = "f32" }]
grid    = ["ceil(W / 14)", "ceil(H / 14)", 1]
tile    = { H = 14, W = 14 }
dims    = { H = "1..=4096", W = "1..=4096" }
---*/
// Variant: 16 x 16 lanes bring 14 x 14 points and their halo to workgroup memory.
struct Scalars { H: u32, W: u32, rate: f32 }

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> s: Scalars;

var<workgroup> t: array<array<f32, 16>, 16>;

@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let h = i32(group.y * 14u + local.y) - 1;
    let c = i32(group.x * 14u + local.x) - 1;
    let inside = h >= 0 && h < i32(s.H) && c >= 0 && c < i32(s.W);
    if inside {
        t[local.y][local.x] = x[u32(h) * s.W + u32(c)];
    }
    workgroupBarrier();
    let own = local.x > 0u && local.x < 15u && local.y > 0u && local.y < 15u;
    if !inside || !own {
        return;
    }
    let v = t[local.y][local.x];
    var out = v;
    if h > 0 && h < i32(s.H) - 1 && c > 0 && c < i32(s.W) - 1 {
        let around = t[local.y - 1u][local.x] + t[local.y + 1u][local.x]
                   + t[local.y][local.x - 1u] + t[local.y][local.x + 1u];
        out = v + s.rate * (0.25 * around - v);
    }
    y[u32(h) * s.W + u32(c)] = out;
}
