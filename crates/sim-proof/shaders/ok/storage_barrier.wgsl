/*--- sim
about   = "lanes of one workgroup pass values through a buffer"
grid    = [2, 1, 1]
buffers = [
  { type = "u32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let base = wg.x * 64u;
    r[base + lane] = lane * 7u;
    storageBarrier();
    workgroupBarrier();
    let x = r[base + (lane + 13u) % 64u];
    storageBarrier();
    workgroupBarrier();
    r[base + lane] = x + 1u;
}
