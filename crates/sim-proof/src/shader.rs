//! Shaders found in a folder. Reads files below `crates/sim-proof/shaders`, touches nothing else.

use crate::fill::{Filled, fill};
use crate::header::{self, Buffer, Header};
use std::path::{Path, PathBuf};

/// A shader and how to launch it.
#[derive(Clone, Debug)]
pub struct Shader {
    /// File name without its end, or the name of its row.
    pub name: String,
    /// WGSL.
    pub source: String,
    /// From its top.
    pub header: Header,
}

impl Shader {
    /// A shader from its text.
    pub fn new(name: &str, source: String) -> Result<Shader, String> {
        let header = header::parse(&source).map_err(|e| format!("{name}: {e}"))?;
        Ok(Shader { name: name.to_string(), source, header })
    }

    /// The same shader at the size at which it is timed, and what that is called.
    pub fn at_bench_size(&self) -> Option<(String, Shader)> {
        let bench = self.header.bench.clone()?;
        let mut shader = self.clone();
        shader.header.grid = bench.grid;
        shader.header.buffers = bench.buffers;
        Some((bench.name, shader))
    }

    /// Contents of its buffers before the launch.
    pub fn inputs(&self) -> Vec<Filled> {
        self.header.buffers.iter().map(fill).collect()
    }

    /// Buffers that are compared, with their bindings.
    pub fn outputs(&self) -> impl Iterator<Item = (usize, &Buffer)> {
        self.header.buffers.iter().enumerate().filter(|(_, b)| b.check.is_some())
    }
}

/// `crates/sim-proof/shaders`.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders")
}

/// Every shader of a folder below the root, by name.
pub fn folder(name: &str) -> Result<Vec<Shader>, String> {
    let path = root().join(name);
    let entries = std::fs::read_dir(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "wgsl"));
    files.sort();
    files.iter().map(|f| read(f)).collect()
}

fn read(path: &Path) -> Result<Shader, String> {
    let source = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    Shader::new(&name, source)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_file_is_valid_wgsl() {
        for folder in ["ok", "faults"] {
            for shader in super::folder(folder).unwrap() {
                let module = naga::front::wgsl::parse_str(&shader.source);
                let module = module
                    .unwrap_or_else(|e| panic!("{}: {}", shader.name, e.emit_to_string(&shader.source)));
                crate::simulate::validate(&module).unwrap_or_else(|e| panic!("{}: {e}", shader.name));
                let bound = module.global_variables.iter().filter_map(|(_, g)| g.binding).count();
                assert_eq!(bound, shader.header.buffers.len(), "{}", shader.name);
            }
        }
    }
}
