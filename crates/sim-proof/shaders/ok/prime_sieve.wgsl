/*--- sim
about   = "primes by trial division, loops left early"
grid    = [2, 1, 1]
buffers = [
  { type = "u32", len = 128, check = "bits" },
]
---*/
@group(0) @binding(0) var<storage, read_write> r: array<u32>;

fn is_prime(n: u32) -> bool {
    if n < 2u {
        return false;
    }
    for (var d = 2u; d * d <= n; d++) {
        if n % d == 0u {
            return false;
        }
    }
    return true;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    r[id.x] = select(0u, id.x, is_prime(id.x * 17u + 1u));
}
