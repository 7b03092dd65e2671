/*--- ktwin
op     = "transpose"
args   = ["x", "y", { M = "u32" }, { N = "u32" }, { "x.stride0" = "u32" }, { "y.stride0" = "u32" }]
layout = { x = ["row", "strided"], y = ["row", "strided"] }
tile   = { M = 16, N = 16 }
---*/
// Tile by tile, between matrices whose rows may lie further apart than they are long. What lies between the rows stays
// as it was, also where the buffers are used again.
#include <stddef.h>
#include <stdint.h>

enum { TILE = 16 };

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

void transpose(const float *x, float *y, uint32_t rows, uint32_t columns, uint32_t x_row, uint32_t y_row) {
    for (uint32_t top = 0; top < rows; top += TILE) {
        for (uint32_t left = 0; left < columns; left += TILE) {
            for (uint32_t c = left; c < least(left + TILE, columns); c++) {
                for (uint32_t r = top; r < least(top + TILE, rows); r++) {
                    y[(size_t)c * y_row + r] = x[(size_t)r * x_row + c];
                }
            }
        }
    }
}
