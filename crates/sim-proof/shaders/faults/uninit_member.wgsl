/*--- sim
about   = "a member of a struct in a buffer that no one set"
grid    = [1, 1, 1]
finding = [
  { kind = "uninitialised read", at = 'r[lane] = cells[lane].key + cells[lane].value;' },
]
buffers = [
  { type = "u32", len = 128 },
  { type = "u32", len = 64, check = "bits" },
]
---*/
struct Cell { key: u32, value: u32 }

@group(0) @binding(0) var<storage, read_write> cells: array<Cell>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    cells[lane].key = lane;
    r[lane] = cells[lane].key + cells[lane].value;
}
