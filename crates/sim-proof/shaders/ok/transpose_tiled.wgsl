/*--- sim
about   = "transpose through a padded tile"
grid    = [3, 2, 1]
buffers = [
  { type = "u32", len = 960, fill = "bits", seed = 1 },
  { type = "u32", len = 960, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

const ROWS = 24u;
const COLUMNS = 40u;
var<workgroup> tile: array<array<u32, 17>, 16>;

@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_id) l: vec3<u32>) {
    let x = wg.x * 16u + l.x;
    let y = wg.y * 16u + l.y;
    if x < COLUMNS && y < ROWS {
        tile[l.y][l.x] = a[y * COLUMNS + x];
    }
    workgroupBarrier();
    let u = wg.y * 16u + l.x;
    let v = wg.x * 16u + l.y;
    if u < ROWS && v < COLUMNS {
        r[v * ROWS + u] = tile[l.x][l.y];
    }
}
