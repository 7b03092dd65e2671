//! Where everything lies that pointers can address, and the parameters that hold them. Each buffer begins at a
//! multiple of 2^40, and shared, local, constant and parameter memory have windows of their own, so that any 64-bit
//! address tells what it is nearest to.

use crate::api::error::RunError;
use crate::api::launch::Launch;
use crate::api::module::EntryPoint;

/// The windows of the generic address space.
pub const SHARED: u64 = 1 << 56;
pub const LOCAL: u64 = 2 << 56;
pub const CONST: u64 = 3 << 56;
pub const PARAM: u64 = 4 << 56;

/// What the lowering must know of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Pointers: the byte of the parameter memory where each lies, and the buffer that it points into.
    pub pointers: Vec<(u32, u32)>,
    /// What the launch calls the buffers that have names.
    pub names: Vec<(u32, String)>,
    pub block: [u32; 3],
    pub dynamic: u32,
}

/// The byte of the parameter memory where each parameter begins, and the size of all: the largest number where that is
/// more than there can be.
pub fn offsets(entry: &EntryPoint) -> (Vec<u32>, u32) {
    let mut at = 0u32;
    let mut out = Vec::new();
    for param in &entry.params {
        at = at.checked_next_multiple_of(param.align.max(1)).unwrap_or(u32::MAX);
        out.push(at);
        at = at.saturating_add(param.size);
    }
    (out, at)
}

/// The address of the first byte of the `n`th buffer.
pub fn buffer_base(n: usize) -> u64 {
    (n as u64 + 1) << 40
}

impl Layout {
    /// One in which every 8 bytes may be a pointer, for a first look.
    pub fn assumed(entry: &EntryPoint) -> Layout {
        let (starts, _) = offsets(entry);
        let mut pointers = Vec::new();
        for (param, at) in entry.params.iter().zip(starts) {
            for place in (0..param.size / 8).map(|n| at + 8 * n) {
                if at % 8 == 0 && pointers.len() < 32 {
                    pointers.push((place, pointers.len() as u32));
                }
            }
        }
        Layout { pointers, names: Vec::new(), block: fixed(entry).unwrap_or([32, 1, 1]), dynamic: 1 << 10 }
    }

    /// That of a launch, whose parameters must be those of the entry point.
    pub fn of(entry: &EntryPoint, launch: &Launch) -> Result<Layout, RunError> {
        let wrong = |text: String| Err(RunError::Launch(text));
        let name = &entry.name;
        if launch.params.len() != entry.params.len() {
            let (has, given) = (entry.params.len(), launch.params.len());
            return wrong(format!("`{name}` has {has} parameters, the launch gives {given}"));
        }
        let (starts, _) = offsets(entry);
        let mut pointers = Vec::new();
        for ((param, value), start) in entry.params.iter().zip(&launch.params).zip(starts) {
            if value.bytes.len() != param.size as usize {
                let (size, given) = (param.size, value.bytes.len());
                return wrong(format!(
                    "parameter `{}` has {size} bytes, the launch gives {given}",
                    param.name
                ));
            }
            for pointer in &value.pointers {
                if u64::from(pointer.at) + 8 > u64::from(param.size) {
                    return wrong(format!("a pointer past the end of parameter `{}`", param.name));
                }
                if launch.bound(0, pointer.binding).is_none() {
                    let text =
                        format!("`{}` points at buffer {}, which is not bound", param.name, pointer.binding);
                    return wrong(text);
                }
                pointers.push((start + pointer.at, pointer.binding));
            }
        }
        let block = fixed(entry).unwrap_or(launch.block);
        if fixed(entry).is_some_and(|want| want != launch.block && launch.block != [0; 3]) {
            let text = format!("`{name}` requires a block of {:?}, the launch has {:?}", block, launch.block);
            return wrong(text);
        }
        if block.contains(&0) {
            return wrong(format!("a block of {block:?} lanes: every axis needs at least 1"));
        }
        let lanes = block.iter().fold(1u64, |n, &s| n.saturating_mul(u64::from(s)));
        if let Some(most) = entry.max_lanes.filter(|&most| lanes > u64::from(most)) {
            return wrong(format!("a block of {lanes} lanes: `{name}` allows {most} (__launch_bounds__)"));
        }
        let named = launch.buffers.iter().filter(|b| b.group == 0 && !b.name.is_empty());
        let names = named.map(|b| (b.binding, b.name.clone())).collect();
        Ok(Layout { pointers, names, block, dynamic: launch.dynamic_shared })
    }
}

/// The bytes of the parameter memory for a launch, with pointers in place. `place` gives the buffer's number.
pub fn words(starts: &[u32], size: u32, launch: &Launch, place: impl Fn(u32) -> Option<usize>) -> Vec<u32> {
    let mut bytes = vec![0u8; (size as usize).next_multiple_of(4)];
    for (start, value) in starts.iter().zip(&launch.params) {
        let start = *start as usize;
        // a launch may push more than the kernel reads
        let room = bytes.len().saturating_sub(start).min(value.bytes.len());
        if let Some(slot) = bytes.get_mut(start..start + room) {
            slot.copy_from_slice(&value.bytes[..room]);
        }
        for pointer in &value.pointers {
            let address = place(pointer.binding).map_or(0, |n| buffer_base(n).wrapping_add(pointer.offset));
            let at = start + pointer.at as usize;
            if let Some(slot) = bytes.get_mut(at..at + 8) {
                slot.copy_from_slice(&address.to_le_bytes());
            }
        }
    }
    crate::exec::words_of(&bytes)
}

/// The lanes of a workgroup, where the kernel says so.
fn fixed(entry: &EntryPoint) -> Option<[u32; 3]> {
    Some(entry.workgroup).filter(|lanes| *lanes != [0; 3])
}
