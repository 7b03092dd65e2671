/*--- sim
about   = "a sum of squares in half precision"
grid    = [1, 1, 1]
needs   = ["f16"]
finding = [
  { kind = "infinity produced", note = true, at = 's += a[j] * a[j];' },
]
buffers = [
  { type = "f16", len = 64, fill = "uniform", lo = 100, hi = 200, seed = 1 },
  { type = "f16", len = 1, check = { rel = 0.01 } },
]
---*/
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read_write> r: array<f16>;

@compute @workgroup_size(1)
fn main() {
    var s = 0.0h;
    for (var j = 0u; j < 64u; j++) {
        s += a[j] * a[j];
    }
    r[0] = s;
}
