/*--- ktwin
op      = "gemm_nt"
types   = { a = "q8_1", b = "q4_1" }
compute = "f32"
args    = ["a", "b", "c", { N = "u32", "K // 32" = "u32" }]
grid    = ["ceil(N / 64)", "M", 1]
tile    = { N = 64, K = 32 }
dims    = { M = "1..=16384", N = "1..=16384", K = ["32..=16384", "multiple of 32"] }
---*/
// One row of a and 64 columns of the result a workgroup: a block of the row is brought to workgroup memory
// once and used by all lanes. The sum of its bytes is counted afresh: the sum that q8_1 carries was
// rounded to f16 by whoever stored it, and is not part of the numbers.
struct Scalars { N: u32, blocks: u32 }

@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> s: Scalars;

var<workgroup> block: array<u32, 9>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let n = group.x * 64u + lane;
    var sum = 0.0;
    for (var k = 0u; k < s.blocks; k++) {
        if lane < 9u {
            block[lane] = a[(group.y * s.blocks + k) * 9u + lane];
        }
        workgroupBarrier();
        if n < s.N {
            let at = (n * s.blocks + k) * 5u;
            var products = 0;
            var bytes = 0;
            for (var i = 0u; i < 4u; i++) {
                let pairs = b[at + 1u + i];
                products += dot4I8Packed(pairs & 0x0f0f0f0fu, block[1u + i]);
                products += dot4I8Packed((pairs >> 4u) & 0x0f0f0f0fu, block[5u + i]);
                bytes += dot4I8Packed(0x01010101u, block[1u + i]) + dot4I8Packed(0x01010101u, block[5u + i]);
            }
            let scale_min = unpack2x16float(b[at]);
            let scale_a = unpack2x16float(block[0]).x;
            sum += scale_a * (scale_min.x * f32(products) + scale_min.y * f32(bytes));
        }
        workgroupBarrier();
    }
    if n < s.N {
        c[group.y * s.N + n] = sum;
    }
}
