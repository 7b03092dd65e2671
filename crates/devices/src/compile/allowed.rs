//! What a compiler may take of time, memory and files, and what is said of one that takes more.

use std::path::Path;
use std::time::Duration;

/// Bytes of all files in the folder that it writes to, and how many files there may be.
pub const ROOM: u64 = 2 << 30;
const FILES: usize = 4096;

/// What a compiler may take.
#[derive(Clone, Copy, Debug)]
pub struct Allowed {
    /// Time until its end.
    pub time: Duration,
    /// Bytes of data of each of its processes, where the system can limit them.
    pub memory: u64,
}

/// What every compiler may take. The largest sources of kernels need a fraction of it.
pub const COMPILER: Allowed = Allowed { time: Duration::from_secs(60), memory: 4 << 30 };

/// What a process took too much of, so that it was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TooMuch {
    Time,
    Memory,
    Files,
}

impl TooMuch {
    /// After the name of what was killed. The kernel may be right: what ended it is a limit of ktwin's own.
    pub fn text(self, allowed: Allowed) -> String {
        let took = match self {
            TooMuch::Time => format!("did not end within {} s", allowed.time.as_secs()),
            TooMuch::Memory => format!("took more than {} GiB of memory", allowed.memory >> 30),
            TooMuch::Files => format!("wrote more than {} GiB, or {FILES} files", ROOM >> 30),
        };
        format!(
            "{took} and was stopped: that is the most ktwin allows a compiler, so nothing is known of the kernel"
        )
    }
}

/// Whether more was written to a folder than any compiler needs.
pub fn is_too_full(room: &Path) -> bool {
    let (mut folders, mut bytes, mut files) = (vec![room.to_path_buf()], 0, 0);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(about) = entry.metadata() else { continue };
            bytes += about.len();
            files += 1;
            if bytes > ROOM || files > FILES {
                return true;
            }
            folders.extend(about.is_dir().then(|| entry.path()));
        }
    }
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_room_has_a_limit() {
        let room = tempfile::tempdir().unwrap_or_else(|e| panic!("{e}"));
        std::fs::create_dir(room.path().join("deep")).unwrap_or_else(|e| panic!("{e}"));
        for name in ["one", "deep/two"] {
            let file = std::fs::File::create(room.path().join(name)).unwrap_or_else(|e| panic!("{e}"));
            file.set_len(ROOM / 2 - 8192).unwrap_or_else(|e| panic!("{e}"));
        }
        assert!(!is_too_full(room.path()));
        let more = std::fs::write(room.path().join("three"), [0; 32768]);
        assert!(more.is_ok() && is_too_full(room.path()));
        let room = tempfile::tempdir().unwrap_or_else(|e| panic!("{e}"));
        for number in 0..=FILES {
            assert!(std::fs::write(room.path().join(number.to_string()), []).is_ok());
        }
        assert!(is_too_full(room.path()));
    }
}
