//! What was compiled once, found again by its contents: in the user's own cache, checked when it is read, limited in
//! size.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sha2::{Digest, Sha256};

/// Files that are kept; the oldest go.
const MOST: usize = 512;
/// Bytes that are kept.
const BYTES: u64 = 256 << 20;
/// Bytes of a digest.
const DIGEST: usize = 32;

/// The digest of several parts, each with its length, so that no two lists of parts look the same.
pub fn key<'p>(parts: impl Iterator<Item = &'p [u8]>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().map(|b| format!("{b:02x}")).collect()
}

/// The folder of compiled kernels.
pub fn folder() -> io::Result<PathBuf> {
    let home = |variable| std::env::var_os(variable).filter(|v| !v.is_empty()).map(PathBuf::from);
    let cache = home("XDG_CACHE_HOME").or_else(|| {
        let own = home("HOME").or_else(|| home("LOCALAPPDATA"))?;
        Some(own.join(".cache"))
    });
    let none = || io::Error::other("no folder for a cache: HOME and XDG_CACHE_HOME are not set");
    let folder = cache.ok_or_else(none)?.join("ktwin").join("nvrtc");
    fs::create_dir_all(&folder)?;
    only_for_the_user(&folder)?;
    Ok(folder)
}

#[cfg(unix)]
fn only_for_the_user(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
}

#[cfg(not(unix))]
fn only_for_the_user(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// What lies there under a key, if it is as it was written.
pub fn read(folder: &Path, key: &str) -> Option<Vec<u8>> {
    let bytes = fs::read(folder.join(key)).ok()?;
    let (digest, body) = bytes.split_at_checked(DIGEST)?;
    (Sha256::digest(body).as_slice() == digest).then(|| body.to_vec())
}

/// Keeps bytes under a key.
pub fn write(folder: &Path, key: &str, body: &[u8]) -> io::Result<()> {
    let mut bytes = Sha256::digest(body).to_vec();
    bytes.extend(body);
    let room = tempfile::Builder::new().prefix("made-").tempdir_in(folder)?;
    let file = room.path().join("kept");
    fs::write(&file, bytes)?;
    fs::rename(file, folder.join(key))?;
    prune(folder)
}

fn prune(folder: &Path) -> io::Result<()> {
    let mut files: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder)?.filter_map(Result::ok) {
        let Ok(about) = entry.metadata() else { continue };
        if about.is_file() {
            files.push((about.modified().unwrap_or(SystemTime::UNIX_EPOCH), about.len(), entry.path()));
        }
    }
    files.sort_by_key(|file| std::cmp::Reverse(file.0));
    let mut sum = 0;
    for (number, (_, size, path)) in files.iter().enumerate() {
        sum += size;
        if number >= MOST || sum > BYTES {
            // another process may have done it
            let _ = fs::remove_file(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_and_what_was_changed_is_not() {
        let room = tempfile::tempdir().unwrap();
        write(room.path(), "k", b"ptx").unwrap();
        assert_eq!(read(room.path(), "k").as_deref(), Some(&b"ptx"[..]));
        let mut bytes = fs::read(room.path().join("k")).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(room.path().join("k"), bytes).unwrap();
        assert_eq!(read(room.path(), "k"), None);
        assert_eq!(read(room.path(), "other"), None);
    }

    #[test]
    fn the_oldest_go() {
        let room = tempfile::tempdir().unwrap();
        for number in 0..MOST + 3 {
            fs::write(room.path().join(format!("{number}")), [0]).unwrap();
        }
        prune(room.path()).unwrap();
        assert_eq!(fs::read_dir(room.path()).unwrap().count(), MOST);
    }

    #[test]
    fn keys_tell_parts_apart() {
        let of = |parts: &[&[u8]]| key(parts.iter().copied());
        assert_ne!(of(&[b"ab", b"c"]), of(&[b"a", b"bc"]));
    }
}
