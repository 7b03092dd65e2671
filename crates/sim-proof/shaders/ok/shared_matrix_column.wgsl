/*--- sim
about   = "columns of matrices in workgroup memory by lane"
grid    = [1, 1, 1]
buffers = [
  { type = "f32", len = 16, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> r: array<f32>;

var<workgroup> m: mat4x4<f32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lane: u32) {
    m[lane] = vec4<f32>(f32(lane), f32(lane) * 2.0, 3.0, f32(lane * lane));
    workgroupBarrier();
    let t = transpose(m);
    for (var j = 0u; j < 4u; j++) {
        r[lane * 4u + j] = t[lane][j];
    }
}
