//! Reads one tensor of a .pt file: a zip archive of a pickle, which says what tensors there are, and of their storages.

use std::fs::File;
use std::io::Read;

use ktwin_num::{DType, Tensor};

use super::pickle::{self, Stored};
use super::zip::{self, Entry};
use super::{Made, bytes, distinct};

/// The longest pickle that is read.
const LONGEST: u64 = 1 << 24;

/// The folder of an archive that `torch.save` wrote, none of any other.
pub fn root(entries: &[Entry]) -> Option<&str> {
    entries.iter().find_map(|entry| entry.path.strip_suffix("data.pkl").filter(|root| root.ends_with('/')))
}

/// The names of all tensors: what leads to each, with points between. `own` is that of one by itself.
pub fn names(file: &File, own: &str) -> Made<Vec<String>> {
    let tensors = tensors(file, &zip::entries(file)?)?;
    let named = |(name, _): (String, Stored)| if name.is_empty() { own.to_string() } else { name };
    let names: Vec<String> = tensors.into_iter().map(named).collect();
    distinct(&names, "tensors")?;
    match names.is_empty() {
        true => Err("it holds no tensor that can be read without running code: save a state_dict".into()),
        false => Ok(names),
    }
}

/// The tensor of this name.
pub fn read(file: &File, name: &str, own: &str) -> Made<Tensor> {
    let entries = zip::entries(file)?;
    let mut tensors = tensors(file, &entries)?.into_iter();
    let found = tensors.find(|(path, _)| if path.is_empty() { name == own } else { path == name });
    let Some((_, stored)) = found else { return Err("it is gone".into()) };
    let dtype = dtype(&stored.kind)?;
    let stretch = elements(&stored).ok_or("its sizes are too large")?;
    let needed = Tensor::bytes_needed(dtype, &[stretch])?;
    // a file of a few bytes would else become an array of any size
    if Tensor::bytes_needed(dtype, &stored.shape)? > needed {
        return Err("it repeats its numbers: save what `contiguous()` makes of it".into());
    }
    let root = root(&entries).unwrap_or_default();
    let path = format!("{root}data/{}", stored.key);
    let Some(entry) = entries.iter().find(|entry| entry.path == path) else {
        return Err(format!("its numbers are missing: the archive has no `{path}`"));
    };
    let bytes = zip::read(file, entry, |mut reader, most| bytes(&mut reader, needed, most))?;
    let Stored { shape, strides, offset, .. } = stored;
    Ok(Tensor { dtype, shape, strides, offset, bytes: bytes.into() })
}

/// The elements of a storage up to the last of a tensor.
fn elements(stored: &Stored) -> Option<usize> {
    if stored.shape.contains(&0) {
        return Some(stored.offset);
    }
    let mut each = stored.shape.iter().zip(&stored.strides);
    let last = each
        .try_fold(stored.offset, |last, (size, stride)| last.checked_add((size - 1).checked_mul(*stride)?));
    last?.checked_add(1)
}

fn tensors(file: &File, entries: &[Entry]) -> Made<Vec<(String, Stored)>> {
    let root = root(entries).unwrap_or_default();
    let whole = |name: &str| {
        let path = format!("{root}{name}");
        let entry = entries.iter().find(|entry| entry.path == path);
        entry.map(|entry| zip::read(file, entry, |reader, most| all(reader, most)))
    };
    if whole("byteorder").transpose()?.is_some_and(|order| order.starts_with(b"big")) {
        return Err("its numbers are big-endian, which is not read".into());
    }
    pickle::tensors(&whole("data.pkl").unwrap_or_else(|| Err("it has no pickle".into()))?)
}

/// All bytes of an entry.
fn all(reader: &mut dyn Read, most: u64) -> Made<Vec<u8>> {
    let mut out = Vec::new();
    reader.take(most.min(LONGEST + 1)).read_to_end(&mut out).map_err(|e| format!("cannot read it: {e}"))?;
    match out.len() as u64 > LONGEST {
        true => Err(format!("its pickle is longer than {LONGEST} bytes")),
        false => Ok(out),
    }
}

fn dtype(kind: &str) -> Made<DType> {
    let ours = match kind.strip_prefix("torch.").unwrap_or(kind) {
        "BoolStorage" => "bool",
        "ByteStorage" => "u8",
        "CharStorage" => "i8",
        "ShortStorage" => "i16",
        "IntStorage" => "i32",
        "LongStorage" => "i64",
        "HalfStorage" => "f16",
        "BFloat16Storage" => "bf16",
        "FloatStorage" => "f32",
        "DoubleStorage" => "f64",
        "uint16" => "u16",
        "uint32" => "u32",
        "uint64" => "u64",
        "float8_e4m3fn" => "e4m3",
        "float8_e5m2" => "e5m2",
        other => {
            let shown: String = other.chars().take(24).filter(|c| !c.is_control()).collect();
            return Err(format!("its element type `{shown}` is not supported"));
        }
    };
    DType::parse(ours)
}
