/*--- ktwin
op      = "jacobi"
compute = "f32"
args    = ["x", "y", { H = "u32", W = "u32", rate = "f32" }]
grid    = ["ceil(H * W / 64)", 1, 1]
where   = ["H * W <= 4194240"]
---*/
// fault: wrong values
// pattern: y[h, w] stays the same whatever x[h, 0 or 1 or 2 ...] is: it is left out
// The column is the place and a mask, which is the place modulo W for powers of two alone: elsewhere the border is
// found in the wrong places.
struct Scalars { H: u32, W: u32, rate: f32 }

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> s: Scalars;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if i >= s.H * s.W {
        return;
    }
    let h = i / s.W;
    let w = i & (s.W - 1u);
    if h == 0u || h == s.H - 1u || w == 0u || w == s.W - 1u {
        y[i] = x[i];
        return;
    }
    let near = 0.25 * (x[i - s.W] + x[i + s.W] + x[i - 1u] + x[i + 1u]);
    y[i] = x[i] + s.rate * (near - x[i]);
}
