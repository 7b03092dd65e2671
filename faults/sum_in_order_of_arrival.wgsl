/*--- ktwin
op      = "sum"
compute = "f32"
args    = ["x", "y", "ticket", { N = "u32" }]
grid    = [1, 1, 1]
tile    = { N = 256 }
scratch = { ticket = "u32[1]" }
---*/
// fault: not repeatable
// pattern: fails only where N >= 34, in 21 of 32 such cases
// Lanes line up by an atomic counter and are summed in the order in which they came: right, but with other bits
// each time.
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<storage, read_write> ticket: array<atomic<u32>>;
@group(0) @binding(3) var<uniform> N: u32;

var<workgroup> part: array<f32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) lane: u32) {
    if lane == 0u {
        atomicStore(&ticket[0], 0u);
    }
    storageBarrier();
    var sum = 0.0;
    for (var n = lane; n < N; n += 256u) {
        sum += x[n];
    }
    part[atomicAdd(&ticket[0], 1u)] = sum;
    workgroupBarrier();
    if lane == 0u {
        var all = 0.0;
        for (var i = 0u; i < 256u; i++) {
            all += part[i];
        }
        y[0] = all;
    }
}
