//! How far a kernel reaches for headers: its project, and folders that the user names; a stranger's no further than its
//! own folder. Looks at folders only, with every link followed.

use std::path::{Path, PathBuf};

use ktwin_lang::Diagnostic;

use crate::contract::Name;
use crate::kernel::{Kernel, LoadError};
use crate::registry::{REGISTRY, Registry};

/// The variable that names more folders for one's own kernels, written like `PATH`.
pub const FOLDERS: &str = "KTWIN_INCLUDE";

/// The folders above a kernel's own that are its project where nothing says what is.
const ABOVE: usize = 2;

/// A kernel of a stranger: its contract may name folders inside its own, and no others.
pub fn at_home(kernel: Kernel) -> Result<Kernel, LoadError> {
    let own: Vec<PathBuf> = home(&kernel.source.path).into_iter().collect();
    let outside = |folder: &&Name| is_outside(&beside(&kernel, folder), &own);
    let mistake = |folder: &Name| {
        let message = format!(
            "`include = \"{}\"` leads out of the kernel's own folder, where a stranger's ends",
            folder.text
        );
        let help = "put the headers into the kernel's folder".to_owned();
        kernel.mistake(folder.spot, folder, message, Some(help))
    };
    let mistakes: Vec<Diagnostic> = kernel.contract.include.iter().filter(outside).map(mistake).collect();
    if mistakes.is_empty() { Ok(kernel) } else { Err(LoadError::Contract(mistakes)) }
}

/// What is wrong with the folders that a contract of one's own names.
pub(crate) fn mistakes(kernel: &Kernel) -> Vec<Diagnostic> {
    let include = &kernel.contract.include;
    if include.is_empty() {
        return Vec::new();
    }
    let within = folders(&kernel.source.path);
    let mistake = |folder: &Name| {
        let (message, help) = wrong(folder, &beside(kernel, folder), &within)?;
        Some(kernel.mistake(folder.spot, folder, message, Some(help)))
    };
    include.iter().filter_map(mistake).collect()
}

/// Whether a kernel's source may read this file as a header.
pub fn covers(source: &Path, header: &Path) -> bool {
    !is_outside(header, &folders(source))
}

/// How to widen a kernel's reach.
pub fn remedy() -> String {
    format!("put {REGISTRY} into the folder that holds both, or name its folder in {FOLDERS}")
}

fn wrong(folder: &str, path: &Path, within: &[PathBuf]) -> Option<(String, String)> {
    let root = path.canonicalize().is_ok_and(|whole| whole.parent().is_none());
    if root || crate::read::of_the_system(path).is_some() {
        let message = format!("`include = \"{folder}\"` names a folder of the system");
        return Some((message, "name the folder that the headers are in".to_owned()));
    }
    if is_outside(path, within) {
        let message = format!("`include = \"{folder}\"` leads out of the kernel's project");
        return Some((message, remedy()));
    }
    (!path.is_dir()).then(|| {
        let message = format!("there is no folder `{folder}` for `include`");
        (message, "name a folder by its path from the kernel's own".to_owned())
    })
}

/// What is nowhere can be read by nobody.
fn is_outside(path: &Path, within: &[PathBuf]) -> bool {
    path.canonicalize().is_ok_and(|whole| !within.iter().any(|folder| whole.starts_with(folder)))
}

fn beside(kernel: &Kernel, folder: &str) -> PathBuf {
    kernel.source.path.parent().unwrap_or(Path::new("")).join(folder)
}

/// The folder that a kernel lies in, or the link to it.
fn home(source: &Path) -> Option<PathBuf> {
    source.parent().map(|f| if f.as_os_str().is_empty() { Path::new(".") } else { f })?.canonicalize().ok()
}

/// The folders in which headers of one's own kernel may lie.
fn folders(source: &Path) -> Vec<PathBuf> {
    let named = std::env::var_os(FOLDERS).unwrap_or_default();
    let named = std::env::split_paths(&named).filter(|folder| folder.is_absolute());
    let mut all: Vec<PathBuf> = named.filter_map(|folder| folder.canonicalize().ok()).collect();
    let Some(home) = home(source) else { return all };
    let project = Registry::place(&home);
    let project = match project.as_deref().and_then(Path::parent) {
        Some(project) => Some(project).filter(|folder| is_of_one_project(folder)),
        None => home.ancestors().take(1 + ABOVE).filter(|folder| is_of_one_project(folder)).last(),
    };
    all.extend(project.map(Path::to_path_buf));
    all.push(home);
    all
}

/// The user's home and the folder of temporary files hold more than a project, and so does what holds them.
fn is_of_one_project(folder: &Path) -> bool {
    let shared = [std::env::var_os("HOME").map(PathBuf::from), Some(std::env::temp_dir())];
    let mut shared = shared.into_iter().flatten().filter_map(|place| place.canonicalize().ok());
    folder.parent().is_some() && !shared.any(|place| place.starts_with(folder))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const OPS: &[(&str, &str)] = &[("half", "op half(x[N]) -> y[N]\n\ny[n] = x[n] * 0.5\n")];

    fn written(folder: &Path, include: &str) -> PathBuf {
        let path = folder.join("k.c");
        let keys = format!("op = 'half'\nargs = ['x', 'y', {{ N = 'u32' }}]\ninclude = ['{include}']");
        fs::write(&path, format!("/*--- ktwin\n{keys}\n---*/\nvoid half(void);\n")).unwrap();
        path
    }

    fn told(folder: &Path, include: &str) -> String {
        Kernel::load(&written(folder, include), OPS).map_or_else(|e| e.to_string(), |_| String::new())
    }

    #[test]
    fn a_contract_reaches_as_far_as_its_project() {
        let room = tempfile::tempdir().unwrap();
        let kernels = room.path().join("tree/project/kernels");
        for folder in ["inner", "../headers", "../../far", "../../../away"] {
            fs::create_dir_all(kernels.join(folder)).unwrap();
        }
        let refused = |include: &str| told(&kernels, include).contains("leads out of the kernel's project");
        let whole = kernels.join("../../far").canonicalize().unwrap().display().to_string();
        let ways = ["inner", ".", "..", "../headers", "../..", "../../far", &whole];
        // without a project: the folder and the two above
        assert_eq!(ways.map(refused), [false; 7]);
        assert!(refused("../../../away"));
        fs::create_dir(kernels.join("../../.git")).unwrap();
        assert_eq!(ways.map(refused), [false; 7]);
        assert!(refused("../../../away"));
        fs::write(kernels.join("../ktwin.toml"), "").unwrap();
        assert_eq!(ways.map(refused), [false, false, false, false, true, true, true]);
        let said = told(&kernels, "../../far");
        assert!(said.contains("k.c:4:13") && said.contains("KTWIN_INCLUDE"), "{said}");
    }

    #[test]
    fn folders_that_are_nowhere_are_told_at_their_line() {
        let room = tempfile::tempdir().unwrap();
        fs::create_dir(room.path().join("inner")).unwrap();
        assert_eq!(told(room.path(), "inner"), "");
        for include in ["none", "../none", "k.c"] {
            let said = told(room.path(), include);
            assert!(said.contains("k.c:4:13: there is no folder"), "{include}: {said}");
        }
    }

    #[test]
    fn a_strangers_reaches_as_far_as_its_folder() {
        let room = tempfile::tempdir().unwrap();
        let kernels = room.path().join("project/kernels");
        for folder in ["inner", "../headers"] {
            fs::create_dir_all(kernels.join(folder)).unwrap();
        }
        let refused = |include: &str| {
            let kernel = Kernel::load(&written(&kernels, include), OPS).unwrap();
            at_home(kernel).is_err_and(|e| e.to_string().contains("leads out of the kernel's own folder"))
        };
        assert_eq!(["inner", ".", "../headers", ".."].map(refused), [false, false, true, true]);
    }

    #[cfg(unix)]
    #[test]
    fn no_link_leads_further() {
        let room = tempfile::tempdir().unwrap();
        let kernels = room.path().join("tree/project/kernels");
        fs::create_dir_all(&kernels).unwrap();
        fs::create_dir_all(room.path().join("secret")).unwrap();
        std::os::unix::fs::symlink(room.path().join("secret"), kernels.join("inner")).unwrap();
        assert!(told(&kernels, "inner").contains("leads out of the kernel's project"));
        fs::write(room.path().join("secret/a.h"), "").unwrap();
        assert!(!covers(&kernels.join("k.cu"), &kernels.join("inner/a.h")));
    }

    #[test]
    fn what_holds_homes_is_no_project() {
        let temporary = std::env::temp_dir().canonicalize().unwrap();
        assert!(!is_of_one_project(&temporary) && !is_of_one_project(Path::new("/")));
        assert!(is_of_one_project(&temporary.join("any/project")));
    }
}
