//! The evaluator: one walk over the stages of a case, generic over what a number is (`lane`).

pub(crate) mod bar;
pub(crate) mod bar_fold;
pub(crate) mod bar_function;
pub(crate) mod blocks;
pub(crate) mod contract;
pub(crate) mod demand;
pub(crate) mod double;
pub(crate) mod driver;
pub(crate) mod exact;
pub(crate) mod given;
pub(crate) mod ints;
pub(crate) mod lane;
pub(crate) mod plain_fold;
pub(crate) mod plane;
pub(crate) mod points;
pub(crate) mod pool;
pub(crate) mod product_points;
pub(crate) mod read;
pub(crate) mod rounded;
pub(crate) mod run;
pub(crate) mod rung;
pub(crate) mod simd;
pub(crate) mod spare;
pub(crate) mod stage;
pub(crate) mod sum_rule;
pub(crate) mod value;
