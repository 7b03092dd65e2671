/*--- sim
about   = "every atomic operation on u32 in a buffer, order not seen"
grid    = [4, 1, 1]
buffers = [
  { type = "u32", len = 256, fill = "bits", seed = 1 },
  { type = "u32", values = [0, 0, 4294967295, 0, 0, 4294967295, 0], check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> c: array<atomic<u32>, 7>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let x = a[id.x];
    atomicAdd(&c[0], x);
    atomicSub(&c[1], x >> 3u);
    atomicMin(&c[2], x);
    atomicMax(&c[3], x);
    atomicOr(&c[4], x & 0x0f0f00ffu);
    atomicAnd(&c[5], x | 0xff00f0f0u);
    atomicXor(&c[6], x);
}
