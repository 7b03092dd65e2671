/*--- ktwin
op   = "row_max"
args = ["x", "y", { D = "u32" }]
grid = ["R", 1, 1]
tile = { D = 64 }
dims = { R = "1..=100000" }
---*/
// fault: invalid
// pattern: none
// A workgroup a row, and more rows than a device launches workgroups in one direction.
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> width: u32;

var<workgroup> most: array<f32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let first = group.x * width;
    most[lane] = x[first];
    for (var d = lane; d < width; d += 64u) {
        most[lane] = max(most[lane], x[first + d]);
    }
    for (var step = 32u; step > 0u; step /= 2u) {
        workgroupBarrier();
        if lane < step {
            most[lane] = max(most[lane], most[lane + step]);
        }
    }
    if lane == 0u {
        y[group.x] = most[0];
    }
}
