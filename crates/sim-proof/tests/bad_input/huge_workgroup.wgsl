var<workgroup> x: array<u32, 1000000000>;
@compute @workgroup_size(4096, 4096, 64)
fn main(@builtin(local_invocation_index) i: u32) {
    x[i] = i;
}
