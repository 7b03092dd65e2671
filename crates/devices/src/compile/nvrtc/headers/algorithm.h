// What of <algorithm> device code may call.
#pragma once
#include <cuda/std/__algorithm/clamp.h>
#include <cuda/std/__algorithm/max.h>
#include <cuda/std/__algorithm/min.h>
#include <cuda/std/__utility/swap.h>
namespace std {
using namespace cuda::std;
}
