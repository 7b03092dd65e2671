/*--- ktwin
op   = "multinomial"
args = ["weights", "index", { R = "u32", V = "u32", seed = "u32" }]
grid = ["ceil(R / 64)", 1, 1]
tile = { R = 64 }
dims = { R = "..=4194240" }
---*/
// fault: wrong law
// pattern: matches the op with `c[r, v] <= u[r] * c[r, V - 1]` read as `c[0, v] <= u[r] * c[r, V - 1]`
// the first row's weights for all rows
struct Sizes { R: u32, V: u32, seed: u32 }
@group(0) @binding(0) var<storage, read> weights: array<f32>;
@group(0) @binding(1) var<storage, read_write> index: array<u32>;
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
    var whole = 0.0;
    for (var v = 0u; v < s.V; v++) {
        whole += weights[r * s.V + v];
    }
    let share = drawn(s.seed, r, 0u) * whole;
    var sum = 0.0;
    var found = 0u;
    for (var v = 0u; v + 1u < s.V; v++) {
        sum += weights[v];
        if sum <= share {
            found = v + 1u;
        }
    }
    index[r] = found;
}
