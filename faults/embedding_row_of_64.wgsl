/*--- ktwin
op      = "embedding"
compute = "f32"
args    = ["ids", "table", "y", { D = "u32" }]
grid    = ["T", 1, 1]
tile    = { D = 64 }
dims    = { T = "1..=65535" }
---*/
// fault: out of bounds
// pattern: every wrong element is zero
// Rows of the table are taken to be 64 long.
@group(0) @binding(0) var<storage, read> ids: array<u32>;
@group(0) @binding(1) var<storage, read> table: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
@group(0) @binding(3) var<uniform> D: u32;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let row = ids[group.x] * 64u;
    for (var d = lane; d < D; d += 64u) {
        y[group.x * D + d] = table[row + d];
    }
}
