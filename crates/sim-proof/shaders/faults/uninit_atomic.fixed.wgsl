/*--- sim
about   = "a counter that was never set to zero, repaired"
grid    = [1, 1, 1]
buffers = [
  { type = "u32", len = 1, fill = "zeros", check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> count: atomic<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    atomicAdd(&count, lane);
}
