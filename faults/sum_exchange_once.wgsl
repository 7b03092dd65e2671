/*--- ktwin
op      = "sum"
compute = "f32"
deterministic = false
tile    = { N = 128 }
dims    = { N = "1..=1048576" }
chain   = [
    { entry = "clear", args = ["y"], grid = [1, 1, 1] },
    { entry = "add", args = ["y", "x", { N = "u32" }], grid = ["ceil(N / 128)", 1, 1] },
]
---*/
// fault: wrong values
// pattern: fails only where several workgroups run (N >= 129), in 23 of 28 such cases
// The exchange is not tried again where another workgroup was faster.
@group(0) @binding(0) var<storage, read_write> y: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<uniform> N: u32;

var<workgroup> parts: array<f32, 128>;

@compute @workgroup_size(1)
fn clear() {
    atomicStore(&y[0], 0u);
}

@compute @workgroup_size(128)
fn add(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    parts[lane] = select(0.0, x[min(id.x, N - 1u)], id.x < N);
    workgroupBarrier();
    for (var step = 64u; step > 0u; step >>= 1u) {
        if lane < step {
            parts[lane] += parts[lane + step];
        }
        workgroupBarrier();
    }
    if lane == 0u {
        let old = atomicLoad(&y[0]);
        let sum = bitcast<f32>(old) + parts[0];
        _ = atomicCompareExchangeWeak(&y[0], old, bitcast<u32>(sum));
    }
}
