/*--- sim
about   = "half floats in workgroup memory, neighbours in one word"
grid    = [2, 1, 1]
needs   = ["f16"]
buffers = [
  { type = "f16", len = 128, fill = "uniform", lo = -1.0, hi = 1.0, seed = 1 },
  { type = "f16", len = 128, check = "flush" },
]
---*/
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read_write> r: array<f16>;

var<workgroup> x: array<f16, 64>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    x[lane] = a[id.x];
    workgroupBarrier();
    r[id.x] = x[lane ^ 1u] * 2.0h;
}
