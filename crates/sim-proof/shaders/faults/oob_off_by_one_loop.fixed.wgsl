/*--- sim
about   = "a loop to <= length reads one element too many, repaired"
grid    = [1, 1, 1]
buffers = [
  { type = "u32", len = 100, fill = "uniform", lo = 0, hi = 100, seed = 1 },
  { type = "u32", len = 1, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(1)
fn main() {
    var s = 0u;
    for (var j = 0u; j < arrayLength(&a); j++) {
        s += a[j];
    }
    r[0] = s;
}
