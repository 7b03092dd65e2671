//! How accurate each language's functions are: one source for error bars and for the simulated GPU.
//! The tables are data, one file a source; this one holds the words they are written in and what they mean.

mod c;
mod cuda;
mod function;
mod inherited;
mod opencl;
mod wgsl;

pub use function::Function;
use inherited::{Given, Place};

use crate::float::{Float, pow2};
use crate::names::did_you_mean;
use std::fmt;

/// The rules a kernel's arithmetic goes by.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub enum Language {
    /// WGSL, and SPIR-V made from it.
    Wgsl,
    /// CUDA C++ as nvcc compiles it by default.
    Cuda,
    /// CUDA C++ with `--use_fast_math`.
    CudaFast,
    /// OpenCL C, full profile.
    OpenCl,
    /// C, C++ and Rust on the host, with the functions of the system's library.
    C,
    /// Every function correctly rounded, nothing flushed, nothing contracted.
    Correct,
}

impl Language {
    /// Every language with its name, sorted by name.
    pub const ALL: &[(&str, Language)] = &[
        ("c", Language::C),
        ("correct", Language::Correct),
        ("cuda", Language::Cuda),
        ("cuda-fast", Language::CudaFast),
        ("opencl", Language::OpenCl),
        ("wgsl", Language::Wgsl),
    ];

    /// The language of this name, or an error that names the nearest.
    pub fn parse(name: &str) -> Result<Language, String> {
        let found = Self::ALL.iter().find(|(n, _)| *n == name).map(|(_, l)| *l);
        found.ok_or_else(|| {
            let hint = did_you_mean(name, Self::ALL.iter().map(|(n, _)| *n));
            let hint = if hint.is_empty() {
                ", there are c, correct, cuda, cuda-fast, opencl, wgsl".into()
            } else {
                hint
            };
            format!("no language `{name}`{hint}")
        })
    }

    /// The language's name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, l)| *l == self).map_or("", |(n, _)| n)
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a language promises of a function's result.
#[derive(Copy, Clone, PartialEq, Debug)]
pub enum Accuracy {
    /// The result is one of the inputs, or exact for another reason: no rounding at all.
    Exact,
    /// To nearest: half a unit in the last place.
    CorrectlyRounded,
    /// So many units in the last place of the true result.
    Ulp(f64),
    /// `base + slope * |x|` units in the last place.
    UlpOfArg {
        /// Units at x = 0.
        base: f64,
        /// Units more for each 1 in |x|.
        slope: f64,
    },
    /// So many units in the last place while the second operand's magnitude is in `lo..=hi`; nothing outside.
    UlpWithin {
        /// Units inside the range.
        ulps: f64,
        /// The smallest |y|.
        lo: f64,
        /// The largest |y|.
        hi: f64,
    },
    /// An absolute error for `x` in `lo..=hi`, units in the last place elsewhere.
    AbsoluteWithin {
        /// The absolute error inside the range.
        error: f64,
        /// The range's lower end.
        lo: f64,
        /// The range's upper end.
        hi: f64,
        /// Units outside it.
        ulps: f64,
    },
    /// An absolute error that grows past a range: `error + slope * max(0, |x| - from)`.
    AbsoluteGrowing {
        /// The absolute error in `-from..=from`.
        error: f64,
        /// Where it begins to grow.
        from: f64,
        /// How fast.
        slope: f64,
    },
    /// That of evaluating the function's [`Function::expression`] with the language's own operations, and
    /// never less than `at_least`. Of a function of vectors no single number is known here (the error is
    /// infinite): evaluate its expression.
    Inherited {
        /// The language whose operations are used.
        language: Language,
        /// The function, which names the expression.
        function: Function,
        /// An absolute error allowed in any case.
        at_least: f64,
    },
    /// The language promises nothing.
    Unbounded,
}

impl Accuracy {
    /// The largest absolute difference from the true result `result` of the function at `x` (and `y`, for
    /// functions of two numbers) that the language allows in format `fmt`, the rounding of the result
    /// included, flushing of subnormals not. Infinite where nothing is promised or overflow may strike.
    pub fn error(&self, fmt: Float, x: f64, y: f64, result: f64) -> f64 {
        self.error_in(fmt.ulp(result), fmt, x, y, result)
    }

    // The same, where a unit in the last place of the result is given.
    fn error_in(&self, unit: f64, fmt: Float, x: f64, y: f64, result: f64) -> f64 {
        let error = match *self {
            Accuracy::Exact => return 0.0,
            Accuracy::CorrectlyRounded => return fmt.half_ulp(result),
            Accuracy::Ulp(n) => n * unit,
            Accuracy::UlpOfArg { base, slope } => (base + slope * x.abs()) * unit,
            Accuracy::UlpWithin { ulps, lo, hi } if (lo..=hi).contains(&y.abs()) => ulps * unit,
            Accuracy::UlpWithin { .. } | Accuracy::Unbounded => f64::INFINITY,
            Accuracy::AbsoluteWithin { error, lo, hi, ulps } => {
                if (lo..=hi).contains(&x) {
                    error
                } else {
                    ulps * unit
                }
            }
            Accuracy::AbsoluteGrowing { error, from, slope } => error + slope * (x.abs() - from).max(0.0),
            Accuracy::Inherited { language, function, at_least } => {
                inherited::error(language, function, fmt, x, y).max(at_least)
            }
        };
        // An absolute error says nothing of the rounding to a coarser format than the one it was stated for.
        let rounding = 0.5 * unit;
        let stated_for_f32 = !is_documented(fmt) && !self.is_in_ulps();
        let error = if stated_for_f32 { error + rounding } else { error.max(rounding) };
        let reach = result.abs() + error;
        if reach < fmt.max_finite() + 0.5 * fmt.ulp(fmt.max_finite()) { error } else { f64::INFINITY }
    }

    fn is_in_ulps(&self) -> bool {
        matches!(self, Accuracy::Ulp(_) | Accuracy::UlpOfArg { .. } | Accuracy::UlpWithin { .. })
    }

    // An entry of the f32 table for a format that a language says nothing of: computed in f32, then rounded.
    fn then_rounded(self, fmt: Float) -> Accuracy {
        let unit = pow2(fmt.precision() as i32 - Float::F32.precision() as i32);
        let more = |ulps: f64| 0.5 + ulps * unit;
        match self {
            Accuracy::Ulp(n) => Accuracy::Ulp(more(n)),
            Accuracy::UlpOfArg { base, slope } => {
                Accuracy::UlpOfArg { base: more(base), slope: slope * unit }
            }
            Accuracy::UlpWithin { ulps, lo, hi } => Accuracy::UlpWithin { ulps: more(ulps), lo, hi },
            Accuracy::AbsoluteWithin { error, lo, hi, ulps } => {
                Accuracy::AbsoluteWithin { error, lo, hi, ulps: ulps * unit }
            }
            other => other,
        }
    }

    /// The same, element by element: `error[i]` for `x[i]`, `y[i]` (of which there may be one for all),
    /// `result[i]`.
    pub fn error_slice(&self, fmt: Float, x: &[f64], y: &[f64], result: &[f64], error: &mut [f64]) {
        let y_step = usize::from(y.len() > 1);
        for (i, e) in error.iter_mut().enumerate() {
            *e = self.error(fmt, x[i], y.get(i * y_step).copied().unwrap_or(0.0), result[i]);
        }
    }
}

// Formats that the languages' tables have a column for.
fn is_documented(fmt: Float) -> bool {
    [Float::F64, Float::F32, Float::F16].iter().any(|f| f.same_format(fmt))
}

/// What `language` promises of `function` in the format `fmt`. Of tf32, bf16, e4m3 and e5m2 no language says
/// anything: there the function is taken as computed in f32 and then rounded.
pub fn accuracy(language: Language, function: Function, fmt: Float) -> Accuracy {
    if function.is_exact() {
        return Accuracy::Exact;
    }
    let entry = match language {
        Language::Wgsl => wgsl::accuracy(function, fmt),
        Language::Cuda => cuda::accuracy(function, fmt),
        Language::CudaFast => cuda::fast(function, fmt),
        Language::OpenCl => opencl::accuracy(function, fmt),
        Language::C => c::accuracy(function, fmt),
        Language::Correct if function == Function::Determinant => Accuracy::Unbounded,
        Language::Correct if function.of_vectors() => inherit(language, function),
        Language::Correct => Accuracy::CorrectlyRounded,
    };
    if is_documented(fmt) { entry } else { entry.then_rounded(fmt) }
}

/// The smallest and the largest number of the format that `language` accepts of `function` at the numbers `x` and `y`
/// of the format, where the true result is `result`; `None` where it promises nothing or the result may overflow.
/// Sharper than [`Accuracy::error`]: operations that are exact add nothing, and each side has its own bound.
pub fn accepted(
    language: Language,
    function: Function,
    fmt: Float,
    (x, y): (f64, f64),
    result: f64,
) -> Option<(f64, f64)> {
    let place = Place { language, fmt, given: Given::Exactly };
    let entry = accuracy(language, function, fmt);
    let at_least = match entry {
        Accuracy::Inherited { at_least, .. } => Some(at_least),
        // its entry is a figure that sums its expression up
        _ if function == Function::Sqrt && language == Language::Wgsl => Some(0.0),
        _ => None,
    };
    let (low, high) = match at_least {
        Some(at_least) => {
            let range = place.evaluate(function, x, y);
            let (low, high) = place.inside(result - at_least, result, result + at_least);
            (range.low.min(low), range.high.max(high))
        }
        None => place.around(function, x, y, result),
    };
    let bounded = |end: f64| end.abs() <= fmt.max_finite();
    (bounded(low) && bounded(high)).then_some((low, high))
}

/// Where an entry of a table is not the language's own word: what it stands on instead.
pub fn note(language: Language, function: Function) -> Option<&'static str> {
    if function == Function::Sigmoid && language != Language::Correct {
        return Some("no built-in: taken as 1 / (1 + exp(-x)) in the language's own operations");
    }
    match language {
        Language::Wgsl => wgsl::note(function),
        Language::Cuda | Language::CudaFast => cuda::note(function),
        Language::OpenCl => opencl::note(function),
        Language::C => c::note(function),
        Language::Correct => None,
    }
}

/// Whether results or operands below the smallest normal number may become zero.
pub fn flushes_subnormals(language: Language) -> bool {
    // WGSL: "may be flushed"; fast math: -ftz=true; OpenCL: single precision subnormals are optional.
    matches!(language, Language::Wgsl | Language::CudaFast | Language::OpenCl)
}

/// Whether a multiplication and an addition may be fused without being asked to.
pub fn may_contract(language: Language) -> bool {
    // nvcc's default is -fmad=true, OpenCL's FP_CONTRACT is on, WGSL allows fusion; of C compilers gcc's
    // default is -ffp-contract=fast, which acts wherever the target has the instruction.
    language != Language::Correct
}

fn inherit(language: Language, function: Function) -> Accuracy {
    Accuracy::Inherited { language, function, at_least: 0.0 }
}

// A figure counted from the correctly rounded result: that rounding comes on top.
fn beyond_rounding(ulps: f64) -> Accuracy {
    if ulps == 0.0 { Accuracy::CorrectlyRounded } else { Accuracy::Ulp(ulps + 0.5) }
}
