/*--- sim
about   = "a workgroup waits for one that never comes, repaired"
grid    = [2, 1, 1]
buffers = [
  { type = "u32", len = 1, fill = "zeros" },
  { type = "u32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> arrived: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    if lane == 0u {
        atomicAdd(&arrived, 1u);
    }
    r[id.x] = lane;
}
