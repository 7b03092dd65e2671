/*--- ktwin
op   = "../c/dropout_philox.op"
args = ["x", "y", { N = "u32", p = "f32", seed = "u32", offset = "u32" }]
grid = ["ceil(N / 256)", 1, 1]
tile = { N = 256 }
dims = { N = "..=16776960" }
---*/
// One lane an element; of the four words of a counter it takes its own.
struct Sizes { N: u32, p: f32, seed: u32, offset: u32 }
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

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = id.x;
    if n >= s.N {
        return;
    }
    var c = vec4<u32>(n / 4u, 0u, s.offset, 0u);
    var key = vec2<u32>(s.seed, 0u);
    for (var r = 0; r < 10; r++) {
        let first = high(0xd2511f53u, c.x);
        let second = high(0xcd9e8d57u, c.z);
        c = vec4<u32>(second ^ c.y ^ key.x, 0xcd9e8d57u * c.z, first ^ c.w ^ key.y, 0xd2511f53u * c.x);
        key += vec2<u32>(0x9e3779b9u, 0xbb67ae85u);
    }
    let u = f32(c[n % 4u] >> 8u) * 0x1p-24f;
    if u < s.p {
        y[n] = 0.0;
    } else {
        y[n] = x[n] / (1.0 - s.p);
    }
}
