/*--- sim
about   = "pseudo-random numbers: xorshift and multiply with carry"
grid    = [2, 1, 1]
buffers = [
  { type = "u32", len = 128, fill = "uniform", lo = 0, hi = 100, seed = 1 },
  { type = "u32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

fn next(s: ptr<function, vec2<u32>>) -> u32 {
    (*s).x ^= (*s).x << 13u;
    (*s).x ^= (*s).x >> 17u;
    (*s).x ^= (*s).x << 5u;
    (*s).y = 36969u * ((*s).y & 65535u) + ((*s).y >> 16u);
    return (*s).x + ((*s).y << 16u);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var s = vec2<u32>(a[id.x] + 1u, id.x * 7919u + 1u);
    var x = 0u;
    for (var j = 0u; j < 20u; j++) {
        x ^= next(&s);
    }
    r[id.x] = x;
}
