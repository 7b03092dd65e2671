/*--- sim
about   = "two members of one struct, but the same one is written by two lanes, repaired"
grid    = [1, 1, 1]
buffers = [
  { type = "u32", len = 2, check = "bits" },
]
---*/
struct Pair { a: u32, b: u32 }

@group(0) @binding(0) var<storage, read_write> r: array<u32>;

var<workgroup> pair: Pair;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    if lane == 0u {
        pair.a = 1u;
    }
    if lane == 1u {
        pair.b = 2u;
    }
    workgroupBarrier();
    if lane < 2u {
        r[lane] = pair.a + pair.b;
    }
}
