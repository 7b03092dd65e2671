/*--- sim
about   = "switch on a signed value, default among selectors"
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
    var x = 7;
    switch a[i] / 10 {
        case -3: { x = -1; }
        case 0, default: { x = a[i]; }
        case 4: { x = 4; }
        case -5, -6: {
            switch a[i] & 1 {
                case 0: { x = 100; }
                default: { x = 200; }
            }
        }
    }
    r[i] = x;
}
