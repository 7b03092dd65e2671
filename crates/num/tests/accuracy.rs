//! Accuracy tables: complete, as their sources say, and inherited errors that hold from both sides.

use ktwin_num::{
    Accuracy, Float, Function, Language, Rng, accepted, accuracy, flushes_subnormals, math, may_contract,
    note, pow2,
};

const FORMATS: [Float; 4] = [Float::F64, Float::F32, Float::F16, Float::BF16];

#[test]
fn names() {
    for (name, language) in Language::ALL {
        assert_eq!(Language::parse(name), Ok(*language));
        assert_eq!(language.to_string(), *name);
    }
    assert_eq!(Language::parse("wsgl").unwrap_err(), "no language `wsgl`, did you mean `wgsl`?");
    assert!(Language::ALL.is_sorted_by(|a, b| a.0 < b.0));
    for function in Function::ALL {
        assert_eq!(Function::parse(function.name()), Some(*function));
    }
}

// A point inside every function's domain, and its value there.
fn sample(function: Function) -> (f64, f64, f64) {
    use Function::*;
    let x = 0.7;
    let value = match function {
        Acosh => return (1.7, 0.6, math::acosh(1.7)),
        Add => x + 0.6,
        Sub => x - 0.6,
        Mul => x * 0.6,
        Div => x / 0.6,
        Rem => x % 0.6,
        Exp => math::exp(x),
        Log => math::log(x),
        Tanh => math::tanh(x),
        Pow => math::pow(x, 0.6),
        Sin => math::sin(x),
        Radians => x.to_radians(),
        Degrees => x.to_degrees(),
        _ => 0.7,
    };
    (x, 0.6, value)
}

#[test]
fn every_entry_makes_sense() {
    for (name, language) in Language::ALL {
        for function in Function::ALL {
            for fmt in FORMATS {
                let entry = accuracy(*language, *function, fmt);
                let (x, y, value) = sample(*function);
                let error = entry.error(fmt, x, y, value);
                let label = format!("{name} {} {}: {entry:?} {error:e}", function.name(), fmt.name());
                if entry == Accuracy::Exact {
                    assert!(function.is_exact() || *function == Function::Rem, "{label}");
                    assert_eq!(error, 0.0);
                } else if entry == Accuracy::Unbounded || function.of_vectors() {
                    assert_eq!(error, f64::INFINITY, "{label}");
                } else {
                    assert!(error >= fmt.half_ulp(value) && error < 0.3 * value.max(1.0), "{label}");
                }
                if let Accuracy::Inherited { function: from, .. } = entry {
                    assert_eq!(from, *function, "{label}");
                    assert!(!function.expression().is_empty(), "{label}");
                }
                // Nothing is promised where the result may overflow.
                if !matches!(entry, Accuracy::Exact | Accuracy::Inherited { .. }) {
                    assert_eq!(
                        entry.error(fmt, x, y, fmt.max_finite() * (1.0 + pow2(-2))),
                        f64::INFINITY,
                        "{label}"
                    );
                }
            }
        }
    }
}

#[test]
fn as_the_sources_say() {
    let f32_ulp = Float::F32.ulp(1.0);
    let at = |language, function, x: f64, y: f64, value: f64| {
        accuracy(language, function, Float::F32).error(Float::F32, x, y, value)
    };
    use Function::*;
    use Language::*;
    assert_eq!(at(Wgsl, Add, 0.5, 0.5, 1.0), 0.5 * f32_ulp);
    assert_eq!(at(Wgsl, Div, 1.0, 1.0, 1.0), 2.5 * f32_ulp);
    assert_eq!(at(Wgsl, Div, 1.0, 1e38, 1.0), f64::INFINITY);
    assert_eq!(at(Wgsl, Exp, -4.0, 0.0, 1.0), 11.0 * f32_ulp);
    assert_eq!(accuracy(Wgsl, Exp, Float::F16), Accuracy::UlpOfArg { base: 1.0, slope: 2.0 });
    assert_eq!(at(Wgsl, Log, 0.5, 0.0, 1.0), pow2(-21));
    assert_eq!(at(Wgsl, Log, 2.5, 0.0, 1.0), 3.0 * f32_ulp);
    assert_eq!(at(Wgsl, Sin, 3.0, 0.0, 0.5), pow2(-11));
    assert!(at(Wgsl, Sin, 1000.0, 0.0, 0.5) > pow2(-11));
    assert_eq!(at(Wgsl, Tanh, 1e-3, 0.0, 1e-3), 1e-5);
    assert_eq!(at(Wgsl, Sqrt, 0.0, 0.0, 0.0), 6.5 * Float::F32.min_subnormal());
    assert_eq!(accuracy(Cuda, Exp, Float::F32), Accuracy::Ulp(2.5));
    assert_eq!(accuracy(Cuda, Div, Float::F32), Accuracy::CorrectlyRounded);
    assert_eq!(accuracy(Cuda, Pow, Float::F64), Accuracy::Ulp(2.5));
    assert_eq!(at(CudaFast, Exp, 10.0, 0.0, 1.0), (2.5 + 11.73) * f32_ulp);
    let turn = std::f64::consts::TAU;
    assert_eq!(at(CudaFast, Sin, turn, 0.0, 0.5), libm::exp2(-20.5));
    let far = at(CudaFast, Cos, 50.0 * turn, 0.0, 0.5);
    assert!(far < libm::exp2(-14.7) && far > libm::exp2(-14.72), "{far}");
    assert_eq!(accuracy(CudaFast, Exp, Float::F64), accuracy(Cuda, Exp, Float::F64));
    assert_eq!(accuracy(OpenCl, Exp, Float::F32), Accuracy::Ulp(3.0));
    assert_eq!(accuracy(OpenCl, Sqrt, Float::F16), Accuracy::CorrectlyRounded);
    assert_eq!(accuracy(Correct, Erf, Float::F32), Accuracy::CorrectlyRounded);
    // bf16: f32's figure, in units of which 65536 make one of bf16's, and the rounding.
    assert_eq!(accuracy(Cuda, Exp, Float::BF16), Accuracy::Ulp(0.5 + 2.5 / 65536.0));
    assert_eq!(accuracy(Cuda, Add, Float::BF16), Accuracy::CorrectlyRounded);
    assert_eq!(accuracy(C, Tanh, Float::F32), Accuracy::Ulp(2.5));
    let flushing = Language::ALL.iter().filter(|(_, l)| flushes_subnormals(*l)).map(|(n, _)| *n);
    assert_eq!(flushing.collect::<Vec<_>>(), ["cuda-fast", "opencl", "wgsl"]);
    assert!(may_contract(Cuda) && !may_contract(Correct));
    for (language, function) in [(Wgsl, Sin), (Wgsl, Erf), (Cuda, Sigmoid), (CudaFast, Sin), (C, Tanh)] {
        assert!(note(language, function).is_some());
    }
}

/// Evaluates with every operation wrong by a random part of what the language allows it.
struct Sloppy {
    language: Language,
    fmt: Float,
    rng: Rng,
}

impl Sloppy {
    fn with(&mut self, function: Function, x: f64, y: f64, value: f64) -> f64 {
        let error = accuracy(self.language, function, self.fmt).error(self.fmt, x, y, value);
        // The ends are the most telling.
        let part = match self.rng.below(4) {
            0 => 1.0,
            1 => -1.0,
            _ => 2.0 * self.rng.uniform() - 1.0,
        };
        value + 0.9999 * part * error
    }

    fn add(&mut self, a: f64, b: f64) -> f64 {
        self.with(Function::Add, a, b, a + b)
    }
    fn mul(&mut self, a: f64, b: f64) -> f64 {
        self.with(Function::Mul, a, b, a * b)
    }
    fn div(&mut self, a: f64, b: f64) -> f64 {
        self.with(Function::Div, a, b, a / b)
    }
    fn one(&mut self, function: Function, x: f64, f: fn(f64) -> f64) -> f64 {
        self.with(function, x, 0.0, f(x))
    }
    fn exp(&mut self, x: f64) -> f64 {
        self.one(Function::Exp, x, math::exp)
    }

    fn hyperbolic(&mut self, x: f64, sign: f64) -> f64 {
        let (a, b) = (self.exp(x), self.exp(-x));
        let both = self.add(a, sign * b);
        self.mul(both, 0.5)
    }

    fn log_root(&mut self, x: f64, one: f64) -> f64 {
        let square = self.mul(x, x);
        let under = self.add(square, one);
        let root = self.one(Function::Sqrt, under, math::sqrt);
        let sum = self.add(x, root);
        self.one(Function::Log, sum, math::log)
    }

    fn evaluate(&mut self, function: Function, x: f64, y: f64) -> f64 {
        use Function::*;
        match function {
            Sigmoid => {
                let e = self.exp(-x);
                let sum = self.add(1.0, e);
                self.div(1.0, sum)
            }
            Sinh => self.hyperbolic(x, -1.0),
            Cosh => self.hyperbolic(x, 1.0),
            Tanh => {
                let (s, c) = (self.hyperbolic(x, -1.0), self.hyperbolic(x, 1.0));
                self.div(s, c)
            }
            Tan => {
                let (s, c) = (self.one(Sin, x, math::sin), self.one(Cos, x, math::cos));
                self.div(s, c)
            }
            Pow => {
                let l = self.one(Log2, x, math::log2);
                let t = self.mul(y, l);
                self.one(Exp2, t, math::exp2)
            }
            Asinh => self.log_root(x, 1.0),
            Acosh => self.log_root(x, -1.0),
            Atanh => {
                let (a, b) = (self.add(1.0, x), self.add(1.0, -x));
                let q = self.div(a, b);
                let l = self.one(Log, q, math::log);
                self.mul(l, 0.5)
            }
            Expm1 => {
                let e = self.exp(x);
                self.add(e, -1.0)
            }
            _ => panic!("{}", function.name()),
        }
    }
}

#[test]
fn inherited_errors_hold_from_both_sides() {
    use Function::*;
    type Row = (Function, f64, f64, fn(f64, f64) -> f64);
    let rows: [Row; 10] = [
        (Sigmoid, -30.0, 30.0, |x, _| math::sigmoid(x)),
        (Sinh, -20.0, 20.0, |x, _| math::sinh(x)),
        (Cosh, -20.0, 20.0, |x, _| math::cosh(x)),
        (Tanh, -9.0, 9.0, |x, _| math::tanh(x)),
        (Tan, -1.4, 1.4, |x, _| math::tan(x)),
        (Pow, 0.1, 20.0, math::pow),
        (Asinh, -0.5, 40.0, |x, _| math::asinh(x)),
        (Acosh, 1.1, 40.0, |x, _| math::acosh(x)),
        (Atanh, -0.9, 0.9, |x, _| math::atanh(x)),
        (Expm1, -3.0, 3.0, |x, _| math::expm1(x)),
    ];
    for (function, lo, hi, exact) in rows {
        let fmt = Float::F32;
        let mut sloppy = Sloppy { language: Language::Wgsl, fmt, rng: Rng::new(1, 1) };
        let mut largest: f64 = 0.0;
        for i in 0..400 {
            let x = lo + (hi - lo) * f64::from(i) / 400.0;
            let y = 3.0 - f64::from(i) / 60.0;
            let truth = exact(x, y);
            let bound = accuracy(Language::Wgsl, function, fmt).error(fmt, x, y, truth);
            for _ in 0..60 {
                let ratio = (sloppy.evaluate(function, x, y) - truth).abs() / bound;
                assert!(ratio <= 1.0, "{}({x}, {y}): {ratio} of its bound {bound:e}", function.name());
                largest = largest.max(ratio);
            }
        }
        println!("{} {largest:.3}", function.name());
        // Of tanh the absolute error that is allowed in any case is mostly the larger.
        assert!(
            largest > if function == Tanh { 0.4 } else { 0.7 },
            "{}: no evaluation came nearer to its bound than {largest}",
            function.name()
        );
    }
}

fn wgsl(function: Function, fmt: Float, x: f64, y: f64, result: f64) -> (f64, f64) {
    accepted(Language::Wgsl, function, fmt, (x, y), result).expect("something is promised")
}

#[test]
fn what_is_accepted_is_sharp() {
    use Function::*;
    let bits = |(low, high): (f64, f64)| ((low as f32).to_bits(), (high as f32).to_bits());
    // units below a power of two are half as large as above it
    assert_eq!(bits(wgsl(Div, Float::F32, 10.0, 10.0, 1.0)), (0x3f7f_fffe, 0x3f80_0001));
    assert_eq!(bits(wgsl(Exp, Float::F32, 0.0, 0.0, 1.0)), (0x3f7f_fffd, 0x3f80_0001));
    // a product and a difference that are exact
    assert_eq!(wgsl(Rem, Float::F16, -1.0, -10.0, -1.0), (-1.0, -1.0));
    // a cancelled sum under a logarithm: the one side is far longer
    let (low, high) = wgsl(Asinh, Float::F16, -9.1328125, 0.0, libm::asinh(-9.1328125));
    assert!((-4.17..-3.2).contains(&low) && (-2.9..-2.36).contains(&high), "{low} {high}");
    // an absolute error that is allowed in any case
    let (low, high) = wgsl(Tanh, Float::F32, 1e-3, 0.0, math::tanh(1e-3));
    assert!(low < 1e-3 - 9.9e-6 && high > 1e-3 + 9.9e-6, "{low} {high}");
    assert_eq!(accepted(Language::Wgsl, Div, Float::F32, (1.0, 1e38), 1e-38), None);
    assert_eq!(accepted(Language::Wgsl, Exp, Float::F32, (88.8, 0.0), math::exp(88.8)), None);
    assert_eq!(accepted(Language::Wgsl, Determinant, Float::F32, (1.0, 0.0), 1.0), None);
}

#[test]
fn what_is_accepted_lies_within_the_error() {
    let fmt = Float::F32;
    let one = [Function::Exp, Function::Log, Function::Sqrt, Function::Tan, Function::Asinh, Function::Acosh];
    let mut rng = Rng::new(3, 1);
    for _ in 0..2000 {
        let x = fmt.round(1.0 + 30.0 * rng.uniform());
        let y = fmt.round(4.0 * rng.uniform() - 2.0);
        let values = [math::exp(x), math::log(x), x.sqrt(), math::tan(x), math::asinh(x), math::acosh(x)];
        let pairs = one.into_iter().zip(values).chain([(Function::Pow, math::pow(x, y))]);
        for (function, value) in pairs {
            let error = accuracy(Language::Wgsl, function, fmt).error(fmt, x, y, value);
            let Some((low, high)) = accepted(Language::Wgsl, function, fmt, (x, y), value) else { continue };
            let name = function.name();
            assert!(low <= high && low == fmt.round(low) && high == fmt.round(high), "{name}({x}, {y})");
            let most = (high - value).max(value - low);
            assert!(
                most <= error * (1.0 + 1e-9),
                "{name}({x}, {y}): {low:e}..{high:e}, {value:e} +- {error:e}"
            );
        }
    }
}

#[test]
fn a_quotient_with_a_factor_in_it_stays_within_the_sigmoid() {
    let fmt = Float::F32;
    let mut sloppy = Sloppy { language: Language::Wgsl, fmt, rng: Rng::new(5, 1) };
    for i in 0..4000 {
        let x = fmt.round(f64::from(i) / 100.0 - 19.995);
        let sigmoid = math::sigmoid(x);
        let bound = accuracy(Language::Wgsl, Function::Sigmoid, fmt).error(fmt, x, 0.0, sigmoid);
        let bound = bound * x.abs() + fmt.half_ulp(x * sigmoid);
        for _ in 0..10 {
            let e = sloppy.exp(-x);
            let sum = sloppy.add(1.0, e);
            let error = (sloppy.div(x, sum) - x * sigmoid).abs();
            assert!(error <= bound * 1.0001, "{x}: {error:e} beyond {bound:e}");
        }
    }
}

#[test]
fn slices_agree() {
    let (x, y, r) = ([0.1, 0.9, 5.0], [2.0, 0.5, 1e-40], [0.05, 1.8, 3.0]);
    for (_, language) in Language::ALL {
        for function in Function::ALL {
            let entry = accuracy(*language, *function, Float::F32);
            let mut out = [0.0; 3];
            entry.error_slice(Float::F32, &x, &y, &r, &mut out);
            assert_eq!(out, std::array::from_fn(|i| entry.error(Float::F32, x[i], y[i], r[i])));
            entry.error_slice(Float::F32, &x, &[], &r, &mut out);
            assert_eq!(out[2], entry.error(Float::F32, x[2], 0.0, r[2]));
        }
    }
}
