//! What a launch must leave alone, and whether it did: canaries, inputs, gaps of layouts, and outputs that
//! keep their poison. Compares bytes; knows nothing of expected values.

use std::ops::Range;

use ktwin_num::{DType, Layout, Tensor, plural};

use crate::device::{Access, Buffer, Ran};
use crate::finding::{Finding, Kind};
use crate::kernel::Kernel;
use crate::languages::Code;
use crate::launch::{Memory, spare};
use crate::{literals, parts};

/// A number that looks like any other, from a number.
pub fn mixed(key: u64) -> u64 {
    let mut x = key.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The byte that fills outputs before a launch. What holds that of each of two launches on the same inputs was never
/// written. As numbers they are small and negative in the one, in the other huge, or in every third case NaN: whoever
/// adds to them is seen, and so is who multiplies them by zero.
pub fn poison(seed: u64, run: u64) -> u8 {
    let drawn = mixed(seed ^ 0x706f_6973_6f6e) >> (8 * (run % 8));
    match run.is_multiple_of(2) {
        true => (0xa1 + drawn % 30) as u8,
        false if drawn.is_multiple_of(3) => 0xff,
        false => (0x51 + drawn % 14) as u8,
    }
}

/// What one launch touched that it must not.
pub fn trespasses(memory: &Memory, ran: &Ran) -> Vec<Finding> {
    let mut found = Vec::new();
    if ran.buffers.len() != memory.buffers.len() {
        let message =
            format!("only {} of {} came back", ran.buffers.len(), plural(memory.buffers.len(), "buffer"));
        return vec![Finding::new(Kind::Unwritten, message)];
    }
    for (number, (before, after)) in memory.buffers.iter().zip(&ran.buffers).enumerate() {
        if before.bytes.len() != after.len() {
            found.push(Finding::new(Kind::Unwritten, format!("buffer {} came back too short", before.name)));
            continue;
        }
        let bound = if memory.whole_words { spare(&before.body) } else { 0..0 };
        found.extend(canaries(before, after, bound));
        if before.access == Access::Read {
            found.extend(changed_input(before, after));
        }
        if let Some((_, shell)) = memory.outputs.iter().find(|(b, _)| *b == number) {
            found.extend(gaps(shell, before, after));
        }
    }
    found
}

/// What was written outside of a buffer, but for the part past its end that belongs to its binding.
fn canaries(before: &Buffer, after: &[u8], bound: Range<usize>) -> Option<Finding> {
    let outside = (0..before.body.start).chain(before.body.end..before.bytes.len());
    let looked_at = outside.filter(|i| !bound.contains(i));
    let hit: Vec<usize> = looked_at.filter(|i| before.bytes[*i] != after[*i]).collect();
    let first = *hit.first()?;
    let size = before.dtype.bytes_per_block().max(1);
    let place = if first < before.body.start {
        format!("{} before the start", plural(before.body.start - first, "byte"))
    } else {
        format!("{} past the end", plural((first - before.body.end) / size + 1, "element"))
    };
    let message =
        format!("writes outside {}: {} changed, starting {place}", before.name, plural(hit.len(), "byte"));
    Some(Finding::new(Kind::OutOfBounds, message))
}

fn changed_input(before: &Buffer, after: &[u8]) -> Option<Finding> {
    let at = before.body.clone().find(|i| before.bytes[*i] != after[*i])?;
    let size = before.dtype.bytes_per_block().max(1);
    let element = (at - before.body.start) / size * before.dtype.elements_per_block();
    Some(Finding::new(
        Kind::InputChanged,
        format!("input {} was changed, starting at element {element}", before.name),
    ))
}

/// The finding of an input that was written to, where `at` is the place in the whole buffer, if it is in there.
pub fn written(buffer: &Buffer, at: Option<usize>) -> Finding {
    let Buffer { name, body, dtype, .. } = buffer;
    let size = dtype.bytes_per_block().max(1);
    match at {
        Some(at) if body.contains(&at) => {
            let element = (at - body.start) / size * dtype.elements_per_block();
            let message = format!("input {name} is written to, starting at element {element}");
            Finding::new(Kind::InputChanged, message)
        }
        Some(at) if at >= body.end => {
            let past = plural((at - body.end) / size + 1, "element");
            Finding::new(Kind::OutOfBounds, format!("writes outside {name}, starting {past} past the end"))
        }
        _ => Finding::new(Kind::OutOfBounds, format!("writes before the first element of {name}")),
    }
}

/// The bytes between the elements of a layout.
fn gaps(shell: &Tensor, before: &Buffer, after: &[u8]) -> Option<Finding> {
    let size = shell.dtype.bytes_per_block();
    let mut own = vec![false; before.body.len() / size];
    each_unit(shell, |at| {
        if let Some(slot) = own.get_mut(at) {
            *slot = true;
        }
    });
    let mut hit = own.iter().enumerate().filter(|(unit, own)| {
        let range = before.body.start + unit * size..before.body.start + (unit + 1) * size;
        !**own && before.bytes[range.clone()] != after[range]
    });
    let (first, _) = hit.next()?;
    let count = 1 + hit.count();
    let message = format!(
        "writes between the rows of {}: {} of padding changed, starting at {first}",
        before.name,
        plural(count, "element")
    );
    Some(Finding::new(Kind::OutOfBounds, message))
}

/// Calls `visit` with the storage unit (element or block) of every element, in row order; a block once for
/// each of its elements.
fn each_unit(shell: &Tensor, mut visit: impl FnMut(usize)) {
    let (n, step) = shell.row();
    let per = shell.dtype.elements_per_block();
    shell.each_row(|start| {
        for i in 0..n {
            visit(start.wrapping_add_signed(i as isize * step) / per);
        }
    });
}

/// For each element of an output whether it kept its poison in both launches: `before` is the buffer of each.
pub fn unwritten(shell: &Tensor, before: [&Buffer; 2], ran: [&[u8]; 2]) -> Vec<bool> {
    let size = shell.dtype.bytes_per_block();
    let mut out = Vec::with_capacity(shell.len());
    if before[0].access != Access::Write {
        return vec![false; shell.len()];
    }
    each_unit(shell, |unit| {
        let from = before[0].body.start + unit * size;
        let kept = |n: usize| ran[n][from..from + size] == before[n].bytes[from..from + size];
        out.push(kept(0) && kept(1));
    });
    out
}

/// The launch that left all of these elements as they were before it, where one did.
pub fn left(shell: &Tensor, before: [&Buffer; 2], ran: [&[u8]; 2], elements: &[usize]) -> Option<usize> {
    let size = shell.dtype.bytes_per_block();
    let (mut left, mut element) = ([before[0].access == Access::Write; 2], 0);
    each_unit(shell, |unit| {
        let range = before[0].body.start + unit * size..before[0].body.start + (unit + 1) * size;
        if elements.binary_search(&element).is_ok() {
            for (n, left) in left.iter_mut().enumerate() {
                *left &= ran[n][range.clone()] == before[n].bytes[range.clone()];
            }
        }
        element += 1;
    });
    left.iter().position(|left| *left)
}

/// Whether an output held NaN before the launch, if its numbers are reals.
pub fn holds_nan(before: &Buffer) -> bool {
    before.bytes.get(before.body.start) == Some(&u8::MAX)
}

/// What two launches that differ say, where it is known which of them left its elements alone. Functions that are
/// called have no lanes that could race: only what is kept, or never set, can differ.
pub fn why_differing(left: Option<usize>, nan: bool, kernel: &Kernel) -> String {
    match (left, kernel.source.kind.row().code) {
        (Some(1), _) if nan => {
            ": the second makes NaN of the NaN that was there, or does not write there".to_owned()
        }
        (Some(0), _) => ": the first does not write there".to_owned(),
        (Some(_), _) => ": the second does not write there".to_owned(),
        (None, Code::Machine) => {
            ": an earlier call, memory that nothing set, an address, the time or a thread decides".to_owned()
        }
        (None, _) => match &literals::atomics(kernel)[..] {
            [] => String::new(),
            [line] => format!(": lanes come to the atomic in line {line} in another order each time"),
            lines => {
                let lines = parts::spans(lines, &|_| true);
                format!(": lanes come to the atomics in lines {lines} in another order each time")
            }
        },
    }
}

/// The elements whose bits differ between two launches, unwritten ones left out.
pub fn differing(shell: &Tensor, buffer: &Buffer, ran: [&[u8]; 2], unwritten: &[bool]) -> Vec<usize> {
    let size = shell.dtype.bytes_per_block();
    let (mut out, mut element) = (Vec::new(), 0);
    each_unit(shell, |unit| {
        let range = buffer.body.start + unit * size..buffer.body.start + (unit + 1) * size;
        if ran[0][range.clone()] != ran[1][range] && !unwritten[element] {
            out.push(element);
        }
        element += 1;
    });
    out
}

/// An output's elements in row order, out of the bytes that came back.
pub fn elements(shell: &Tensor, buffer: &Buffer, bytes: &[u8]) -> Vec<f64> {
    returned(shell, buffer, bytes).to_f64()
}

/// The blocks of an output that is stored in such, in row order, out of the bytes that came back.
pub fn packed(shell: &Tensor, buffer: &Buffer, bytes: &[u8]) -> Option<Tensor> {
    let packed = matches!(shell.dtype, DType::Block(_));
    packed.then(|| returned(shell, buffer, bytes).with_layout(Layout::Row).ok())?
}

fn returned(shell: &Tensor, buffer: &Buffer, bytes: &[u8]) -> Tensor {
    Tensor { bytes: bytes[buffer.body.clone()].to_vec().into(), ..shell.clone() }
}

/// What those lack of the elements of a type of 64 whole bits; nothing for other types.
pub fn rests(shell: &Tensor, buffer: &Buffer, bytes: &[u8]) -> Vec<f64> {
    rests_of(&returned(shell, buffer, bytes))
}

/// The same of a whole array.
pub fn rests_of(array: &Tensor) -> Vec<f64> {
    let DType::Int { bits: 64, signed } = array.dtype else { return Vec::new() };
    let rest = |v: i64| {
        let v = if signed { i128::from(v) } else { i128::from(v as u64) };
        (v - v as f64 as i128) as f64
    };
    array.to_i64().into_iter().map(rest).collect()
}

/// The first elements of packed blocks whose sum is not that of their numbers.
pub fn contradictions(packed: &Tensor) -> Vec<usize> {
    let DType::Block(format) = packed.dtype else { return Vec::new() };
    let firsts = (0..packed.len()).step_by(format.elements());
    let blocks = firsts.zip(packed.bytes.chunks_exact(format.bytes()));
    blocks.filter(|(_, block)| format.contradicts_itself(block)).map(|(first, _)| first).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rests_are_what_f64_lacks() {
        let values = [(1 << 53) + 1, -(1 << 60) - 3, 7, i64::MAX];
        let shell = Tensor::from_i64(DType::I64, &[4], &values);
        let body = 0..shell.bytes.len();
        let (dtype, bytes) = (shell.dtype, shell.bytes.clone());
        let buffer = Buffer { name: "y".into(), dtype, bytes: bytes.to_vec(), body, access: Access::Write };
        let rests = rests(&shell, &buffer, &shell.bytes);
        let sum = |at: usize| shell.to_f64()[at] as i128 + rests[at] as i128;
        assert_eq!((0..4).map(sum).collect::<Vec<_>>(), values.map(i128::from));
    }

    #[test]
    fn poisons_are_drawn_and_repeated() {
        let (mut seen, mut nan) = (std::collections::BTreeSet::new(), 0);
        for seed in 0..100 {
            let (first, second) = (poison(seed, 0), poison(seed, 1));
            assert_eq!((first, second), (poison(seed, 0), poison(seed, 1)));
            let (small, huge) = (f32::from_le_bytes([first; 4]), f32::from_le_bytes([second; 4]));
            assert!((-0.5..0.0).contains(&small) && (huge > 1e9 || huge.is_nan()), "{small} {huge}");
            nan += usize::from(huge.is_nan());
            seen.insert((first, second));
        }
        assert!(seen.len() > 50 && (20..50).contains(&nan), "{nan}");
    }
}
