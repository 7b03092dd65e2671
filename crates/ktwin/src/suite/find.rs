//! Finds kernels: the files that are named, and in folders those that hold a contract.

use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use ktwin_check::{SourceKind, nearly_opens};
use walkdir::{DirEntry, WalkDir};

use crate::explain::visible;

/// A contract begins within so many bytes of a file that is found by itself.
const HEAD: u64 = 2048;

/// Why no kernels were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FindError {
    /// A path cannot be read.
    Path(String),
    /// All could be read, and none is left.
    Nothing(String),
}

impl fmt::Display for FindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FindError::Path(message) | FindError::Nothing(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for FindError {}

fn shown(path: &Path) -> String {
    visible(&path.display().to_string())
}

/// The kernels among these paths: files as they are, folders searched; only those whose path holds the
/// filter.
pub fn kernels(paths: &[PathBuf], filter: Option<&str>) -> Result<Vec<PathBuf>, FindError> {
    let mut found = Vec::new();
    for path in paths {
        let about = fs::metadata(path)
            .map_err(|e| FindError::Path(format!("{}: {}", shown(path), ktwin_num::reason(&e))))?;
        if about.is_dir() {
            search(path, Links::Followed, &is_kernel, &mut found)?;
        } else {
            found.push(path.clone());
        }
    }
    once(&mut found);
    let all = found.len();
    let shown: Vec<String> = paths.iter().map(|p| shown(p)).collect();
    if all == 0 {
        let message = format!("no kernels in {}: no file there has a contract", shown.join(", "));
        return Err(FindError::Nothing(message));
    }
    if let Some(filter) = filter {
        found.retain(|p| p.display().to_string().contains(filter));
        if found.is_empty() {
            let message = format!("no kernel of {all} matches --filter {filter}");
            return Err(FindError::Nothing(message));
        }
    }
    Ok(found)
}

/// Every file in a language of kernels, whether or not it holds a contract: what was handed in is not left out.
pub fn sources(paths: &[PathBuf]) -> Result<Vec<PathBuf>, FindError> {
    let mut found = Vec::new();
    let is_source = |path: &Path| {
        let extension = path.extension().and_then(|e| e.to_str());
        extension.and_then(SourceKind::of_extension).is_some()
    };
    for path in paths {
        let about = fs::metadata(path)
            .map_err(|e| FindError::Path(format!("{}: {}", shown(path), ktwin_num::reason(&e))))?;
        match about.is_dir() {
            true => search(path, Links::Told, &is_source, &mut found)?,
            false => found.push(path.clone()),
        }
    }
    let shown: Vec<String> = paths.iter().map(|p| shown(p)).collect();
    let none = || FindError::Nothing(format!("no kernels in {}", shown.join(", ")));
    if found.is_empty() { Err(none()) } else { Ok(found) }
}

/// What becomes of links in a folder.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Links {
    /// They lead on, to folders too.
    Followed,
    /// They are found as they are, if their names are wanted: where one leads is not looked at.
    Told,
}

/// Searches a folder and those that it links to; a link that leads back to where it is found, or to a folder that holds
/// this one, is left out.
fn search(
    folder: &Path,
    links: Links,
    wanted: &dyn Fn(&Path) -> bool,
    found: &mut Vec<PathBuf>,
) -> Result<(), FindError> {
    let ours = |entry: &DirEntry| {
        let name = entry.file_name();
        entry.depth() == 0
            || !(name.to_string_lossy().starts_with('.') || name == "target" || leads_up(folder, entry))
    };
    let walk = WalkDir::new(folder).follow_links(links == Links::Followed).sort_by_file_name();
    for entry in walk.into_iter().filter_entry(ours) {
        match entry {
            Ok(entry) if entry.file_type().is_dir() => {}
            Ok(entry) if wanted(entry.path()) => found.push(entry.into_path()),
            Ok(_) => {}
            Err(error) if error.loop_ancestor().is_some() => {}
            // a file that went away while it was searched for, as what is listed by a process of itself
            Err(error) if error.depth() > 0 && vanished(&error) => {}
            // nobody asked for what cannot be read there
            Err(error) if error.path().is_some_and(|path| is_linked(folder, path) && !path.is_symlink()) => {}
            // a link to nowhere is told of where it is to be loaded
            Err(error) => match error.path().filter(|path| path.is_symlink()) {
                Some(path) if wanted(path) => found.push(path.to_path_buf()),
                Some(_) => {}
                None => return Err(FindError::Path(error.to_string())),
            },
        }
    }
    Ok(())
}

/// Whether a link leads to a folder that holds the one that is searched.
fn leads_up(folder: &Path, entry: &DirEntry) -> bool {
    let whole = |path: &Path| fs::canonicalize(path).ok();
    let up = || Some(whole(folder)?.starts_with(whole(entry.path())?));
    entry.path_is_symlink() && entry.file_type().is_dir() && up() == Some(true)
}

/// Whether a path below a folder is reached by a link alone.
fn is_linked(folder: &Path, path: &Path) -> bool {
    path.ancestors().take_while(|part| *part != folder).any(Path::is_symlink)
}

/// Whether what was listed is not there any more; a link to nowhere still is.
fn vanished(error: &walkdir::Error) -> bool {
    let gone = error.io_error().is_some_and(|e| e.kind() == ErrorKind::NotFound);
    gone && error.path().is_some_and(|path| !path.is_symlink())
}

/// Leaves each file once, however many ways lead to it.
fn once(found: &mut Vec<PathBuf>) {
    let mut seen = HashSet::new();
    found.retain(|path| seen.insert(fs::canonicalize(path).unwrap_or_else(|_| path.clone())));
}

/// Whether a file holds a contract, or a binary has one beside it. What cannot be read might: loading
/// it says why it cannot.
fn is_kernel(path: &Path) -> bool {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    let kind = SourceKind::of_extension(extension);
    match kind {
        None => false,
        Some(kind) if kind.is_binary() => fs::symlink_metadata(path.with_extension("toml")).is_ok(),
        Some(_) if !fs::metadata(path).is_ok_and(|about| about.is_file()) => true,
        Some(_) => {
            let mut head = Vec::new();
            let read = fs::File::open(path).and_then(|f| f.take(HEAD).read_to_end(&mut head));
            let text = String::from_utf8_lossy(&head);
            // what is nearly a contract is told of where it is to be loaded
            let marked = text.lines().any(|l| l.trim_end().ends_with("--- ktwin") || nearly_opens(l));
            let beside = || {
                kind.is_some_and(SourceKind::may_stand_beside)
                    && fs::symlink_metadata(path.with_extension("toml")).is_ok()
            };
            read.is_err() || marked || beside()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KERNEL: &str = "/*--- ktwin\nop = \"silu\"\n---*/\n";

    #[cfg(unix)]
    #[test]
    fn a_loop_of_links_leads_to_a_kernel_once() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("a/b");
        fs::create_dir_all(&deep).unwrap();
        fs::write(deep.join("k.wgsl"), KERNEL).unwrap();
        let link = |to: &Path, name: &str| std::os::unix::fs::symlink(to, deep.join(name)).unwrap();
        link(dir.path(), "up");
        link(Path::new("/"), "root");
        link(&dir.path().join("a"), "again");
        link(&deep.join("k.wgsl"), "other.wgsl");
        link(&deep.join("nowhere"), "gone");
        assert_eq!(kernels(&[dir.path().into()], None).unwrap(), [deep.join("k.wgsl")]);
        // a link to nowhere might have been a kernel: loading it says why it is not
        link(&deep.join("nowhere"), "lost.wgsl");
        assert_eq!(kernels(&[dir.path().into()], Some("lost")).unwrap().len(), 1);
    }

    #[test]
    fn what_is_hidden_or_built_is_left_out() {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["target", ".git", "src"] {
            fs::create_dir_all(dir.path().join(folder)).unwrap();
            fs::write(dir.path().join(folder).join("k.wgsl"), KERNEL).unwrap();
        }
        fs::write(dir.path().join("src/plain.wgsl"), "fn main() {}\n").unwrap();
        assert_eq!(kernels(&[dir.path().into()], None).unwrap(), [dir.path().join("src/k.wgsl")]);
    }
}
