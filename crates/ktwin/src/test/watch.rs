//! Which kernels changed since they were last looked at: `--watch`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

/// How often files are looked at.
const EVERY: Duration = Duration::from_millis(30);

/// Files, and what they were like when they were last looked at.
pub struct Watch {
    files: Vec<(PathBuf, Option<State>)>,
}

/// When a file was written, and its length.
type State = (SystemTime, u64);

fn state(file: &Path) -> Option<State> {
    let about = fs::metadata(file).ok()?;
    Some((about.modified().ok()?, about.len()))
}

impl Watch {
    /// From now on.
    pub fn new(files: Vec<PathBuf>) -> Watch {
        Watch { files: files.into_iter().map(|file| (file.clone(), state(&file))).collect() }
    }

    /// How many there are.
    pub fn files(&self) -> usize {
        self.files.len()
    }

    /// Waits for a change: the files that are there and differ. None where it is to stop.
    pub fn changed(&mut self, stop: &AtomicBool) -> Option<Vec<PathBuf>> {
        while !stop.load(Ordering::Relaxed) {
            let found = self.look();
            if !found.is_empty() {
                return Some(found);
            }
            sleep(EVERY);
        }
        None
    }

    fn look(&mut self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for (file, known) in &mut self.files {
            // who writes a file may take it away, or empty it, for a moment
            if let Some(now) = state(file).filter(|now| now.1 > 0 && Some(*now) != *known) {
                *known = Some(now);
                found.push(file.clone());
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_is_told_once() {
        let dir = tempfile::tempdir().unwrap();
        let files = ["a.c", "b.c"].map(|name| dir.path().join(name));
        files.iter().for_each(|file| fs::write(file, "1").unwrap());
        let mut watch = Watch::new(files.to_vec());
        assert!(watch.look().is_empty());
        fs::write(&files[1], "22").unwrap();
        assert_eq!(watch.changed(&AtomicBool::new(false)), Some(vec![files[1].clone()]));
        fs::write(&files[1], "").unwrap();
        assert!(watch.look().is_empty(), "it is about to be written");
        fs::write(&files[1], "333").unwrap();
        assert_eq!(watch.look(), [files[1].clone()]);
        fs::remove_file(&files[0]).unwrap();
        assert!(watch.look().is_empty());
        assert_eq!(watch.changed(&AtomicBool::new(true)), None);
    }
}
