/*--- ktwin
op      = "row_max"
compute = "f32"
args    = ["x", "y", { R = "u32", D = "u32" }]
grid    = ["ceil(R / 64)", 1, 1]
tile    = { R = 64 }
dims    = { R = "1..=4194240" }
---*/
// fault: wrong values
// pattern: matches the op with `max[d](x[r, d])` read as `max(-1e9, max[d](x[r, d]))`
// The maximum starts at -1e9: rows that are all below get that.
struct Sizes { R: u32, D: u32 }

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> s: Sizes;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= s.R {
        return;
    }
    var most = -1e9;
    for (var d = 0u; d < s.D; d++) {
        most = max(most, x[id.x * s.D + d]);
    }
    y[id.x] = most;
}
