/*--- ktwin
op      = "embedding_backward"
compute = "f32"
args    = ["ids", "dy", "dtable", { T = "u32", D = "u32", V = "u32" }]
---*/
// fault: wrong values
// pattern: matches the op with `sum[t where ids[t] == v](dy[t, d])` read as `sum[t where (ids[t] == v) and t == max[t_ in 0..T where ids[t_] == v](t_)](dy[t, d])`
// rows with the same number overwrite each other
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t T;
    uint32_t D;
    uint32_t V;
} scalars;

void embedding_backward_kernel(const uint32_t *ids, const float *dy, float *dtable, scalars s)
{
    memset(dtable, 0, (size_t)s.V * s.D * sizeof *dtable);
    for (uint32_t t = 0; t < s.T; t++)
        for (uint32_t d = 0; d < s.D; d++)
            dtable[(size_t)ids[t] * s.D + d] = dy[(size_t)t * s.D + d];
}
