@group(0) @binding(0) var<storage, read_write> r: array<u32>;
@compute @workgroup_size(64)
fn main() {
    var x: array<array<u32, 65536>, 4096>;
    let y = x;
    r[0] = y[5][7];
}
