//! Built-in functions on whole vectors and matrices.

use super::{Build, Res, Value};
use crate::ir::{Bin, Op, Reg, Ty, Un};
use naga::MathFunction as M;

impl Build {
    pub fn geometry(&mut self, fun: M, ty: Ty, rows: usize, args: &[Value]) -> Res<Option<Value>> {
        let a = &args[0];
        Ok(Some(match fun {
            M::Dot => vec![self.dot(ty, a, &args[1])?],
            M::Cross => self.cross(ty, a, &args[1])?,
            M::Length => vec![self.length(ty, a)?],
            M::Distance => {
                let difference = self.zip(Op::Bin(Bin::Sub, ty), ty, a, &args[1])?;
                vec![self.length(ty, &difference)?]
            }
            M::Normalize => {
                let length = self.length(ty, a)?;
                self.zip(Op::Bin(Bin::Div, ty), ty, a, &[length])?
            }
            M::FaceForward => {
                let along = self.dot(ty, &args[1], &args[2])?;
                let zero = self.float(ty, 0.0);
                let keep = self.bin(Bin::Lt, ty, along, zero)?;
                let turned: Res<Value> = a.iter().map(|&v| self.un(Un::Neg, ty, v)).collect();
                self.select(&[keep], a, &turned?)?
            }
            M::Reflect => self.reflect(ty, a, &args[1])?,
            M::Refract => self.refract(ty, a, &args[1], args[2][0])?,
            M::Outer => {
                let mut out = Vec::new();
                for &column in &args[1] {
                    out.extend(self.zip(Op::Bin(Bin::Mul, ty), ty, a, &[column])?);
                }
                out
            }
            M::Transpose => (0..rows).flat_map(|r| a.iter().skip(r).step_by(rows).copied()).collect(),
            M::Determinant => vec![self.determinant(ty, a, rows)?],
            M::Inverse => self.inverse(ty, a, rows)?,
            _ => return Ok(None),
        }))
    }

    fn length(&mut self, ty: Ty, a: &[Reg]) -> Res<Reg> {
        if a.len() == 1 {
            return self.un(Un::Abs, ty, a[0]);
        }
        let square = self.dot(ty, a, a)?;
        self.un(Un::Sqrt, ty, square)
    }

    fn cross(&mut self, ty: Ty, a: &[Reg], b: &[Reg]) -> Res<Value> {
        [(1, 2), (2, 0), (0, 1)].into_iter().map(|(i, j)| self.minor(ty, a[i], b[j], a[j], b[i])).collect()
    }

    /// `a * b - c * d`.
    fn minor(&mut self, ty: Ty, a: Reg, b: Reg, c: Reg, d: Reg) -> Res<Reg> {
        let left = self.bin(Bin::Mul, ty, a, b)?;
        let right = self.bin(Bin::Mul, ty, c, d)?;
        self.bin(Bin::Sub, ty, left, right)
    }

    /// `a - 2 dot(n, a) n`.
    fn reflect(&mut self, ty: Ty, a: &[Reg], n: &[Reg]) -> Res<Value> {
        let along = self.dot(ty, n, a)?;
        let two = self.float(ty, 2.0);
        let twice = self.bin(Bin::Mul, ty, two, along)?;
        let back = self.zip(Op::Bin(Bin::Mul, ty), ty, &[twice], n)?;
        self.zip(Op::Bin(Bin::Sub, ty), ty, a, &back)
    }

    /// `eta a - (eta dot(n, a) + sqrt(k)) n` with `k = 1 - eta² (1 - dot(n, a)²)`; zero where k is negative.
    fn refract(&mut self, ty: Ty, a: &[Reg], n: &[Reg], eta: Reg) -> Res<Value> {
        let (zero, one) = (self.float(ty, 0.0), self.float(ty, 1.0));
        let along = self.dot(ty, n, a)?;
        let square = self.bin(Bin::Mul, ty, along, along)?;
        let rest = self.bin(Bin::Sub, ty, one, square)?;
        let eta2 = self.bin(Bin::Mul, ty, eta, eta)?;
        let part = self.bin(Bin::Mul, ty, eta2, rest)?;
        let k = self.bin(Bin::Sub, ty, one, part)?;
        let total = self.bin(Bin::Lt, ty, k, zero)?;
        let safe = self.bin(Bin::Max, ty, k, zero)?;
        let root = self.un(Un::Sqrt, ty, safe)?;
        let scaled = self.bin(Bin::Mul, ty, eta, along)?;
        let sum = self.bin(Bin::Add, ty, scaled, root)?;
        let mut out = Vec::new();
        for (&x, &m) in a.iter().zip(n) {
            let difference = self.minor(ty, eta, x, sum, m)?;
            out.push(self.pick(total, zero, difference)?);
        }
        Ok(out)
    }

    /// By cofactors of the first row; `m` holds columns.
    fn determinant(&mut self, ty: Ty, m: &[Reg], n: usize) -> Res<Reg> {
        if n == 1 {
            return Ok(m[0]);
        }
        if n == 2 {
            return self.minor(ty, m[0], m[3], m[2], m[1]);
        }
        let mut sum = None;
        for column in 0..n {
            let cofactor = self.determinant(ty, &without(m, n, column, 0), n - 1)?;
            let term = self.bin(Bin::Mul, ty, m[column * n], cofactor)?;
            let op = if column % 2 == 0 { Bin::Add } else { Bin::Sub };
            sum = Some(match sum {
                None => term,
                Some(before) => self.bin(op, ty, before, term)?,
            });
        }
        Ok(sum.unwrap_or(m[0]))
    }

    /// The adjugate over the determinant.
    fn inverse(&mut self, ty: Ty, m: &[Reg], n: usize) -> Res<Value> {
        let determinant = self.determinant(ty, m, n)?;
        let mut out = Vec::new();
        for column in 0..n {
            for row in 0..n {
                let minor = self.determinant(ty, &without(m, n, row, column), n - 1)?;
                let signed = if (row + column) % 2 == 0 { minor } else { self.un(Un::Neg, ty, minor)? };
                out.push(self.bin(Bin::Div, ty, signed, determinant)?);
            }
        }
        Ok(out)
    }
}

/// A square matrix without one column and one row.
fn without(m: &[Reg], n: usize, column: usize, row: usize) -> Vec<Reg> {
    let kept = |i: &usize| i / n != column && i % n != row;
    (0..n * n).filter(kept).map(|i| m[i]).collect()
}
