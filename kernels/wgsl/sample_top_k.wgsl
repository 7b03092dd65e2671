/*--- ktwin
op   = "sample_top_k"
args = ["logits", "token", { R = "u32", V = "u32", k = "u32", temperature = "f32", seed = "u32" }]
grid = ["ceil(R / 64)", 1, 1]
tile = { R = 64 }
dims = { R = "..=4194240" }
---*/
// One lane a row: Gumbel noise on the k largest logits, found by counting those above.
struct Sizes { R: u32, V: u32, k: u32, temperature: f32, seed: u32 }
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

fn rank(row: u32, at: u32) -> u32 {
    let own = logits[row + at];
    var above = 0u;
    for (var v = 0u; v < s.V; v++) {
        let other = logits[row + v];
        above += u32(other > own || (other == own && v < at));
    }
    return above;
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
        if rank(r * s.V, v) >= s.k {
            continue;
        }
        let z = logits[r * s.V + v] / s.temperature - log(-log(drawn(s.seed, r, v)));
        if z > most {
            most = z;
            best = v;
        }
    }
    token[r] = best;
}
