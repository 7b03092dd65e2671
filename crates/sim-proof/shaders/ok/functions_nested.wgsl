/*--- sim
about   = "functions that call functions"
grid    = [2, 1, 1]
buffers = [
  { type = "i32", len = 128, fill = "uniform", lo = -100, hi = 100, seed = 1 },
  { type = "i32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> r: array<i32>;

fn twice(x: i32) -> i32 {
    return x + x;
}

fn quad(x: i32) -> i32 {
    return twice(twice(x)) + sign(x);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = id.x;
    r[i] = quad(a[i]) - twice(quad(a[i] + 1));
}
