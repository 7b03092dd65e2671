/*--- ktwin
op      = "dot"
compute = "f32"
args    = ["a", "b", "c", { N = "u32" }]
grid    = [1, 1, 1]
tile    = { N = 128 }
dims    = { N = "1..=262144" }
---*/
// Variant: fma in each lane, a tree in workgroup memory.
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> N: u32;

const LANES = 128u;
var<workgroup> part: array<f32, LANES>;

@compute @workgroup_size(LANES)
fn main(@builtin(local_invocation_index) lane: u32) {
    var sum = 0.0;
    for (var n = lane; n < N; n += LANES) {
        sum = fma(a[n], b[n], sum);
    }
    part[lane] = sum;
    workgroupBarrier();
    for (var half = LANES / 2u; half > 0u; half /= 2u) {
        if lane < half {
            part[lane] += part[lane + half];
        }
        workgroupBarrier();
    }
    if lane == 0u {
        c[0] = part[0];
    }
}
