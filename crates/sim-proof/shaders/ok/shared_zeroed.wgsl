/*--- sim
about   = "workgroup memory is zero at first"
grid    = [2, 1, 1]
buffers = [
  { type = "u32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> r: array<u32>;

struct Both { xs: array<u32, 64>, m: mat2x2<f32>, n: atomic<u32> }

var<workgroup> w: Both;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let x = w.xs[63u - lane] + u32(w.m[1].y);
    workgroupBarrier();
    atomicAdd(&w.n, x + 1u);
    workgroupBarrier();
    r[id.x] = x + atomicLoad(&w.n);
}
