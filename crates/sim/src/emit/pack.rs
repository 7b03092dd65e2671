//! Packing of small numbers into words, and back.

use super::{Build, Res, Value};
use crate::ir::{Bin, Op, Reg, Ty, Un};
use naga::MathFunction as M;

/// How numbers are packed: lanes of so many bits, signed or not.
#[derive(Clone, Copy)]
struct Layout {
    bits: u32,
    signed: bool,
}

impl Build {
    pub fn packing(&mut self, fun: M, args: &[Value]) -> Res<Option<Value>> {
        let layout = |bits, signed| Layout { bits, signed };
        let a = &args[0];
        Ok(Some(match fun {
            M::Pack4x8snorm => vec![self.pack_norm(layout(8, true), a)?],
            M::Pack4x8unorm => vec![self.pack_norm(layout(8, false), a)?],
            M::Pack2x16snorm => vec![self.pack_norm(layout(16, true), a)?],
            M::Pack2x16unorm => vec![self.pack_norm(layout(16, false), a)?],
            M::Unpack4x8snorm => self.unpack_norm(layout(8, true), a[0])?,
            M::Unpack4x8unorm => self.unpack_norm(layout(8, false), a[0])?,
            M::Unpack2x16snorm => self.unpack_norm(layout(16, true), a[0])?,
            M::Unpack2x16unorm => self.unpack_norm(layout(16, false), a[0])?,
            M::Pack2x16float => vec![self.emit(Op::Bin(Bin::PackHalf, Ty::F32), Ty::U32, &[a[0], a[1]])?],
            M::Unpack2x16float => [Un::UnpackHalfLo, Un::UnpackHalfHi]
                .into_iter()
                .map(|un| self.emit(Op::Un(un, Ty::F32), Ty::F32, &[a[0]]))
                .collect::<Res<_>>()?,
            M::Pack4xI8 | M::Pack4xU8 => vec![self.join(8, a)?],
            M::Pack4xI8Clamp => {
                let (low, high) = (self.u32(-128i32 as u32), self.u32(127));
                vec![self.pack_clamped(Ty::I32, low, high, a)?]
            }
            M::Pack4xU8Clamp => {
                let (low, high) = (self.u32(0), self.u32(255));
                vec![self.pack_clamped(Ty::U32, low, high, a)?]
            }
            M::Unpack4xI8 => self.split(layout(8, true), a[0])?,
            M::Unpack4xU8 => self.split(layout(8, false), a[0])?,
            _ => return Ok(None),
        }))
    }

    /// The low bits of each, side by side.
    fn join(&mut self, bits: u32, values: &[Reg]) -> Res<Reg> {
        let mask = self.u32((1 << bits) - 1);
        let mut word = None;
        for (i, &value) in values.iter().enumerate() {
            let low = self.bin(Bin::And, Ty::U32, value, mask)?;
            let by = self.u32(i as u32 * bits);
            let moved = self.bin(Bin::ShlFixed, Ty::U32, low, by)?;
            word = Some(match word {
                None => moved,
                Some(before) => self.bin(Bin::Or, Ty::U32, before, moved)?,
            });
        }
        Ok(word.unwrap_or_else(|| self.u32(0)))
    }

    /// The lanes of a word, as 32-bit integers.
    fn split(&mut self, layout: Layout, word: Reg) -> Res<Value> {
        let ty = if layout.signed { Ty::I32 } else { Ty::U32 };
        let down = self.u32(32 - layout.bits);
        let mut out = Vec::new();
        for i in 0..32 / layout.bits {
            let up = self.u32(32 - (i + 1) * layout.bits);
            let top = self.bin(Bin::ShlFixed, Ty::U32, word, up)?;
            out.push(self.emit(Op::Bin(Bin::ShrFixed, ty), ty, &[top, down])?);
        }
        Ok(out)
    }

    fn pack_clamped(&mut self, ty: Ty, low: Reg, high: Reg, values: &[Reg]) -> Res<Reg> {
        let mut clamped = Vec::new();
        for &value in values {
            let value = self.bin(Bin::Max, ty, value, low)?;
            clamped.push(self.bin(Bin::Min, ty, value, high)?);
        }
        self.join(8, &clamped)
    }

    /// `floor(0.5 + scale * clamp(v))`.
    fn pack_norm(&mut self, layout: Layout, values: &[Reg]) -> Res<Reg> {
        let (low, scale) = range(layout);
        let (low, one, scale, half) = (self.f32(low), self.f32(1.0), self.f32(scale), self.f32(0.5));
        let mut whole = Vec::new();
        for &value in values {
            let value = self.bin(Bin::Max, Ty::F32, value, low)?;
            let value = self.bin(Bin::Min, Ty::F32, value, one)?;
            let scaled = self.bin(Bin::Mul, Ty::F32, value, scale)?;
            let raised = self.bin(Bin::Add, Ty::F32, scaled, half)?;
            let floor = self.un(Un::Floor, Ty::F32, raised)?;
            whole.push(self.convert(Ty::F32, Ty::I32, floor)?);
        }
        self.join(layout.bits, &whole)
    }

    /// `max(v / scale, -1)`.
    fn unpack_norm(&mut self, layout: Layout, word: Reg) -> Res<Value> {
        let (low, scale) = range(layout);
        let (low, scale) = (self.f32(low), self.f32(scale));
        let from = if layout.signed { Ty::I32 } else { Ty::U32 };
        let mut out = Vec::new();
        for lane in self.split(layout, word)? {
            let value = self.convert(from, Ty::F32, lane)?;
            let value = self.bin(Bin::Div, Ty::F32, value, scale)?;
            out.push(self.bin(Bin::Max, Ty::F32, value, low)?);
        }
        Ok(out)
    }
}

/// The smallest number and the scale of a normalised format.
fn range(layout: Layout) -> (f32, f32) {
    let bits = layout.bits - u32::from(layout.signed);
    (if layout.signed { -1.0 } else { 0.0 }, ((1u32 << bits) - 1) as f32)
}
