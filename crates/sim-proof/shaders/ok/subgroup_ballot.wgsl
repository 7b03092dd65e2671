/*--- sim
about   = "ballot of a subgroup"
grid    = [2, 1, 1]
needs   = ["subgroups"]
subgroups = true
buffers = [
  { type = "u32", len = 128, fill = "uniform", lo = 0, hi = 100, seed = 1 },
  { type = "u32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(64)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(subgroup_invocation_id) me: u32,
    @builtin(subgroup_size) size: u32,
) {
    let x = a[id.x];
    let b = subgroupBallot(x > 50u);
    r[id.x] = b.x + countOneBits(b.y) * 1000u;
}
