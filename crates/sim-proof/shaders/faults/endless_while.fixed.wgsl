/*--- sim
about   = "a while loop that forgets to count, repaired"
grid    = [1, 1, 1]
buffers = [
  { type = "u32", len = 64, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    var j = 0u;
    var s = 0u;
    while j < 10u {
        s += j;
        j++;
    }
    r[lane] = s;
}
