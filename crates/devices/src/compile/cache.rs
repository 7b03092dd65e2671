//! What was compiled once, found again by everything that the compiler read: the text, the command, its variables and
//! each file that was included, by contents. It lies in a folder of the user's own, is checked when it is loaded, and
//! is kept small.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use etcetera::BaseStrategy;
use hmac_sha256::Hash as Sha256;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

/// Bytes that the cache may take; what was not used for longest goes first.
const MOST: u64 = 256 << 20;
/// What compilations that were killed left behind goes after this.
const OLD: Duration = Duration::from_secs(3600);
/// The largest file that is hashed.
const LARGEST: u64 = 64 << 20;

/// Folders in the names by which files are included.
const DEEPEST: usize = 4;

type Hash = [u8; 32];

/// What was compiled, and of what.
#[derive(Serialize, Deserialize)]
struct Entry {
    /// Every file that the compiler read, but the text itself.
    read: Vec<(PathBuf, Hash)>,
    /// The hash of what follows.
    hash: Hash,
    #[serde(with = "serde_bytes")]
    made: Vec<u8>,
}

fn hash(bytes: &[u8]) -> Hash {
    Sha256::hash(bytes)
}

/// A key: each part with its length, so that no two lists of parts look the same.
pub fn key(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().take(16).map(|b| format!("{b:02x}")).collect()
}

/// The user's own cache. None where the user has no folder, or others may write to it: what lies there is loaded as
/// code, and a folder that everybody writes to is the wrong place for that.
pub fn folder() -> io::Result<Option<PathBuf>> {
    let Ok(base) = etcetera::choose_base_strategy() else { return Ok(None) };
    let folder = base.cache_dir().join("ktwin").join("native");
    fs::create_dir_all(&folder)?;
    Ok(Some(folder).filter(|f| is_ours(f)))
}

#[cfg(unix)]
fn is_ours(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let own = rustix::process::geteuid().as_raw();
    fs::metadata(folder).is_ok_and(|about| about.uid() == own && about.mode() & 0o022 == 0)
}

#[cfg(not(unix))]
fn is_ours(_folder: &Path) -> bool {
    true
}

fn file(folder: &Path, key: &str) -> PathBuf {
    folder.join(format!("{key}.built"))
}

/// What was made under this key, if all that it was made of is as it was. `folders` are those in which the compiler
/// looks, in order and before those that variables name: a file that has appeared in one of them may take the place of
/// another.
pub fn look(key: &str, folders: &[PathBuf]) -> Option<Vec<u8>> {
    let path = file(&folder().ok()??, key);
    let bytes = ktwin_check::read_up_to(&path, u64::MAX - 1).ok()?;
    let entry: Entry = postcard::from_bytes(&bytes).ok()?;
    let same = |(path, then): &(PathBuf, Hash)| hash_of(path).is_some_and(|now| now == *then);
    let folders: Vec<PathBuf> = folders.iter().cloned().chain(super::process::searched()).collect();
    let fresh = entry.read.iter().all(|read| same(read) && !is_hidden(&read.0, &folders));
    if !fresh || hash(&entry.made) != entry.hash {
        return None;
    }
    // it was used: others go first
    let _ = fs::File::options().append(true).open(&path).and_then(|f| f.set_modified(SystemTime::now()));
    Some(entry.made)
}

/// Whether a folder that comes before a file's own has one of its name, by whatever part of its path it was asked for.
fn is_hidden(path: &Path, folders: &[PathBuf]) -> bool {
    let before = folders.iter().take_while(|folder| !path.starts_with(folder));
    let ends: Vec<PathBuf> = (1..=DEEPEST)
        .filter_map(|count| {
            let parts: Vec<_> = path.components().rev().take(count).collect();
            (parts.len() == count).then(|| parts.into_iter().rev().collect())
        })
        .collect();
    before.flat_map(|folder| ends.iter().map(move |end| folder.join(end))).any(|other| other.exists())
}

fn hash_of(path: &Path) -> Option<Hash> {
    let about = fs::metadata(path).ok()?;
    if !about.is_file() || about.len() > LARGEST {
        return None;
    }
    let mut bytes = Vec::new();
    fs::File::open(path).ok()?.take(LARGEST).read_to_end(&mut bytes).ok()?;
    Some(hash(&bytes))
}

/// Keeps what was made under a key of its text and command, and of these files. What cannot be kept is made again.
pub fn keep(key: &str, read: &[PathBuf], made: &[u8]) {
    let Ok(Some(folder)) = folder() else { return };
    let here = std::env::current_dir().unwrap_or_default();
    let read = read.iter().map(|path| Some((here.join(path), hash_of(path)?)));
    let Some(read) = read.collect::<Option<Vec<_>>>() else { return };
    let entry = Entry { read, hash: hash(made), made: made.to_vec() };
    let Ok(bytes) = postcard::to_stdvec(&entry) else { return };
    let written = tempfile::NamedTempFile::new_in(&folder).and_then(|mut part| {
        io::Write::write_all(&mut part, &bytes)?;
        part.persist(file(&folder, key)).map_err(|e| e.error)
    });
    if written.is_ok() {
        shrink(&folder, MOST);
    }
}

// Removes what is oldest until the rest fits.
fn shrink(folder: &Path, most: u64) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut all = Vec::new();
    for entry in entries.flatten() {
        let Ok(about) = entry.metadata() else { continue };
        let used = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        let old = used.elapsed().is_ok_and(|age| age > OLD);
        if entry.path().extension().is_some_and(|e| e == "built") {
            all.push((used, about.len(), entry.path()));
        } else if old && about.is_dir() {
            let _ = fs::remove_dir_all(entry.path());
        } else if old {
            let _ = fs::remove_file(entry.path());
        }
    }
    all.sort();
    let mut sum: u64 = all.iter().map(|(_, len, _)| len).sum();
    for (_, len, path) in all {
        if sum <= most {
            break;
        }
        let _ = fs::remove_file(path);
        sum -= len;
    }
}

/// A folder for one compilation.
pub struct Room(TempDir);

/// The rooms that there are, for whoever ends this process early.
static ROOMS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn rooms() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    ROOMS.lock().unwrap_or_else(|e| e.into_inner())
}

impl Room {
    /// A new one, which nobody else can open.
    pub fn new() -> io::Result<Room> {
        let mut builder = tempfile::Builder::new();
        let builder = builder.prefix("room-");
        let room = match folder()? {
            Some(folder) => builder.tempdir_in(folder)?,
            None => builder.tempdir()?,
        };
        rooms().push(room.path().to_path_buf());
        Ok(Room(room))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        rooms().retain(|path| path != self.0.path());
    }
}

/// Removes every room that is still in use: this process is about to end.
pub fn leave_nothing() {
    for room in rooms().drain(..) {
        let _ = fs::remove_dir_all(room);
    }
}

/// The files that a rule of a makefile names, as compilers write it: `made: one.h two\ words.h \`.
pub fn files_of(rule: &str) -> Vec<PathBuf> {
    let rule = rule.replace("\\\n", " ").replace("\\\r\n", " ");
    let Some((_, files)) = rule.lines().find(|l| !l.starts_with('#')).and_then(|l| l.split_once(": ")) else {
        return Vec::new();
    };
    let (mut all, mut one, mut letters) = (Vec::new(), String::new(), files.chars().peekable());
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.peek().is_some_and(|l| [' ', '#', '\\'].contains(l)) => {
                one.extend(letters.next())
            }
            '$' if letters.peek() == Some(&'$') => one.extend(letters.next()),
            ' ' | '\t' => all.push(std::mem::take(&mut one)),
            other => one.push(other),
        }
    }
    all.push(one);
    all.retain(|path| !path.is_empty() && path != "-" && path != "<stdin>");
    all.into_iter().map(PathBuf::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_tell_parts_apart() {
        assert_ne!(key(&[b"ab", b"c"]), key(&[b"a", b"bc"]));
        assert_eq!(key(&[b"ab"]).len(), 32);
    }

    #[test]
    fn rules_of_makefiles() {
        let rule = "made: - /usr/include/a.h \\\n  two\\ words.h \\\n price$$.h\n\n/usr/include/a.h:\n";
        let paths = ["/usr/include/a.h", "two words.h", "price$.h"].map(PathBuf::from);
        assert_eq!(files_of(rule), paths);
        assert_eq!(files_of("nothing"), Vec::<PathBuf>::new());
    }

    #[test]
    fn what_is_oldest_goes_first() {
        let folder = tempfile::tempdir().unwrap_or_else(|e| panic!("{e}"));
        for (name, age) in [("a", 30), ("b", 20), ("c", 10)] {
            let path = file(folder.path(), name);
            fs::write(&path, [0; 100]).unwrap_or_else(|e| panic!("{e}"));
            let opened = fs::File::options().append(true).open(path).unwrap_or_else(|e| panic!("{e}"));
            assert!(opened.set_modified(SystemTime::now() - Duration::from_secs(age)).is_ok());
        }
        shrink(folder.path(), 250);
        let left = ["a", "b", "c"].map(|name| file(folder.path(), name).exists());
        assert_eq!(left, [false, true, true]);
    }
}
