//! Which Python is meant: the one that is named, that of the active virtual environment, or that on the path.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

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
