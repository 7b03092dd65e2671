//! Links that others may have laid below a folder that the user named: nothing is read or written through them under a
//! name that the user did not choose.

use std::path::{Path, PathBuf};

/// The link nearest to a path, below the folder that it is in; the folder itself may be one.
pub fn below(folder: &Path, path: &Path) -> Option<PathBuf> {
    let is_link = |part: &&Path| std::fs::symlink_metadata(part).is_ok_and(|about| about.is_symlink());
    path.ancestors().take_while(|part| *part != folder).find(is_link).map(Path::to_path_buf)
}

/// Refuses to write a file below a folder through a link.
pub fn refuse(folder: &Path, path: &Path) -> Result<(), String> {
    match below(folder, path) {
        None => Ok(()),
        Some(link) => {
            Err(format!("{}: this is a link, and nothing is written through it: remove it", link.display()))
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_link_below_the_folder_is_found() {
        let room = tempfile::tempdir().unwrap();
        let [own, away] = ["own", "away"].map(|name| room.path().join(name));
        std::fs::create_dir(&away).unwrap();
        std::os::unix::fs::symlink(&away, &own).unwrap();
        std::os::unix::fs::symlink("nowhere", away.join("x.npy")).unwrap();
        assert_eq!(below(&own, &own.join("y.npy")), None, "the folder that was named");
        assert_eq!(below(room.path(), &own.join("y.npy")), Some(own.clone()));
        let why = refuse(&own, &own.join("x.npy")).unwrap_err();
        assert!(
            why.ends_with("x.npy: this is a link, and nothing is written through it: remove it"),
            "{why}"
        );
    }
}
