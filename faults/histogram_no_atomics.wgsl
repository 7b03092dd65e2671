/*--- ktwin
op      = "histogram"
compute = "f32"
args    = ["x", "y", { N = "u32", B = "u32" }]
grid    = [1, 1, 1]
tile    = { N = 64 }
---*/
// fault: race
// pattern: every wrong element is 1
// Lanes count into the same bins without atomics: increments get lost.
struct Scalars { N: u32, B: u32 }

@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@group(0) @binding(2) var<uniform> s: Scalars;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    for (var b = lane; b < s.B; b += 64u) {
        y[b] = 0u;
    }
    storageBarrier();
    for (var n = lane; n < s.N; n += 64u) {
        y[x[n]] += 1u;
    }
}
