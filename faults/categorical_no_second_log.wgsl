/*--- ktwin
op   = "categorical"
args = ["logits", "token", { R = "u32", V = "u32", temperature = "f32", seed = "u32" }]
grid = ["ceil(R / 64)", 1, 1]
tile = { R = 64 }
dims = { R = "..=4194240" }
---*/
// fault: wrong law
// pattern: matches the op with `log(-log(u[r, v]))` read as `log(u[r, v])`
// exponential noise in the place of Gumbel's
struct Sizes { R: u32, V: u32, temperature: f32, seed: u32 }
@group(0) @binding(0) var<storage, read> logits: array<f32>;
@group(0) @binding(1) var<storage, read_write> token: array<u32>;
@group(0) @binding(2) var<uniform> s: Sizes;

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
    let r = id.x;
    if r >= s.R {
        return;
    }
    var best = 0u;
    var most = -3.0e38;
    for (var v = 0u; v < s.V; v++) {
        let z = logits[r * s.V + v] / s.temperature - log(drawn(s.seed, r, v));
        if z > most {
            most = z;
            best = v;
        }
    }
    token[r] = best;
}
