/*--- sim
about   = "one lane of many never meets its end: steps of 2 to an odd number, repaired"
grid    = [1, 1, 1]
buffers = [
  { type = "u32", len = 64, fill = "uniform", lo = 1, hi = 50, seed = 1 },
  { type = "u32", len = 64, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    var j = 0u;
    loop {
        if j >= a[lane] {
            break;
        }
        j += 2u;
    }
    r[lane] = j;
}
