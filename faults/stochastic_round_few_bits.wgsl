/*--- ktwin
op    = "stochastic_round"
args  = ["x", "y", { N = "u32", seed = "u32" }]
types = { y = "bf16" }
grid  = ["ceil(N / 128)", 1, 1]
tile  = { N = 128 }
dims  = { N = "..=8388480" }
---*/
// fault: wrong law
// pattern: matches the op with `f32_bits(x[n]) + u[n]` read as `f32_bits(x[n]) + (u[n] // (0x10000 // 16) * (0x10000 // 16))`
// only four random bits: what is below a sixteenth is never rounded up
struct Sizes { N: u32, seed: u32 }
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@group(0) @binding(2) var<uniform> s: Sizes;

fn pcg(v: u32) -> u32 {
    let state = v * 747796405u + 2891336453u;
    let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return (word >> 22u) ^ word;
}

fn rounded(n: u32) -> u32 {
    return (x[n] + (pcg(pcg(n) ^ s.seed) >> 28u << 12u)) >> 16u;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = 2u * id.x;
    if n >= s.N {
        return;
    }
    var word = rounded(n);
    if n + 1u < s.N {
        word |= rounded(n + 1u) << 16u;
    }
    y[id.x] = word;
}
