/*--- sim
about   = "number of subgroups, and the id of each"
grid    = [2, 1, 1]
needs   = ["subgroups"]
subgroups = true
buffers = [
  { type = "u32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(64)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_subgroups) n: u32,
    @builtin(subgroup_id) which: u32,
) {
    r[id.x] = n * 1000u + which;
}
