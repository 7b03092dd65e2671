/*--- ktwin
op      = "dot"
compute = "f32"
args    = ["a", "b", "c", { N = "u32" }]
grid    = [1, 1, 1]
tile    = { N = [512, 1024] }
dims    = { N = ["multiple of 4", "4..=262144"] }
---*/
// Variant: vec4 loads and dot(), two sums a lane, subgroupAdd and a tree over subgroups.
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> N: u32;

var<workgroup> part: array<f32, 128>;

@compute @workgroup_size(128)
fn main(
    @builtin(local_invocation_index) lane: u32,
    @builtin(subgroup_invocation_id) inner: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
) {
    var even = 0.0;
    var odd = 0.0;
    let count = N / 4u;
    for (var n = lane; n < count; n += 256u) {
        even += dot(a[n], b[n]);
        if n + 128u < count {
            odd += dot(a[n + 128u], b[n + 128u]);
        }
    }
    let together = subgroupAdd(even + odd);
    if inner == 0u {
        part[subgroup] = together;
    }
    workgroupBarrier();
    if lane == 0u {
        var total = 0.0;
        for (var i = 0u; i < subgroups; i++) {
            total += part[i];
        }
        c[0] = total;
    }
}
