// The functions of <cmath> in namespace std, which device code may call.
#pragma once
namespace std {
using ::acos; using ::acosh; using ::asin; using ::asinh; using ::atan; using ::atan2; using ::atanh; using ::cbrt;
using ::ceil; using ::copysign; using ::cos; using ::cosh; using ::erf; using ::erfc; using ::exp; using ::exp2;
using ::expm1; using ::fabs; using ::fdim; using ::floor; using ::fma; using ::fmax; using ::fmin; using ::fmod;
using ::frexp; using ::hypot; using ::ldexp; using ::log; using ::log10; using ::log1p; using ::log2; using ::lrint;
using ::nearbyint; using ::pow; using ::remainder; using ::rint; using ::round; using ::scalbn; using ::sin;
using ::sinh; using ::sqrt; using ::tan; using ::tanh; using ::trunc; using ::abs; using ::isnan; using ::isinf;
using ::isfinite; using ::signbit; using ::ilogb; using ::lgamma; using ::llrint; using ::llround; using ::logb;
using ::lround; using ::modf; using ::nextafter; using ::remquo; using ::scalbln; using ::tgamma;
}
