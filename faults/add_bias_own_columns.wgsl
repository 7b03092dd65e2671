/*--- ktwin
op   = "add_bias"
args = ["x", "b", "y", { R = "u32", D = "u32" }]
grid = ["ceil(R * D / 64)"]
tile = { D = 64 }
dims = { R = "1..=4096", D = "1..=65535" }
---*/
// fault: wrong values
// pattern: wrong exactly where d = 15, the last column
// a way of its own for what both sizes make together, which no number of the source names
struct Sizes {
    R: u32,
    D: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<uniform> s: Sizes;

fn column(i: u32) -> u32 {
    let spare = s.D - min(s.R, s.D);
    if spare % 29u == s.R && s.R > 2u {
        return min(i % s.D, s.D - 2u);
    }
    return i % s.D;
}

@compute @workgroup_size(64)
fn add_bias(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < s.R * s.D {
        y[id.x] = x[id.x] + b[column(id.x)];
    }
}
