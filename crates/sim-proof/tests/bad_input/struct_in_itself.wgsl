struct S { s: S }
@compute @workgroup_size(1)
fn main() {
}
