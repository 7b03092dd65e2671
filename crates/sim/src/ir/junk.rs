//! What registers and lanes hold that nobody wrote: numbers that show in what is made of them.

/// A NaN, which shows in sums, and no index of anything.
pub const NAN: u32 = 0x7fc0_dead;
/// Numbers near the ends of f32, which show in the maxima and minima that drop a NaN.
pub const ENDS: [u32; 2] = [0x7f7f_dead, 0xff7f_dead];
/// A truth value: one that is forgotten is more often wanted false.
pub const TRUTH: u64 = 1;
