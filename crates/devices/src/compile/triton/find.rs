//! Where Triton is: in the Python of the active virtual environment, or of the path.

use std::path::Path;
use std::sync::OnceLock;

use ktwin_check::Failure;

use crate::compile::python::{self, Package};

/// How to get it.
const GET: &str = "pip install triton (in a virtual environment that is active), or set KTWIN_PYTHON to a Python that \
                   has it";

/// The oldest version that is known to work: before it, constants and hints were handed over otherwise.
const OLDEST: (u32, u32) = (3, 3);

/// Triton, looked for once a process.
pub fn find() -> Result<&'static Package, Failure> {
    static FOUND: OnceLock<Result<Package, Failure>> = OnceLock::new();
    FOUND.get_or_init(|| look(&python::python())).as_ref().map_err(Clone::clone)
}

fn look(python: &Path) -> Result<Package, Failure> {
    let found = python::package(python, "triton", "Triton").and_then(|found| {
        match python::is_at_least(&found.version, OLDEST) {
            true => Ok(found),
            false => {
                let (shown, (major, minor)) = (python.display(), OLDEST);
                let version = found.version;
                Err(format!("Triton {version} of {shown} is too old: {major}.{minor} or later is needed"))
            }
        }
    });
    found.map_err(|why| Failure::Absent { why, get: GET.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_said_with_how_to_get_it() {
        let Err(Failure::Absent { why, get }) = look(Path::new("/no/such/python3")) else { panic!("found") };
        assert!(why.contains("/no/such/python3") && get.contains("pip install triton"), "{why}");
    }
}
