//! Submissions: found, told apart by their contents, and dealt out to shards. Runs none.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use ktwin::links;
use ktwin::suite::{self, FindError};
use ktwin_check::{SourceKind, hash_of, read_bytes};

use super::journal::Record;
use crate::outcome::Failure;

/// One kernel that somebody handed in.
#[derive(Clone, Debug)]
pub struct Submission {
    /// Its path as it was found.
    pub name: String,
    pub path: PathBuf,
    /// A hash of its bytes, and of the contract beside it where it has one there.
    pub content: String,
    /// A hash of its text without comments and blanks; the same for what differs in nothing else.
    pub code: String,
    /// Its bytes; why there are none.
    pub bytes: Result<Vec<u8>, String>,
    /// The contract beside it.
    pub beside: Option<Vec<u8>>,
}

/// One part of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    part: u64,
    of: u64,
}

impl FromStr for Shard {
    type Err = String;
    fn from_str(text: &str) -> Result<Shard, String> {
        let wrong = || format!("`{text}` does not name a part: write 3/16 for the third of sixteen");
        let (part, of) = text.split_once('/').ok_or_else(wrong)?;
        let number = |text: &str| text.parse::<u64>().map_err(|_| wrong());
        let shard = Shard { part: number(part)?, of: number(of)? };
        if (1..=shard.of).contains(&shard.part) { Ok(shard) } else { Err(wrong()) }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part, self.of)
    }
}

impl Shard {
    /// Whether a submission belongs to it. The same contents always go to the same part.
    fn has(self, content: &str) -> bool {
        u64::from_str_radix(&content[..15], 16).unwrap_or(0) % self.of == self.part - 1
    }
}

impl Submission {
    /// Whether a record is about it, as it is now.
    pub fn is(&self, record: &Record) -> bool {
        record.submission == self.name && record.content == self.content
    }

    /// Reads one; links that lead out of `roots` are refused.
    pub fn read(path: &Path, roots: &[PathBuf], most: u64) -> Submission {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_string();
        let bytes = read_file(path, roots).and_then(|bytes| match bytes.len() as u64 > most * 1024 {
            true => {
                Err(format!("{} KiB is too large; the task allows {most} KiB", bytes.len().div_ceil(1024)))
            }
            false => Ok(bytes),
        });
        let kind = SourceKind::of_extension(&extension);
        let has_one = kind.is_some_and(SourceKind::may_stand_beside);
        let contract = Some(path.with_extension("toml")).filter(|_| has_one);
        let beside = contract.filter(|file| file.symlink_metadata().is_ok());
        let beside = beside.map(|file| {
            let why = |why| format!("its contract, {}: {why}", within(&file, roots).display());
            read_file(&file, roots).map_err(why)
        });
        let (bytes, beside) = match beside.transpose() {
            Ok(beside) => (bytes, beside),
            Err(why) => (bytes.and(Err(why)), None),
        };
        let whole = bytes.as_deref().unwrap_or_default();
        let contract = beside.as_deref().unwrap_or_default();
        let content = match bytes.is_ok() {
            true => hash_of(&[extension.as_bytes(), whole, contract]),
            // what cannot be read is like nothing else
            false => hash_of(&[b"not read", within(path, roots).as_os_str().as_encoded_bytes()]),
        };
        let code = match std::str::from_utf8(whole) {
            _ if bytes.is_err() => content.clone(),
            Ok(text) if extension == "py" => {
                hash_of(&[extension.as_bytes(), python_without_comments(text).as_bytes()])
            }
            // a comment of C goes on where its line ends in a backslash
            Ok(text) if extension != "wgsl" => {
                hash_of(&[extension.as_bytes(), without_comments(&text.replace("\\\n", "")).as_bytes()])
            }
            Ok(text) => hash_of(&[extension.as_bytes(), without_comments(text).as_bytes()]),
            Err(_) => content.clone(),
        };
        Submission { name: told_apart(path), path: path.into(), content, code, bytes, beside }
    }
}

/// The bytes of a file to judge.
fn read_file(path: &Path, roots: &[PathBuf]) -> Result<Vec<u8>, String> {
    if leads_away(path, roots) {
        return Err("this is a link; a submission must be a file".into());
    }
    read_bytes(path).map_err(|e| e.to_string())
}

/// A path in words, no two of them alike: what is not UTF-8 is written as its bytes.
fn told_apart(path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    match path.to_str() {
        Some(text) if cfg!(windows) || !text.contains('\\') => text.into(),
        _ => {
            let part = |chunk: std::str::Utf8Chunk| {
                let strange: String = chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")).collect();
                chunk.valid().replace('\\', "\\\\") + &strange
            };
            bytes.utf8_chunks().map(part).collect()
        }
    }
}

/// The folder or file that the judge named and a path lies in.
fn root_of<'r>(path: &Path, roots: &'r [PathBuf]) -> Option<&'r PathBuf> {
    roots.iter().filter(|root| path.starts_with(root)).max_by_key(|root| root.components().count())
}

/// A path seen from there, which is the same on all machines.
fn within<'p>(path: &'p Path, roots: &[PathBuf]) -> &'p Path {
    let within = root_of(path, roots).and_then(|root| path.strip_prefix(root).ok());
    let name = || path.file_name().map_or(path, Path::new);
    within.filter(|path| !path.as_os_str().is_empty()).unwrap_or_else(name)
}

/// Whether a link stands between what the judge named and the file: it could lead to any file that the judge may read.
fn leads_away(path: &Path, roots: &[PathBuf]) -> bool {
    links::below(root_of(path, roots).map_or(Path::new(""), PathBuf::as_path), path).is_some()
}

/// The text without comments and blanks, as C and what looks like it has them.
fn without_comments(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(letter) = rest.chars().next() {
        if rest.starts_with("//") {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
        } else if rest.starts_with("/*") {
            rest = rest[2..].find("*/").map_or("", |end| &rest[end + 4..]);
        } else {
            out.extend((!letter.is_whitespace()).then_some(letter));
            rest = &rest[letter.len_utf8()..];
        }
    }
    out
}

/// The same of Python, whose lines mean something by how far they are indented.
fn python_without_comments(text: &str) -> String {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or(line).trim_end());
    lines.filter(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect()
}

/// All submissions of these paths, sorted by name; those of one part where there are several.
pub fn find(paths: &[PathBuf], shard: Option<Shard>, most: u64) -> Result<Vec<Submission>, Failure> {
    let files = suite::sources(paths).map_err(|error| match error {
        FindError::Path(message) | FindError::Nothing(message) => Failure::usage(message),
    })?;
    let mut all: Vec<Submission> = files.iter().map(|path| Submission::read(path, paths, most)).collect();
    all.retain(|s| shard.is_none_or(|shard| shard.has(&s.content)));
    all.sort_by(|a, b| (&a.name, &a.path).cmp(&(&b.name, &b.path)));
    // names of which not all bytes can be shown may look alike
    all.dedup_by(|a, b| a.path == b.path);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_blanks_make_no_difference() {
        let one = without_comments("/* a */ int f(void) { return 1 / 2; } // b\n");
        assert_eq!(one, without_comments("int f(void)\n{\n    return 1 / 2;\n}"));
        assert_ne!(one, without_comments("int f(void) { return 1 / 3; }"));
        assert_eq!(without_comments("a /* never closed"), "a");
        let code = |text: &str| {
            let dir = tempfile::tempdir().unwrap();
            std::fs::write(dir.path().join("f.c"), text).unwrap();
            Submission::read(&dir.path().join("f.c"), &[dir.path().to_path_buf()], 1).code
        };
        assert_eq!(code("a; // b\nc;"), code("a;\nc;"));
        assert_ne!(code("a; // b \\\nc;"), code("a;\nc;"));
        let python = python_without_comments("if a:  # so\n\n    b = c // 2\n");
        assert_eq!(python, python_without_comments("if a:\n    b = c // 2"));
        for other in ["if a:\n    b = c // 3\n", "if a:\n  b = c // 2\n"] {
            assert_ne!(python, python_without_comments(other));
        }
    }

    #[test]
    fn what_is_too_large_is_like_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let read = |name: &str, text: String| {
            std::fs::write(dir.path().join(name), text).unwrap();
            Submission::read(&dir.path().join(name), &[dir.path().to_path_buf()], 1)
        };
        let [one, two] = ["one.c", "two.c"].map(|name| read(name, name.repeat(2000)));
        let empty = read("empty.c", String::new());
        assert!(one.bytes.is_err() && two.bytes.is_err() && empty.bytes.is_ok());
        for (this, that) in [(&one, &two), (&one, &empty), (&two, &empty)] {
            assert!(this.code != that.code && this.content != that.content);
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_nowhere() {
        let dir = tempfile::tempdir().unwrap();
        let (root, away) = (dir.path().join("in"), dir.path().join("secret.c"));
        std::fs::create_dir(&root).unwrap();
        std::fs::write(&away, "a secret").unwrap();
        std::fs::write(root.join("own.c"), "own").unwrap();
        std::os::unix::fs::symlink(&away, root.join("link.c")).unwrap();
        std::os::unix::fs::symlink(dir.path(), root.join("folder")).unwrap();
        let roots = [root.clone()];
        for (name, fine) in [("own.c", true), ("link.c", false), ("folder/secret.c", false)] {
            assert_eq!(Submission::read(&root.join(name), &roots, 1).bytes.is_ok(), fine, "{name}");
        }
        // a contract beside it counts as a part of it
        std::fs::write(root.join("own.so"), "own").unwrap();
        assert!(Submission::read(&root.join("own.so"), &roots, 1).bytes.is_ok());
        std::os::unix::fs::symlink(&away, root.join("own.toml")).unwrap();
        let why = Submission::read(&root.join("own.so"), &roots, 1).bytes.unwrap_err();
        assert_eq!(why, "its contract, own.toml: this is a link; a submission must be a file");
        // what the judge names is the judge's choice
        let link = root.join("link.c");
        assert!(Submission::read(&link, std::slice::from_ref(&link), 1).bytes.is_ok());
    }

    #[test]
    fn every_submission_is_in_one_part() {
        let contents: Vec<String> = (0..200u8).map(|n| hash_of(&[&[n]])).collect();
        let parts: Vec<Shard> = (1..=7).map(|k| format!("{k}/7").parse().unwrap()).collect();
        for content in &contents {
            assert_eq!(parts.iter().filter(|part| part.has(content)).count(), 1);
        }
        assert!(parts.iter().all(|part| contents.iter().filter(|c| part.has(c)).count() > 10));
        for wrong in ["0/3", "4/3", "1", "a/b", "1/0"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
