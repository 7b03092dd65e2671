/*--- ktwin
op      = "argmax"
compute = "f32"
tile    = { N = 1024 }
dims    = { N = "1..=1048576" }
scratch = { tops = "f32[ceil(N / 1024)]", places = "u32[ceil(N / 1024)]" }
chain   = [
    { entry = "parts", args = ["x", "tops", "places", { N = "u32" }], grid = ["ceil(N / 1024)", 1, 1] },
    { entry = "whole", args = ["tops", "places", "y", { "ceil(N / 1024)" = "u32" }], grid = [1, 1, 1] },
]
---*/
// fault: wrong values
// pattern: every wrong element is zero
// Where no element beats the first of the block, its place is 0.
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> tops: array<f32>;
@group(0) @binding(2) var<storage, read_write> places: array<u32>;
@group(0) @binding(3) var<uniform> count: u32;

@group(0) @binding(0) var<storage, read> made_tops: array<f32>;
@group(0) @binding(1) var<storage, read> made_places: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;

var<workgroup> best: array<f32, 256>;
var<workgroup> place: array<u32, 256>;

@compute @workgroup_size(256)
fn parts(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let first = group.x * 1024u;
    var top = x[first];
    var at = 0u;
    for (var n = first + lane; n < min(first + 1024u, count); n += 256u) {
        if x[n] > top {
            top = x[n];
            at = n;
        }
    }
    best[lane] = top;
    place[lane] = at;
    for (var half = 128u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if lane < half {
            let v = best[lane + half];
            if v > best[lane] || (v == best[lane] && place[lane + half] < place[lane]) {
                best[lane] = v;
                place[lane] = place[lane + half];
            }
        }
    }
    if lane == 0u {
        tops[group.x] = best[0];
        places[group.x] = place[0];
    }
}

@compute @workgroup_size(1)
fn whole() {
    var top = made_tops[0];
    var at = made_places[0];
    for (var i = 1u; i < count; i++) {
        if made_tops[i] > top {
            top = made_tops[i];
            at = made_places[i];
        }
    }
    y[0] = at;
}
