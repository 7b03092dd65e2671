//! Which kernels failed when they last ran from this folder: kept in the user's cache, for `--last-failed`.

use std::fs;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use ktwin_check::{KernelReport, Verdict, hash_of};

/// The file of this folder; none where the user has no cache.
fn file() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let folder = etcetera::choose_base_strategy().ok()?.cache_dir().join("ktwin").join("failed");
    Some(folder.join(hash_of(&[here.as_os_str().as_encoded_bytes()])))
}

fn whole(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

/// The paths that failed when they last ran.
fn failed(file: &Path) -> Vec<PathBuf> {
    fs::read_to_string(file).unwrap_or_default().lines().map(PathBuf::from).collect()
}

/// Notes what failed; what was not judged stays as it was. What cannot be written is not known next time.
pub fn keep(reports: &[KernelReport]) {
    let Some(file) = file() else { return };
    let of = |report: &KernelReport| whole(Path::new(&report.kernel));
    let judged = |r: &&KernelReport| !matches!(r.verdict, Verdict::Skip | Verdict::Error);
    let tested: Vec<PathBuf> = reports.iter().filter(judged).map(of).collect();
    let mut now: Vec<PathBuf> = failed(&file).into_iter().filter(|path| !tested.contains(path)).collect();
    now.extend(reports.iter().filter(|r| r.verdict.is_bad()).map(of));
    let text = now.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join("\n");
    if let Some(folder) = file.parent() {
        let _ = fs::create_dir_all(folder).and_then(|()| fs::write(&file, text));
    }
}

/// Leaves of these files those that failed; none where nothing is known.
pub fn only(files: Vec<PathBuf>) -> Vec<PathBuf> {
    let failed = file().map_or(Vec::new(), |file| failed(&file));
    files.into_iter().filter(|path| failed.contains(&whole(path))).collect()
}
