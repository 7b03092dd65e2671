/*--- sim
about   = "a lane waits for a flag that is only raised behind a barrier, repaired"
grid    = [1, 1, 1]
buffers = [
  { type = "u32", len = 64, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> r: array<u32>;

var<workgroup> flag: atomic<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    workgroupBarrier();
    if lane == 63u {
        atomicStore(&flag, 1u);
    }
    r[lane] = lane;
}
