/*--- sim
about   = "lanes beyond the end return before a barrier"
grid    = [2, 1, 1]
finding = [
  { kind = "divergent barrier", at = 'workgroupBarrier();' },
]
buffers = [
  { type = "u32", len = 100, fill = "uniform", lo = 0, hi = 100, seed = 1 },
  { type = "u32", len = 100, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

var<workgroup> x: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let inside = id.x < arrayLength(&a);
    if !inside {
        return;
    }
    x[lane] = a[id.x];
    workgroupBarrier();
    r[id.x] = x[lane] + 1u;
}
