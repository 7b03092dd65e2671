/*--- sim
about   = "a signed index below zero, repaired"
grid    = [2, 1, 1]
buffers = [
  { type = "i32", len = 128, fill = "uniform", lo = -100, hi = 100, seed = 1 },
  { type = "i32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> r: array<i32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = i32(id.x);
    let from_ = max(i - 3, 0);
    r[i] = a[i] + a[from_];
}
