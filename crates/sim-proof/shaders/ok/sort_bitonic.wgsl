/*--- sim
about   = "bitonic sort of a block"
grid    = [2, 1, 1]
buffers = [
  { type = "u32", len = 256, fill = "bits", seed = 1 },
  { type = "u32", len = 256, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

var<workgroup> x: array<u32, 128>;

@compute @workgroup_size(128)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    x[lane] = a[id.x];
    workgroupBarrier();
    for (var k = 2u; k <= 128u; k *= 2u) {
        for (var j = k / 2u; j > 0u; j /= 2u) {
            let other = lane ^ j;
            let mine = x[lane];
            let theirs = x[other];
            workgroupBarrier();
            let up = (lane & k) == 0u;
            let low = lane < other;
            x[lane] = select(max(mine, theirs), min(mine, theirs), up == low);
            workgroupBarrier();
        }
    }
    r[id.x] = x[lane];
}
