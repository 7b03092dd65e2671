//! One launch: an entry point, a grid, the buffers, the values of overrides. Plain data.

use super::buffer::Buffer;

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
