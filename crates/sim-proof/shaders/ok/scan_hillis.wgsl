/*--- sim
about   = "inclusive scan of a block by doubling"
grid    = [3, 1, 1]
buffers = [
  { type = "u32", len = 384, fill = "uniform", lo = 0, hi = 100, seed = 1 },
  { type = "u32", len = 384, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

var<workgroup> x: array<u32, 128>;

@compute @workgroup_size(128)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    x[lane] = a[id.x];
    workgroupBarrier();
    for (var d = 1u; d < 128u; d *= 2u) {
        var add = 0u;
        if lane >= d {
            add = x[lane - d];
        }
        workgroupBarrier();
        x[lane] += add;
        workgroupBarrier();
    }
    r[id.x] = x[lane];
}
