//! Pointers: where a variable, or a part of it, lies.

use crate::ir::Reg;

/// What a pointer points at.
#[derive(Clone, Debug)]
pub enum Place {
    /// A variable, or a part of one, that lives in registers.
    Regs(Vec<Reg>),
    /// One of several parts of such a variable, chosen by an index; one out of range chooses none.
    Pick { parts: Vec<Vec<Reg>>, index: Reg },
    /// Memory: a byte address, if not all of it is constant, and the constant part.
    Mem { mem: u32, addr: Option<Reg>, offset: u32 },
}

impl Place {
    /// The part of a place that starts at scalar `at` of its value, `len` scalars long; in memory, `bytes`
    /// further on.
    pub fn part(&self, at: usize, len: usize, bytes: u32) -> Place {
        match self {
            Place::Regs(regs) => Place::Regs(regs[at..at + len].to_vec()),
            Place::Pick { parts, index } => Place::Pick {
                parts: parts.iter().map(|part| part[at..at + len].to_vec()).collect(),
                index: *index,
            },
            Place::Mem { mem, addr, offset } => {
                Place::Mem { mem: *mem, addr: *addr, offset: offset.saturating_add(bytes) }
            }
        }
    }
}
