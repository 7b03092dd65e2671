/*--- ktwin
op   = "scale"
args = ["x", "y"]
push = [{ N = "u32", alpha = "f32" }]
grid = ["min(ceil(N / 64), 4096)", 1, 1]
---*/
// The size and the factor are push constants, and lanes come back for more where the grid ends.
struct Scaling {
    length: u32,
    factor: f32,
}

var<push_constant> scaling: Scaling;
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn scale(@builtin(global_invocation_id) at: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var i = at.x; i < scaling.length; i += 64u * groups.x) {
        y[i] = scaling.factor * x[i];
    }
}
