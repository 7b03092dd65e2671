//! Which Python is meant: the one that is named, that of the active virtual environment, or that on the path; and what
//! it has of a package. It asks that Python, in a box.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use crate::compile::process::{self, Allowed, Reach};

/// What Python is asked, with a package's name as its argument.
const ASK: &str = "import sys\nfrom importlib import metadata\n\
                   print(sys.executable, sys.version.split()[0], sys.prefix, sys.base_prefix, sep='\\n')\n\
                   print(metadata.version(sys.argv[1]))\nprint(*[p for p in sys.path if p], sep='\\n')";

/// A Python that has a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// The program.
    pub python: PathBuf,
    /// Python's version.
    pub language: String,
    /// The package's version.
    pub version: String,
    /// Folders of Python and its packages.
    pub folders: Vec<PathBuf>,
}

/// The Python, found once a process.
pub fn python() -> PathBuf {
    static FOUND: OnceLock<PathBuf> = OnceLock::new();
    let active = || variable("VIRTUAL_ENV").map(|root| root.join("bin/python3")).filter(|p| p.is_file());
    FOUND.get_or_init(|| variable("KTWIN_PYTHON").or_else(active).unwrap_or_else(on_the_path)).clone()
}

/// The path that a variable of the environment holds.
pub fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from)
}

/// What `python3` runs. Version managers put scripts on the path that could not find their way in a box, so it is asked
/// outside of one.
fn on_the_path() -> PathBuf {
    let mut ask = Command::new("python3");
    ask.args(["-I", "-c", "import sys; print(sys.executable)"]).stdin(Stdio::null()).stderr(Stdio::null());
    let said = ask.output().map(|said| String::from_utf8_lossy(&said.stdout).trim().to_owned());
    match said {
        Ok(path) if path.starts_with('/') => path.into(),
        _ => "python3".into(),
    }
}

/// A package of this Python's, by the name that it is installed under, or why there is none; `what` is what needs it.
pub fn package(python: &Path, name: &str, what: &str) -> Result<Package, String> {
    let shown = python.display();
    let allowed = Allowed { time: Duration::from_secs(20), memory: 1 << 30 };
    let said = process::run(Command::new(python).args(["-c", ASK, name]), &[], allowed, &Reach::default());
    let Ok(said) = said else {
        return Err(format!("{what} needs Python: {shown} does not run"));
    };
    if said.out.is_empty() || said.status.is_err() {
        return Err(format!("{what} needs Python: {shown} was not found or does not run"));
    }
    read(&said.out).ok_or_else(|| format!("{shown} has no {what}"))
}

/// What Python said, if it has the package.
fn read(said: &str) -> Option<Package> {
    let mut lines = said.lines().map(str::to_owned);
    let (python, language) = (lines.next()?, lines.next()?);
    let mut folders: Vec<PathBuf> = lines.by_ref().take(2).map(PathBuf::from).collect();
    let version = lines.next()?;
    folders.extend(lines.map(PathBuf::from).filter(|folder| folder.is_absolute()));
    Some(Package { python: python.into(), language, version, folders })
}

/// Whether a version is at least another, by its first two numbers.
pub fn is_at_least(version: &str, least: (u32, u32)) -> bool {
    let mut numbers = version.split('.').map(|n| n.parse::<u32>().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= least
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_python_says_is_read() {
        let found = read("/v/bin/python3\n3.11.7\n/v\n/usr\n3.9.0\n/usr/lib/python3.11\nrelative\n").unwrap();
        assert_eq!((found.version.as_str(), found.language.as_str()), ("3.9.0", "3.11.7"));
        assert_eq!(found.folders, ["/v", "/usr", "/usr/lib/python3.11"].map(PathBuf::from));
        assert_eq!(read("/v/bin/python3\n3.11.7\n/v\n/usr\n"), None);
        assert!(["3.3.1", "3.10.0", "4.0"].into_iter().all(|version| is_at_least(version, (3, 3))));
        assert!(!is_at_least("3.2.0", (3, 3)) && !is_at_least("2.1.0", (3, 3)));
    }
}
