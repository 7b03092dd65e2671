/*--- sim
about   = "pointers to function variables as arguments"
grid    = [2, 1, 1]
buffers = [
  { type = "i32", len = 128, fill = "uniform", lo = -100, hi = 100, seed = 1 },
  { type = "i32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> r: array<i32>;

fn swap(p: ptr<function, i32>, q: ptr<function, i32>) {
    let t = *p;
    *p = *q;
    *q = t;
}

fn bump(p: ptr<function, i32>, by: i32) {
    *p += by;
    *p *= 2;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = id.x;
    var x = a[i];
    var y = 1;
    swap(&x, &y);
    bump(&y, 3);
    r[i] = x * 1000 + y;
}
