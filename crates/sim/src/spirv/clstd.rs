//! The names of the instructions of `OpenCL.std`, by their numbers.

/// Instructions with numbers that follow each other, from the first.
const RUNS: &[(u32, &str)] = &[
    (
        0,
        "acos acosh acospi asin asinh asinpi atan atan2 atanh atanpi atan2pi cbrt ceil copysign cos cosh \
         cospi erfc erf exp exp2 exp10 expm1 fabs fdim floor fma fmax fmin fmod fract frexp hypot ilogb ldexp \
         lgamma lgamma_r log log2 log10 log1p logb mad maxmag minmag modf nan nextafter pow pown powr \
         remainder remquo rint rootn round rsqrt sin sincos sinh sinpi sqrt tan tanh tanpi tgamma trunc \
         half_cos half_divide half_exp half_exp2 half_exp10 half_log half_log2 half_log10 half_powr \
         half_recip half_rsqrt half_sin half_sqrt half_tan native_cos native_divide native_exp native_exp2 \
         native_exp10 native_log native_log2 native_log10 native_powr native_recip native_rsqrt native_sin \
         native_sqrt native_tan fclamp degrees fmax_common fmin_common mix radians step smoothstep sign cross \
         distance length normalize fast_distance fast_length fast_normalize",
    ),
    (
        141,
        "s_abs s_abs_diff s_add_sat u_add_sat s_hadd u_hadd s_rhadd u_rhadd s_clamp u_clamp clz ctz s_mad_hi \
         u_mad_sat s_mad_sat s_max u_max s_min u_min s_mul_hi rotate s_sub_sat u_sub_sat u_upsample \
         s_upsample popcount s_mad24 u_mad24 s_mul24 u_mul24 vloadn vstoren vload_half vload_halfn \
         vstore_half vstore_half_r vstore_halfn vstore_halfn_r vloada_halfn vstorea_halfn vstorea_halfn_r \
         shuffle shuffle2 printf prefetch bitselect select",
    ),
    (201, "u_abs u_abs_diff u_mul_hi u_mad_hi"),
];

/// What an instruction is called.
pub fn name(number: u32) -> Option<&'static str> {
    let (first, names) = RUNS.iter().rev().find(|(first, _)| *first <= number)?;
    names.split_whitespace().nth((number - first) as usize)
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn numbers_are_those_of_the_specification() {
        let some =
            [(0, "acos"), (19, "exp"), (26, "fma"), (56, "rsqrt"), (171, "vloadn"), (173, "vload_half")];
        for (number, wanted) in some {
            assert_eq!(name(number), Some(wanted));
        }
        assert_eq!([name(86), name(111), name(9999)], [Some("native_log"), None, None]);
    }
}
