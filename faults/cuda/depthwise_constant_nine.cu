/*--- ktwin
op      = "depthwise"
globals = { filter = "w", geometry = { stride = "u32", pad = "u32" } }
args    = ["x", "y", { C = "u32", H = "u32", W = "u32", KH = "u32", KW = "u32", P = "u32", Q = "u32" }]
grid    = ["ceil(Q / 32)", "ceil(P / 8)", "N * C"]
block   = [32, 8, 1]
tile    = { Q = 32, P = 8 }
dims    = { C = "..=64", KH = "..=3", KW = "..=3" }
where   = ["N * C <= 65535", "P <= 65535 * 8"]
---*/
// fault: wrong values
// pattern: any
// Filters are taken for three rows of three, whatever their size is.
struct Sizes {
    unsigned channels, height, width, rows, columns, p, q;
};

struct Geometry {
    unsigned stride, pad;
};

__constant__ float filter[64 * 9];
__constant__ Geometry geometry;

__global__ void depthwise(const float *x, float *y, Sizes s)
{
    unsigned q = blockIdx.x * 32 + threadIdx.x, p = blockIdx.y * 8 + threadIdx.y, plane = blockIdx.z;
    if (p >= s.p || q >= s.q)
        return;
    const float *image = x + (size_t)plane * s.height * s.width;
    const float *own = filter + plane % s.channels * 9;
    float sum = 0;
    for (unsigned i = 0; i < s.rows; i++) {
        int row = (int)(p * geometry.stride + i) - (int)geometry.pad;
        if (row < 0 || row >= (int)s.height)
            continue;
        for (unsigned j = 0; j < s.columns; j++) {
            int column = (int)(q * geometry.stride + j) - (int)geometry.pad;
            if (column >= 0 && column < (int)s.width)
                sum += own[i * 3 + j] * image[(size_t)row * s.width + column];
        }
    }
    y[((size_t)plane * s.p + p) * s.q + q] = sum;
}
