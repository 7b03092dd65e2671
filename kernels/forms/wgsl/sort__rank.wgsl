/*--- ktwin
op      = "sort"
compute = "f32"
tile    = { N = 64 }
dims    = { N = "1..=1024" }
args    = ["x", "y", { N = "u32" }]
grid    = ["ceil(N / 64)", 1, 1]
---*/
// Variant: rank sort, one lane an element; equal elements keep their order so that no place is written twice.
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> N: u32;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= N {
        return;
    }
    let own = x[id.x];
    var place = 0u;
    for (var n = 0u; n < N; n++) {
        if x[n] < own || (x[n] == own && n < id.x) {
            place++;
        }
    }
    y[place] = own;
}
