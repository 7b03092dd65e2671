/*--- sim
about   = "atomics on u64: maximum and minimum"
grid    = [2, 1, 1]
needs   = ["i64", "i64_atomics"]
buffers = [
  { type = "u64", len = 128, fill = "bits" },
  { type = "u64", values = [0, 1e18], check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u64>;
@group(0) @binding(1) var<storage, read_write> c: array<atomic<u64>, 2>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    atomicMax(&c[0], a[id.x]);
    atomicMin(&c[1], a[id.x]);
}
