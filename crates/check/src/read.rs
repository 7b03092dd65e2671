//! Files that a user names, read with a look first: what never ends, or is far too large, gives a message.
//! Touches files only.

use std::fs::File;
use std::io::{Error, Read, Result};
use std::path::Path;

/// The most bytes that a kernel, a contract or an op may have.
const MOST: u64 = 64 << 20;

/// The folders of the system in which nothing of a project is, whatever links lead there.
const SYSTEM: [&str; 4] = ["/dev", "/etc", "/proc", "/sys"];

/// The folder of the system that a path leads to, if it leads to one.
pub fn of_the_system(path: &Path) -> Option<&'static str> {
    let whole = path.canonicalize().ok()?;
    SYSTEM.into_iter().find(|folder| whole.starts_with(folder))
}

/// The bytes of a file of a kernel, a contract or an op.
pub fn bytes(path: &Path) -> Result<Vec<u8>> {
    regular(path)?;
    if let Some(folder) = of_the_system(path) {
        return Err(Error::other(format!("this is a file of the system, in {folder}")));
    }
    up_to(path, MOST)
}

/// What the system says, in words for people.
fn plainly(error: Error) -> Error {
    Error::new(error.kind(), ktwin_num::reason(&error))
}

/// The length of what is no folder, device or pipe.
fn regular(path: &Path) -> Result<u64> {
    let about = std::fs::metadata(path).map_err(plainly)?;
    match about.is_file() {
        true => Ok(about.len()),
        false => {
            let what = if about.is_dir() { "a folder" } else { "not a regular file" };
            Err(Error::other(format!("this is {what}")))
        }
    }
}

/// The bytes of a file of no more than so many.
pub fn up_to(path: &Path, most: u64) -> Result<Vec<u8>> {
    let length = regular(path)?;
    let large =
        |size: u64| Error::other(format!("{} MiB is too large; the limit is {} MiB", size >> 20, most >> 20));
    if length > most {
        return Err(large(length));
    }
    let mut bytes = Vec::new();
    // some files say that they are empty and never end
    let file = File::open(path).map_err(plainly)?;
    file.take(most + 1).read_to_end(&mut bytes).map_err(plainly)?;
    if bytes.len() as u64 > most { Err(large(bytes.len() as u64)) } else { Ok(bytes) }
}

/// The text of a file.
pub fn text(path: &Path) -> Result<String> {
    String::from_utf8(bytes(path)?).map_err(|_| Error::other("this is not text (UTF-8)"))
}
