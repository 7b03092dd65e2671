//! Compilers that are not part of any device: what is looked for, run in a box of its own, and kept by all that it
//! read. They touch files of the system, and folders of their own.

#[cfg(feature = "worker")]
mod allowed;
#[cfg(feature = "worker")]
pub mod cache;
#[cfg(feature = "compilers")]
pub(crate) mod glsl;
mod needs;
#[cfg(feature = "compilers")]
pub mod nvrtc;
#[cfg(feature = "compilers")]
mod opencl;
#[cfg(feature = "worker")]
pub mod process;
#[cfg(feature = "compilers")]
mod program;
#[cfg(feature = "compilers")]
pub mod python;
#[cfg(feature = "compilers")]
mod triton;
#[cfg(any(feature = "sim", feature = "cuda"))]
mod variables;

use std::path::{Path, PathBuf};

use ktwin_check::{Build, Failure, Resources, Source};
pub use needs::Needs;
#[cfg(any(feature = "sim", feature = "cuda"))]
pub use needs::launched;
use serde::{Deserialize, Serialize};

/// A compiler that some languages need on every device.
pub struct Compiler {
    /// What it is called.
    pub name: &'static str,
    /// What it is for, in one line.
    pub about: &'static str,
    /// What is there, or what is missing and how to get it.
    pub probe: fn() -> Result<String, Failure>,
}

/// Every such compiler.
pub const COMPILERS: &[Compiler] = &[
    #[cfg(feature = "compilers")]
    Compiler { name: "nvrtc", about: "the CUDA C++ compiler; PTX needs none", probe: nvrtc::about },
    #[cfg(feature = "compilers")]
    Compiler { name: "glsl", about: "the GLSL compiler; SPIR-V needs none", probe: glsl::about },
    #[cfg(feature = "compilers")]
    Compiler { name: "clang", about: "the compiler of OpenCL C for sim", probe: opencl::about },
    #[cfg(feature = "compilers")]
    Compiler { name: "triton", about: "Triton, which compiles kernels in Python", probe: triton::about },
];

/// What there is of the compiler of this name, or how to get it.
pub fn compiler(name: &str) -> Result<String, Failure> {
    let missing = || Failure::Unsupported(format!("this build does not include the compiler `{name}`"));
    COMPILERS.iter().find(|compiler| compiler.name == name).ok_or_else(missing).and_then(|c| (c.probe)())
}

/// A source in CUDA C++, PTX or of Triton as PTX.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ptx {
    /// The text.
    pub text: String,
    /// Entry points as contracts name them, and as the text does.
    pub entries: Vec<(String, String)>,
    /// What Triton asks of the launch of each entry point, by the names that contracts have for them.
    pub needs: Vec<(String, Needs)>,
}

impl Ptx {
    /// What the text calls an entry point.
    pub fn entry<'s>(&'s self, name: &'s str) -> &'s str {
        self.entries.iter().find(|(own, _)| own == name).map_or(name, |(_, theirs)| theirs)
    }

    /// What its entry points take of a card of this architecture, by the names that contracts have for them.
    #[cfg(any(feature = "sim", feature = "cuda"))]
    pub fn resources(&self, arch: Option<&str>) -> Result<Vec<Resources>, String> {
        let mut all = resources(&self.text, arch)?;
        for one in &mut all {
            let own = self.entries.iter().find(|(own, theirs)| *theirs == one.entry && !own.is_empty());
            one.entry = own.map_or_else(|| plain(&one.entry), |(own, _)| own.clone());
        }
        Ok(all)
    }
}

/// The function in a mangled name: `_Z3addPf` is `add`; a name that is not mangled stays.
#[cfg(any(feature = "sim", feature = "cuda"))]
pub fn plain(name: &str) -> String {
    let rest = name.strip_prefix("_Z").unwrap_or("");
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let len: usize = rest[..digits].parse().unwrap_or(0);
    rest.get(digits..digits + len).filter(|n| !n.is_empty()).unwrap_or(name).to_owned()
}

/// The PTX of a source in CUDA C++, PTX or of a kernel of Triton.
#[cfg(any(feature = "sim", feature = "cuda"))]
pub fn ptx(source: &Source, build: &Build) -> Result<Ptx, Failure> {
    match source.kind {
        ktwin_check::SourceKind::Ptx => Ok(Ptx { text: source.text(), ..Ptx::default() }),
        #[cfg(feature = "compilers")]
        ktwin_check::SourceKind::Cuda => nvrtc::compile(source, build),
        #[cfg(feature = "compilers")]
        ktwin_check::SourceKind::Triton => triton::compile(source, build),
        kind => Err(left_out(kind, build)),
    }
}

// What the entry points of a PTX text take of a card of this architecture, by the text's own names.
#[cfg(any(feature = "sim", feature = "cuda"))]
fn resources(text: &str, arch: Option<&str>) -> Result<Vec<Resources>, String> {
    #[cfg(feature = "compilers")]
    return nvrtc::resources(text, arch);
    #[cfg(not(feature = "compilers"))]
    {
        let _ = (text, arch);
        Err("this build does not ask ptxas".into())
    }
}

/// The folder that a source is in, and those that its contract adds.
pub fn folders(source: &Source, build: &Build) -> Vec<PathBuf> {
    let base = source.path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let base = base.canonicalize().unwrap_or_else(|_| base.to_path_buf());
    let more = build.include.iter().map(|folder| base.join(folder));
    std::iter::once(base.clone()).chain(more).collect()
}

/// What a compiler's message about a file that it does not find leaves out: how a contract says where it is.
#[cfg(any(feature = "compilers", feature = "native"))]
pub fn elsewhere(message: &str) -> &'static str {
    const ABSENT: [&str; 4] =
        ["No such file or directory", "file not found", "Included file was not found", "cannot find or open"];
    match ABSENT.iter().any(|words| message.contains(words)) {
        true => "\n(folders of headers are named by `include`)",
        false => "",
    }
}

/// The SPIR-V of a source in a language that is compiled to it.
#[cfg(any(feature = "sim", feature = "vulkan"))]
pub fn spirv(source: &Source, build: &Build) -> Result<Vec<u8>, Failure> {
    match source.kind {
        #[cfg(feature = "compilers")]
        ktwin_check::SourceKind::Glsl => glsl::compile(source, build),
        #[cfg(feature = "compilers")]
        ktwin_check::SourceKind::OpenCl => opencl::compile(source, build),
        kind => Err(left_out(kind, build)),
    }
}

// Why a build without compilers does not run a language.
#[cfg(any(feature = "sim", feature = "cuda", feature = "vulkan"))]
fn left_out(kind: ktwin_check::SourceKind, _build: &Build) -> Failure {
    let name = kind.row().name;
    Failure::Unsupported(format!("this build does not compile {name}: enable ktwin's feature `compilers`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_not_found_are_looked_for_where_the_contract_says() {
        for said in [
            "k.c:1:10: fatal error: a.h: No such file or directory",
            "k.cl:2:10: fatal error: 'a.h' file not found",
        ] {
            assert!(elsewhere(said).contains("`include`"), "{said}");
        }
        assert_eq!(elsewhere("k.c:1: error: expected `;`"), "");
    }

    #[test]
    fn mangled_names_are_shown_plain() {
        assert_eq!([plain("_Z3addPf"), plain("_Z99x"), plain("add")], ["add", "_Z99x", "add"]);
    }
}
