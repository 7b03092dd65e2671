//! Reads one array of an .npz file: a zip archive of .npy files, stored or deflated.

use std::fs::File;

use flate2::read::DeflateDecoder;
use ktwin_num::{DType, Tensor};
use rawzip::{CompressionMethod, RECOMMENDED_BUFFER_SIZE, ZipArchive, ZipArchiveEntryWayfinder};

use super::{Made, npy, size};

/// More entries than this are taken for damage.
const MOST_ENTRIES: usize = 1 << 16;

/// Deflate makes at most this many bytes of one.
const MOST_INFLATION: u64 = 1032;

struct Entry {
    name: String,
    method: CompressionMethod,
    place: ZipArchiveEntryWayfinder,
}

/// The names of all arrays, without their `.npy`.
pub fn names(file: &File) -> Made<Vec<String>> {
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    let archive = archive(file, &mut buffer)?;
    let names: Vec<String> = entries(&archive, &mut buffer)?.into_iter().map(|e| e.name).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!("it has two arrays named `{}`", pair[0]));
    }
    match names.is_empty() {
        true => Err("it holds no array".into()),
        false => Ok(names),
    }
}

/// The array of this name.
pub fn read(file: &File, name: &str, wanted: Option<DType>) -> Made<Tensor> {
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    let archive = archive(file, &mut buffer)?;
    let found = entries(&archive, &mut buffer)?.into_iter().find(|e| e.name == name);
    let Some(found) = found else { return Err("it is gone".into()) };
    let entry = archive.get_entry(found.place).map_err(damaged)?;
    let (first, end) = entry.compressed_data_range();
    let packed = end.saturating_sub(first).min(size(file)?);
    match found.method {
        CompressionMethod::STORE => npy::read(&mut entry.verifying_reader(entry.reader()), packed, wanted),
        CompressionMethod::DEFLATE => {
            let inflated = DeflateDecoder::new(entry.reader());
            let most = packed.saturating_mul(MOST_INFLATION);
            npy::read(&mut entry.verifying_reader(inflated), most, wanted)
        }
        _ => {
            Err("it is packed in a way that np.savez never uses; stored and deflated arrays are read".into())
        }
    }
}

type Archive = ZipArchive<rawzip::FileReader>;

fn archive(file: &File, buffer: &mut [u8]) -> Made<Archive> {
    let file = file.try_clone().map_err(|e| format!("cannot read it: {e}"))?;
    ZipArchive::from_file(file, buffer).map_err(damaged)
}

fn entries(archive: &Archive, buffer: &mut [u8]) -> Made<Vec<Entry>> {
    let mut out = Vec::new();
    let mut entries = archive.entries(buffer);
    while let Some(entry) = entries.next_entry().map_err(damaged)? {
        if out.len() >= MOST_ENTRIES {
            return Err(format!("it has more than {MOST_ENTRIES} entries"));
        }
        let path = String::from_utf8_lossy(entry.file_path().as_bytes()).into_owned();
        let name = path.strip_suffix(".npy").unwrap_or(&path).to_string();
        let (method, place) = (entry.compression_method(), entry.wayfinder());
        out.push(Entry { name, method, place });
    }
    Ok(out)
}

fn damaged(error: rawzip::Error) -> String {
    format!("the archive is damaged: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    #[test]
    fn deflate_stays_below_its_bound() {
        let mut packer = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
        packer.write_all(&vec![0; 1 << 20]).unwrap();
        let packed = packer.finish().unwrap();
        let mut out = Vec::new();
        DeflateDecoder::new(packed.as_slice()).read_to_end(&mut out).unwrap();
        assert!(out.len() as u64 <= packed.len() as u64 * MOST_INFLATION);
    }
}
