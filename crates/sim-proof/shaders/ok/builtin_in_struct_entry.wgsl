/*--- sim
about   = "one entry point of two, named by being the first to match"
grid    = [1, 1, 1]
buffers = [
  { type = "u32", len = 32, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> r: array<u32>;

struct Ids { @builtin(local_invocation_index) lane: u32 }

@compute @workgroup_size(32)
fn only(ids: Ids) {
    r[ids.lane] = ids.lane * 3u;
}
