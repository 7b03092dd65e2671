/*--- ktwin
op     = "add"
args   = ["a", "b", "c", { N = "u32" }]
grid   = ["ceil(N / 64)", 1, 1]
robust = true
---*/
// fault: out of bounds
// pattern: none
// The last workgroup writes past the end, which no platform's robustness excuses.
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> N: u32;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    c[id.x] = a[id.x] + b[id.x];
}
