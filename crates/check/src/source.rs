//! A kernel's file and the language it is in.

use std::path::PathBuf;

use ktwin_num::Language;

/// The language of a kernel's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SourceKind {
    /// WGSL text.
    Wgsl,
    /// A SPIR-V binary.
    SpirV,
    /// C.
    C,
    /// C++ with `extern "C"` entry points.
    Cpp,
    /// Rust with `extern "C"` entry points.
    Rust,
    /// A shared library.
    Library,
    /// GLSL of a compute shader.
    Glsl,
    /// CUDA C++.
    Cuda,
    /// PTX text.
    Ptx,
    /// OpenCL C.
    OpenCl,
    /// A Rust function in this process.
    Closure,
}

impl SourceKind {
    /// File extensions and what they mean.
    pub const EXTENSIONS: &[(&str, SourceKind)] = &[
        ("c", SourceKind::C),
        ("cc", SourceKind::Cpp),
        ("cl", SourceKind::OpenCl),
        ("comp", SourceKind::Glsl),
        ("cpp", SourceKind::Cpp),
        ("cu", SourceKind::Cuda),
        ("cxx", SourceKind::Cpp),
        ("glsl", SourceKind::Glsl),
        ("ptx", SourceKind::Ptx),
        ("rs", SourceKind::Rust),
        ("so", SourceKind::Library),
        ("spv", SourceKind::SpirV),
        ("wgsl", SourceKind::Wgsl),
    ];

    /// The language of files with this extension.
    pub fn of_extension(extension: &str) -> Option<SourceKind> {
        Self::EXTENSIONS.iter().find(|(e, _)| *e == extension).map(|(_, k)| *k)
    }

    /// The accuracy rules that its arithmetic goes by.
    pub fn rules(self) -> Language {
        match self {
            SourceKind::Wgsl | SourceKind::SpirV | SourceKind::Glsl => Language::Wgsl,
            SourceKind::Cuda | SourceKind::Ptx => Language::Cuda,
            SourceKind::OpenCl => Language::OpenCl,
            _ => Language::C,
        }
    }

    /// Whether the file is bytes, with its contract in a `.toml` of the same name.
    pub fn is_binary(self) -> bool {
        matches!(self, SourceKind::SpirV | SourceKind::Library)
    }
}

/// A kernel's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its language.
    pub kind: SourceKind,
    /// Its path, for messages and for `#include`.
    pub path: PathBuf,
    /// Its contents.
    pub bytes: Vec<u8>,
}

impl Source {
    /// Whether its contract stands in it, not in a `.toml` of the same name: PTX may have it either way.
    pub fn holds_contract(&self) -> bool {
        let marked = || self.text().lines().any(|line| line.trim_end().ends_with("--- ktwin"));
        !self.kind.is_binary() && (self.kind != SourceKind::Ptx || marked())
    }

    /// The contents as text, without a byte order mark; what is no UTF-8 is replaced.
    pub fn text(&self) -> String {
        let text = String::from_utf8_lossy(&self.bytes);
        text.strip_prefix('\u{feff}').unwrap_or(&text).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_sorted() {
        assert!(SourceKind::EXTENSIONS.is_sorted_by(|a, b| a.0 < b.0));
        assert_eq!(SourceKind::of_extension("wgsl"), Some(SourceKind::Wgsl));
        assert_eq!(SourceKind::of_extension("txt"), None);
    }
}
