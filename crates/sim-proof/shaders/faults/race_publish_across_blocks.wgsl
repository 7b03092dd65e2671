/*--- sim
about   = "one workgroup reads what another has written in the same launch"
grid    = [2, 1, 1]
finding = [
  { kind = "race", at = 'r[id.x] = x[(id.x + 64u) % 128u];' },
]
buffers = [
  { type = "u32", len = 128, fill = "iota" },
  { type = "u32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    x[id.x] = id.x * 5u;
    storageBarrier();
    r[id.x] = x[(id.x + 64u) % 128u];
}
