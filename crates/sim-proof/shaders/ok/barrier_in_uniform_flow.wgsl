/*--- sim
about   = "barriers in branches and loops that all lanes take together"
grid    = [4, 1, 1]
buffers = [
  { type = "u32", len = 256, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> r: array<u32>;

var<workgroup> x: array<u32, 64>;

fn step(lane: u32, by: u32) {
    x[lane] += by;
    workgroupBarrier();
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    if wg.x % 2u == 0u {
        x[lane] = lane;
        workgroupBarrier();
        x[lane] = x[lane] + 1u;
    } else {
        for (var j = 0u; j <= wg.x; j++) {
            step(lane, j);
        }
    }
    switch wg.x {
        case 2u: {
            step(lane, 100u);
        }
        default: {
        }
    }
    workgroupBarrier();
    r[id.x] = x[(lane + 1u) % 64u];
}
