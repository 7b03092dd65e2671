/*--- sim
about   = "three loops inside each other, the inner ones left early"
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
    for (var x = 0u; x < 6u; x++) {
        for (var y = 0u; y < 7u; y++) {
            if y > a[i] % 7u {
                break;
            }
            var z = x;
            while z < 5u {
                z++;
                if z == y {
                    continue;
                }
                s += x * 100u + y * 10u + z;
            }
        }
        if s > 8000u {
            break;
        }
    }
    r[i] = s;
}
