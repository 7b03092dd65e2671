/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: fail
// It returns with a value of its own in registers that belong to whoever calls it.
#include <stdint.h>

struct scalars { uint32_t n; float alpha; };

__attribute__((used)) static void right(const float *x, float *y, struct scalars s) {
    for (uint32_t i = 0; i < s.n; i++) y[i] = s.alpha * x[i];
}

__asm__(
    ".text\n"
    ".globl scale\n"
    ".type scale, @function\n"
    "scale:\n"
    "    subq $8, %rsp\n"
    "    call right\n"
    "    addq $8, %rsp\n"
    "    movq $0x12345, %r12\n"
    "    movq $0x12345, %rbp\n"
    "    ret\n"
    ".size scale, .-scale\n");

void scale(const float *x, float *y, struct scalars s);
