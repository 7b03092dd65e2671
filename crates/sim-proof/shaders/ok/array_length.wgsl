/*--- sim
about   = "arrayLength of runtime arrays, also at the end of a struct"
grid    = [1, 1, 1]
buffers = [
  { type = "u32", len = 37, fill = "uniform", lo = 0, hi = 100, seed = 1 },
  { type = "u32", len = 21, fill = "iota" },
  { type = "u32", len = 64, check = "bits" },
]
---*/
struct Tail { head: vec2<u32>, more: u32, rest: array<u32> }

@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> t: Tail;
@group(0) @binding(2) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    let n = arrayLength(&a);
    let m = arrayLength(&t.rest);
    var x = n * 1000u + m + arrayLength(&r) * 100000u;
    if lane < n {
        x += a[lane];
    }
    if lane < m {
        x += t.rest[lane] + t.head.y + t.more;
    }
    r[lane] = x;
}
