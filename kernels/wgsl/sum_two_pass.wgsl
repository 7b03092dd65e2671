/*--- ktwin
op      = "sum"
compute = "f32"
tile    = { N = [256, 1024] }
scratch = { partials = "f32[ceil(N / 1024)]" }
chain   = [
    { entry = "parts", args = ["x", "partials", { N = "u32" }], grid = ["ceil(N / 1024)", 1, 1] },
    { entry = "whole", args = ["partials", "y", { "ceil(N / 1024)" = "u32" }], grid = [1, 1, 1] },
]
---*/
// Two kernels, one after the other: a sum for every 1024 elements, then the sum of those. Both end in the same tree.
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> partials: array<f32>;

@group(0) @binding(0) var<storage, read> parts_made: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@group(0) @binding(2) var<uniform> count: u32;

const LANES = 256u;
const EACH = 4u;

var<workgroup> sums: array<f32, LANES>;

// The sum of what all lanes bring.
fn tree(own: f32, lane: u32) -> f32 {
    sums[lane] = own;
    for (var half = LANES / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if lane < half {
            sums[lane] += sums[lane + half];
        }
    }
    workgroupBarrier();
    return sums[0];
}

@compute @workgroup_size(LANES)
fn parts(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    var own = 0.0;
    for (var i = 0u; i < EACH; i++) {
        let at = (group.x * EACH + i) * LANES + lane;
        if at < count {
            own += x[at];
        }
    }
    let sum = tree(own, lane);
    if lane == 0u {
        partials[group.x] = sum;
    }
}

@compute @workgroup_size(LANES)
fn whole(@builtin(local_invocation_index) lane: u32) {
    var own = 0.0;
    for (var at = lane; at < count; at += LANES) {
        own += parts_made[at];
    }
    let sum = tree(own, lane);
    if lane == 0u {
        y[0] = sum;
    }
}
