//! Specialisation constants set in a binary's own words, for those who cannot set them otherwise.

use super::consts::{Consts, numbered};
use super::decode::decode;
use super::module::{Module, Type};
use spirv::{Decoration, Op};

/// Words of a module's header, and of what comes before the literal of a constant.
const HEADER: usize = 5;
const BEFORE: usize = 3;

/// The module with other defaults of specialisation constants, by name or by the digits of their numbers.
pub fn specialised(bytes: &[u8], values: &[(String, f64)]) -> Result<Vec<u8>, String> {
    let module = Module::new(decode(bytes).map_err(|no| no.text)?)?;
    let set = numbered(&module, values).map_err(|e| e.to_string())?;
    let consts = Consts::new(&module, &set).map_err(|e| e.to_string())?;
    let little = bytes.starts_with(&[0x03, 0x02, 0x23, 0x07]);
    let word = |at: usize| {
        let four = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
        if little { u32::from_le_bytes(four) } else { u32::from_be_bytes(four) }
    };
    let mut words: Vec<u32> = (0..bytes.len() / 4).map(|i| word(4 * i)).collect();
    let mut at = HEADER;
    while at < words.len() {
        let (length, code) = ((words[at] >> 16) as usize, words[at] & 0xffff);
        let (op, end) = (Op::from_u32(code), at + length.max(1));
        let id = words.get(at + 2).copied().unwrap_or(0);
        let named = module.number(id, Decoration::SpecId).is_some_and(|number| set.contains_key(&number));
        let bits = consts.get(id).and_then(|bits| bits.first().copied());
        if let (true, Some(bits)) = (named, bits) {
            match op {
                Some(Op::SpecConstantTrue | Op::SpecConstantFalse) => {
                    let op = if bits != 0 { Op::SpecConstantTrue } else { Op::SpecConstantFalse };
                    words[at] = (length as u32) << 16 | op as u32;
                }
                Some(Op::SpecConstant) => {
                    let literal = literal(&module, words[at + 1], bits);
                    for (i, slot) in words[at..end].iter_mut().skip(BEFORE).enumerate().take(2) {
                        *slot = (literal >> (32 * i)) as u32;
                    }
                }
                _ => {}
            }
        }
        at = end;
    }
    Ok(words.iter().flat_map(|w| w.to_le_bytes()).collect())
}

/// A value as a module's words have it: f16 in 16 bits, small signed numbers with their signs.
fn literal(module: &Module, ty: u32, bits: u64) -> u64 {
    match module.types.get(&ty) {
        Some(Type::Float { width: 16 }) => u64::from(ktwin_num::f32_to_f16(f32::from_bits(bits as u32))),
        Some(Type::Int { width, signed: true }) if *width < 32 => {
            let up = 32 - width;
            u64::from((((bits as u32) << up) as i32 >> up) as u32)
        }
        _ => bits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_set_and_nothing_else_is() {
        // capability, memory model, a decoration SpecId 7 of %2, int, the constant
        let words: [u32; 22] = [
            0x0723_0203,
            0x1_0300,
            0,
            3,
            0,
            2 << 16 | 17,
            1,
            3 << 16 | 14,
            0,
            1,
            4 << 16 | 71,
            2,
            1,
            7,
            4 << 16 | 21,
            1,
            32,
            0,
            4 << 16 | 50,
            1,
            2,
            64,
        ];
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let set = specialised(&bytes, &[("7".to_owned(), 96.0)]).expect("it is sound");
        assert_eq!((&set[..84], &set[84..]), (&bytes[..84], &96u32.to_le_bytes()[..]));
        assert!(specialised(&bytes, &[("8".to_owned(), 1.0)]).is_err());
    }
}
