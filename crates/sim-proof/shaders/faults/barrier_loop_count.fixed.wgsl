/*--- sim
about   = "a barrier in a loop whose turns differ by lane, repaired"
grid    = [1, 1, 1]
buffers = [
  { type = "u32", len = 64, fill = "uniform", lo = 1, hi = 6, seed = 1 },
  { type = "u32", len = 64, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

var<workgroup> x: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    for (var j = 0u; j < 6u; j++) {
        x[lane] += j;
        workgroupBarrier();
    }
    r[lane] = x[lane];
}
