/*--- sim
about   = "the last workgroup to finish adds up what all left (release by atomics)"
grid    = [5, 1, 1]
buffers = [
  { type = "u32", len = 5, fill = "zeros" },
  { type = "u32", len = 1, fill = "zeros" },
  { type = "u32", len = 1, fill = "zeros", check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> sums: array<atomic<u32>, 5>;
@group(0) @binding(1) var<storage, read_write> done: atomic<u32>;
@group(0) @binding(2) var<storage, read_write> total: atomic<u32>;

@compute @workgroup_size(32)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    atomicAdd(&sums[wg.x], lane * wg.x);
    workgroupBarrier();
    if lane == 0u && atomicAdd(&done, 1u) == n.x - 1u {
        for (var j = 0u; j < n.x; j++) {
            atomicAdd(&total, atomicLoad(&sums[j]));
        }
    }
}
