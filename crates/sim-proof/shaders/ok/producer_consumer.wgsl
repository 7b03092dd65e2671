/*--- sim
about   = "half of the lanes write, the other half read, in turns"
grid    = [1, 1, 1]
buffers = [
  { type = "u32", len = 64, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> r: array<u32>;

var<workgroup> x: array<u32, 32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    var s = 0u;
    for (var t = 0u; t < 5u; t++) {
        if lane < 32u {
            x[lane] = lane * 10u + t;
        }
        workgroupBarrier();
        if lane >= 32u {
            s = s * 3u + x[63u - lane];
        }
        workgroupBarrier();
    }
    r[lane] = s;
}
