/*--- sim
about   = "softmax of short rows by subgroup reductions"
grid    = [4, 1, 1]
needs   = ["subgroups"]
subgroups = true
buffers = [
  { type = "f32", len = 256, fill = "uniform", lo = -5, hi = 5, seed = 1 },
  { type = "f32", len = 256, check = { rel = 5e-5 } },
]
---*/
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    // A row is as long as a subgroup.
    let m = subgroupMax(x[id.x]);
    let e = exp(x[id.x] - m);
    y[id.x] = e / subgroupAdd(e);
}
