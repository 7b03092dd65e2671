/*--- sim
about   = "partial dot products of a grid-stride loop, summed by blocks"
grid    = [4, 1, 1]
buffers = [
  { type = "f32", len = 1000, fill = "uniform", lo = 0.0, hi = 1.0 },
  { type = "f32", len = 1000, fill = "uniform", lo = 0, hi = 1, seed = 2 },
  { type = "f32", len = 4, check = { rel = 1e-5 } },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> r: array<f32>;

var<workgroup> part: array<f32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    var s = 0.0;
    for (var i = id.x; i < arrayLength(&a); i += n.x * 64u) {
        s = fma(a[i], b[i], s);
    }
    part[lane] = s;
    workgroupBarrier();
    for (var step = 32u; step > 0u; step /= 2u) {
        if lane < step {
            part[lane] += part[lane + step];
        }
        workgroupBarrier();
    }
    if lane == 0u {
        r[wg.x] = part[0];
    }
}
