/*--- sim
about   = "a uniform struct with 16-byte strides and a matrix"
grid    = [1, 1, 1]
buffers = [
  { type = "f32", len = 44, fill = "iota", space = "uniform" },
  { type = "f32", len = 16, check = "bits" },
]
---*/
struct Light { at: vec3<f32>, power: f32 }

struct Scene { m: mat3x3<f32>, lights: array<Light, 3>, rows: array<vec4<f32>, 4>, k: vec2<f32> }

@group(0) @binding(0) var<uniform> s: Scene;
@group(0) @binding(1) var<storage, read_write> r: array<f32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) lane: u32) {
    let light = s.lights[lane % 3u];
    r[lane] = s.m[lane % 3u].y * 1000.0 + light.at.z * 100.0 + light.power + s.rows[lane / 4u][lane & 3u] + s.k.y;
}
