//! The values of constants: specialisation constants as a launch sets them, and what is computed of them.

use super::decode::Inst;
use super::fold;
use super::module::{Module, Type};
use super::types::{Scalar, Types, broken};
use crate::api::error::RunError;
use crate::emit::Res;
use crate::ir::junk;
use spirv::{Decoration, Op};
use std::collections::HashMap;

/// Bits of constants, scalar by scalar, as registers hold them.
#[derive(Clone, Debug, Default)]
pub struct Consts {
    values: HashMap<u32, (u32, Vec<u64>)>,
}

/// Values that a launch sets, by the constants' numbers.
pub type Overrides = HashMap<u32, f64>;

/// The same of values by name, or by the digits of the number. Several constants may have one number.
pub fn numbered(module: &Module, values: &[(String, f64)]) -> Result<Overrides, RunError> {
    let mut out = HashMap::new();
    for (name, value) in values {
        let found = module.constants.iter().find_map(|inst| {
            let number = module.number(inst.id, Decoration::SpecId)?;
            let own = module.names.get(&inst.id) == Some(name) || number.to_string() == *name;
            own.then_some(number)
        });
        let Some(number) = found else {
            return Err(RunError::Launch(format!("no specialisation constant `{name}`")));
        };
        out.insert(number, *value);
    }
    Ok(out)
}

impl Consts {
    /// Evaluates all constants of a module.
    pub fn new(module: &Module, overrides: &Overrides) -> Res<Consts> {
        let mut consts = Consts::default();
        for inst in &module.constants {
            let types = Types { module, consts: &consts };
            // constants of types that registers do not hold are refused where they are used
            if types.scalars(inst.ty).is_err() {
                continue;
            }
            let value = evaluate(types, inst, overrides)?;
            consts.values.insert(inst.id, (inst.ty, value));
        }
        Ok(consts)
    }

    pub fn get(&self, id: u32) -> Option<&[u64]> {
        self.values.get(&id).map(|(_, bits)| &bits[..])
    }

    pub fn ty(&self, id: u32) -> Option<u32> {
        self.values.get(&id).map(|(ty, _)| *ty)
    }

    /// A whole number.
    pub fn u32(&self, id: u32) -> Res<u32> {
        match self.get(id) {
            Some([bits]) => Ok(u32::try_from(*bits).unwrap_or(u32::MAX)),
            _ => Err(broken(format!("%{id} is not a constant number"))),
        }
    }

    /// The length of an array.
    pub fn length(&self, id: u32) -> Res<u32> {
        let len = self.u32(id)?;
        if len > i32::MAX as u32 {
            return Err(RunError::Launch(format!("an array of {} elements (%{id})", len as i32)));
        }
        Ok(len)
    }
}

fn evaluate(types: Types, inst: &Inst, overrides: &Overrides) -> Res<Vec<u64>> {
    let scalars = types.scalars(inst.ty)?;
    let first = scalars.first().copied();
    let value = match inst.op {
        Op::ConstantTrue => vec![1],
        Op::ConstantFalse => vec![0],
        Op::SpecConstantTrue | Op::SpecConstantFalse => {
            let default = u64::from(inst.op == Op::SpecConstantTrue);
            vec![set(types.module, inst, Scalar::Bool, overrides)?.unwrap_or(default)]
        }
        Op::Constant | Op::SpecConstant => {
            let scalar = first.ok_or_else(|| broken(format!("the type of %{} has no value", inst.id)))?;
            let own = literal(scalar, inst);
            match inst.op {
                Op::Constant => vec![own],
                _ => vec![set(types.module, inst, scalar, overrides)?.unwrap_or(own)],
            }
        }
        Op::ConstantComposite | Op::SpecConstantComposite => {
            let mut out = Vec::new();
            for &part in &inst.args {
                out.extend(known(types.consts, part)?);
                if out.len() > scalars.len() {
                    break;
                }
            }
            out
        }
        Op::ConstantSampler => {
            vec![inst.args.iter().fold(0, |mode, &word| mode << 8 | u64::from(word & 0xff))]
        }
        Op::ConstantNull => vec![0; scalars.len()],
        Op::Undef => scalars.iter().map(|&s| poison(s)).collect(),
        Op::SpecConstantOp => computed(types, inst)?,
        _ => return Err(broken(format!("{} is not a constant", inst.name()))),
    };
    if value.len() != scalars.len() {
        let text = format!("constant %{} has {} parts, its type has {}", inst.id, value.len(), scalars.len());
        return Err(broken(text));
    }
    Ok(value)
}

fn known(consts: &Consts, id: u32) -> Res<Vec<u64>> {
    consts
        .get(id)
        .map(<[u64]>::to_vec)
        .ok_or_else(|| broken(format!("%{id} is not a constant before its use")))
}

/// The bits of an undefined value.
pub fn poison(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::Bool => junk::TRUTH,
        Scalar::Int { width, .. } if width < 32 => u64::from(junk::NAN) & ((1 << width) - 1),
        s if s.width() == 64 => u64::from(junk::NAN) << 32,
        _ => u64::from(junk::NAN),
    }
}

fn literal(scalar: Scalar, inst: &Inst) -> u64 {
    let wide = u64::from(inst.arg(0)) | u64::from(inst.arg(1)) << 32;
    match scalar {
        Scalar::Float { width: 16 } => u64::from(ktwin_num::f16_to_f32(inst.arg(0) as u16).to_bits()),
        Scalar::Int { width, .. } if width < 32 => wide & ((1 << width) - 1),
        s if s.width() == 64 => wide,
        _ => u64::from(inst.arg(0)),
    }
}

/// What a launch sets a specialisation constant to.
fn set(module: &Module, inst: &Inst, scalar: Scalar, overrides: &Overrides) -> Res<Option<u64>> {
    let Some(number) = module.number(inst.id, Decoration::SpecId) else { return Ok(None) };
    let Some(value) = overrides.get(&number) else { return Ok(None) };
    let whole = *value as i128;
    let fits = match scalar {
        Scalar::Int { width, signed: true } => whole >= -(1 << (width - 1)) && whole < 1 << (width - 1),
        Scalar::Int { width, signed: false } => (0..1 << width).contains(&whole),
        _ => true,
    };
    let exact = whole as f64 == *value || matches!(scalar, Scalar::Float { .. });
    if !fits || !exact {
        let text = format!("{value} is not a value of specialisation constant {number}, {}", word(scalar));
        return Err(RunError::Launch(text));
    }
    Ok(Some(match scalar {
        Scalar::Bool => u64::from(*value != 0.0),
        Scalar::Int { width: 64, .. } => whole as u64,
        Scalar::Int { width, .. } => whole as u64 & ((1u64 << width) - 1),
        Scalar::Float { width: 64 } => value.to_bits(),
        Scalar::Float { width: 16 } => {
            u64::from(ktwin_num::f16_to_f32(ktwin_num::f32_to_f16(*value as f32)).to_bits())
        }
        Scalar::Float { .. } => u64::from((*value as f32).to_bits()),
    }))
}

fn word(scalar: Scalar) -> String {
    match scalar {
        Scalar::Bool => "a bool".into(),
        Scalar::Int { width, signed: true } => format!("an int of {width} bits"),
        Scalar::Int { width, .. } => format!("an unsigned int of {width} bits"),
        Scalar::Float { width } => format!("a float of {width} bits"),
    }
}

/// `OpSpecConstantOp`.
fn computed(types: Types, inst: &Inst) -> Res<Vec<u64>> {
    let code = inst.arg(0);
    let op = Op::from_u32(code).ok_or_else(|| broken(format!("opcode {code} is unknown")))?;
    let args = inst.args.get(1..).unwrap_or(&[]);
    let missing = || broken(format!("OpSpecConstantOp Op{op:?} lacks an operand"));
    match op {
        Op::CompositeExtract => {
            let from = *args.first().ok_or_else(missing)?;
            let ty = types.consts.ty(from).ok_or_else(missing)?;
            let (start, len, _) = part(types, ty, &args[1..])?;
            return Ok(known(types.consts, from)?[start..start + len].to_vec());
        }
        Op::CompositeInsert => {
            let [object, into, rest @ ..] = args else { return Err(missing()) };
            let ty = types.consts.ty(*into).ok_or_else(missing)?;
            let (start, len, _) = part(types, ty, rest)?;
            let (mut whole, new) = (known(types.consts, *into)?, known(types.consts, *object)?);
            if new.len() != len {
                return Err(missing());
            }
            whole[start..start + len].copy_from_slice(&new);
            return Ok(whole);
        }
        Op::VectorShuffle => {
            let [a, b, picks @ ..] = args else { return Err(missing()) };
            let both = [known(types.consts, *a)?, known(types.consts, *b)?].concat();
            return Ok(picks.iter().map(|&p| both.get(p as usize).copied().unwrap_or(0)).collect());
        }
        _ => {}
    }
    let to = types.scalars(inst.ty)?;
    let mut values = Vec::new();
    for &arg in args {
        let from = types.scalar(types.consts.ty(arg).ok_or_else(missing)?)?;
        values.push((from, known(types.consts, arg)?));
    }
    to.iter()
        .enumerate()
        .map(|(i, &to)| {
            let at: Vec<(Scalar, u64)> = values
                .iter()
                .filter_map(|(from, bits)| Some((*from, *bits.get(if bits.len() == 1 { 0 } else { i })?)))
                .collect();
            let text = || RunError::Unsupported(format!("the simulator has no OpSpecConstantOp Op{op:?}"));
            fold::fold(op, to, &at).ok_or_else(text)
        })
        .collect()
}

/// The part of a composite that literal indices choose: its first scalar, how many, its type.
pub fn part(types: Types, mut ty: u32, indices: &[u32]) -> Res<(usize, usize, u32)> {
    let mut start = 0;
    for &index in indices {
        let wrong = || broken(format!("index {index} of a value of type %{ty}"));
        if let Type::Struct { members } = types.get(ty)? {
            let member = *members.get(index as usize).ok_or_else(wrong)?;
            for &before in &members[..index as usize] {
                start += types.width(before)?;
            }
            ty = member;
            continue;
        }
        let (element, _) = types.element(ty, Default::default())?;
        if index >= element.len {
            return Err(wrong());
        }
        start += index as usize * types.width(element.ty)?;
        ty = element.ty;
    }
    Ok((start, types.width(ty)?, ty))
}
