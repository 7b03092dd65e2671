/*--- sim
about   = "a tree reduction without a barrier between its steps"
grid    = [1, 1, 1]
finding = [
  { kind = "race", at = 'part[lane] += part[lane + step];' },
]
buffers = [
  { type = "u32", len = 64, fill = "uniform", lo = 0, hi = 100, seed = 1 },
  { type = "u32", len = 1, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

var<workgroup> part: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    part[lane] = a[lane];
    workgroupBarrier();
    for (var step = 32u; step > 0u; step /= 2u) {
        if lane < step {
            part[lane] += part[lane + step];
        }
    }
    if lane == 0u {
        r[0] = part[0];
    }
}
