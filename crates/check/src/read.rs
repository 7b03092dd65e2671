//! Files that a user names, read with a look first: what never ends, or is far too large, gives a message.
//! Touches files only.

use std::fs::File;
use std::io::{Error, Read, Result};
use std::path::Path;

/// The most bytes that a kernel, a contract or an op may have.
const MOST: u64 = 64 << 20;

/// The bytes of a file.
pub fn bytes(path: &Path) -> Result<Vec<u8>> {
    let about = std::fs::metadata(path)?;
    if !about.is_file() {
        let what = if about.is_dir() { "a folder" } else { "not a regular file" };
        return Err(Error::other(format!("this is {what}")));
    }
    let large =
        |size: u64| Error::other(format!("{} MiB is too large; the limit is {} MiB", size >> 20, MOST >> 20));
    if about.len() > MOST {
        return Err(large(about.len()));
    }
    let mut bytes = Vec::new();
    // some files say that they are empty and never end
    File::open(path)?.take(MOST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST { Err(large(bytes.len() as u64)) } else { Ok(bytes) }
}

/// The text of a file.
pub fn text(path: &Path) -> Result<String> {
    String::from_utf8(bytes(path)?).map_err(|_| Error::other("this is not text (UTF-8)"))
}
