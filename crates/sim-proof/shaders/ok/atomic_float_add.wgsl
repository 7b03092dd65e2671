/*--- sim
about   = "a sum of whole floats by compare-exchange: exact in any order"
grid    = [2, 1, 1]
buffers = [
  { type = "f32", len = 128, fill = "iota" },
  { type = "u32", len = 1, fill = "zeros", check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> sum: atomic<u32>;

fn add(x: f32) {
    var old = atomicLoad(&sum);
    loop {
        let got = atomicCompareExchangeWeak(&sum, old, bitcast<u32>(bitcast<f32>(old) + x));
        if got.exchanged {
            return;
        }
        old = got.old_value;
    }
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    add(a[id.x]);
}
