/*--- sim
about   = "matrices passed to and returned by functions, column assignments"
grid    = [1, 1, 1]
buffers = [
  { type = "f32", len = 256, fill = "uniform", lo = -4, hi = 4, seed = 1 },
  { type = "f32", len = 64, check = { abs = 1e-4 } },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<mat2x2<f32>>;
@group(0) @binding(1) var<storage, read_write> r: array<f32>;

fn power(m: mat2x2<f32>, n: u32) -> mat2x2<f32> {
    var p = mat2x2<f32>(1.0, 0.0, 0.0, 1.0);
    for (var j = 0u; j < n; j++) {
        p = p * m;
    }
    return p;
}

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    let m = power(a[lane] * 0.25, lane % 5u);
    r[lane] = m[0].x + m[0].y * 2.0 + m[1].x * 3.0 + m[1].y * 4.0;
}
