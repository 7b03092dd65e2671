/*--- sim
about   = "a block summed by subgroups, then by one lane"
grid    = [2, 1, 1]
needs   = ["subgroups"]
buffers = [
  { type = "u32", len = 256, fill = "uniform", lo = 0, hi = 100, seed = 1 },
  { type = "u32", len = 2, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

var<workgroup> part: array<u32, 128>;

@compute @workgroup_size(128)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(workgroup_id) wg: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(subgroup_invocation_id) me: u32,
    @builtin(subgroup_size) size: u32,
) {
    let s = subgroupAdd(a[id.x]);
    if me == 0u {
        part[lane / size] = s;
    }
    workgroupBarrier();
    if lane == 0u {
        var total = 0u;
        for (var j = 0u; j < 128u / size; j++) {
            total += part[j];
        }
        r[wg.x] = total;
    }
}
