/*--- ktwin
op   = "row_argmax"
args = ["x", "y", { R = "u32", D = "u32" }]
grid = ["ceil(R / 64)", 1, 1]
dims = { D = "..=65535" }
---*/
// fault: wrong values
// pattern: any
// The largest so far begins at 0, so that rows of negative numbers have no largest one.
struct Sizes {
    R: u32,
    D: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.x;
    if row >= sizes.R {
        return;
    }
    var best = 0.0;
    var at = 0u;
    for (var d = 0u; d < sizes.D; d++) {
        let v = x[row * sizes.D + d];
        if v > best {
            best = v;
            at = d;
        }
    }
    y[row] = at;
}
