/*--- sim
about   = "blocks of an f16 scale and 32 bytes, 34 bytes each, to f32"
grid    = [1, 1, 1]
buffers = [
  { type = "u32", len = 68, fill = "bits", seed = 1 },
  { type = "f32", len = 256, check = { ulp = 0 } },
]
---*/
@group(0) @binding(0) var<storage, read> w: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

fn byte_at(i: u32) -> u32 {
    return (w[i / 4u] >> (8u * (i % 4u))) & 0xffu;
}

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    for (var e = lane; e < 256u; e += 64u) {
        let at = e / 32u * 34u;
        let scale = f32(byte_at(at) & 63u) * 0.125;
        let q = i32(byte_at(at + 2u + e % 32u) << 24u) >> 24u;
        y[e] = scale * f32(q);
    }
}
