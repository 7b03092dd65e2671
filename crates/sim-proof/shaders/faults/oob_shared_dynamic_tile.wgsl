/*--- sim
about   = "a two-dimensional tile is indexed with the wrong bound of its inner array"
grid    = [1, 1, 1]
finding = [
  { kind = "out of bounds", at = 'r[lane] = tile[lane / 8u][lane % 8u + 1u];' },
]
buffers = [
  { type = "u32", len = 64, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> r: array<u32>;

var<workgroup> tile: array<array<u32, 8>, 8>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    tile[lane / 8u][lane % 8u] = lane;
    workgroupBarrier();
    r[lane] = tile[lane / 8u][lane % 8u + 1u];
}
