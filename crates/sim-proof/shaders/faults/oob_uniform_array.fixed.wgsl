/*--- sim
about   = "a uniform array is read behind its end, repaired"
grid    = [1, 1, 1]
buffers = [
  { type = "f32", len = 16, fill = "uniform", space = "uniform" },
  { type = "f32", len = 32, check = "bits" },
]
---*/
@group(0) @binding(0) var<uniform> rows: array<vec4<f32>, 4>;
@group(0) @binding(1) var<storage, read_write> r: array<f32>;

@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) lane: u32) {
    r[lane] = rows[lane / 8u].x;
}
