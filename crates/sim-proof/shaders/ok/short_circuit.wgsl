/*--- sim
about   = "the right side of && and || runs only where the left lets it"
grid    = [2, 1, 1]
buffers = [
  { type = "u32", len = 128, fill = "uniform", lo = 0, hi = 100, seed = 1 },
  { type = "u32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

var<private> hits: u32;

fn touch() -> bool {
    hits += 1u;
    return hits > 0u;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = id.x;
    hits = 0u;
    let x = a[i] > 50u && touch();
    let y = a[i] > 20u || touch();
    r[i] = hits * 4u + u32(x) * 2u + u32(y);
}
