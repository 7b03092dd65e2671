//! Binary floating-point formats and the one routine that rounds f64 to any of them. Touches nothing else.

/// What becomes of a value too large for a format.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub enum Overflow {
    /// It becomes an infinity, as IEEE 754 says.
    Infinity,
    /// It becomes NaN: formats without infinities, such as e4m3.
    Nan,
    /// It becomes the largest finite value; infinities do too.
    Saturate,
}

/// A binary floating-point format of at most 64 bits.
///
/// ```
/// use ktwin_num::{Float, Overflow};
/// assert_eq!(Float::F16.round(1.0 + 1.0 / 4096.0), 1.0);
/// assert!(Float::E4M3.round(1000.0).is_nan());
/// assert_eq!(Float::E4M3.with_overflow(Overflow::Saturate).round(1000.0), 448.0);
/// ```
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub struct Float {
    precision: u32,
    emin: i32,
    emax: i32,
    overflow: Overflow,
    bits: u32,
    /// Stored mantissa bits; tf32 keeps f32's 23 with the low 13 zero.
    field: u32,
    /// No infinities: the topmost exponent is ordinary, except for its last mantissa, which is NaN.
    finite_only: bool,
    name: &'static str,
}

const fn ieee(name: &'static str, bits: u32, precision: u32, emax: i32) -> Float {
    let field = precision - 1;
    let overflow = Overflow::Infinity;
    Float { precision, emin: 1 - emax, emax, overflow, bits, field, finite_only: false, name }
}

/// 2 to an integer power, exactly; 0 below the subnormals and infinity above the range of f64.
pub fn pow2(e: i32) -> f64 {
    match e {
        1024.. => f64::INFINITY,
        -1022..=1023 => f64::from_bits(((e + 1023) as u64) << 52),
        -1074..=-1023 => f64::from_bits(1 << (e + 1074)),
        _ => 0.0,
    }
}

/// The power of two that the leading bit of `x` stands for; -1074 for zero, 1024 for NaN and infinities.
pub fn exponent(x: f64) -> i32 {
    let bits = x.to_bits() & (u64::MAX >> 1);
    if bits >> 52 == 0 { 63 - (bits | 1).leading_zeros() as i32 - 1074 } else { (bits >> 52) as i32 - 1023 }
}

impl Float {
    /// IEEE binary64.
    pub const F64: Float = ieee("f64", 64, 53, 1023);
    /// IEEE binary32.
    pub const F32: Float = ieee("f32", 32, 24, 127);
    /// TensorFloat-32: f32's range and 11 significant bits, stored as an f32.
    pub const TF32: Float = Float { field: 23, bits: 32, ..ieee("tf32", 19, 11, 127) };
    /// IEEE binary16.
    pub const F16: Float = ieee("f16", 16, 11, 15);
    /// bfloat16: the upper half of an f32.
    pub const BF16: Float = ieee("bf16", 16, 8, 127);
    /// OCP e4m3 (also called e4m3fn): no infinities, largest value 448.
    pub const E4M3: Float =
        Float { emin: -6, emax: 8, overflow: Overflow::Nan, finite_only: true, ..ieee("e4m3", 8, 4, 8) };
    /// OCP e5m2.
    pub const E5M2: Float = ieee("e5m2", 8, 3, 15);
    /// Every format, the finest first: the rungs of the precision ladder.
    pub const ALL: [Float; 7] =
        [Self::F64, Self::F32, Self::TF32, Self::F16, Self::BF16, Self::E4M3, Self::E5M2];

    /// Significant bits, the hidden one included.
    pub const fn precision(self) -> u32 {
        self.precision
    }
    /// Exponent of the smallest normal number.
    pub const fn emin(self) -> i32 {
        self.emin
    }
    /// Exponent of the largest finite number.
    pub const fn emax(self) -> i32 {
        self.emax
    }
    /// What overflow gives.
    pub const fn overflow(self) -> Overflow {
        self.overflow
    }
    /// Bits that one number takes in storage.
    pub const fn bits(self) -> u32 {
        self.bits
    }
    /// The format's name, as contracts write it.
    pub const fn name(self) -> &'static str {
        self.name
    }
    pub(crate) const fn field(self) -> u32 {
        self.field
    }
    pub(crate) const fn is_finite_only(self) -> bool {
        self.finite_only
    }
    /// The largest value of the exponent field.
    pub(crate) const fn top_exponent(self) -> u64 {
        (1 << (self.bits - 1 - self.field)) - 1
    }
    /// The same format with another answer to overflow. A format without infinities answers `Infinity` with
    /// NaN.
    pub const fn with_overflow(self, overflow: Overflow) -> Float {
        Float { overflow, ..self }
    }
    /// The same format, whatever its answer to overflow.
    pub fn same_format(self, other: Float) -> bool {
        self.name == other.name
    }
    /// The format of this name.
    pub fn parse(name: &str) -> Option<Float> {
        Self::ALL.into_iter().find(|f| f.name == name)
    }

    /// Half the distance from 1 to the next number: the largest relative error of one rounding.
    pub fn unit_roundoff(self) -> f64 {
        pow2(-(self.precision as i32))
    }
    /// The largest finite number.
    pub fn max_finite(self) -> f64 {
        let last = pow2(1 - self.precision as i32);
        pow2(self.emax) * (2.0 - if self.finite_only { 2.0 * last } else { last })
    }
    /// Whether what overflows to this infinity may be stored as `got`. Conversions to eight bits saturate or do not, as
    /// their caller has it, and a kernel may call for either.
    pub fn may_store(self, infinite: f64, got: f64) -> bool {
        let narrow = self.bits <= 8;
        got == infinite || (narrow && (got.is_nan() || got == self.max_finite().copysign(infinite)))
    }
    /// The smallest positive normal number.
    pub fn min_normal(self) -> f64 {
        pow2(self.emin)
    }
    /// The smallest positive number.
    pub fn min_subnormal(self) -> f64 {
        pow2(self.emin - self.precision as i32 + 1)
    }
    /// The distance between neighbouring numbers of the format around `x`; at and above the largest, the
    /// largest.
    pub fn ulp(self, x: f64) -> f64 {
        pow2(exponent(x).clamp(self.emin, self.emax) - self.precision as i32 + 1)
    }
    /// The distance from `x` to the nearer of its neighbours: half of [`Float::ulp`] at a power of two. This is
    /// what WGSL and OpenCL call a unit in the last place.
    pub fn nearer_ulp(self, x: f64) -> f64 {
        let power = x.to_bits() << 12 == 0 && (self.emin + 1..=self.emax).contains(&exponent(x));
        if power { 0.5 * self.ulp(x) } else { self.ulp(x) }
    }
    /// The most that storing a value near `x` can change it; infinite where the store may overflow.
    pub fn half_ulp(self, x: f64) -> f64 {
        let half = self.ulp(x) * 0.5;
        let excess = x.abs() - self.max_finite();
        if excess >= half || excess.is_nan() {
            if self.overflow == Overflow::Saturate { excess.max(half) } else { f64::INFINITY }
        } else {
            half
        }
    }
}
