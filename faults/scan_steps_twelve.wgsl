/*--- ktwin
op      = "scan"
scratch = { sums = "f32[N]", next = "f32[N]" }
dims    = { N = "..=1048576" }
nan     = "propagate"
chain   = [
    { entry = "begin", args = ["x", "sums", { N = "u32" }], grid = ["ceil(N / 256)"] },
    { repeat = "step in 0..12", when = "2^step < N", chain = [
        { entry = "add_before", args = ["sums", "next", { N = "u32", "2^step" = "u32" }], grid = ["ceil(N / 256)"] },
        { entry = "keep", args = ["next", "sums", { N = "u32" }], grid = ["ceil(N / 256)"] },
    ] },
    { entry = "keep", args = ["sums", "y", { N = "u32" }], grid = ["ceil(N / 256)"] },
]
---*/
// fault: wrong values
// pattern: wrong exactly where n >= 4096
// The host starts twelve steps, which are too few for more than 4096 elements.
struct Sizes { n: u32, far: u32 }
struct Size { n: u32 }

@group(0) @binding(0) var<storage, read> from_: array<f32>;
@group(0) @binding(1) var<storage, read_write> to: array<f32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;
@group(0) @binding(2) var<uniform> size: Size;

@compute @workgroup_size(256)
fn begin(@builtin(global_invocation_id) id: vec3u) {
    if (id.x < size.n) {
        to[id.x] = from_[id.x];
    }
}

@compute @workgroup_size(256)
fn add_before(@builtin(global_invocation_id) id: vec3u) {
    if (id.x >= sizes.n) {
        return;
    }
    var sum = from_[id.x];
    if (id.x >= sizes.far) {
        sum += from_[id.x - sizes.far];
    }
    to[id.x] = sum;
}

@compute @workgroup_size(256)
fn keep(@builtin(global_invocation_id) id: vec3u) {
    if (id.x < size.n) {
        to[id.x] = from_[id.x];
    }
}
