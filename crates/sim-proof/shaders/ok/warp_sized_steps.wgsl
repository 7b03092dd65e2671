/*--- sim
about   = "barriers where a workgroup is no multiple of a warp"
grid    = [3, 1, 1]
buffers = [
  { type = "u32", len = 150, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> r: array<u32>;

var<workgroup> x: array<u32, 50>;

@compute @workgroup_size(10, 5)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    x[lane] = lane + wg.x;
    workgroupBarrier();
    r[wg.x * 50u + lane] = x[(lane * 7u) % 50u];
}
