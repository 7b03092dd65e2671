/*--- sim
about   = "a maximum of floats by compare-exchange on their bits"
grid    = [2, 1, 1]
buffers = [
  { type = "f32", len = 128, fill = "uniform", lo = 0.0, hi = 50.0, seed = 1 },
  { type = "u32", len = 1, fill = "zeros", check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> top: atomic<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let mine = a[id.x];
    var seen = atomicLoad(&top);
    while bitcast<f32>(seen) < mine {
        let got = atomicCompareExchangeWeak(&top, seen, bitcast<u32>(mine));
        if got.exchanged {
            break;
        }
        seen = got.old_value;
    }
}
