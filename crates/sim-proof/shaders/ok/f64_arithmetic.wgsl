/*--- sim
about   = "64-bit floats: the four operations, sqrt, comparisons"
grid    = [2, 1, 1]
needs   = ["f64"]
buffers = [
  { type = "f64", len = 128, fill = "uniform", lo = 0.5, hi = 9.0 },
  { type = "f64", len = 128, check = { ulp = 4 } },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<f64>;
@group(0) @binding(1) var<storage, read_write> r: array<f64>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let x = a[id.x];
    var y = x * x + 1.0lf / x - f64(3);
    if y > 20.0lf {
        y = sqrt(y);
    }
    r[id.x] = y + floor(x) + min(x, 4.0lf);
}
