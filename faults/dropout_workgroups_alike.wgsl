/*--- ktwin
op   = "dropout"
args = ["x", "y", { R = "u32", D = "u32", p = "f32", seed = "u32" }]
grid = ["ceil(R * D / 256)", 1, 1]
tile = { D = 256 }
where = ["R * D <= 16776960"]
---*/
// fault: wrong law
// pattern: none
// the counter begins anew in each workgroup
struct Sizes { R: u32, D: u32, p: f32, seed: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> s: Sizes;

// the high word of a product
fn high(a: u32, b: u32) -> u32 {
    let low = (a & 0xffffu) * (b & 0xffffu);
    let left = (a >> 16u) * (b & 0xffffu);
    let right = (a & 0xffffu) * (b >> 16u);
    let middle = (low >> 16u) + (left & 0xffffu) + (right & 0xffffu);
    return (a >> 16u) * (b >> 16u) + (left >> 16u) + (right >> 16u) + (middle >> 16u);
}

fn philox(counter: u32, seed: u32) -> u32 {
    var c = vec4<u32>(counter, 0u, 0u, 0u);
    var key = vec2<u32>(seed, 0u);
    for (var r = 0; r < 10; r++) {
        let first = high(0xd2511f53u, c.x);
        let second = high(0xcd9e8d57u, c.z);
        c = vec4<u32>(second ^ c.y ^ key.x, 0xcd9e8d57u * c.z, first ^ c.w ^ key.y, 0xd2511f53u * c.x);
        key += vec2<u32>(0x9e3779b9u, 0xbb67ae85u);
    }
    return c.x;
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if i >= s.R * s.D {
        return;
    }
    let u = f32(philox(i % 256u, s.seed) >> 8u) * 0x1p-24f;
    if u < s.p {
        y[i] = 0.0;
    } else {
        y[i] = x[i] / (1.0 - s.p);
    }
}
