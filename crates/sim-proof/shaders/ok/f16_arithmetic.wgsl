/*--- sim
about   = "half floats: arithmetic, vectors, storage of two bytes"
grid    = [2, 1, 1]
needs   = ["f16"]
buffers = [
  { type = "f16", len = 128, fill = "uniform", lo = -8, hi = 8, seed = 1 },
  { type = "f16", len = 128, fill = "uniform", lo = -8, hi = 8, seed = 2 },
  { type = "f16", len = 128, check = "flush" },
]
---*/
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read> b: array<f16>;
@group(0) @binding(2) var<storage, read_write> r: array<f16>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let x = a[id.x];
    let y = b[id.x];
    let s = x + y;
    let p = x * y;
    r[id.x] = select(s, p, x > y);
}
