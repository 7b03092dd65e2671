//! Rules that are in use elsewhere, under names of their own.

use ktwin_num::{DType, Float};

/// A rule in use elsewhere.
pub struct Preset {
    /// Its name here.
    pub name: &'static str,
    /// What it is, as it could be written.
    pub is: &'static str,
    /// Who uses it.
    pub by: &'static str,
}

/// Every preset, sorted by name.
pub const PRESETS: &[Preset] = &[
    Preset { name: "allclose_1e-4", is: "allclose:rtol=1e-4,atol=1e-4", by: "benchmarks of kernels in f32" },
    Preset { name: "allclose_5e-2", is: "allclose:rtol=5e-2,atol=5e-2", by: "tests of attention in f16" },
    Preset { name: "engine_f16", is: "allclose_max:rtol=5e-2,atol=5e-2", by: "inference engines, for f16" },
    Preset { name: "kernelbench", is: "allclose:rtol=1e-2,atol=1e-2", by: "KernelBench" },
    Preset { name: "llama_cpp", is: "nmse:1e-7", by: "llama.cpp, most ops" },
    Preset { name: "llama_cpp_matmul", is: "nmse:5e-4", by: "llama.cpp, matrix products" },
    Preset { name: "nmse_q4", is: "nmse:0.015", by: "q4_0 and q4_1 by q8_1" },
    Preset { name: "nmse_q5", is: "nmse:0.01", by: "q5_0 and q5_1 by q8_1" },
    Preset { name: "nmse_q8", is: "nmse:0.005", by: "q8_0 by q8_1" },
];

/// rtol and atol of `torch.testing.assert_close`, where none are given.
pub const TORCH: &[(DType, f64, f64)] = &[
    (DType::F16, 1e-3, 1e-5),
    (DType::BF16, 1.6e-2, 1e-5),
    (DType::F32, 1.3e-6, 1e-5),
    (DType::Float(Float::TF32), 1.3e-6, 1e-5),
    (DType::F64, 1e-7, 1e-7),
];

/// rtol and atol by type, against a reference in f64; of quantised bytes half a step.
pub const BY_TYPE: &[(DType, f64, f64)] = &[
    (DType::F32, 1e-5, 1e-8),
    (DType::F16, 1e-2, 1e-3),
    (DType::BF16, 5e-2, 1e-3),
    (DType::Int { bits: 8, signed: true }, 0.0, 0.5),
];
