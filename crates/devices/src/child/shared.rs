//! Memory that a child is handed: on Linux a file without a name that exists in memory only, elsewhere a file. The
//! child gets it by its descriptor (by its path, where there are none), so nothing lies open to others.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// How a child finds what it was handed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Name {
    /// A descriptor that it inherits.
    Descriptor(i32),
    /// A file.
    Path(PathBuf),
}

/// What may be done to the memory from now on, by whomever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seal {
    /// Nothing: it can be read.
    Contents,
    /// It keeps its length.
    Length,
}

/// Memory for a child, and the parent's end of it.
pub struct Shared {
    file: File,
    #[cfg(not(unix))]
    path: tempfile::TempPath,
}

/// How often a file that is in use is sealed again, and after what time.
#[cfg(target_os = "linux")]
const TRIES: usize = 20;
#[cfg(target_os = "linux")]
const PAUSE: std::time::Duration = std::time::Duration::from_millis(20);

impl Shared {
    /// Memory with these contents.
    pub fn new(bytes: &[u8], seal: Seal) -> io::Result<Shared> {
        let mut shared = Shared::empty()?;
        shared.file.write_all(bytes)?;
        shared.seal(seal)?;
        Ok(shared)
    }

    #[cfg(target_os = "linux")]
    fn empty() -> io::Result<Shared> {
        use rustix::fs::MemfdFlags;
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        // no program is ever made of it; systems before Linux 6.3 do not know the flag
        let made = rustix::fs::memfd_create("ktwin", flags | MemfdFlags::NOEXEC_SEAL);
        let made = made.or_else(|_| rustix::fs::memfd_create("ktwin", flags))?;
        Ok(Shared { file: made.into() })
    }

    #[cfg(all(unix, not(target_os = "linux")))]
    fn empty() -> io::Result<Shared> {
        Ok(Shared { file: tempfile::tempfile()? })
    }

    #[cfg(not(unix))]
    fn empty() -> io::Result<Shared> {
        let (file, path) = tempfile::NamedTempFile::new()?.into_parts();
        Ok(Shared { file, path })
    }

    #[cfg(target_os = "linux")]
    fn seal(&self, seal: Seal) -> io::Result<()> {
        use rustix::fs::SealFlags;
        let length = SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL;
        let seals = if seal == Seal::Contents { length | SealFlags::WRITE } else { length };
        // on a busy machine pages that were just written may be held for a moment
        for _ in 0..TRIES {
            match rustix::fs::fcntl_add_seals(&self.file, seals) {
                Err(rustix::io::Errno::BUSY) => std::thread::sleep(PAUSE),
                sealed => return Ok(sealed?),
            }
        }
        Ok(rustix::fs::fcntl_add_seals(&self.file, seals)?)
    }

    #[cfg(not(target_os = "linux"))]
    fn seal(&self, _seal: Seal) -> io::Result<()> {
        Ok(())
    }

    /// A process's standard input that holds this.
    pub fn stdin(bytes: &[u8]) -> io::Result<std::process::Stdio> {
        let mut shared = Shared::new(bytes, Seal::Contents)?;
        shared.file.rewind()?;
        Ok(shared.file.into())
    }

    /// The name to hand over.
    pub fn name(&self) -> Name {
        #[cfg(unix)]
        return Name::Descriptor(std::os::fd::AsRawFd::as_raw_fd(&self.file));
        #[cfg(not(unix))]
        return Name::Path(self.path.to_path_buf());
    }

    /// Another handle, as a child has one.
    #[cfg(test)]
    pub fn handed(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// What it holds now: as many bytes, or none of them.
    pub fn read(&mut self, len: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; len];
        self.file.seek(SeekFrom::Start(0))?;
        self.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

impl Name {
    /// As a word on a command line or in a variable.
    pub fn text(&self) -> String {
        match self {
            Name::Descriptor(number) => number.to_string(),
            Name::Path(path) => path.to_string_lossy().into_owned(),
        }
    }

    /// The name of this text.
    pub fn of_text(text: &str) -> io::Result<Name> {
        #[cfg(unix)]
        return text.parse().map(Name::Descriptor).map_err(io::Error::other);
        #[cfg(not(unix))]
        Ok(Name::Path(text.into()))
    }

    /// The same as a path, which any program can open.
    pub fn path(&self) -> PathBuf {
        let folder = if cfg!(target_os = "linux") { "/proc/self/fd" } else { "/dev/fd" };
        match self {
            Name::Descriptor(number) => format!("{folder}/{number}").into(),
            Name::Path(path) => path.clone(),
        }
    }

    /// Opens what the name stands for, once.
    pub fn open(&self) -> io::Result<File> {
        match self {
            #[cfg(unix)]
            Name::Descriptor(number) => own(*number),
            #[cfg(not(unix))]
            Name::Descriptor(_) => Err(io::Error::other("descriptors are not inherited on this system")),
            Name::Path(path) => File::options().read(true).write(true).open(path),
        }
    }

    /// Opens what the name stands for, which can be opened again later.
    pub fn again(&self) -> io::Result<File> {
        match self {
            #[cfg(unix)]
            Name::Descriptor(number) => copy(*number),
            _ => self.open(),
        }
    }
}

#[cfg(unix)]
#[expect(unsafe_code, reason = "a descriptor is a number until somebody owns it")]
fn copy(number: i32) -> io::Result<File> {
    // SAFETY: it is used for one call, which fails where nothing is open under this number
    let inherited = unsafe { std::os::fd::BorrowedFd::borrow_raw(number) };
    Ok(File::from(rustix::io::fcntl_dupfd_cloexec(inherited, 3)?))
}

#[cfg(unix)]
#[expect(unsafe_code, reason = "a descriptor is a number until somebody owns it")]
fn own(number: i32) -> io::Result<File> {
    use std::os::fd::{BorrowedFd, FromRawFd};
    if number < 3 {
        return Err(io::Error::other("not a descriptor of ktwin's"));
    }
    // SAFETY: it is used for one call, which fails where nothing is open under this number
    let inherited = unsafe { BorrowedFd::borrow_raw(number) };
    rustix::io::fcntl_setfd(inherited, rustix::io::FdFlags::CLOEXEC)?;
    // SAFETY: it is open, the parent left it open for this process, and each is taken once
    Ok(unsafe { File::from_raw_fd(number) })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn seals_hold() {
        let mut input = Shared::new(b"input", Seal::Contents).unwrap_or_else(|e| panic!("{e}"));
        assert!(input.file.write_all(b"other").is_err());
        assert!(input.read(5).is_ok_and(|b| b == b"input"));
        let mut output = Shared::new(b"output", Seal::Length).unwrap_or_else(|e| panic!("{e}"));
        assert!(output.file.set_len(1).is_err() && output.file.set_len(1 << 40).is_err());
        assert!(output.read(6).is_ok_and(|b| b == b"output") && output.read(7).is_err());
    }
}
