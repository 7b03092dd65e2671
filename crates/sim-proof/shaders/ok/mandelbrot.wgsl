/*--- sim
about   = "escape times: loops of very different length side by side"
grid    = [2, 2, 1]
buffers = [
  { type = "u32", len = 1024, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    // A grid of eighths and few steps: every product is exact.
    let c = vec2<f32>(f32(id.x) * 0.125 - 2.5, f32(id.y) * 0.125 - 2.0);
    var z = vec2<f32>(0.0);
    var n = 0u;
    loop {
        if n == 3u || dot(z, z) > 4.0 {
            break;
        }
        z = vec2<f32>(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
        n++;
    }
    r[id.y * 32u + id.x] = n;
}
