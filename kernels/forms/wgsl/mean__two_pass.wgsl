/*--- ktwin
op      = "mean"
compute = "f32"
tile    = { N = [64, 4096] }
dims    = { N = "1..=4194304" }
scratch = { partials = "f32[64]" }
chain   = [
    { entry = "parts", args = ["x", "partials", { N = "u32" }], grid = [64, 1, 1] },
    { entry = "whole", args = ["partials", "y", { N = "u32" }], grid = [1, 1, 1] },
]
---*/
// Variant: 64 workgroups grid-stride over the input, one more adds their 64 sums and divides.
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> partials: array<f32>;

@group(0) @binding(0) var<storage, read> made: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@group(0) @binding(2) var<uniform> N: u32;

var<workgroup> part: array<f32, 64>;

fn tree(own: f32, lane: u32) -> f32 {
    part[lane] = own;
    workgroupBarrier();
    for (var half = 32u; half > 0u; half /= 2u) {
        if lane < half {
            part[lane] += part[lane + half];
        }
        workgroupBarrier();
    }
    return part[0];
}

@compute @workgroup_size(64)
fn parts(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    var own = 0.0;
    for (var n = id.x; n < N; n += 64u * groups.x) {
        own += x[n];
    }
    let sum = tree(own, lane);
    if lane == 0u {
        partials[group.x] = sum;
    }
}

@compute @workgroup_size(64)
fn whole(@builtin(local_invocation_index) lane: u32) {
    let sum = tree(made[lane], lane);
    if lane == 0u {
        y[0] = sum / f32(N);
    }
}
