/*--- sim
about   = "a block reversed through workgroup memory"
grid    = [3, 1, 1]
buffers = [
  { type = "u32", len = 192, fill = "uniform", lo = 0, hi = 100, seed = 1 },
  { type = "u32", len = 192, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

var<workgroup> block: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    block[lane] = a[id.x];
    workgroupBarrier();
    r[id.x] = block[63u - lane];
}
