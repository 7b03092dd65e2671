/*--- sim
about   = "atomics as members of a struct and in an array of structs"
grid    = [2, 1, 1]
buffers = [
  { type = "u32", len = 16, fill = "zeros", check = "bits" },
]
---*/
struct Cell { count: atomic<u32>, sum: atomic<i32>, plain: u32 }

@group(0) @binding(0) var<storage, read_write> cells: array<Cell, 5>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let c = id.x % 5u;
    atomicAdd(&cells[c].count, 1u);
    atomicSub(&cells[c].sum, i32(id.x));
    if id.x < 5u {
        cells[c].plain = 9u;
    }
}
