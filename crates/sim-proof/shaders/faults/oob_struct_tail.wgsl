/*--- sim
about   = "the runtime array at the end of a struct is shorter than the head says"
grid    = [1, 1, 1]
finding = [
  { kind = "out of bounds", at = 'r[lane] = list.items[lane];' },
]
buffers = [
  { type = "u32", values = [40, 0, 1, 2, 3], len = 34 },
  { type = "u32", len = 64, check = "bits" },
]
---*/
struct List { count: u32, pad: u32, items: array<u32> }

@group(0) @binding(0) var<storage, read> list: List;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    r[lane] = 0u;
    if lane < list.count {
        r[lane] = list.items[lane];
    }
}
