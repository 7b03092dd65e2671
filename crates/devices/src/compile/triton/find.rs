//! Where Triton is: in the Python of the active virtual environment, or of the path. It asks that Python, in a box.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use ktwin_check::Failure;

use crate::compile::process::{self, Allowed, Reach};
use crate::compile::python::python;

/// How to get it.
const GET: &str = "pip install triton (in a virtual environment that is active), or set KTWIN_PYTHON to a Python that \
                   has it";

/// The oldest version that is known to work: before it, constants and hints were handed over otherwise.
const OLDEST: (u32, u32) = (3, 3);

/// What Python is asked.
const ASK: &str = "import sys\nfrom importlib import metadata\n\
                   print(sys.executable, sys.version.split()[0], sys.prefix, sys.base_prefix, sep='\\n')\n\
                   print(metadata.version('triton'))\nprint(*[p for p in sys.path if p], sep='\\n')";

/// A Python that has Triton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Triton {
    /// The program.
    pub python: PathBuf,
    /// Python's version.
    pub language: String,
    /// Triton's version.
    pub version: String,
    /// Folders of Python and its packages.
    pub folders: Vec<PathBuf>,
}

/// Triton, looked for once a process.
pub fn find() -> Result<&'static Triton, Failure> {
    static FOUND: OnceLock<Result<Triton, Failure>> = OnceLock::new();
    FOUND.get_or_init(|| look(&python())).as_ref().map_err(Clone::clone)
}

fn look(python: &Path) -> Result<Triton, Failure> {
    let absent = |why: String| Failure::Absent { why, get: GET.to_owned() };
    let shown = python.display();
    let allowed = Allowed { time: Duration::from_secs(20), memory: 1 << 30 };
    let said = process::run(Command::new(python).args(["-c", ASK]), &[], allowed, &Reach::default());
    let Ok(said) = said else {
        return Err(absent(format!("Triton needs Python: {shown} does not run")));
    };
    if said.out.is_empty() || said.status.is_err() {
        return Err(absent(format!("Triton needs Python: {shown} was not found or does not run")));
    }
    read(&said.out).ok_or_else(|| absent(format!("{shown} has no Triton"))).and_then(|found| {
        match known(&found.version) {
            true => Ok(found),
            false => {
                let (major, minor) = OLDEST;
                let why = format!(
                    "Triton {} of {shown} is too old: {major}.{minor} or later is needed",
                    found.version
                );
                Err(absent(why))
            }
        }
    })
}

/// What Python said, if it has Triton.
fn read(said: &str) -> Option<Triton> {
    let mut lines = said.lines().map(str::to_owned);
    let (python, language) = (lines.next()?, lines.next()?);
    let mut folders: Vec<PathBuf> = lines.by_ref().take(2).map(PathBuf::from).collect();
    let version = lines.next()?;
    folders.extend(lines.map(PathBuf::from).filter(|folder| folder.is_absolute()));
    Some(Triton { python: python.into(), language, version, folders })
}

fn known(version: &str) -> bool {
    let mut numbers = version.split('.').map(|n| n.parse::<u32>().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= OLDEST
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
        assert!(known("3.3.1") && known("3.10.0") && known("4.0") && !known("3.2.0") && !known("2.1.0"));
    }

    #[test]
    fn what_is_missing_is_said_with_how_to_get_it() {
        let Err(Failure::Absent { why, get }) = look(Path::new("/no/such/python3")) else { panic!("found") };
        assert!(why.contains("/no/such/python3") && get.contains("pip install triton"), "{why}");
    }
}
