/*--- sim
about   = "compensated sums; WGSL lets a compiler reassociate, which undoes them"
grid    = [1, 1, 1]
buffers = [
  { type = "f32", len = 2048, fill = "uniform", lo = -1000, hi = 1000, seed = 1 },
  { type = "f32", len = 64, check = { rel = 1e-4, abs = 1e-3 } },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> r: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    var s = 0.0;
    var c = 0.0;
    for (var j = 0u; j < 32u; j++) {
        let y = a[lane * 32u + j] - c;
        let t = s + y;
        c = (t - s) - y;
        s = t;
    }
    r[lane] = s;
}
