/*--- sim
about   = "constants, const functions of constants, module constants"
grid    = [2, 1, 1]
buffers = [
  { type = "f32", len = 128, fill = "uniform", lo = -10.0, hi = 10.0, seed = 1 },
  { type = "f32", len = 128, check = { rel = 1e-6, abs = 1e-5 } },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> r: array<f32>;

const N = 4;
const TABLE = array<f32, 3>(0.5, 1.5, 2.5);
const POWER = f32(1 << 5u) - sqrt(16.0);
const V = vec2<f32>(1.0, 2.0) * 3.0;

const_assert N == 4;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = id.x;
    const local = N * 2;
    var xs: array<f32, N>;
    xs[N - 1] = a[i];
    r[i] = xs[3] + f32(local) + TABLE[1] + POWER + V.y;
}
