/*--- sim
about   = "every built-in value, in three dimensions"
grid    = [2, 3, 2]
buffers = [
  { type = "u32", len = 1152, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> r: array<u32>;

struct In {
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_id) lid: vec3<u32>,
    @builtin(workgroup_id) wid: vec3<u32>,
}

@compute @workgroup_size(4, 3, 2)
fn main(in: In, @builtin(local_invocation_index) lane: u32, @builtin(num_workgroups) n: vec3<u32>) {
    let size = vec3<u32>(4u, 3u, 2u) * n;
    let at = (in.gid.z * size.y + in.gid.y) * size.x + in.gid.x;
    r[4u * at] = in.gid.x + in.gid.y * 100u + in.gid.z * 10000u;
    r[4u * at + 1u] = in.lid.x + in.lid.y * 100u + in.lid.z * 10000u + lane * 1000000u;
    r[4u * at + 2u] = in.wid.x + in.wid.y * 100u + in.wid.z * 10000u;
    r[4u * at + 3u] = n.x + n.y * 100u + n.z * 10000u;
}
