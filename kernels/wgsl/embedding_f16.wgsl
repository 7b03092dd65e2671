/*--- ktwin
op      = "embedding"
types   = { table = "f16", y = "f16" }
compute = "f32"
args    = ["ids", "table", "y", { T = "u32", D = "u32" }]
grid    = ["ceil(T * D / 128)", 1, 1]
tile    = { D = 128 }
where   = ["T * D <= 8388480"]
---*/
// One word of the result a lane: two halves, which lie in the rows of two tokens where D is odd.
struct Scalars { T: u32, D: u32 }

@group(0) @binding(0) var<storage, read> ids: array<u32>;
@group(0) @binding(1) var<storage, read> table: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
@group(0) @binding(3) var<uniform> s: Scalars;

fn half_of(i: u32) -> u32 {
    if i >= s.T * s.D {
        return 0u;
    }
    let at = ids[i / s.D] * s.D + i % s.D;
    return (table[at / 2u] >> (16u * (at % 2u))) & 0xffffu;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x * 2u;
    if i < s.T * s.D {
        y[id.x] = half_of(i) | (half_of(i + 1u) << 16u);
    }
}
