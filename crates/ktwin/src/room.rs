//! Whether what a run leaves can be written, asked before it begins: hours of work end in a file, not in a message.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use ktwin_check::SourceKind;

/// What people write beside kernels.
const WRITTEN: [&str; 2] = ["op", "toml"];

/// Refuses a file that cannot be written. What is there stays as it is.
pub fn file(path: &Path) -> Result<(), String> {
    let there = path.exists();
    if there && !path.is_file() && !path.is_dir() {
        // a pipe or a device: whoever reads it must not see it closed
        return Ok(());
    }
    let opened = OpenOptions::new().append(true).create(true).open(path);
    if opened.is_ok() && !there {
        // it may be gone already
        let _ = fs::remove_file(path);
    }
    let advice = "name a file in a folder that can be written to";
    opened.map(drop).map_err(|e| format!("{}: {}: {advice}", path.display(), ktwin_num::reason(&e)))
}

/// Refuses a file that cannot be written, or that somebody wrote, to judge by its name.
pub fn report(path: &Path) -> Result<(), String> {
    let extension = path.extension().unwrap_or_default();
    let by_hand = SourceKind::of_path(path).is_some() || WRITTEN.iter().any(|one| extension == *one);
    if by_hand && path.is_file() {
        return Err(format!("{}: this would replace what is there: name another file", path.display()));
    }
    file(path)
}

/// Refuses one file for two things.
pub fn apart<'p>(files: impl Iterator<Item = &'p PathBuf>) -> Result<(), String> {
    let mut seen: Vec<&PathBuf> = Vec::new();
    for file in files {
        if seen.contains(&file) {
            return Err(format!("{}: this is named twice: give each report a file", file.display()));
        }
        seen.push(file);
    }
    Ok(())
}

/// Refuses a folder in which, or beneath which, nothing can be written; it may be made later.
pub fn folder(path: &Path) -> Result<(), String> {
    let there = path.ancestors().find(|folder| folder.exists() || folder.as_os_str().is_empty());
    let there = there.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !there.is_dir() {
        return Err(format!("{}: {} is not a folder: name another", path.display(), there.display()));
    }
    file(&there.join(format!(".ktwin-{}", std::process::id()))).map_err(|_| {
        format!("{}: nothing can be written in {}: name another folder", path.display(), there.display())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_written_is_as_before() {
        let dir = tempfile::tempdir().unwrap();
        let old = dir.path().join("old");
        fs::write(&old, "as it was").unwrap();
        assert_eq!((file(&old), file(&dir.path().join("new"))), (Ok(()), Ok(())));
        assert_eq!((folder(dir.path()), folder(&dir.path().join("a/b"))), (Ok(()), Ok(())));
        assert_eq!(fs::read_to_string(&old).unwrap(), "as it was");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn reports_replace_nothing_that_somebody_wrote() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["a.op", "a.toml", "a.py", "a.wgsl", "a.c"] {
            let path = dir.path().join(name);
            assert_eq!(report(&path), Ok(()));
            fs::write(&path, "written").unwrap();
            assert!(report(&path).is_err_and(|why| why.contains("name another file")), "{name}");
        }
        let page = dir.path().join("page.html");
        fs::write(&page, "old").unwrap();
        assert_eq!((report(&page), apart([&page].into_iter())), (Ok(()), Ok(())));
        assert!(apart([&page, &page].into_iter()).is_err_and(|why| why.contains("named twice")));
    }

    #[test]
    fn what_cannot_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let old = dir.path().join("old");
        fs::write(&old, "").unwrap();
        for path in [dir.path().to_path_buf(), dir.path().join("none/new"), old.join("new")] {
            assert!(
                file(&path).is_err_and(|why| why.contains("name a file in a folder")),
                "{}",
                path.display()
            );
        }
        assert!(folder(&old.join("new")).is_err_and(|why| why.contains("is not a folder: name another")));
    }
}
