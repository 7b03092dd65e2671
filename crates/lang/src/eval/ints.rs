//! Integer arithmetic over a block, without copying where an index is a run.

use super::run::Trouble;
use super::value::{Ints, Truth, Truths};
use crate::bits::Bit;
use crate::fold::{compare, function_of_integers};
use crate::func::Func;

/// A function of integers, by however many arguments.
pub fn function(func: Func, args: &[Ints], n: usize) -> Result<Ints, Trouble> {
    match args {
        [a] => unary(func, a, n),
        [a, b] => binary(func, a, b, n),
        _ => each(args, n, |values| function_of_integers(func, values)),
    }
}

/// The same in every lane, of any number of arguments.
pub fn each(args: &[Ints], n: usize, f: impl Fn(&[i64]) -> Option<i64>) -> Result<Ints, Trouble> {
    let mut values = vec![0; args.len()];
    let mut at = |lane: usize| {
        values.iter_mut().zip(args).for_each(|(value, arg)| *value = arg.at(lane));
        f(&values)
    };
    if args.iter().all(|a| matches!(a, Ints::Uniform(_))) {
        return at(0).map(Ints::Uniform).ok_or(Trouble::Arithmetic);
    }
    (0..n).map(at).collect::<Option<Vec<_>>>().map(Ints::Column).ok_or(Trouble::Arithmetic)
}

/// A quotient, rest or shift of a product that may be larger than any integer.
pub fn of_product(func: Func, args: &[i64]) -> Option<i64> {
    let &[a, b, c] = args else { return None };
    let (product, c) = (i128::from(a) * i128::from(b), i128::from(c));
    let value = match func {
        Func::Bit(Bit::Shr) => product >> u32::try_from(c).ok().filter(|c| *c < 128)?,
        _ if c == 0 => return None,
        Func::Mod => product - floor(product, c) * c,
        _ => floor(product, c),
    };
    i64::try_from(value).ok()
}

fn floor(a: i128, b: i128) -> i128 {
    let quotient = a / b;
    quotient - i128::from(a % b != 0 && (a < 0) != (b < 0))
}

/// A function of one integer.
pub fn unary(func: Func, a: &Ints, n: usize) -> Result<Ints, Trouble> {
    match (func, a) {
        (Func::Neg, Ints::Run(start, step)) => Ok(Ints::Run(-start, -step)),
        _ => lanes(a, &Ints::Uniform(0), n, |x, _| function_of_integers(func, &[x])),
    }
}

/// A function of two integers.
pub fn binary(func: Func, a: &Ints, b: &Ints, n: usize) -> Result<Ints, Trouble> {
    match (func, a, b) {
        (Func::Add, Ints::Run(s, d), Ints::Uniform(u)) | (Func::Add, Ints::Uniform(u), Ints::Run(s, d)) => {
            Ok(Ints::Run(s + u, *d))
        }
        (Func::Sub, Ints::Run(s, d), Ints::Uniform(u)) => Ok(Ints::Run(s - u, *d)),
        (Func::Mul, Ints::Run(s, d), Ints::Uniform(u)) | (Func::Mul, Ints::Uniform(u), Ints::Run(s, d)) => {
            Ok(Ints::Run(s * u, d * u))
        }
        _ => lanes(a, b, n, |x, y| function_of_integers(func, &[x, y])),
    }
}

fn lanes(a: &Ints, b: &Ints, n: usize, f: impl Fn(i64, i64) -> Option<i64>) -> Result<Ints, Trouble> {
    if let (Ints::Uniform(x), Ints::Uniform(y)) = (a, b) {
        return f(*x, *y).map(Ints::Uniform).ok_or(Trouble::Arithmetic);
    }
    let values = (0..n).map(|lane| f(a.at(lane), b.at(lane))).collect::<Option<Vec<_>>>();
    values.map(Ints::Column).ok_or(Trouble::Arithmetic)
}

/// A comparison of integers.
pub fn comparison(func: Func, a: &Ints, b: &Ints, n: usize) -> Truths {
    let truth = |lane: usize| Truth::from(compare(func, a.at(lane), b.at(lane)) == Some(true));
    match (a, b) {
        (Ints::Uniform(_), Ints::Uniform(_)) => Truths::Uniform(truth(0)),
        _ => Truths::Column((0..n).map(truth).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_as_large_as_they_are() {
        let top = 0xffff_ffff;
        assert_eq!(of_product(Func::Bit(Bit::Shr), &[top, top, 32]), Some(0xffff_fffe));
        assert_eq!(of_product(Func::IntDiv, &[i64::MAX, 3, -4]), Some(-6917529027641081856));
        assert_eq!(of_product(Func::Mod, &[-i64::MAX, 2, 10]), Some(6));
        assert_eq!(of_product(Func::IntDiv, &[i64::MAX, 4, 2]), None);
        assert_eq!(of_product(Func::Mod, &[1, 1, 0]), None);
    }
}
