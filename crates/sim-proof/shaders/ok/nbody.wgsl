/*--- sim
about   = "accelerations of bodies, positions in workgroup memory"
grid    = [1, 1, 1]
buffers = [
  { type = "f32", len = 256, fill = "uniform", lo = -10, hi = 10, seed = 1 },
  { type = "f32", len = 256, check = { rel = 2e-4, abs = 2e-5 } },
]
---*/
@group(0) @binding(0) var<storage, read> body: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> r: array<vec4<f32>>;

var<workgroup> near: array<vec4<f32>, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    near[lane] = body[lane];
    workgroupBarrier();
    let me = near[lane].xyz;
    var a = vec3<f32>();
    for (var j = 0u; j < 64u; j++) {
        let d = near[j].xyz - me;
        let s = inverseSqrt(dot(d, d) + 0.5);
        a += d * (abs(near[j].w) * s * s * s);
    }
    r[lane] = vec4<f32>(a, 1.0);
}
