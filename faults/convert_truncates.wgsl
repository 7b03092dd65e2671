/*--- ktwin
op      = "convert"
types   = { x = "f32", y = "f16" }
compute = "f32"
args    = ["x", "y", { N = "u32" }]
grid    = ["ceil(N / 512)", 1, 1]
tile    = { N = 512 }
dims    = { N = "1..=16776960" }
nan     = "propagate"
---*/
// fault: wrong values
// pattern: every element is the right one rounded toward zero (truncated)
// Digits are cut off instead of rounded to nearest even.
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@group(0) @binding(2) var<uniform> N: u32;

// value / 2^shift to the nearest even, shift at least 1
fn rounded(value: u32, shift: u32) -> u32 {
    let low = value >> shift;
    return low;
}

fn half_of(bits: u32) -> u32 {
    let sign = (bits >> 16u) & 0x8000u;
    let size = bits & 0x7fffffffu;
    if size > 0x7f800000u {
        return sign | 0x7e00u; // NaN
    }
    if size >= 0x47800000u {
        return sign | 0x7c00u; // 65536 and more: infinity
    }
    if size >= 0x38800000u {
        // normal: a carry goes on into the exponent, and from 65520 on to infinity
        return sign | rounded(size - 0x38000000u, 13u);
    }
    let exponent = size >> 23u;
    if exponent < 102u {
        return sign; // below half of the smallest
    }
    return sign | rounded((size & 0x7fffffu) | 0x800000u, 126u - exponent);
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = id.x * 2u;
    if n >= N {
        return;
    }
    var word = half_of(x[n]);
    if n + 1u < N {
        word |= half_of(x[n + 1u]) << 16u;
    }
    y[id.x] = word;
}
