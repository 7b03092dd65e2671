/*--- sim
about   = "a workgroup array is one element too short for its halo"
grid    = [2, 1, 1]
finding = [
  { kind = "out of bounds", at = 'x[lane + 1u] = a[id.x + 1u];' },
  { kind = "out of bounds", at = 'r[id.x] = x[lane] + x[lane + 1u];' },
]
buffers = [
  { type = "u32", len = 130, fill = "uniform", lo = 0, hi = 100, seed = 1 },
  { type = "u32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

var<workgroup> x: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    x[lane + 1u] = a[id.x + 1u];
    if lane == 0u {
        x[0] = a[id.x];
    }
    workgroupBarrier();
    r[id.x] = x[lane] + x[lane + 1u];
}
