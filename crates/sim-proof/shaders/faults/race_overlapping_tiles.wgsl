/*--- sim
about   = "tiles of 64 elements are 63 apart"
grid    = [3, 1, 1]
finding = [
  { kind = "race", at = 'r[wg.x * 63u + lane] = wg.x * 1000u + lane;' },
]
buffers = [
  { type = "u32", len = 192, fill = "zeros", check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    r[wg.x * 63u + lane] = wg.x * 1000u + lane;
}
