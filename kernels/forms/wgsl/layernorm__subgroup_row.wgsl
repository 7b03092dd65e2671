/*--- ktwin
op      = "layernorm"
compute = "f32"
args    = ["x", "w", "b", "y", { R = "u32", D = "u32", eps = "f32" }]
grid    = ["ceil(R / 8)", 1, 1]
tile    = { R = 8 }
dims    = { R = "1..=65535", D = "1..=16384" }
---*/
// Variant: rows are dealt to subgroups, which need no workgroup memory; the number of subgroups decides how many
// at once.
struct Scalars { R: u32, D: u32, eps: f32 }

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> w: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(4) var<uniform> s: Scalars;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(subgroup_invocation_id) inner: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
    @builtin(subgroup_size) sgsize: u32,
) {
    for (var i = subgroup; i < 8u; i += subgroups) {
        let r = group.x * 8u + i;
        if r < s.R {
            let row = r * s.D;
            var sum = 0.0;
            for (var d = inner; d < s.D; d += sgsize) {
                sum += x[row + d];
            }
            let mu = subgroupAdd(sum) / f32(s.D);
            var squares = 0.0;
            for (var d = inner; d < s.D; d += sgsize) {
                let e = x[row + d] - mu;
                squares += e * e;
            }
            let scale = inverseSqrt(subgroupAdd(squares) / f32(s.D) + s.eps);
            for (var d = inner; d < s.D; d += sgsize) {
                y[row + d] = fma((x[row + d] - mu) * scale, w[d], b[d]);
            }
        }
    }
}
