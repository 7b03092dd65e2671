/*--- sim
about   = "continue inside a switch goes on with the loop"
grid    = [2, 1, 1]
buffers = [
  { type = "u32", len = 128, fill = "uniform", lo = 0, hi = 100, seed = 1 },
  { type = "u32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = id.x;
    var s = 0u;
    for (var j = 0u; j < 20u; j++) {
        switch (a[i] + j) % 4u {
            case 0u: { continue; }
            case 1u: { s += j; }
            case 2u: { s = s * 2u; break; }
            default: { s ^= 21u; }
        }
        s += 1u;
    }
    r[i] = s;
}
