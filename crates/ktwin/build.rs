//! Lists the files of `ops/` and `kernels/`, so that `catalogue.rs` and `starters.rs` can put them into the binary.
//! Both are links in the repository and folders in the package. Touches them and nothing else.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let ops = fs::canonicalize(here.join("ops"))?;
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("catalogue.rs"), listed(&ops, "op")?)?;
    fs::write(out.join("variants.rs"), listed(&ops.join("variants"), "forms")?)?;
    fs::write(out.join("starters.rs"), starters(&here.join("kernels"))?)
}

/// The files of a folder that end so, sorted: name and text.
fn listed(folder: &Path, end: &str) -> io::Result<String> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
    files.retain(|f| f.extension().is_some_and(|e| e == end));
    files.sort_by_key(|f| stem(f));
    let entry = |f: &PathBuf| format!("    ({:?}, include_str!({:?})),\n", stem(f), f.display().to_string());
    Ok(format!("&[\n{}]", files.iter().map(entry).collect::<String>()))
}

/// The kernels that `ktwin new` can begin with: path in the folder and text.
fn starters(folder: &Path) -> io::Result<String> {
    let mut files: Vec<(String, PathBuf)> = Vec::new();
    println!("cargo::rerun-if-changed={}", folder.display());
    for language in languages(folder)? {
        println!("cargo::rerun-if-changed={}", language.display());
        for entry in fs::read_dir(language)? {
            let file = entry?.path();
            let extension = file.extension().unwrap_or_default().to_string_lossy().into_owned();
            // what lies beside kernels: their headers, and ops of their own
            if !["h", "op", "toml"].contains(&extension.as_str()) {
                files.push((format!("{extension}/{}", stem(&file)), file));
            }
        }
    }
    files.sort();
    let entry = |(name, file): &(String, PathBuf)| {
        format!("    ({name:?}, include_str!({:?})),\n", file.display().to_string())
    };
    Ok(format!("&[\n{}]", files.iter().map(entry).collect::<String>()))
}

/// A folder for each language; `forms` has other ways of writing the ops, which nobody begins with.
fn languages(kernels: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(fs::canonicalize(kernels)?)?;
    let mut all = entries.map(|e| e.map(|e| e.path())).collect::<io::Result<Vec<PathBuf>>>()?;
    all.retain(|path| path.is_dir() && !path.ends_with("forms"));
    Ok(all)
}

fn stem(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
