/*--- sim
about   = "lanes read, change and write back the same word for their own byte, repaired"
grid    = [1, 1, 1]
buffers = [
  { type = "u32", len = 64, fill = "uniform", lo = 0, hi = 255, seed = 1 },
  { type = "u32", len = 16, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

var<workgroup> packed: array<atomic<u32>, 16>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    let byte = a[lane] << (8u * (lane % 4u));
    atomicOr(&packed[lane / 4u], byte);
    workgroupBarrier();
    if lane < 16u {
        r[lane] = atomicLoad(&packed[lane]);
    }
}
