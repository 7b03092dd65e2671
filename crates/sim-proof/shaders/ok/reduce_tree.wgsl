/*--- sim
about   = "sum of a block, halves added to halves"
grid    = [4, 1, 1]
buffers = [
  { type = "u32", len = 1024, fill = "uniform", lo = 0, hi = 1000, seed = 1 },
  { type = "u32", len = 4, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

var<workgroup> part: array<u32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    part[lane] = a[id.x];
    for (var step = 128u; step > 0u; step /= 2u) {
        workgroupBarrier();
        if lane < step {
            part[lane] += part[lane + step];
        }
    }
    if lane == 0u {
        r[wg.x] = part[0];
    }
}
