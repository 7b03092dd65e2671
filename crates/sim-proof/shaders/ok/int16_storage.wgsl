/*--- sim
about   = "16-bit integers in buffers and loops"
grid    = [2, 1, 1]
needs   = ["i16"]
buffers = [
  { type = "u16", len = 128, fill = "bits" },
  { type = "i16", len = 128, check = "bits" },
]
---*/
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<u16>;
@group(0) @binding(1) var<storage, read_write> r: array<i16>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var x = i16(a[id.x]);
    var n = i16(0);
    while x != i16(0) {
        x = i16(u16(x) >> 1u);
        n += i16(1);
    }
    r[id.x] = n * i16(100) - i16(a[id.x]);
}
