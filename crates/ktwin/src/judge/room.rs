//! The folder that submissions are judged in. It is gone when they are, and where its process was killed, when another
//! one makes its own: whoever is alive holds a lock.

use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

use crate::outcome::Failure;
use crate::test::NO_EVIDENCE;

const PREFIX: &str = "ktwin-judge-";
/// The file that is locked for as long as the folder is in use.
const ALIVE: &str = ".alive";
/// What it is called before that.
const UNLOCKED: &str = ".unlocked";
/// The age from which on a folder without that file is nobody's.
const OLD: Duration = Duration::from_secs(3600);

/// A folder for submissions.
#[derive(Debug)]
pub struct Room {
    // the lock goes after the folder
    folder: TempDir,
    _alive: File,
}

impl Room {
    /// A new one, beside which none is left that nobody uses.
    pub fn new() -> Result<Room, Failure> {
        Room::within(&std::env::temp_dir()).map_err(|e| {
            let message = Some(format!("cannot make a folder for submissions: {}", ktwin_num::reason(&e)));
            Failure { message, code: NO_EVIDENCE }
        })
    }

    fn within(parent: &Path) -> std::io::Result<Room> {
        sweep(parent);
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
        let alive = locked(folder.path())?;
        Ok(Room { folder, _alive: alive })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

// By its name the file is there only when it is locked: another process that sweeps in between would take the lock,
// and the folder for one that nobody uses.
fn locked(folder: &Path) -> std::io::Result<File> {
    let unnamed = folder.join(UNLOCKED);
    let alive = File::create_new(&unnamed)?;
    alive.try_lock()?;
    fs::rename(unnamed, folder.join(ALIVE))?;
    Ok(alive)
}

fn sweep(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        // a link by that name leads to a folder of somebody else's
        let own = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if own && entry.file_type().is_ok_and(|kind| kind.is_dir()) && is_left(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_left(folder: &Path) -> bool {
    match File::open(folder.join(ALIVE)) {
        Ok(alive) => alive.try_lock().is_ok(),
        Err(_) => {
            let changed = fs::metadata(folder).and_then(|about| about.modified());
            changed.is_ok_and(|then| then.elapsed().is_ok_and(|age| age > OLD))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_process_left_is_removed_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let left = dir.path().join("ktwin-judge-left");
        fs::create_dir(&left).unwrap();
        fs::write(left.join(ALIVE), "").unwrap();
        let (other, young) = (dir.path().join("other"), dir.path().join("ktwin-judge-young"));
        for folder in [&other, &young] {
            fs::create_dir(folder).unwrap();
        }
        let first = Room::within(dir.path()).unwrap();
        let second = Room::within(dir.path()).unwrap();
        assert!(!left.exists() && other.exists() && young.exists());
        assert!(first.path().exists() && second.path().exists());
        let path = first.path().to_path_buf();
        drop(first);
        assert!(!path.exists() && second.path().exists());
    }

    #[test]
    fn folders_made_at_once_stay() {
        let dir = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let room = Room::within(dir.path()).unwrap();
                        fs::write(room.path().join("8.c"), "").unwrap();
                        assert!(room.path().join("8.c").exists());
                    }
                });
            }
        });
    }
}
