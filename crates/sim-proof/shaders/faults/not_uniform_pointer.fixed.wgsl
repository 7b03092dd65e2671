/*--- sim
about   = "workgroupUniformLoad of a different cell in each lane, repaired"
grid    = [1, 1, 1]
buffers = [
  { type = "u32", len = 64, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> r: array<u32>;

var<workgroup> x: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    x[lane] = lane;
    r[lane] = workgroupUniformLoad(&x[3u]);
}
