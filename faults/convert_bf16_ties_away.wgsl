/*--- ktwin
op      = "convert"
types   = { x = "f32", y = "bf16" }
compute = "f32"
args    = ["x", "y", { N = "u32" }]
grid    = ["ceil(N / 512)", 1, 1]
tile    = { N = 512 }
dims    = { N = "1..=16776960" }
nan     = "propagate"
---*/
// fault: wrong values
// pattern: every element is the right one rounded to the nearest, ties away from zero
// A number halfway between two goes to the one farther from zero instead of the even one.
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@group(0) @binding(2) var<uniform> N: u32;

fn upper_half(bits: u32) -> u32 {
    if (bits & 0x7fffffffu) > 0x7f800000u {
        return (bits >> 16u) | 0x40u; // NaN stays one
    }
    return (bits + 0x8000u) >> 16u;
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = id.x * 2u;
    if n >= N {
        return;
    }
    var word = upper_half(x[n]);
    if n + 1u < N {
        word |= upper_half(x[n + 1u]) << 16u;
    }
    y[id.x] = word;
}
