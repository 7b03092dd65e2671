/*--- sim
about   = "sums and extremes of floats; whole numbers, so exact"
grid    = [2, 1, 1]
needs   = ["subgroups"]
subgroups = true
buffers = [
  { type = "f32", len = 128, fill = "iota" },
  { type = "f32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> r: array<f32>;

@compute @workgroup_size(64)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(subgroup_invocation_id) me: u32,
    @builtin(subgroup_size) size: u32,
) {
    let x = a[id.x];
    r[id.x] = subgroupAdd(x) + subgroupMax(x) * 1000.0 + subgroupMin(x);
}
