//! A kernel that is added to a folder: without a recipe one test sees it, with a `build.rs` that names the folder it
//! gets a test of its own.

use std::path::{Path, PathBuf};
use std::process::Command;

const LIBRARY: &str = r#"//! What tests of kernels call, as far as names go.
use std::path::{Path, PathBuf};
pub use ktwin_macros::kernels;
pub struct Test;
impl Test {
    pub fn quick(self) -> Test { self }
    pub fn check(self) {}
}
pub fn kernel(_: impl AsRef<Path>) -> Test { Test }
pub fn added(root: &str, _: &str, known: &[&str]) -> Vec<PathBuf> {
    let files = std::fs::read_dir(Path::new(root).join("kernels")).unwrap().map(|e| e.unwrap().path());
    files.filter(|f| !known.iter().any(|k| Path::new(k) == f)).collect()
}
"#;

/// A package with a folder of one kernel.
fn package(name: &str, recipe: bool) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    let write = |file: &str, text: &str| {
        let file = folder.join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    };
    let macros = env!("CARGO_MANIFEST_DIR");
    let head =
        |name: &str| format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
    write("ktwin/Cargo.toml", &format!("{}[dependencies]\nktwin-macros.path = {macros:?}\n", head("ktwin")));
    write("ktwin/src/lib.rs", LIBRARY);
    write("Cargo.toml", &format!("{}[dependencies]\nktwin.path = \"ktwin\"\n[workspace]\n", head("mine")));
    write("src/lib.rs", "ktwin::kernels!(\"kernels/*.wgsl\", quick());\n");
    write("kernels/one.wgsl", "");
    if recipe {
        write("build.rs", "fn main() { println!(\"cargo::rerun-if-changed=kernels\"); }\n");
    }
    folder
}

/// What its tests print.
fn tested(folder: &Path) -> String {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["test", "--offline", "--lib", "--", "--show-output"]).current_dir(folder);
    let said = command.env("CARGO_TARGET_DIR", folder.join("target")).output().unwrap();
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.status.success(), "{text}{}", String::from_utf8_lossy(&said.stderr));
    text
}

#[test]
fn one_test_sees_what_was_added() {
    let folder = package("added-plain", false);
    let before = tested(&folder);
    assert!(before.contains("kernels_one_wgsl ... ok") && !before.contains("two.wgsl"), "{before}");
    std::fs::write(folder.join("kernels/two.wgsl"), "").unwrap();
    let after = tested(&folder);
    assert!(after.contains("two.wgsl") && after.contains("added_to_kernels__wgsl ... ok"), "{after}");
}

#[test]
fn a_recipe_gives_it_a_test_of_its_own() {
    let folder = package("added-recipe", true);
    assert!(!tested(&folder).contains("two_wgsl"));
    std::fs::write(folder.join("kernels/two.wgsl"), "").unwrap();
    let after = tested(&folder);
    assert!(after.contains("kernels_two_wgsl ... ok"), "{after}");
}
