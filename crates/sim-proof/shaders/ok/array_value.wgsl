/*--- sim
about   = "arrays as values: made, copied, compared by element, indexed when constant"
grid    = [2, 1, 1]
buffers = [
  { type = "i32", len = 128, fill = "uniform", lo = -100, hi = 100, seed = 1 },
  { type = "i32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> r: array<i32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = id.x;
    var xs = array<i32, 4>(1, 2, 3, a[i]);
    let ys = xs;
    xs[2] = 50;
    let ks = array(10, 20, 30);
    r[i] = ys[2] + xs[2] + ys[3] + ks[1];
}
