//! Numbers that stand for others: the 1 of `n & (n - 1)`, the 4 of `H / G == 4`, the 7 of `N % 12 == 7`; and names that
//! are compared with each other.

use super::power;
use super::token::Token;
use super::{Literal, Pair, Reader, Relation, Use};

/// Sizes that are powers of two, where a kernel asks for that.
const POWERS: [f64; 2] = [64.0, 128.0];
/// Parts of a dimension whose share a kernel asks for.
const PARTS: f64 = 2.0;
/// How many times a divisor is beside a remainder.
const TIMES: [f64; 3] = [1.0, 0.0, 3.0];

/// Marks that compare.
pub(super) const COMPARES: [&str; 6] = ["==", "!=", "<", ">", "<=", ">="];

/// A number that stands for others.
pub(super) enum Idiom {
    /// Something is a power of two.
    Power(String),
    /// Something is this.
    Times(f64, String),
    /// The first is so many times the second.
    Share(f64, String, String),
    /// Divided by the first, something leaves the second.
    Rest(f64, f64, String),
    /// A pair is compared with it.
    OfPair,
}

impl Idiom {
    /// Says what sizes it stands for.
    pub(super) fn say(self, say: &mut dyn FnMut(f64, Use, Option<String>)) {
        match self {
            Idiom::Power(of) => POWERS.iter().for_each(|power| say(*power, Use::Equals, Some(of.clone()))),
            Idiom::Times(value, of) => say(value, Use::Equals, Some(of)),
            Idiom::Share(times, all, parts) => {
                say(PARTS * times, Use::Equals, Some(all));
                say(PARTS, Use::Equals, Some(parts));
            }
            Idiom::OfPair => {}
            Idiom::Rest(by, rest, of) => {
                TIMES.iter().for_each(|n| say(n * by + rest, Use::Equals, Some(of.clone())));
            }
        }
    }
}

impl Reader {
    /// What more than a number a number is part of.
    pub(super) fn idiom(&self, value: f64, at: usize) -> Option<Idiom> {
        let back = |n: usize| at.wrapping_sub(n);
        let of = |n: usize| self.named.get(self.word(back(n))).cloned();
        let is_mask = || (3..8).any(|n| self.mark(back(n)) == "&" && self.mark(back(n - 1)) == "(");
        if value == 1.0 && self.mark(back(1)) == "-" && is_mask() {
            return of(2).map(Idiom::Power);
        }
        let compared = ["==", "!="].contains(&self.mark(back(1)));
        if self.pair(back(1), 0).is_some() {
            return Some(Idiom::OfPair);
        }
        let by = match self.tokens.get(back(2)).filter(|_| compared) {
            Some(Token::Number(by)) => Some(*by),
            Some(Token::Word(word)) => self.constants.get(word).copied(),
            _ => None,
        };
        match (by, self.mark(back(3))) {
            // `D / 4 == 256`
            (Some(by), "/") => return of(4).map(|of| Idiom::Times(by * value, of)),
            (Some(by), "%") if value > 0.0 => return of(4).map(|of| Idiom::Rest(by, value, of)),
            (Some(by), ">>") => return of(4).map(|of| Idiom::Times(power(by) * value, of)),
            _ => {}
        }
        if let Some((all, parts)) = self.shares.get(self.word(back(2))).filter(|_| compared) {
            return Some(Idiom::Share(value, all.clone(), parts.clone()));
        }
        // `s.H / s.G` has the names of structs before those of members
        let parts = of(2).filter(|_| compared)?;
        let slash = (3..5).find(|n| self.mark(back(*n)) == "/")?;
        Some(Idiom::Share(value, of(slash + 1)?, parts))
    }

    /// Sizes of which one statement asks for the quotient and for the remainder.
    pub(super) fn parted(&self, all: &[Literal]) -> Vec<Literal> {
        let by = |rest: &Literal| {
            let mut divisors = all.iter().filter(|l| l.used == Use::Divides);
            divisors.find(|l| l.of == rest.of && l.statement == rest.statement).map(|l| l.value)
        };
        let known = |l: &&Literal| l.used == Use::Equals && l.of.is_some();
        let with = |rest: &Literal| {
            let (rest, by) = (rest.clone(), by(rest).filter(|by| rest.value < *by)?);
            let whole = all.iter().filter(known).find(|l| {
                l.of == rest.of && l.statement == rest.statement && l.value > by && l.value % by == 0.0
            })?;
            Some(Literal { value: whole.value + rest.value, ..rest })
        };
        all.iter().filter(known).filter_map(with).collect()
    }

    /// The dimensions or scalars on both sides of a mark that compares, or those whose product it compares.
    pub(super) fn pair(&self, at: usize, statement: usize) -> Option<Pair> {
        if !COMPARES.contains(&self.mark(at)) {
            return None;
        }
        let left = self.named_before(at.wrapping_sub(1))?;
        if let Some((product, _)) = self.constant(at + 1, 0) {
            // `p.R * p.D == 84`
            let before = (2..5).map(|n| at.wrapping_sub(n));
            let times = before.clone().find(|at| self.mark(*at) == "*")?;
            let mut between = before.take_while(|at| *at != times);
            if between.any(|at| !["", "->"].contains(&self.mark(at))) {
                return None;
            }
            let names = [self.named_before(times.wrapping_sub(1))?, left];
            let root = product.abs().sqrt().floor();
            // past what is compared with
            let past = (root + 1.0) * (root + 2.0);
            let product = if ["==", "!="].contains(&self.mark(at)) { product } else { past };
            return Some(Pair { names, relation: Relation::Product(product), statement });
        }
        let right = self.named_after(at + 1).filter(|right| *right != left)?;
        let (names, relation) = match self.mark(at) {
            "==" | "!=" => ([left, right], Relation::Same),
            ">" | ">=" => ([left, right], Relation::Larger),
            _ => ([right, left], Relation::Larger),
        };
        Some(Pair { names, relation, statement })
    }
}
