/*--- ktwin
op   = "scale"
args = ["x", "y", { N = "u32", alpha = "f32" }]
---*/
// verdict: fail
// Macros that grow until the compiler has no memory left.
#include <stdint.h>

#define A "sixteen letters "
#define B A A A A A A A A
#define C B B B B B B B B
#define D C C C C C C C C
#define E D D D D D D D D
#define F E E E E E E E E
#define G F F F F F F F F
#define H G G G G G G G G
#define I H H H H H H H H
#define J I I I I I I I I

static const char text[] = J J J J J J J J;

struct scalars { uint32_t n; float alpha; };

void scale(const float *x, float *y, struct scalars s)
{
    for (uint32_t i = 0; i < s.n; i++)
        y[i] = s.alpha * x[i] + (text[0] == 0);
}
