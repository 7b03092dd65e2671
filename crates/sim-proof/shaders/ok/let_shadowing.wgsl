/*--- sim
about   = "names that hide others in inner scopes"
grid    = [2, 1, 1]
buffers = [
  { type = "i32", len = 128, fill = "uniform", lo = -100, hi = 100, seed = 1 },
  { type = "i32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> r: array<i32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = id.x;
    let x = a[i];
    var y = x;
    {
        let x = y + 1;
        y = x * 2;
        {
            var y = 5;
            y += x;
            _ = y;
        }
    }
    for (var x = 0; x < 3; x++) {
        y += x;
    }
    r[i] = x * 1000 + y;
}
