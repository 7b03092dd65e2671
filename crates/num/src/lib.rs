//! Number formats, rounding, accuracy tables, quantised blocks, tensors and layouts, input regimes.
#![warn(missing_docs)]

mod accuracy;
mod blocks;
mod bytes;
mod dd;
mod dtype;
mod equal;
mod fill;
mod float;
mod layout;
pub mod math;
mod names;
mod order;
mod pages;
mod reach;
mod reason;
mod regime;
mod remote;
mod rng;
mod round;
mod sharp;
mod special;
pub mod steady;
mod storage;
mod tensor;
mod whole;

pub use accuracy::{
    Accuracy, Function, Language, accepted, accuracy, flushes_subnormals, may_contract, note,
};
pub use blocks::{BlockFormat, Codes};
pub use bytes::Bytes;
pub use dd::Dd;
pub use dtype::DType;
pub use fill::{
    Fill, HALVES, HALVES_OF_ALL, IN_LANE, NARROW, NEAR_HALVES, PAIRS, POWERS, TWICE, fill, fill_range,
};
pub use float::{Float, Overflow, exponent, pow2};
pub use layout::{Layout, POISON, Told};
pub use names::{did_you_mean, first_word, nearest, plural};
pub use pages::{copier, zeros};
pub use reason::reason;
pub use regime::{Domain, Regime, Role, Sharp, Sorted};
pub use remote::{DEEP, LOWEST};
pub use rng::{Elements, Rng};
pub use round::{bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16, f64_to_bf16, f64_to_f16, round_to_f16};
pub use special::{INF_BELOW, PLACES, ROW_BEGINS, THEN_NAN, THEN_OPPOSITE, ZERO_BEFORE};
pub use tensor::{Tensor, row_strides};
