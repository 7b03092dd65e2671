/*--- sim
about   = "atomicExchange and compare-exchange, each lane on its own cell"
grid    = [2, 1, 1]
buffers = [
  { type = "u32", len = 128, fill = "uniform", lo = 0, hi = 100, seed = 1 },
  { type = "u32", len = 128, fill = "iota", check = "bits" },
  { type = "u32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> c: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    let old = atomicExchange(&c[i], a[i]);
    var got = atomicCompareExchangeWeak(&c[i], 5000u, 1u);
    let n = u32(got.exchanged) + got.old_value;
    // A weak exchange may fail for no reason: try until it does not.
    loop {
        got = atomicCompareExchangeWeak(&c[i], got.old_value, i * 3u);
        if got.exchanged {
            break;
        }
    }
    r[i] = old + n * 1000u + got.old_value;
}
