/*--- sim
about   = "a private array of module scope is read behind its end, repaired"
grid    = [2, 1, 1]
buffers = [
  { type = "u32", len = 128, fill = "uniform", lo = 0, hi = 19, seed = 1 },
  { type = "u32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

var<private> table: array<u32, 16>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    for (var j = 0u; j < 16u; j++) {
        table[j] = j * j;
    }
    r[id.x] = table[a[id.x] % 16u];
}
