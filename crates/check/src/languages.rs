//! The languages of kernels, one row each. Everything that differs between them and is not code stands here: a new
//! language is a row, and a file in `crates/devices` where nothing there compiles it yet.

use std::path::Path;

use ktwin_num::Language;
use serde::{Deserialize, Serialize};

/// The language of a kernel's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SourceKind {
    /// C.
    C,
    /// C++ with `extern "C"` entry points.
    Cpp,
    /// CUDA C++.
    Cuda,
    /// GLSL of a compute shader.
    Glsl,
    /// A shared library.
    Library,
    /// OpenCL C.
    OpenCl,
    /// PTX text.
    Ptx,
    /// A function in Python, which a judge's task says how to call.
    Python,
    /// Rust with `extern "C"` entry points.
    Rust,
    /// A SPIR-V binary.
    SpirV,
    /// A kernel of Triton in a file of Python.
    Triton,
    /// WGSL text.
    Wgsl,
    /// A Rust function in this process.
    Closure,
}

/// What a kernel is once it is compiled. A device runs some of these, whatever the language was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// WGSL or SPIR-V: a shader with bindings.
    Shader,
    /// PTX: a kernel with parameters.
    Ptx,
    /// Machine code of the host: a function that is called.
    Machine,
    /// OpenCL C, which drivers compile.
    OpenCl,
    /// A function of this process.
    Function,
}

/// Where a kernel's contract stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a comment at the top.
    Inside,
    /// In a `.toml` of the same name: the file is bytes.
    Beside,
    /// In a comment where there is one, else in a `.toml` of the same name.
    Either,
}

/// How drafts of a formula are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draft {
    /// An entry point a step.
    Wgsl,
    /// One function of C, with these words before it.
    C(&'static str),
    /// A kernel of CUDA C++ a step.
    Cuda,
    /// A kernel of OpenCL C a step.
    OpenCl,
    /// One entry point of GLSL.
    Glsl,
    /// One function of Rust.
    Rust,
}

/// What is to be known of a language.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The language.
    pub kind: SourceKind,
    /// What tasks and `ktwin new` call it.
    pub name: &'static str,
    /// What its files end in, the usual one first.
    pub extensions: &'static [&'static str],
    /// What begins a comment of one line, and what stands around one of several.
    pub comments: Option<(&'static str, [&'static str; 2])>,
    /// Where the contract stands.
    pub contract: Place,
    /// The rules of accuracy that its arithmetic goes by.
    pub rules: Language,
    /// What it is compiled to.
    pub code: Code,
    /// Whether contracts must say how many lanes a workgroup has.
    pub block: bool,
    /// Whether compile-time constants may be text.
    pub text: bool,
    /// Keys of contracts that not every language has.
    pub keys: &'static [&'static str],
    /// How drafts are written, if they are.
    pub draft: Option<Draft>,
    /// Words that mark functions which a host can start; without any, all that are not `static`.
    pub marks: &'static [&'static str],
}

/// Comments as C has them.
const SLASHES: Option<(&str, [&str; 2])> = Some(("//", ["/*", "*/"]));

/// What most languages have in common.
const TEXT: Row = Row {
    kind: SourceKind::C,
    name: "c",
    extensions: &["c"],
    comments: SLASHES,
    contract: Place::Inside,
    rules: Language::C,
    code: Code::Machine,
    block: false,
    text: true,
    keys: &["returns"],
    draft: None,
    marks: &[],
};

/// Every language that files are written in, sorted by name.
pub const LANGUAGES: &[Row] = &[
    Row { draft: Some(Draft::C("")), keys: &["include", "returns"], ..TEXT },
    Row {
        kind: SourceKind::Cpp,
        name: "cpp",
        extensions: &["cpp", "cc", "cxx"],
        keys: &["include", "returns"],
        draft: Some(Draft::C("extern \"C\" ")),
        ..TEXT
    },
    Row {
        kind: SourceKind::Cuda,
        name: "cuda",
        extensions: &["cu", "cuh"],
        rules: Language::Cuda,
        code: Code::Ptx,
        block: true,
        keys: &["arch", "include", "fast_math", "globals", "max_registers", "spills"],
        draft: Some(Draft::Cuda),
        marks: &["__global__"],
        ..TEXT
    },
    Row {
        kind: SourceKind::Glsl,
        name: "glsl",
        extensions: &["comp", "glsl"],
        rules: Language::Wgsl,
        code: Code::Shader,
        keys: &["include", "push", "robust"],
        draft: Some(Draft::Glsl),
        ..TEXT
    },
    Row {
        kind: SourceKind::Library,
        text: false,
        name: "library",
        extensions: &["so"],
        comments: None,
        contract: Place::Beside,
        ..TEXT
    },
    Row {
        kind: SourceKind::OpenCl,
        name: "opencl",
        extensions: &["cl", "opencl"],
        rules: Language::OpenCl,
        code: Code::OpenCl,
        block: true,
        keys: &["include"],
        draft: Some(Draft::OpenCl),
        marks: &["__kernel", "kernel"],
        ..TEXT
    },
    Row {
        kind: SourceKind::Ptx,
        text: false,
        name: "ptx",
        extensions: &["ptx"],
        contract: Place::Either,
        rules: Language::Cuda,
        code: Code::Ptx,
        block: true,
        keys: &["arch", "include", "fast_math", "globals", "max_registers", "spills"],
        ..TEXT
    },
    Row {
        kind: SourceKind::Rust,
        name: "rust",
        extensions: &["rs"],
        text: false,
        draft: Some(Draft::Rust),
        marks: &["extern"],
        ..TEXT
    },
    Row {
        kind: SourceKind::SpirV,
        text: false,
        name: "spirv",
        extensions: &["spv"],
        comments: None,
        contract: Place::Beside,
        rules: Language::Wgsl,
        code: Code::Shader,
        keys: &["push", "robust"],
        ..TEXT
    },
    Row {
        kind: SourceKind::Triton,
        name: "triton",
        extensions: &["py"],
        comments: Some(("#", ["\"\"\"", "\"\"\""])),
        // exp, division and roots are PTX's approximate ones, as with -use_fast_math
        rules: Language::CudaFast,
        code: Code::Ptx,
        keys: &["arch", "include"],
        ..TEXT
    },
    Row {
        kind: SourceKind::Wgsl,
        name: "wgsl",
        extensions: &["wgsl"],
        rules: Language::Wgsl,
        code: Code::Shader,
        keys: &["include", "push", "robust"],
        draft: Some(Draft::Wgsl),
        ..TEXT
    },
];

/// Functions, which no file holds and which may have any key.
const CLOSURE: Row = Row {
    kind: SourceKind::Closure,
    name: "closure",
    extensions: &[],
    comments: None,
    code: Code::Function,
    keys: &[
        "arch",
        "include",
        "fast_math",
        "globals",
        "max_registers",
        "spills",
        "push",
        "returns",
        "robust",
    ],
    ..TEXT
};

/// Functions in Python: their files end as those of Triton's kernels do, so tasks say which are meant.
const PYTHON: Row = Row {
    kind: SourceKind::Python,
    name: "python",
    extensions: &[],
    comments: Some(("#", ["\"\"\"", "\"\"\""])),
    contract: Place::Beside,
    code: Code::Function,
    keys: &[],
    ..TEXT
};

impl SourceKind {
    /// The language's row.
    pub fn row(self) -> &'static Row {
        let others = [&PYTHON, &CLOSURE];
        LANGUAGES.iter().chain(others).find(|row| row.kind == self).unwrap_or(&CLOSURE)
    }

    /// The language of files with this extension.
    pub fn of_extension(extension: &str) -> Option<SourceKind> {
        LANGUAGES.iter().find(|row| row.extensions.contains(&extension)).map(|row| row.kind)
    }

    /// The language of this file, by its extension.
    pub fn of_path(path: &Path) -> Option<SourceKind> {
        SourceKind::of_extension(path.extension()?.to_str()?)
    }

    /// The language of this name.
    pub fn of_name(name: &str) -> Option<SourceKind> {
        LANGUAGES.iter().find(|row| row.name == name).map(|row| row.kind)
    }

    /// Every extension there is, sorted.
    pub fn extensions() -> Vec<&'static str> {
        let mut all: Vec<&str> = LANGUAGES.iter().flat_map(|row| row.extensions).copied().collect();
        all.sort_unstable();
        all
    }

    /// The accuracy rules that its arithmetic goes by.
    pub fn rules(self) -> Language {
        self.row().rules
    }

    /// What it is compiled to.
    pub fn code(self) -> Code {
        self.row().code
    }

    /// Whether contracts of this language may have a key that not all have.
    pub fn takes(self, key: &str) -> bool {
        self.row().keys.contains(&key)
    }

    /// Whether the file is bytes, with its contract in a `.toml` of the same name.
    pub fn is_binary(self) -> bool {
        self.row().contract == Place::Beside
    }

    /// Whether its contract may be in a `.toml` of the same name.
    pub fn may_stand_beside(self) -> bool {
        self.row().contract != Place::Inside
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_nothing_is_there_twice() {
        assert!(LANGUAGES.is_sorted_by(|a, b| a.name < b.name));
        assert!(SourceKind::extensions().is_sorted_by(|a, b| a < b));
        for row in LANGUAGES {
            assert_eq!(SourceKind::of_name(row.name), Some(row.kind));
            assert_eq!(row.kind.row().name, row.name);
            assert!(row.extensions.iter().all(|e| SourceKind::of_extension(e) == Some(row.kind)));
            assert_eq!(row.comments.is_none(), row.kind.is_binary(), "{}", row.name);
        }
        assert_eq!(SourceKind::of_extension("txt"), None);
        assert_eq!(SourceKind::Closure.row().name, "closure");
    }
}
