/*--- sim
about   = "place of the first greatest value of a row, by a tree of pairs"
grid    = [3, 1, 1]
buffers = [
  { type = "i32", len = 384, fill = "uniform", lo = 0, hi = 40, seed = 1 },
  { type = "u32", len = 3, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

struct Best { value: i32, at: u32 }

var<workgroup> best: array<Best, 128>;

fn better(p: Best, q: Best) -> Best {
    if q.value > p.value || (q.value == p.value && q.at < p.at) {
        return q;
    }
    return p;
}

@compute @workgroup_size(128)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    best[lane] = Best(a[wg.x * 128u + lane], lane);
    for (var step = 64u; step > 0u; step /= 2u) {
        workgroupBarrier();
        if lane < step {
            best[lane] = better(best[lane], best[lane + step]);
        }
    }
    if lane == 0u {
        r[wg.x] = best[0].at;
    }
}
