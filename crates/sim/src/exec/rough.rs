//! Built-in functions as inexact as the language allows: at the edge of the accuracy table, or anywhere
//! inside it.

use super::alu::convert::half_of_f64;
use super::alu::lift::{get, one, put, put_one};
use super::alu::reals;
use super::lanes::{ROW, Row};
use super::machine::Machine;
use super::step::{Pair, Step};
use super::workgroup::Random;
use crate::api::options::Mode;
use crate::ir::{Bin, NONE, Op, Ty, Un};
use ktwin_num::{Accuracy, Float, Function, Language, accepted, accuracy, math};

/// A function and how wrong it may be.
#[derive(Clone, Copy, Debug)]
pub struct Rough {
    f: Real2,
    function: Function,
    half: bool,
    language: Language,
    mode: Mode,
    /// Makes the choice of errors: the same for the same operands.
    key: u64,
}

/// The rough version of an operation, if the language's table leaves it any room.
pub fn rough(op: Op, language: Language, mode: Mode, key: u64) -> Option<Rough> {
    let (function, f, ty): (Function, Real2, Ty) = match op {
        Op::Bin(Bin::Div, ty) => (Function::Div, |x, y| x / y, ty),
        Op::Bin(Bin::Rem, ty) => (Function::Rem, libm::fmod, ty),
        Op::Bin(Bin::Pow, ty) => (Function::Pow, reals::pow, ty),
        Op::Bin(Bin::Atan2, ty) => (Function::Atan2, libm::atan2, ty),
        Op::Un(un, ty) => {
            let (function, f) = function(un)?;
            (function, f, ty)
        }
        _ => return None,
    };
    if mode == Mode::Nearest || !matches!(ty, Ty::F16 | Ty::F32) {
        return None;
    }
    let half = ty == Ty::F16;
    let accuracy = accuracy(language, function, if half { Float::F16 } else { Float::F32 });
    let room = !matches!(accuracy, Accuracy::Exact | Accuracy::CorrectlyRounded | Accuracy::Unbounded);
    room.then_some(Rough { f, function, half, language, mode, key })
}

/// A function of two real numbers; those of one ignore the second.
type Real2 = fn(f64, f64) -> f64;

fn function(un: Un) -> Option<(Function, Real2)> {
    Some(match un {
        Un::Sqrt => (Function::Sqrt, |x, _| x.sqrt()),
        Un::Rsqrt => (Function::Rsqrt, |x, _| math::rsqrt(x)),
        Un::Exp => (Function::Exp, |x, _| math::exp(x)),
        Un::Exp2 => (Function::Exp2, |x, _| math::exp2(x)),
        Un::Log => (Function::Log, |x, _| math::log(x)),
        Un::Log2 => (Function::Log2, |x, _| math::log2(x)),
        Un::Sin => (Function::Sin, |x, _| libm::sin(x)),
        Un::Cos => (Function::Cos, |x, _| libm::cos(x)),
        Un::Tan => (Function::Tan, |x, _| libm::tan(x)),
        Un::Asin => (Function::Asin, |x, _| libm::asin(x)),
        Un::Acos => (Function::Acos, |x, _| libm::acos(x)),
        Un::Atan => (Function::Atan, |x, _| libm::atan(x)),
        Un::Sinh => (Function::Sinh, |x, _| libm::sinh(x)),
        Un::Cosh => (Function::Cosh, |x, _| libm::cosh(x)),
        Un::Tanh => (Function::Tanh, |x, _| math::tanh(x)),
        Un::Asinh => (Function::Asinh, |x, _| libm::asinh(x)),
        Un::Acosh => (Function::Acosh, |x, _| libm::acosh(x)),
        Un::Atanh => (Function::Atanh, |x, _| libm::atanh(x)),
        Un::Cbrt => (Function::Cbrt, |x, _| libm::cbrt(x)),
        Un::Erf => (Function::Erf, |x, _| libm::erf(x)),
        Un::Exp10 => (Function::Exp10, |x, _| libm::exp10(x)),
        Un::Expm1 => (Function::Expm1, |x, _| libm::expm1(x)),
        Un::Log10 => (Function::Log10, |x, _| libm::log10(x)),
        Un::Log1p => (Function::Log1p, |x, _| libm::log1p(x)),
        _ => return None,
    })
}

impl Rough {
    fn round(&self, value: f64) -> f32 {
        if self.half { half_of_f64(value) } else { value as f32 }
    }

    /// The function at one lane's operands.
    pub fn at(&self, x: u32, y: u32) -> u32 {
        let (a, b) = (f64::from(f32::from_bits(x)), f64::from(f32::from_bits(y)));
        let exact = (self.f)(a, b);
        let near = self.round(exact);
        if !exact.is_finite() || self.sure(a, b, exact) {
            return near.to_bits();
        }
        let fmt = if self.half { Float::F16 } else { Float::F32 };
        let Some((low, high)) = accepted(self.language, self.function, fmt, (a, b), exact) else {
            return near.to_bits();
        };
        let part = match self.mode {
            Mode::Worst => (self.key & 1) as f64,
            _ => {
                let seed = self.key ^ (u64::from(x) << 32 | u64::from(y));
                (Random(seed).next() >> 11) as f64 / (1u64 << 53) as f64
            }
        };
        self.round(low * part + high * (1.0 - part)).to_bits()
    }

    /// Whether no implementation is known to be wrong here, whatever the language allows: where the result or the
    /// argument is zero (so that exp(0) is 1), and for a division by a power of two.
    fn sure(&self, a: f64, b: f64, exact: f64) -> bool {
        let power = b.is_normal() && b.to_bits() << 12 == 0;
        exact == 0.0 || if self.function == Function::Div { power } else { a == 0.0 }
    }
}

fn lanes(m: &mut Machine, step: &Step) {
    let rough = m.roughs[step.site as usize];
    for k in 0..m.live_len {
        let row = m.live[k] as usize;
        let x = get::<u32>(m, step, 0, row);
        let y = if step.src[1] == NONE { x } else { get::<u32>(m, step, 1, row) };
        let mut out = Row([0; ROW]);
        for i in 0..ROW {
            if m.mask[row] >> i & 1 == 1 {
                out[i] = rough.at(x[i], y[i]);
            }
        }
        put(m, step, 0, row, &out);
    }
}

fn once(m: &mut Machine, step: &Step) {
    let x = one::<u32>(m, step, 0);
    let y = if step.src[1] == NONE { x } else { one::<u32>(m, step, 1) };
    let out = m.roughs[step.site as usize].at(x, y);
    put_one(m, step, 0, out);
}

pub fn pair() -> Pair {
    Pair { lanes, once }
}

/// Zero for numbers below the smallest normal one of f32 or, with the flag, of f16.
fn flush(bits: u32, half: bool) -> u32 {
    let least = if half { 0x3880_0000 } else { 0x0080_0000 };
    if bits & 0x7fff_ffff < least { bits & 0x8000_0000 } else { bits }
}

fn flush_lanes(m: &mut Machine, step: &Step) {
    for k in 0..m.live_len {
        let row = m.live[k] as usize;
        let mut out = get::<u32>(m, step, 0, row);
        out.iter_mut().for_each(|v| *v = flush(*v, step.imm != 0));
        put(m, step, 0, row, &out);
    }
}

fn flush_once(m: &mut Machine, step: &Step) {
    let out = flush(one(m, step, 0), step.imm != 0);
    put_one(m, step, 0, out);
}

/// Flushes subnormals.
pub fn flush_pair() -> Pair {
    Pair { lanes: flush_lanes, once: flush_once }
}

/// Whether an operation may take and give zeros for subnormal numbers; its type.
pub fn flushes(op: Op) -> Option<Ty> {
    let ty = match op {
        Op::Bin(Bin::Add | Bin::Sub | Bin::Mul | Bin::Div | Bin::Rem | Bin::Pow | Bin::Atan2, ty) => ty,
        Op::Fma(ty) | Op::MulAdd(ty) => ty,
        Op::Un(un, ty) => function(un).map(|_| ty)?,
        _ => return None,
    };
    matches!(ty, Ty::F16 | Ty::F32).then_some(ty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_stay_inside_the_table_and_reach_its_edge() {
        let table = accuracy(Language::Wgsl, Function::Exp, Float::F32);
        for key in 0..2 {
            let worst = rough(Op::Un(Un::Exp, Ty::F32), Language::Wgsl, Mode::Worst, key).unwrap();
            let range = rough(Op::Un(Un::Exp, Ty::F32), Language::Wgsl, Mode::Range, key).unwrap();
            for i in 0..1000 {
                let x = i as f32 * 0.01 - 5.0;
                let exact = libm::exp(f64::from(x));
                let most = table.error(Float::F32, f64::from(x), 0.0, exact);
                let off = |r: &Rough| (f64::from(f32::from_bits(r.at(x.to_bits(), 0))) - exact).abs() / most;
                assert!(off(&worst) <= 1.0 && (off(&worst) > 0.6 || x == 0.0), "{x}: {}", off(&worst));
                assert!(off(&range) <= 1.0);
            }
        }
    }
}
