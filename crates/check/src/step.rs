//! What a kernel is started with: its parameters, and what variables of its source hold. Plain data.

use ktwin_num::DType;
use serde::{Deserialize, Serialize};

/// One value of a parameter: its name, its type and its little-endian bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Word {
    /// The name in the contract, for messages.
    pub name: String,
    /// Its type.
    #[serde(with = "crate::by_name")]
    pub dtype: DType,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The buffer of this number in the launch, whose address stands here: the device fills it in.
    #[serde(default)]
    pub buffer: Option<usize>,
}

/// What one binding (WGSL: `@group(0) @binding(its position)`) or parameter (C) is given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Argument {
    /// The buffer of this number in the launch.
    Buffer(usize),
    /// Values in one struct: a uniform buffer in WGSL, a struct by value in C; a single one is that value.
    Words(Vec<Word>),
    /// The buffer of this number takes what the function returns; always the last.
    Returned(usize),
}

/// The buffers that a struct points to, and at which of its bytes.
pub fn pointers(words: &[Word]) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    for (number, word) in words.iter().enumerate() {
        let before = pack(&words[..number]).len();
        // what comes before a pointer ends at a multiple of eight, or is filled up to one
        out.extend(word.buffer.map(|buffer| (before.next_multiple_of(word.bytes.len().max(1)), buffer)));
    }
    out
}

/// The bytes of a struct: every field at a multiple of its size, the whole a multiple of the largest. That
/// is what WGSL's uniform buffers and C's structs have in common.
pub fn pack(words: &[Word]) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::new();
    for word in words {
        out.resize(out.len().next_multiple_of(word.bytes.len().max(1)), 0);
        out.extend(&word.bytes);
    }
    let largest = words.iter().map(|w| w.bytes.len()).max().unwrap_or(1);
    out.resize(out.len().next_multiple_of(largest.max(1)), 0);
    out
}

/// One kernel started once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The entry point; empty takes the only one.
    pub entry: String,
    /// Workgroups in x, y and z; all 1 for a function that is simply called.
    pub grid: [u32; 3],
    /// Lanes of a workgroup, where the contract names them (WGSL's are in its source).
    pub block: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// The bindings or parameters, in order.
    pub args: Vec<Argument>,
    /// The push constants.
    pub push: Vec<Word>,
    /// What variables of the source hold before the launch; of several steps, the first says it.
    #[serde(default)]
    pub globals: Vec<Global>,
}

/// A variable of the source that a host would fill: `__constant__ float filter[9]` in CUDA.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Global {
    /// Its name in the source.
    pub name: String,
    /// What it begins with. What is left of it is nobody's to read.
    pub bytes: Vec<u8>,
}
