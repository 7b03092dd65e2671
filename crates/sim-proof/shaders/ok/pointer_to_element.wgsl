/*--- sim
about   = "a pointer to an element of an array, and through it"
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
    var xs: array<i32, 4>;
    let p = &xs[u32(a[i] & 3)];
    *p = a[i];
    let q = &xs;
    (*q)[1] += 5;
    r[i] = xs[0] + 3 * xs[1] + 5 * xs[2] + 7 * xs[3];
}
