//! Composites: built, taken apart, put together anew; products of matrices.

use super::Lower;
use crate::emit::{Res, Value};
use crate::ir::{Bin, Op as Code, Reg, Ty};
use crate::spirv::consts::{part, poison};
use crate::spirv::decode::Inst;
use crate::spirv::module::Type;
use crate::spirv::types::{Scalar, broken};
use spirv::Op;

impl Lower<'_> {
    pub fn construct(&mut self, inst: &Inst) -> Res<()> {
        let mut value = Vec::new();
        for &arg in &inst.args {
            value.extend(self.value(arg)?);
            if value.len() > 1 << 14 {
                return Err(broken("a value of more scalars than its type".into()));
            }
        }
        self.set(inst, value)
    }

    pub fn extract(&mut self, inst: &Inst) -> Res<()> {
        let ty = self.type_of(inst.arg(0))?;
        let value = self.value(inst.arg(0))?;
        let (start, len, _) = part(self.types(), ty, inst.args.get(1..).unwrap_or(&[]))?;
        let Some(found) = value.get(start..start + len) else {
            return Err(broken("a component that does not exist".into()));
        };
        self.set(inst, found.to_vec())
    }

    pub fn insert(&mut self, inst: &Inst) -> Res<()> {
        let ty = self.type_of(inst.arg(1))?;
        let (new, mut value) = (self.value(inst.arg(0))?, self.value(inst.arg(1))?);
        let (start, len, _) = part(self.types(), ty, inst.args.get(2..).unwrap_or(&[]))?;
        if new.len() != len || start + len > value.len() {
            return Err(broken("a part of another type".into()));
        }
        value[start..start + len].copy_from_slice(&new);
        self.set(inst, value)
    }

    pub fn shuffle(&mut self, inst: &Inst) -> Res<()> {
        let (a, of) = self.vector(inst.arg(0))?;
        let b = self.value(inst.arg(1))?;
        let mut out = Vec::new();
        for &pick in inst.args.get(2..).unwrap_or(&[]) {
            let found = a.iter().chain(&b).nth(pick as usize).copied();
            out.push(match found {
                Some(reg) => reg,
                None if pick == u32::MAX => self.constant(of.ty(), poison(of)),
                None => return Err(broken(format!("component {pick} of two vectors"))),
            });
        }
        self.set(inst, out)
    }

    /// One component, chosen while running.
    pub fn extract_dynamic(&mut self, inst: &Inst) -> Res<()> {
        let (value, _) = self.vector(inst.arg(0))?;
        let index = self.index(inst.arg(1))?;
        let out = match self.known(index).and_then(|at| value.get(at as usize)) {
            Some(&found) => vec![found],
            None => {
                let parts: Vec<Value> = value.iter().map(|&v| vec![v]).collect();
                self.load_pick(&parts, index)?
            }
        };
        self.set(inst, out)
    }

    pub fn insert_dynamic(&mut self, inst: &Inst) -> Res<()> {
        let (value, _) = self.vector(inst.arg(0))?;
        let new = self.one(inst.arg(1))?;
        let index = self.index(inst.arg(2))?;
        let mut out = Vec::new();
        for (i, &old) in value.iter().enumerate() {
            let i = self.u32(i as u32);
            let here = self.bin(Bin::Eq, Ty::U32, index, i)?;
            out.push(self.pick(here, new, old)?);
        }
        self.check_index(index, value.len())?;
        self.set(inst, out)
    }

    pub fn select(&mut self, inst: &Inst) -> Res<()> {
        if let Type::Pointer { .. } = self.types().get(inst.ty)? {
            return self.select_pointer(inst);
        }
        let condition = self.value(inst.arg(0))?;
        let (yes, no) = (self.value(inst.arg(1))?, self.value(inst.arg(2))?);
        if yes.len() != no.len() || condition.len() != 1 && condition.len() != yes.len() {
            return Err(broken("operands of different sizes".into()));
        }
        let out = match condition[..] {
            [one] if self.known(one).is_some() => {
                if self.known(one) == Some(0) {
                    no
                } else {
                    yes
                }
            }
            _ => self.build.select(&condition, &yes, &no)?,
        };
        self.set(inst, out)
    }

    /// Columns and rows of a matrix.
    fn shape(&mut self, id: u32) -> Res<(usize, usize)> {
        let ty = self.type_of(id)?;
        match *self.types().get(ty)? {
            Type::Matrix { column, len } => Ok((len as usize, self.types().width(column)?)),
            Type::Vector { len, .. } => Ok((1, len as usize)),
            _ => Err(broken(format!("%{id} is neither a vector nor a matrix"))),
        }
    }

    /// Products of matrices and vectors, transposition.
    pub fn matrix(&mut self, inst: &Inst) -> Res<()> {
        let (a, of) = self.vector(inst.arg(0))?;
        let ty = of.ty();
        let (columns, rows) = self.shape(inst.arg(0))?;
        let row = |r: usize| a.iter().skip(r).step_by(rows).copied().collect::<Value>();
        if inst.op == Op::Transpose {
            let out = (0..rows).flat_map(row).collect();
            return self.set(inst, out);
        }
        let b = self.value(inst.arg(1))?;
        let (right, inner) = self.shape(inst.arg(1))?;
        let mut out = Vec::new();
        match inst.op {
            Op::OuterProduct => {
                for &y in &b {
                    out.extend(self.zip(Code::Bin(Bin::Mul, ty), ty, &a, &[y])?);
                }
            }
            Op::VectorTimesMatrix if inner == rows => {
                for column in b.chunks(inner) {
                    out.push(self.dot(ty, &a, column)?);
                }
            }
            Op::MatrixTimesVector | Op::MatrixTimesMatrix if inner == columns => {
                for column in b.chunks(inner) {
                    for r in 0..rows {
                        out.push(self.dot(ty, &row(r), column)?);
                    }
                }
            }
            _ => return Err(broken(format!("{right} columns of {inner} do not fit {columns} of {rows}"))),
        }
        self.set(inst, out)
    }

    /// `OpDot`.
    pub fn dot_product(&mut self, inst: &Inst) -> Res<()> {
        let ((a, of), (b, _)) = (self.vector(inst.arg(0))?, self.vector(inst.arg(1))?);
        if a.len() != b.len() || a.is_empty() || !matches!(of, Scalar::Float { .. }) {
            return Err(broken("operands that are not vectors of one size".into()));
        }
        let out: Reg = match inst.args.get(2) {
            Some(&onto) => self.mixed_dot(inst, (&a, &b), of, onto)?,
            None => self.dot(of.ty(), &a, &b)?,
        };
        self.set(inst, vec![out])
    }

    /// `OpFDot2MixAcc32VALVE`: halves are multiplied and added as floats.
    fn mixed_dot(&mut self, inst: &Inst, (a, b): (&[Reg], &[Reg]), of: Scalar, onto: u32) -> Res<Reg> {
        let (onto, float) = self.vector(onto)?;
        let result = self.types().scalar(inst.ty)?;
        if a.len() != 2 || of.ty() != Ty::F16 || onto.len() != 1 || [float.ty(), result.ty()] != [Ty::F32; 2]
        {
            return Err(broken("operands that are not two pairs of halves and a float".into()));
        }
        let mut wide = |half: &[Reg]| -> Res<Value> {
            half.iter().map(|&x| self.emit(Code::Move(false), Ty::F32, &[x])).collect()
        };
        let (a, b) = (wide(a)?, wide(b)?);
        let products = self.dot(Ty::F32, &a, &b)?;
        self.bin(Bin::Add, Ty::F32, products, onto[0])
    }
}
