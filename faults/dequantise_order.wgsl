/*--- ktwin
op      = "dequantise"
types   = { x = "q4_0" }
compute = "f32"
args    = ["x", "y", { "R * K // 32" = "u32" }]
grid    = ["ceil(R * K / 1024)", 1, 1]
tile    = { K = 1024 }
dims    = { K = "multiple of 32" }
where   = ["R * K <= 67106816"]
---*/
// fault: wrong values
// pattern: matches the op with the two nibbles of each byte of `x` taken for neighbours, not half a block apart
// The halves of a byte come out next to each other instead of 16 apart.
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> blocks: u32;

fn byte_at(i: u32) -> u32 {
    return (x[i / 4u] >> (8u * (i % 4u))) & 255u;
}

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= blocks {
        return;
    }
    let at = id.x * 18u;
    let scale = unpack2x16float(byte_at(at) | (byte_at(at + 1u) << 8u)).x;
    for (var i = 0u; i < 16u; i++) {
        let pair = byte_at(at + 2u + i);
        y[id.x * 32u + 2u * i] = (f32(pair & 15u) - 8.0) * scale;
        y[id.x * 32u + 2u * i + 1u] = (f32(pair >> 4u) - 8.0) * scale;
    }
}
