//! What a language promises of arithmetic, memory and barriers. It comes with the program; the machine asks nothing
//! else about the language that a program was written in. Plain data.

use ktwin_num::Language;

/// Processors of the card that is simulated, a power of two; the lanes and workgroups that each has room for.
pub const PROCESSORS: u32 = 128;
const LANES: u64 = 2048;
const WORKGROUPS: u64 = 32;

/// The rules that a program runs by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Whose table says how wrong operations and functions may be in the modes that are not exact.
    pub functions: Language,
    /// Whether these modes may take and give zeros for subnormal numbers.
    pub flush: bool,
    /// Whether they may round a product and a sum once.
    pub contract: bool,
    /// Whether the language says what reads out of bounds, divisions by zero and shifts past the width give.
    pub defined: bool,
    /// Whether addresses come from pointers, which may also point before an object, and buffers end at any byte; else
    /// from indices, into bindings of whole words.
    pub pointers: bool,
    /// Whether fences and atomics order other accesses, and stores without them reach other workgroups late.
    pub fences: bool,
    /// Whether lanes wait at a barrier until enough of them have come to it, wherever each comes from; else all lanes
    /// must come together.
    pub parks: bool,
    /// How many workgroups all devices have alive at once, so that they may wait for each other.
    pub resident: u64,
    /// Whether arrays of a lane begin with nothing in them.
    pub undefined_locals: bool,
    /// Whether what one instruction stores to a place of shared memory for several lanes is copies of one element.
    pub copies: bool,
}

impl Rules {
    /// WGSL: everything that a kernel can do has a result.
    pub const WGSL: Rules = Rules {
        functions: Language::Wgsl,
        flush: true,
        contract: true,
        defined: true,
        pointers: false,
        fences: false,
        parks: false,
        resident: 1,
        undefined_locals: false,
        copies: false,
    };

    /// SPIR-V as Vulkan runs it: WGSL's arithmetic, and nothing promised past the end of a buffer.
    pub const SPIRV: Rules = Rules { defined: false, ..Rules::WGSL };

    /// OpenCL C: its own table, pointers, and nothing promised past the end of a buffer.
    pub const OPENCL: Rules =
        Rules { functions: Language::OpenCl, pointers: true, undefined_locals: true, ..Rules::SPIRV };

    /// PTX: each instruction says how it rounds and flushes, and approximate ones say how wrong they may be.
    pub const PTX: Rules = Rules {
        functions: Language::Correct,
        flush: false,
        contract: false,
        defined: false,
        pointers: true,
        fences: true,
        parks: true,
        resident: 16,
        undefined_locals: true,
        copies: false,
    };

    /// PTX that Triton made: several lanes hold the same element of a tensor, and each of them stores it.
    pub const TRITON: Rules = Rules { copies: true, ..Rules::PTX };
}

/// How many workgroups of so many lanes the simulated card has alive at once.
pub fn together(lanes: u64) -> u64 {
    u64::from(PROCESSORS) * (LANES / lanes.max(1)).min(WORKGROUPS)
}

impl Default for Rules {
    fn default() -> Rules {
        Rules::SPIRV
    }
}
