//! Arrays in files: reads .npy, .npz, .safetensors, .gguf and .pt, writes .npy. Knows tensors, and nothing of ops. No
//! byte of a file is believed before it is checked: what a header promises must be there before memory is
//! taken for it.

mod element;
mod gguf;
mod header;
mod npy;
mod npz;
mod pickle;
mod pt;
mod safetensors;
mod write;
mod zip;

use crate::elsewhere::room;
use crate::explain::visible;
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use ktwin_num::{DType, Tensor, did_you_mean};

pub use write::{NpyType, NpyWriter};

/// Why a file's arrays cannot be had, in one line that begins with the file's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayError(pub String);

impl fmt::Display for ArrayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ArrayError {}

/// What is inside, before the file has a name: each reader's own errors.
type Made<T> = Result<T, String>;

/// A file of one or several arrays.
#[derive(Clone, Debug)]
pub struct ArrayFile {
    path: PathBuf,
    kind: Kind,
    names: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Npy,
    Npz,
    Safetensors,
    Gguf,
    Pt,
}

impl ArrayFile {
    /// Looks what kind of file this is, by its first bytes, and which arrays it holds.
    pub fn open(path: &Path) -> Result<ArrayFile, ArrayError> {
        let made = kind(path).and_then(|kind| {
            let names = match kind {
                Kind::Npy => vec![stem(path)],
                Kind::Npz => npz::names(&zip::entries(&open(path)?)?)?,
                Kind::Safetensors => safetensors::names(&mut open(path)?)?,
                Kind::Gguf => gguf::names(&mut open(path)?)?,
                Kind::Pt => pt::names(&open(path)?, &stem(path))?,
            };
            Ok(ArrayFile { path: path.to_path_buf(), kind, names })
        });
        made.map_err(|why| told(format!("{}: {why}", path.display())))
    }

    /// The arrays' names; of an .npy file the file's own.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether it is made for several arrays, which have names of their own.
    pub fn is_archive(&self) -> bool {
        self.kind != Kind::Npy
    }

    /// One array. `wanted` says what elements mean that NumPy has no type for (bfloat16 and the 8-bit
    /// formats, which it saves as raw bytes).
    pub fn read(&self, name: &str, wanted: Option<DType>) -> Result<Tensor, ArrayError> {
        let shown = match self.is_archive() {
            true => format!("{}: {name}", self.path.display()),
            false => self.path.display().to_string(),
        };
        if !self.names.iter().any(|n| n == name) {
            let hint = did_you_mean(name, self.names.iter().map(String::as_str));
            let some: Vec<&str> = self.names.iter().take(8).map(String::as_str).collect();
            let hint = if hint.is_empty() { format!(", it has {}", some.join(", ")) } else { hint };
            return Err(told(format!("{}: no array `{name}`{hint}", self.path.display())));
        }
        let made = open(&self.path).and_then(|mut file| match self.kind {
            Kind::Npy => {
                let size = size(&file)?;
                npy::read(&mut file, size, wanted)
            }
            Kind::Npz => npz::read(&file, name, wanted),
            Kind::Safetensors => safetensors::read(&mut file, name),
            Kind::Gguf => gguf::read(&mut file, name),
            Kind::Pt => pt::read(&file, name, &stem(&self.path)),
        });
        made.map_err(|why| told(format!("{shown}: {why}")))
    }
}

/// An error in one line, whatever the names of arrays hold.
fn told(what: String) -> ArrayError {
    ArrayError(visible(&what))
}

/// The file's name without folder and extension.
fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn open(path: &Path) -> Made<File> {
    let cannot = |e: std::io::Error| format!("cannot open it: {}", ktwin_num::reason(&e));
    // looked at first: opening a pipe waits for somebody who writes to it
    match std::fs::metadata(path) {
        Ok(data) if data.is_dir() => Err("this is a folder, not a file of arrays".into()),
        Ok(data) if !data.is_file() => Err("only regular files can be read, not pipes or devices".into()),
        Ok(_) => File::open(path).map_err(cannot),
        Err(e) => Err(cannot(e)),
    }
}

fn size(file: &File) -> Made<u64> {
    file.metadata().map(|data| data.len()).map_err(|e| format!("cannot read it: {}", ktwin_num::reason(&e)))
}

fn kind(path: &Path) -> Made<Kind> {
    let file = open(path)?;
    let mut start = Vec::new();
    file.take(10)
        .read_to_end(&mut start)
        .map_err(|e| format!("cannot read it: {}", ktwin_num::reason(&e)))?;
    let extension = path.extension().is_some_and(|e| e == "safetensors");
    match start.as_slice() {
        [] => Err("the file is empty".into()),
        start if start.starts_with(npy::MAGIC) => Ok(Kind::Npy),
        start if start.starts_with(gguf::MAGIC) => Ok(Kind::Gguf),
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => {
            let entries = zip::entries(&open(path)?)?;
            Ok(if pt::root(&entries).is_some() { Kind::Pt } else { Kind::Npz })
        }
        // a safetensors file has no mark of its own: eight bytes of length, then JSON
        [_, _, _, _, _, _, _, _, b'{', ..] => Ok(Kind::Safetensors),
        _ if extension => Ok(Kind::Safetensors),
        // a pickle of the number that files begin with which PyTorch wrote before 1.6
        [0x80, 2, 0x8a, 10, ..] => {
            Err("PyTorch wrote this file before 1.6, or without its zip format: load it and save it again"
                .into())
        }
        _ => {
            Err("not an .npy, .npz, .safetensors, .gguf or .pt file: its first bytes match none of them"
                .into())
        }
    }
}

/// Refuses two arrays or tensors of one name.
fn distinct(names: &[String], what: &str) -> Made<()> {
    let mut sorted: Vec<&String> = names.iter().collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("it has two {what} named `{}`", pair[0])),
        None => Ok(()),
    }
}

/// Reads just `needed` bytes, of which the source holds at most `there`; memory is taken only after that is
/// checked.
fn bytes(reader: &mut impl Read, needed: usize, there: u64) -> Made<Vec<u8>> {
    if needed as u64 > there {
        return Err(format!("its header promises {needed} bytes of numbers, there are at most {there}"));
    }
    let mut out = Vec::new();
    room(needed as f64, "read a part of it")?;
    out.try_reserve_exact(needed).map_err(|_| format!("{needed} bytes do not fit in memory"))?;
    let read = reader.take(needed as u64).read_to_end(&mut out);
    match read {
        Ok(have) if have == needed => Ok(out),
        Ok(have) => Err(format!("its header promises {needed} bytes of numbers, there are {have}")),
        Err(e) => Err(format!("cannot read it: {}", ktwin_num::reason(&e))),
    }
}

/// Refuses what follows an array's last byte: the file is damaged, or was not understood.
fn ended(reader: &mut impl Read) -> Made<()> {
    match reader.take(1).read_to_end(&mut Vec::new()) {
        Ok(0) => Ok(()),
        Ok(_) => Err("it has more bytes than its header says".into()),
        Err(e) => Err(format!("cannot read it: {}", ktwin_num::reason(&e))),
    }
}
