/*--- ktwin
op            = "sum"
compute       = "f32"
deterministic = false
tile          = { N = 64 }
dims          = { N = "..=1048576" }
args          = ["x", "y", { N = "u32" }]
grid          = ["ceil(N / 64)", 1, 1]
fill          = { y = 0 }
---*/
// fault: wrong values
// pattern: fails only where N >= 129, in 19 of 30 such cases
// Another try is needed after an exchange that did not take place; here the sum that it found is overwritten.
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: atomic<u32>;
@group(0) @binding(2) var<uniform> n: u32;

var<workgroup> part: array<f32, 64>;

@compute @workgroup_size(64)
fn add(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = group.x * 64u + lane;
    part[lane] = select(0.0, x[min(i, n - 1u)], i < n);
    workgroupBarrier();
    if lane != 0u {
        return;
    }
    var own = 0.0;
    for (var k = 0u; k < 64u; k++) {
        own += part[k];
    }
    let before = atomicLoad(&y);
    let tried = atomicCompareExchangeWeak(&y, before, bitcast<u32>(bitcast<f32>(before) + own));
    if !tried.exchanged {
        atomicStore(&y, bitcast<u32>(bitcast<f32>(tried.old_value) + own));
    }
}
