//! Values of scalars: which ones a plan tries, and what passing them to a kernel makes of them.

use ktwin_lang::{Ty, Value};
use ktwin_num::{DType, Domain, Rng};

use crate::device::Number;
use crate::kernel::Kernel;

/// A number of the contract as a scalar's value.
pub fn as_value(number: Number) -> Value {
    match number {
        Number::Int(v) => Value::Int(v),
        Number::Real(v) => Value::Real(v),
        Number::Bool(v) => Value::Bool(v),
    }
}

/// A scalar's value as a number.
pub fn as_number(value: Value) -> Number {
    match value {
        Value::Int(v) => Number::Int(v),
        Value::Real(v) => Number::Real(v),
        Value::Bool(v) => Number::Bool(v),
    }
}

/// A scalar's value as the kernel gets it: a real is rounded to the type it is passed in, f32 where it is not
/// passed by itself. The twin reads the same.
pub fn as_passed(kernel: &Kernel, name: &str, value: Value) -> Value {
    match value {
        Value::Real(v) => {
            let dtype = kernel.passed_as(name).unwrap_or(DType::F32);
            Value::Real(dtype.round(v))
        }
        other => other,
    }
}

/// The values that a plan tries of a scalar, the usual one first. The domain is that of some case; a value
/// outside another case's domain is not used there.
pub fn candidates(kernel: &Kernel, scalar: usize, domain: Domain) -> Vec<Value> {
    let info = &kernel.op.scalars[scalar];
    if let Some(fixed) = kernel.fixed(&info.name) {
        return vec![as_value(fixed)];
    }
    let tried: Vec<Value> = match (info.ty, info.default) {
        (Ty::Bool, default) => {
            let first = matches!(default, Some(Value::Bool(true)) | None);
            vec![Value::Bool(first), Value::Bool(!first)]
        }
        (Ty::Int, default) => integers(domain, default),
        (Ty::Real, default) => reals(domain, default),
    };
    // a seed is any number that can be passed
    let passed = kernel.passed_as(&info.name).and_then(DType::integer_range);
    let passed = passed.filter(|_| kernel.op.seeds().contains(&scalar));
    let fits = |value: Value| passed.is_none_or(|(lo, hi)| (lo..=hi).contains(&(value.to_f64() as i128)));
    let mut out: Vec<Value> = Vec::new();
    for value in tried {
        let value = as_passed(kernel, &info.name, value);
        let inside = (info.ty == Ty::Bool || domain.contains(value.to_f64())) && fits(value);
        if inside && !out.contains(&value) {
            out.push(value);
        }
    }
    out
}

/// Values of a real scalar that kernels have a shorter way for, or take for nothing though they count.
pub fn special(kernel: &Kernel, scalar: usize, domain: Domain) -> Vec<Value> {
    let info = &kernel.op.scalars[scalar];
    if info.ty == Ty::Int {
        return powers(kernel, scalar, domain);
    }
    let usual = info.default.map_or(1.0, |value| value.to_f64().abs());
    let free = info.ty == Ty::Real && kernel.fixed(&info.name).is_none();
    // a law says nothing where one outcome is certain
    if !free || kernel.op.is_random() {
        return Vec::new();
    }
    let size = if usual == 0.0 { 1.0 } else { usual };
    let inner = |share: f64| domain.lo + share * (domain.hi - domain.lo);
    let some: Vec<f64> = match domain.is_bounded() {
        // the last parts of a share before the whole are far from each other: 0.97, 0.9957
        true => vec![domain.hi, inner(FEW), domain.lo, inner(1.0 - FEW), inner(0.97)],
        // what may be negative is a factor
        false if domain.contains(-1.0) => vec![-1.0, size * FEW, 1.0, size * LEAST, 0.0],
        false => vec![size * FEW, size * LEAST, 0.0],
    };
    let inside = some.into_iter().map(|v| as_passed(kernel, &info.name, Value::Real(v)));
    inside.filter(|value| domain.contains(value.to_f64())).collect()
}

/// Powers of two, for which a division and a remainder have a shorter way, and others of no kind, where the domain is
/// wide.
fn powers(kernel: &Kernel, scalar: usize, domain: Domain) -> Vec<Value> {
    let wide = domain.lo >= 0.0 && domain.is_bounded() && domain.hi - domain.lo >= WIDE;
    let seed = kernel.op.seeds().contains(&scalar);
    if !wide || seed || kernel.fixed(&kernel.op.scalars[scalar].name).is_some() {
        return Vec::new();
    }
    let last = domain.hi - f64::from(u8::from(domain.hi_open));
    let largest = 1i64 << (last as i64).ilog2();
    let mut rng = Rng::new(0x7363_616c, scalar as u64);
    let drawn: Vec<i64> = (0..DRAWN).map(|_| domain.lo as i64 + rng.below(last as u64) as i64).collect();
    let some = [largest, 64].into_iter().chain(drawn).filter(|value| domain.contains(*value as f64));
    some.map(Value::Int).collect()
}

/// More values of a whole-number scalar: those of the sizes, at which lengths and offsets are special.
pub fn near(kernel: &Kernel, scalar: usize, domain: Domain, dims: &[i64]) -> Vec<Value> {
    let info = &kernel.op.scalars[scalar];
    let small = domain.is_bounded() && domain.hi - domain.lo < 16.0;
    if info.ty != Ty::Int || small || kernel.fixed(&info.name).is_some() {
        return Vec::new();
    }
    let near = dims.iter().flat_map(|size| [*size, size.saturating_sub(1)]);
    near.filter(|v| domain.contains(*v as f64)).map(Value::Int).collect()
}

fn integers(domain: Domain, default: Option<Value>) -> Vec<Value> {
    let lo = if domain.lo.is_finite() { domain.lo as i64 } else { -3 };
    let last = if domain.hi.is_finite() { domain.hi as i64 - i64::from(domain.hi_open) } else { 100 };
    let width = last.saturating_sub(lo);
    let some = [
        lo,
        lo.saturating_add(1),
        lo.saturating_add(3),
        lo.saturating_add(width / 37),
        lo.saturating_add(width / 2),
        last,
    ];
    default.into_iter().chain(some.map(Value::Int)).collect()
}

/// Values of a real scalar that are tried.
const MOST_REALS: usize = 5;
/// A share of what is usual that some take for nothing, though it counts, and one that is next to nothing.
const FEW: f64 = 1.0 / 230.0;
const LEAST: f64 = 1.0 / 290_000.0;
/// How many values a scalar has that may be a power of two by the way.
const WIDE: f64 = 100.0;
/// How many others of it are drawn.
const DRAWN: usize = 8;

fn reals(domain: Domain, default: Option<Value>) -> Vec<Value> {
    let usual = default.map_or(0.375, Value::to_f64);
    let inner = |share: f64| domain.lo + share * (domain.hi - domain.lo);
    let mut out = vec![usual];
    if domain.is_bounded() {
        out.extend([inner(0.5), inner(0.03), inner(0.87)]);
        // what is usually something may be nothing
        out.extend(default.map(|_| domain.lo));
    } else {
        // far from the usual, so that a kernel that holds it fixed is found out; of either sign, with more digits than
        // 16 bits hold
        let size = if usual == 0.0 { 1.375 } else { usual };
        out.extend([size * 42.7, -1.375 * size]);
        // a factor that is usually something may be nothing; one that every caller chooses never is
        out.extend(default.map(|_| 0.0));
        out.extend([size * 0.123, 1.0, 0.0625]);
        out.retain(|v| domain.contains(*v));
    }
    out.truncate(MOST_REALS);
    out.into_iter().map(Value::Real).collect()
}
