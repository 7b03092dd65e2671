/*--- sim
about   = "five-point stencil with a halo in workgroup memory"
grid    = [3, 1, 1]
buffers = [
  { type = "i32", len = 200, fill = "uniform", lo = -100, hi = 100, seed = 1 },
  { type = "i32", len = 192, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> r: array<i32>;

var<workgroup> x: array<i32, 68>;

fn at(i: i32) -> i32 {
    return a[clamp(i, 0, i32(arrayLength(&a)) - 1)];
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = i32(id.x);
    x[lane + 2u] = at(i);
    if lane < 2u {
        x[lane] = at(i - 2);
    }
    if lane >= 62u {
        x[lane + 4u] = at(i + 2);
    }
    workgroupBarrier();
    r[id.x] = x[lane] - 4 * x[lane + 1u] + 6 * x[lane + 2u] - 4 * x[lane + 3u] + x[lane + 4u];
}
