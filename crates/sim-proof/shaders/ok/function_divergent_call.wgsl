/*--- sim
about   = "a function called by some lanes only"
grid    = [2, 1, 1]
buffers = [
  { type = "i32", len = 128, fill = "uniform", lo = -100, hi = 100, seed = 1 },
  { type = "i32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> r: array<i32>;

fn count(x: i32) -> i32 {
    var n = 0;
    var y = x;
    while y > 0 {
        y /= 3;
        n++;
        if n == 3 {
            return n * 1000 + y;
        }
    }
    return n;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = id.x;
    var x = a[i];
    if x > 0 {
        x = count(x);
    } else if x < -50 {
        x = -count(-x);
    }
    r[i] = x;
}
