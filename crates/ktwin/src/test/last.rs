//! Which kernels failed in the last run from this folder: kept in the user's cache, for `--last-failed`.

use std::fs;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use ktwin_check::{KernelReport, hash_of};

/// The file of this folder; none where the user has no cache.
fn file() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let folder = etcetera::choose_base_strategy().ok()?.cache_dir().join("ktwin").join("failed");
    Some(folder.join(hash_of(&[here.as_os_str().as_encoded_bytes()])))
}

fn whole(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

/// Notes what failed. What cannot be written is not known next time.
pub fn keep(reports: &[KernelReport]) {
    let Some(file) = file() else { return };
    let bad = reports.iter().filter(|r| r.verdict.is_bad());
    let paths: Vec<String> = bad.map(|r| whole(Path::new(&r.kernel)).display().to_string()).collect();
    if let Some(folder) = file.parent() {
        let _ = fs::create_dir_all(folder).and_then(|()| fs::write(&file, paths.join("\n")));
    }
}

/// Leaves of these files those that failed; none where nothing is known.
pub fn only(files: Vec<PathBuf>) -> Vec<PathBuf> {
    let text = file().and_then(|file| fs::read_to_string(file).ok()).unwrap_or_default();
    let failed: Vec<&Path> = text.lines().map(Path::new).collect();
    files.into_iter().filter(|path| failed.contains(&whole(path).as_path())).collect()
}
