//! The files that a twin writes: all under other names until the last one is whole, so that none is ever
//! half there.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use ktwin::arrays::NpyWriter;
use ktwin::links;
use ktwin_num::DType;

use super::request::Request;

/// Refuses a folder in which what is written would take the place of an array that was given.
pub fn spares(folder: &Path, request: &Request, names: &[String]) -> Result<(), String> {
    let Ok(folder) = folder.canonicalize() else { return Ok(()) };
    for (_, path, _) in &request.files {
        let Ok(whole) = path.canonicalize() else { continue };
        if names.iter().any(|name| whole == folder.join(name)) {
            let path = path.display();
            return Err(format!(
                "{path}: an array of this name is written, and this one is given: name another folder"
            ));
        }
    }
    Ok(())
}

/// Files being written to one folder. What is not committed is removed.
pub struct Files {
    folder: PathBuf,
    /// The names files have while they are written, and those that they are to have.
    parts: Vec<(PathBuf, PathBuf)>,
}

impl Files {
    /// Makes the folder if there is none.
    pub fn new(folder: &Path) -> Result<Files, String> {
        fs::create_dir_all(folder).map_err(|e| {
            format!("{}: cannot make this folder: {}", folder.display(), ktwin_num::reason(&e))
        })?;
        Ok(Files { folder: folder.to_path_buf(), parts: Vec::new() })
    }

    /// The path of a file as it is shown.
    pub fn shown(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    /// Begins an .npy file.
    pub fn create(
        &mut self,
        name: &str,
        dtype: DType,
        shape: &[usize],
    ) -> Result<NpyWriter<BufWriter<File>>, String> {
        let whole = self.folder.join(name);
        let part = self.folder.join(format!("{name}.part"));
        links::refuse(&self.folder, &part)?;
        self.parts.push((part.clone(), whole));
        let file = File::create(&part);
        let writer = file.and_then(|file| NpyWriter::new(BufWriter::new(file), dtype, shape));
        writer.map_err(|e| format!("{}: cannot write it: {}", part.display(), ktwin_num::reason(&e)))
    }

    /// Gives all files their names.
    pub fn commit(mut self) -> Result<(), String> {
        for (part, whole) in std::mem::take(&mut self.parts) {
            if let Err(e) = fs::rename(&part, &whole) {
                let _ = fs::remove_file(&part);
                return Err(format!("{}: cannot write it: {}", whole.display(), ktwin_num::reason(&e)));
            }
        }
        Ok(())
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        for (part, _) in &self.parts {
            // it may be gone already
            let _ = fs::remove_file(part);
        }
    }
}
