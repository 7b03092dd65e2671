/*--- sim
about   = "one lane sums what the others stored"
grid    = [4, 1, 1]
buffers = [
  { type = "i32", len = 256, fill = "uniform", lo = -100, hi = 100, seed = 1 },
  { type = "i32", len = 4, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> r: array<i32>;

var<workgroup> part: array<i32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    part[lane] = a[id.x];
    workgroupBarrier();
    if lane != 40u {
        return;
    }
    var s = 0;
    for (var j = 0u; j < 64u; j++) {
        s += part[j];
    }
    r[wg.x] = s;
}
