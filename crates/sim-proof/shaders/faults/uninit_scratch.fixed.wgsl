/*--- sim
about   = "half of a scratch buffer is read although only the other half was written, repaired"
grid    = [1, 1, 1]
buffers = [
  { type = "u32", len = 64 },
  { type = "u32", len = 64, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> t: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    t[lane] = lane;
    storageBarrier();
    r[lane] = t[63u - lane];
}
