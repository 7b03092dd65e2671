/*--- ktwin
op   = "compact"
args = ["x", "y", "count", { N = "u32", limit = "f32" }]
grid = 1
tile = { N = 64 }
---*/
// fault: wrong values
// pattern: matches the op with `x[n] > limit` read as `x[n] >= limit`
// what equals the limit is kept, too
struct Params { N: u32, limit: f32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<storage, read_write> count: array<u32>;
@group(0) @binding(3) var<uniform> params: Params;

var<workgroup> kept: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    var before = 0u;
    for (var start = 0u; start < params.N; start += 64u) {
        let at = start + lane;
        var keep = false;
        if at < params.N {
            keep = x[at] >= params.limit;
        }
        kept[lane] = u32(keep);
        workgroupBarrier();
        for (var step = 1u; step < 64u; step *= 2u) {
            var sum = kept[lane];
            if lane >= step {
                sum += kept[lane - step];
            }
            workgroupBarrier();
            kept[lane] = sum;
            workgroupBarrier();
        }
        if keep {
            y[before + kept[lane] - 1u] = x[at];
        }
        before += kept[63];
        workgroupBarrier();
    }
    if lane == 0u {
        count[0] = before;
    }
}
