/*--- sim
about   = "a value thrown away, calls kept"
grid    = [2, 1, 1]
buffers = [
  { type = "u32", len = 128, fill = "uniform", lo = 0, hi = 100, seed = 1 },
  { type = "u32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

var<private> calls: u32;

fn count() -> u32 {
    calls += 1u;
    return calls;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = id.x;
    _ = a[i] + 1u;
    calls = 0u;
    _ = count();
    count();
    r[i] = calls;
}
