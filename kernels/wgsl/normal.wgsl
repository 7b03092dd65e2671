/*--- ktwin
op   = "normal"
args = ["y", { N = "u32", mu = "f32", sd = "f32", seed = "u32" }]
grid = ["ceil(N / 128)", 1, 1]
tile = { N = 128 }
dims = { N = "..=8388480" }
---*/
// Box and Muller: one lane two variates, the cosine and the sine of the same pair.
struct Sizes { N: u32, mu: f32, sd: f32, seed: u32 }
@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@group(0) @binding(1) var<uniform> s: Sizes;

fn pcg(v: u32) -> u32 {
    let state = v * 747796405u + 2891336453u;
    let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return (word >> 22u) ^ word;
}

// a number in 0..1 of seed, row and place
fn drawn(seed: u32, row: u32, at: u32) -> f32 {
    return (f32(pcg(pcg(pcg(at) ^ row) ^ seed) >> 9u) + 0.5) * 0x1p-23f;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = 2u * id.x;
    if n >= s.N {
        return;
    }
    let length = s.sd * sqrt(-2.0 * log(drawn(s.seed, id.x, 0u)));
    let turn = 6.283185307 * drawn(s.seed, id.x, 1u);
    y[n] = s.mu + length * cos(turn);
    if n + 1u < s.N {
        y[n + 1u] = s.mu + length * sin(turn);
    }
}
