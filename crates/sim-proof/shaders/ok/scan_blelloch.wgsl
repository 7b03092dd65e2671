/*--- sim
about   = "exclusive scan of a block, up and down a tree"
grid    = [2, 1, 1]
buffers = [
  { type = "u32", len = 256, fill = "uniform", lo = 0, hi = 100, seed = 1 },
  { type = "u32", len = 256, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

var<workgroup> x: array<u32, 128>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let base = wg.x * 128u;
    x[2u * lane] = a[base + 2u * lane];
    x[2u * lane + 1u] = a[base + 2u * lane + 1u];
    var offset = 1u;
    for (var d = 64u; d > 0u; d >>= 1u) {
        workgroupBarrier();
        if lane < d {
            x[offset * (2u * lane + 2u) - 1u] += x[offset * (2u * lane + 1u) - 1u];
        }
        offset *= 2u;
    }
    if lane == 0u {
        x[127] = 0u;
    }
    for (var d = 1u; d < 128u; d *= 2u) {
        offset >>= 1u;
        workgroupBarrier();
        if lane < d {
            let i = offset * (2u * lane + 1u) - 1u;
            let j = offset * (2u * lane + 2u) - 1u;
            let t = x[i];
            x[i] = x[j];
            x[j] += t;
        }
    }
    workgroupBarrier();
    r[base + 2u * lane] = x[2u * lane];
    r[base + 2u * lane + 1u] = x[2u * lane + 1u];
}
