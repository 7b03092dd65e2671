/*--- sim
about   = "switch with several selectors a case and a default in the middle"
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
    var x = 0u;
    switch a[i] % 8u {
        case 0u: { x = 10u; }
        case 1u, 2u: { x = 20u + a[i]; }
        default: { x = 30u; }
        case 5u: {
            if a[i] > 50u {
                break;
            }
            x = 40u;
        }
    }
    r[i] = x;
}
