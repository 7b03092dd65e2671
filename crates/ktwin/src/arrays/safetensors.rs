//! Reads one array of a .safetensors file: eight bytes of length, a JSON header of that length, then all
//! data.

use std::fmt;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use ktwin_num::{DType, Tensor};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use super::{Made, bytes, distinct, size};

/// The format's own limit.
const LONGEST_HEADER: u64 = 100_000_000;

/// What the header says of one array.
#[derive(Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (u64, u64),
}

/// All arrays in the order of the header, names that stand twice included.
struct Header(Vec<(String, Entry)>);

impl<'de> Deserialize<'de> for Header {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Header, D::Error> {
        from.deserialize_map(Entries)
    }
}

struct Entries;

impl<'de> Visitor<'de> for Entries {
    type Value = Header;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a map of arrays")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Header, M::Error> {
        let mut out = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "__metadata__" => drop(map.next_value::<IgnoredAny>()?),
                _ => out.push((name, map.next_value()?)),
            }
        }
        Ok(Header(out))
    }
}

/// The names of all arrays.
pub fn names(file: &mut File) -> Made<Vec<String>> {
    let (Header(entries), _) = header(file)?;
    let names: Vec<String> = entries.iter().map(|(name, _)| name.clone()).collect();
    distinct(&names, "arrays")?;
    match names.is_empty() {
        true => Err("it holds no array".into()),
        false => stored_one_after_the_other(&entries).map(|()| names),
    }
}

/// The format allows neither bytes of two arrays nor bytes of none.
fn stored_one_after_the_other(entries: &[(String, Entry)]) -> Made<()> {
    let mut all: Vec<_> = entries.iter().map(|(name, entry)| (entry.data_offsets, name)).collect();
    all.sort_unstable();
    let mut end = 0;
    for ((first, last), name) in all {
        if first != end {
            let what = if first < end { "lies on that of another" } else { "does not follow that before it" };
            return Err(format!("the data of `{name}`, from byte {first} on, {what}"));
        }
        end = last;
    }
    Ok(())
}

/// The array of this name.
pub fn read(file: &mut File, name: &str) -> Made<Tensor> {
    let (Header(entries), start) = header(file)?;
    let Some((_, entry)) = entries.into_iter().find(|(n, _)| n == name) else {
        return Err("it is gone".into());
    };
    let dtype = dtype(&entry.dtype)?;
    let needed = Tensor::bytes_needed(dtype, &entry.shape)?;
    let (first, end) = entry.data_offsets;
    if end.checked_sub(first) != Some(needed as u64) {
        return Err(format!(
            "its header gives bytes {first} to {end} for {dtype} {:?}, which takes {needed}",
            entry.shape
        ));
    }
    let from = start.saturating_add(first);
    let there = size(file)?.saturating_sub(from);
    file.seek(SeekFrom::Start(from)).map_err(|e| format!("cannot read it: {e}"))?;
    Tensor::from_bytes(dtype, &entry.shape, bytes(file, needed, there)?)
}

/// The header, and the place where data begins.
fn header(file: &mut File) -> Made<(Header, u64)> {
    let mut length = [0; 8];
    file.read_exact(&mut length).map_err(|_| "it ends before its header".to_string())?;
    let length = u64::from_le_bytes(length);
    let there = size(file)?.saturating_sub(8);
    if length > there.min(LONGEST_HEADER) {
        return Err(format!("its header would have {length} bytes, the file has {there} more"));
    }
    let text = bytes(file, length as usize, there)?;
    let header = serde_json::from_slice(&text).map_err(|e| {
        format!("its header is damaged near byte {}: a type, a shape or an offset is not there", e.column())
    })?;
    Ok((header, 8 + length))
}

fn dtype(name: &str) -> Made<DType> {
    let ours = match name {
        "BOOL" => "bool",
        "U8" => "u8",
        "I8" => "i8",
        "U16" => "u16",
        "I16" => "i16",
        "U32" => "u32",
        "I32" => "i32",
        "U64" => "u64",
        "I64" => "i64",
        "F16" => "f16",
        "BF16" => "bf16",
        "F32" => "f32",
        "F64" => "f64",
        "F8_E4M3" => "e4m3",
        "F8_E5M2" => "e5m2",
        _ => {
            let shown: String = name.chars().take(24).filter(|c| !c.is_control()).collect();
            return Err(format!("its element type `{shown}` is not supported"));
        }
    };
    DType::parse(ours)
}
