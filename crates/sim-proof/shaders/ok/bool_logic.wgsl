/*--- sim
about   = "bool operators without and with short circuit, select between them"
grid    = [2, 1, 1]
buffers = [
  { type = "u32", len = 128, fill = "uniform", lo = 0, hi = 100, seed = 1 },
  { type = "u32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = id.x;
    let p = (a[i] & 1u) == 1u;
    let q = a[i] > 50u;
    let x = u32(p & q) + 2u * u32(p | q) + 4u * u32(!p) + 8u * u32(p != q) + 16u * u32(p == q);
    var b = false;
    b = select(p, q, p && !q);
    r[i] = x + 32u * u32(b);
}
