/*--- sim
about   = "16-bit elements: the index counts words, not halves"
grid    = [1, 1, 1]
needs   = ["f16"]
finding = [
  { kind = "out of bounds", at = 'r[lane] = a[lane * 2u];' },
]
buffers = [
  { type = "f16", len = 64, fill = "uniform", lo = -1.0, hi = 1.0, seed = 1 },
  { type = "f16", len = 64, check = "bits" },
]
---*/
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read_write> r: array<f16>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    r[lane] = a[lane * 2u];
}
