//! The entries of a zip archive, stored or deflated.

use std::fs::File;
use std::io::Read;

use flate2::read::DeflateDecoder;
use rawzip::{CompressionMethod, RECOMMENDED_BUFFER_SIZE, ZipArchive, ZipArchiveEntryWayfinder};

use super::{Made, size};

/// More entries than this are taken for damage.
pub const MOST_ENTRIES: usize = 1 << 16;

/// Deflate makes at most this many bytes of one.
const MOST_INFLATION: u64 = 1032;
/// From so many bytes on, no more than so many are made of one: more is no array that anybody computed.
const LARGE: u64 = 1 << 30;
const USUAL_INFLATION: u64 = 64;

/// How many bytes at most are taken out of so many deflated ones.
fn most(packed: u64) -> u64 {
    packed.saturating_mul(MOST_INFLATION).min(LARGE.max(packed.saturating_mul(USUAL_INFLATION)))
}

/// One entry of an archive.
pub struct Entry {
    /// Its path in the archive.
    pub path: String,
    method: CompressionMethod,
    place: ZipArchiveEntryWayfinder,
}

/// All entries.
pub fn entries(file: &File) -> Made<Vec<Entry>> {
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    let archive = archive(file, &mut buffer)?;
    let mut out = Vec::new();
    let mut entries = archive.entries(&mut buffer);
    while let Some(entry) = entries.next_entry().map_err(damaged)? {
        if out.len() >= MOST_ENTRIES {
            return Err(format!("it has more than {MOST_ENTRIES} entries"));
        }
        let path = String::from_utf8_lossy(entry.file_path().as_bytes()).into_owned();
        out.push(Entry { path, method: entry.compression_method(), place: entry.wayfinder() });
    }
    Ok(out)
}

/// What `read` makes of an entry's bytes; it is told how many there are at most.
pub fn read<T>(file: &File, entry: &Entry, read: impl FnOnce(&mut dyn Read, u64) -> Made<T>) -> Made<T> {
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    let archive = archive(file, &mut buffer)?;
    let found = archive.get_entry(entry.place).map_err(damaged)?;
    let (first, end) = found.compressed_data_range();
    let packed = end.saturating_sub(first).min(size(file)?);
    match entry.method {
        CompressionMethod::STORE => read(&mut found.verifying_reader(found.reader()), packed),
        CompressionMethod::DEFLATE => {
            let inflated = DeflateDecoder::new(found.reader());
            read(&mut found.verifying_reader(inflated), most(packed))
        }
        _ => Err("it is packed in a way that is not read; stored and deflated entries are".into()),
    }
}

fn archive(file: &File, buffer: &mut [u8]) -> Made<ZipArchive<rawzip::FileReader>> {
    let file = file.try_clone().map_err(|e| format!("cannot read it: {e}"))?;
    ZipArchive::from_file(file, buffer).map_err(damaged)
}

fn damaged(error: rawzip::Error) -> String {
    format!("the archive is damaged: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn deflate_stays_below_its_bound() {
        let mut packer = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
        packer.write_all(&vec![0; 1 << 20]).unwrap();
        let packed = packer.finish().unwrap();
        let mut out = Vec::new();
        DeflateDecoder::new(packed.as_slice()).read_to_end(&mut out).unwrap();
        assert!(out.len() as u64 <= most(packed.len() as u64));
    }

    #[test]
    fn what_would_unpack_to_gigabytes_of_one_number_is_not_taken_for_an_array() {
        assert_eq!(most(1000), 1_032_000);
        assert_eq!(most(10 << 20), LARGE);
        assert_eq!(most(1 << 30), 64 << 30);
    }
}
