//! One launch: an entry point, a grid, the buffers, the values of overrides. Plain data.

use super::buffer::Buffer;

/// A pointer in the value of a parameter: the address of a byte of a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pointer {
    /// Where in the parameter its 8 bytes lie.
    pub at: u32,
    /// The buffer, by its `binding` (its `group` is 0).
    pub binding: u32,
    /// The byte of the buffer that it points at.
    pub offset: u64,
}

/// The value of one parameter of a PTX entry point: bytes, some of which may be pointers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Param {
    /// The bytes, as long as the parameter; those of pointers are filled in by the launch.
    pub bytes: Vec<u8>,
    /// The pointers among them.
    pub pointers: Vec<Pointer>,
}

impl Param {
    /// A pointer to the first byte of a buffer.
    pub fn pointer(binding: u32) -> Param {
        Param::bytes(vec![0; 8]).pointing(0, binding, 0)
    }

    /// A scalar or a struct passed by value, in the machine's layout (little-endian).
    pub fn bytes(bytes: Vec<u8>) -> Param {
        Param { bytes, pointers: Vec::new() }
    }

    /// A 32-bit integer.
    pub fn u32(value: u32) -> Param {
        Param::bytes(value.to_le_bytes().to_vec())
    }

    /// A 32-bit float.
    pub fn f32(value: f32) -> Param {
        Param::bytes(value.to_le_bytes().to_vec())
    }

    /// Puts a pointer to a buffer at byte `at` of the value.
    pub fn pointing(mut self, at: u32, binding: u32, offset: u64) -> Param {
        self.pointers.push(Pointer { at, binding, offset });
        self
    }
}

/// What is to be run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Launch {
    /// The entry point's name; empty takes the only one.
    pub entry: String,
    /// Workgroups in x, y and z.
    pub grid: [u32; 3],
    /// The buffers, in any order. A run reads and writes them in place.
    pub buffers: Vec<Buffer>,
    /// Values of `override` constants, by name or by the digits of their `@id`.
    pub overrides: Vec<(String, f64)>,
    /// Bytes of workgroup memory added by the launch (for languages that have such).
    pub dynamic_shared: u32,
    /// PTX: lanes of a workgroup in x, y and z. WGSL says so in the source, and this is not read.
    pub block: [u32; 3],
    /// PTX: the values of the entry point's parameters, in order. Shaders: their push constants, as one.
    pub params: Vec<Param>,
    /// PTX: what variables of the module in global and constant memory hold, by their names, where
    /// that is not what they begin with. A run leaves here what those hold after it that kernels
    /// write; a later launch of the module is given it.
    pub globals: Vec<(String, Vec<u32>)>,
}

impl Launch {
    /// A launch of the module's only entry point.
    pub fn new(grid: [u32; 3]) -> Launch {
        Launch { grid, ..Launch::default() }
    }

    /// Names the entry point.
    pub fn entry(mut self, name: &str) -> Launch {
        self.entry = name.to_owned();
        self
    }

    /// Binds a buffer.
    pub fn buffer(mut self, buffer: Buffer) -> Launch {
        self.buffers.push(buffer);
        self
    }

    /// Sets the lanes of a workgroup (PTX).
    pub fn block(mut self, block: [u32; 3]) -> Launch {
        self.block = block;
        self
    }

    /// Adds the value of the next parameter (PTX).
    pub fn param(mut self, param: Param) -> Launch {
        self.params.push(param);
        self
    }

    /// Sets an `override` constant.
    pub fn set(mut self, name: &str, value: f64) -> Launch {
        self.overrides.push((name.to_owned(), value));
        self
    }

    /// The buffer bound at `group` and `binding`.
    pub fn bound(&self, group: u32, binding: u32) -> Option<&Buffer> {
        self.buffers.iter().find(|b| b.group == group && b.binding == binding)
    }
}
