/*--- sim
about   = "workgroupUniformLoad of a bound that then rules a loop with barriers"
grid    = [4, 1, 1]
buffers = [
  { type = "u32", len = 4, fill = "uniform", lo = 1, hi = 9, seed = 1 },
  { type = "u32", len = 256, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

var<workgroup> turns: u32;
var<workgroup> x: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    if lane == 11u {
        turns = a[wg.x];
    }
    let n = workgroupUniformLoad(&turns);
    x[lane] = lane;
    for (var j = 0u; j < n; j++) {
        workgroupBarrier();
        let y = x[(lane + 1u) % 64u];
        workgroupBarrier();
        x[lane] = y;
    }
    r[id.x] = x[lane];
}
