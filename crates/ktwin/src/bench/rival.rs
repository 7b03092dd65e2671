//! What a kernel is compared with, `--vs`: another file, the same file as it was at a revision of git, or the same
//! kernel on another device.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use ktwin_check::{Device, Kernel};
use tempfile::TempDir;

use super::{at_most, load};
use crate::outcome::Failure;

/// How a device is named instead of a file.
const DEVICE: &str = "device:";

/// What a kernel is compared with.
pub struct Rival {
    /// What it is called.
    pub name: String,
    /// Another kernel, where it is one.
    pub kernel: Option<Kernel>,
    /// Another device, where it is one.
    pub device: Option<Arc<dyn Device>>,
    /// Where files of then lie as long as they are compared.
    _then: Option<TempDir>,
}

/// What `--vs` names.
pub fn find(vs: &str, file: &Path, kernel: &Kernel, device: &dyn Device) -> Result<Rival, Failure> {
    if let Some(name) = vs.strip_prefix(DEVICE) {
        return elsewhere(name, kernel, device);
    }
    if Path::new(vs).exists() && !Path::new(vs).is_dir() {
        let second = same_op(Path::new(vs), kernel, vs)?;
        if !device.accepts(second.source.kind) {
            let (name, language) = (device.name(), second.source.kind.row().name);
            return Err(Failure::usage(format!(
                "--vs {vs}: {name} does not run {language}; name a kernel that runs on the same device"
            )));
        }
        let name = second.name.clone();
        return Ok(Rival { name, kernel: Some(second), device: None, _then: None });
    }
    let commit = revision(vs, file).map_err(Failure::usage)?;
    let name = format!("{} at {vs} ({})", file.display(), commit.get(..10).unwrap_or(&commit));
    let (then, old) = unpacked(vs, &commit, file).map_err(Failure::usage)?;
    let kernel = Some(same_op(&old, kernel, &name)?);
    Ok(Rival { name, kernel, device: None, _then: Some(then) })
}

/// Another kernel of the same op.
fn same_op(file: &Path, kernel: &Kernel, name: &str) -> Result<Kernel, Failure> {
    let second = load(file)?;
    if second.content != kernel.content {
        let names = (&second.op.name, &kernel.op.name);
        let other = if names.0 == names.1 { "another version of it" } else { names.0 };
        return Err(Failure::usage(format!("{name}: it computes {other}, not {}", names.1)));
    }
    Ok(second)
}

/// The same kernel on another device whose figures are of the same kind.
fn elsewhere(name: &str, kernel: &Kernel, device: &dyn Device) -> Result<Rival, Failure> {
    let other = ktwin_devices::find(name, at_most()).map_err(Failure::usage)?;
    let wrong = |why: String| Err(Failure::usage(format!("--vs {DEVICE}{name}: {why}")));
    if other.name() == device.name() {
        return wrong(format!("the kernel is measured on {name} already: name another device"));
    }
    if !other.accepts(kernel.source.kind) {
        return wrong(format!("{name} does not take the language of {}", kernel.name));
    }
    if other.counts() != device.counts() {
        let of = |device: &dyn Device| if device.counts() { "counts" } else { "times" };
        let (one, two) = (of(device), of(&*other));
        return wrong(format!(
            "{} {one}, {name} {two}: counts and times are not compared; name another device",
            device.name()
        ));
    }
    let name = format!("the same kernel on {}", other.name());
    Ok(Rival { name, kernel: None, device: Some(other), _then: None })
}

/// Git, in the folder of a file.
fn git(file: &Path) -> Command {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut git = Command::new("git");
    git.arg("-C").arg(folder.unwrap_or(Path::new("."))).stdin(Stdio::null());
    git
}

/// What git answers, without the end of the line; nothing where it refuses.
fn answer(git: &mut Command) -> Result<Option<String>, String> {
    let output = git.output().map_err(|e| format!("git: {e}: --vs REVISION needs it"))?;
    let text = String::from_utf8_lossy(&output.stdout).trim_end_matches(['\r', '\n']).to_owned();
    Ok(output.status.success().then_some(text))
}

/// The commit that a name is of, in the repository of a file.
fn revision(vs: &str, file: &Path) -> Result<String, String> {
    let how = "write a file, a revision of git as in HEAD~1, or device:NAME";
    let inside = answer(git(file).args(["rev-parse", "--is-inside-work-tree"]))
        .map_err(|why| format!("--vs {vs}: there is no such file, and {why}"))?;
    if inside.as_deref() != Some("true") {
        return Err(format!(
            "--vs {vs}: there is no such file, and {} is in no git repository that could have such a revision: {how}",
            file.display()
        ));
    }
    let commit = format!("{vs}^{{commit}}");
    let found = answer(git(file).args(["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]))?;
    found
        .filter(|commit| !commit.is_empty())
        .ok_or_else(|| format!("--vs {vs}: there is no such file, and git knows no such revision: {how}"))
}

/// The folder of a file as it was at a commit, in a folder of its own, and where the file is in it. Folders keep their
/// names, so that what lies beside the file is found as it was then.
fn unpacked(vs: &str, commit: &str, file: &Path) -> Result<(TempDir, PathBuf), String> {
    let name = file.file_name().unwrap_or_default();
    let prefix = answer(git(file).args(["rev-parse", "--show-prefix"]))?.unwrap_or_default();
    let top = answer(git(file).args(["rev-parse", "--show-toplevel"]))?.unwrap_or_default();
    let inside = Path::new(&prefix).join(name);
    let object = format!("{commit}:{}", inside.display());
    if answer(git(file).args(["cat-file", "-e", &object]))?.is_none() {
        return Err(format!(
            "--vs {vs}: {} was not in the repository then: name a later revision",
            inside.display()
        ));
    }
    let then = tempfile::tempdir().map_err(|e| format!("a temporary folder: {e}"))?;
    let what = if prefix.is_empty() { "." } else { &prefix };
    let mut packed = Command::new("git")
        .args(["-C", &top, "archive", "--format=tar", commit, "--", what])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| format!("git archive: {e}"))?;
    let Some(pipe) = packed.stdout.take() else {
        return Err("git archive: nothing can be read from it".into());
    };
    let unpacked = Command::new("tar").arg("-x").arg("-C").arg(then.path()).stdin(pipe).status();
    let packed = packed.wait().map_err(|e| format!("git archive: {e}"))?;
    let unpacked = unpacked.map_err(|e| format!("tar: {e}: --vs REVISION needs it"))?;
    let old = then.path().join(inside);
    if !packed.success() || !unpacked.success() || fs::metadata(&old).is_err() {
        return Err(format!("--vs {vs}: git archive and tar did not unpack {}", old.display()));
    }
    Ok((then, old))
}
