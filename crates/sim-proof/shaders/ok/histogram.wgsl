/*--- sim
about   = "histogram of 256 bins, counted with atomics in workgroup memory, then added to the result"
grid    = [3, 1, 1]
buffers = [
  { type = "u32", len = 3000, fill = "bits", seed = 1 },
  { type = "u32", len = 256, fill = "zeros", check = "bits" },
]

[bench]
name    = "histogram 2^20, atomics"
grid    = [64, 1, 1]
buffers = [
  { type = "u32", len = 1048576, fill = "bits", seed = 1 },
  { type = "u32", len = 256, fill = "zeros", check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>, 256>;

var<workgroup> local: array<atomic<u32>, 256>;

@compute @workgroup_size(256)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    atomicStore(&local[lane], 0u);
    workgroupBarrier();
    let stride = groups.x * 256u;
    for (var i = gid.x; i < arrayLength(&data); i += stride) {
        atomicAdd(&local[data[i] >> 24u], 1u);
    }
    workgroupBarrier();
    atomicAdd(&bins[lane], atomicLoad(&local[lane]));
}
