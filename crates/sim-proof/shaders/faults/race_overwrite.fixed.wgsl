/*--- sim
about   = "the next tile is loaded while others still read the last one, repaired"
grid    = [1, 1, 1]
buffers = [
  { type = "u32", len = 256, fill = "uniform", lo = 0, hi = 100, seed = 1 },
  { type = "u32", len = 64, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

var<workgroup> x: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    var s = 0u;
    for (var t = 0u; t < 4u; t++) {
        x[lane] = a[t * 64u + lane];
        workgroupBarrier();
        s += x[63u - lane];
        workgroupBarrier();
    }
    r[lane] = s;
}
