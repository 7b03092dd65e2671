//! Storage types of tensors: their names, sizes, and what storing a number does to it.

use crate::blocks::BlockFormat;
use crate::float::Float;
use crate::names::did_you_mean;
use std::fmt;

/// What a tensor's elements are stored as.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub enum DType {
    /// A floating-point format.
    Float(Float),
    /// A two's complement or unsigned integer of 8, 16, 32 or 64 bits.
    Int {
        /// Width.
        bits: u32,
        /// Whether it has a sign.
        signed: bool,
    },
    /// One byte, 0 or 1.
    Bool,
    /// Quantised blocks along the last dimension.
    Block(BlockFormat),
}

const fn int(bits: u32, signed: bool) -> DType {
    DType::Int { bits, signed }
}

impl DType {
    /// 64-bit float.
    pub const F64: DType = DType::Float(Float::F64);
    /// 32-bit float.
    pub const F32: DType = DType::Float(Float::F32);
    /// 16-bit float.
    pub const F16: DType = DType::Float(Float::F16);
    /// bfloat16.
    pub const BF16: DType = DType::Float(Float::BF16);
    /// 32-bit signed integer.
    pub const I32: DType = int(32, true);
    /// 32-bit unsigned integer.
    pub const U32: DType = int(32, false);
    /// 64-bit signed integer.
    pub const I64: DType = int(64, true);

    /// Every type with its name, sorted by name.
    pub const ALL: &[(&str, DType)] = &[
        ("bf16", DType::BF16),
        ("bool", DType::Bool),
        ("e4m3", DType::Float(Float::E4M3)),
        ("e5m2", DType::Float(Float::E5M2)),
        ("f16", DType::F16),
        ("f32", DType::F32),
        ("f64", DType::F64),
        ("i16", int(16, true)),
        ("i32", int(32, true)),
        ("i64", int(64, true)),
        ("i8", int(8, true)),
        ("iq4_nl", DType::Block(BlockFormat::Iq4Nl)),
        ("iq4_xs", DType::Block(BlockFormat::Iq4Xs)),
        ("mxfp4", DType::Block(BlockFormat::Mxfp4)),
        ("nvfp4", DType::Block(BlockFormat::Nvfp4)),
        ("q2_K", DType::Block(BlockFormat::Q2K)),
        ("q3_K", DType::Block(BlockFormat::Q3K)),
        ("q4_0", DType::Block(BlockFormat::Q4_0)),
        ("q4_1", DType::Block(BlockFormat::Q4_1)),
        ("q4_K", DType::Block(BlockFormat::Q4K)),
        ("q5_0", DType::Block(BlockFormat::Q5_0)),
        ("q5_1", DType::Block(BlockFormat::Q5_1)),
        ("q5_K", DType::Block(BlockFormat::Q5K)),
        ("q6_K", DType::Block(BlockFormat::Q6K)),
        ("q8_0", DType::Block(BlockFormat::Q8_0)),
        ("q8_1", DType::Block(BlockFormat::Q8_1)),
        ("q8_K", DType::Block(BlockFormat::Q8K)),
        ("tf32", DType::Float(Float::TF32)),
        ("tq1_0", DType::Block(BlockFormat::Tq1_0)),
        ("tq2_0", DType::Block(BlockFormat::Tq2_0)),
        ("u16", int(16, false)),
        ("u32", int(32, false)),
        ("u64", int(64, false)),
        ("u8", int(8, false)),
    ];

    /// The type of this name, or an error that names the nearest.
    pub fn parse(name: &str) -> Result<DType, String> {
        let found = Self::ALL.iter().find(|(n, _)| *n == name).map(|(_, t)| *t);
        found.ok_or_else(|| {
            let hint = did_you_mean(name, Self::ALL.iter().map(|(n, _)| *n));
            let hint =
                if hint.is_empty() { ", types are f32, f16, bf16, i32, u32, q4_0 …".into() } else { hint };
            format!("no type `{name}`{hint}")
        })
    }

    /// The type's name.
    pub fn name(self) -> &'static str {
        match self {
            DType::Float(f) => f.name(),
            DType::Bool => "bool",
            DType::Block(b) => b.name(),
            DType::Int { .. } => Self::ALL.iter().find(|(_, t)| *t == self).map_or("int", |(n, _)| n),
        }
    }

    /// Elements that are stored together: 1 except in block formats.
    pub fn elements_per_block(self) -> usize {
        match self {
            DType::Block(b) => b.elements(),
            _ => 1,
        }
    }

    /// Bytes of one block, or of one element where there are no blocks.
    pub fn bytes_per_block(self) -> usize {
        match self {
            DType::Float(f) => f.bits() as usize / 8,
            DType::Int { bits, .. } => bits as usize / 8,
            DType::Bool => 1,
            DType::Block(b) => b.bytes(),
        }
    }

    /// Whether elements are integers or truth values.
    pub fn is_integer(self) -> bool {
        matches!(self, DType::Int { .. } | DType::Bool)
    }

    /// The floating-point format, where it is one.
    pub fn float(self) -> Option<Float> {
        match self {
            DType::Float(f) => Some(f),
            _ => None,
        }
    }

    /// The smallest and the largest value, where the type is an integer.
    pub fn integer_range(self) -> Option<(i128, i128)> {
        match self {
            DType::Int { bits, signed: true } => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
            DType::Int { bits, signed: false } => Some((0, (1 << bits) - 1)),
            DType::Bool => Some((0, 1)),
            _ => None,
        }
    }

    /// What storing `x` makes of it. Integers cut the fraction off and saturate, NaN becomes 0, as casts do
    /// in Rust and WGSL; truth values become 0 or 1. An element of a block format depends on its whole
    /// block and comes back as f32.
    pub fn round(self, x: f64) -> f64 {
        match self {
            DType::Float(f) => f.round(x),
            DType::Block(_) => Float::F32.round(x),
            DType::Bool => f64::from(u8::from(x != 0.0)),
            DType::Int { bits: 64, signed: true } => (x as i64) as f64,
            DType::Int { bits: 64, signed: false } => (x as u64) as f64,
            DType::Int { .. } => {
                let (lo, hi) = self.integer_range().unwrap_or((0, 0));
                if x.is_nan() { 0.0 } else { x.trunc().clamp(lo as f64, hi as f64) }
            }
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for DType {
    type Err = String;
    fn from_str(name: &str) -> Result<DType, String> {
        DType::parse(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registry_is_sorted_and_complete() {
        assert!(DType::ALL.is_sorted_by(|a, b| a.0 < b.0));
        for (name, dtype) in DType::ALL {
            assert_eq!(dtype.name(), *name);
            assert_eq!(DType::parse(name), Ok(*dtype));
            assert_eq!(dtype.to_string().parse::<DType>(), Ok(*dtype));
            assert!(dtype.bytes_per_block() > 0 && dtype.elements_per_block() > 0);
        }
        for format in BlockFormat::ALL {
            assert!(DType::ALL.contains(&(format.name(), DType::Block(format))));
        }
        for float in Float::ALL {
            assert!(DType::ALL.contains(&(float.name(), DType::Float(float))));
        }
    }

    #[test]
    fn unknown_names_suggest_the_nearest() {
        assert_eq!(DType::parse("q4_k").unwrap_err(), "no type `q4_k`, did you mean `q4_K`?");
        assert_eq!(
            DType::parse("float16").unwrap_err(),
            "no type `float16`, types are f32, f16, bf16, i32, u32, q4_0 …"
        );
    }

    #[test]
    fn integers_saturate_and_cut() {
        let i8 = DType::parse("i8").unwrap();
        for (x, y) in [(2.9, 2.0), (-2.9, -2.0), (200.0, 127.0), (-1e9, -128.0), (f64::NAN, 0.0)] {
            assert_eq!(i8.round(x), y);
        }
        assert_eq!(DType::U32.round(-1.0), 0.0);
        assert_eq!(DType::U32.round(f64::INFINITY), 4_294_967_295.0);
        assert_eq!(DType::Bool.round(-3.0), 1.0);
    }
}
