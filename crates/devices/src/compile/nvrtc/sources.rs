//! What a CUDA source consists of: the file, the headers of its own, and those of the C++ library that NVRTC lacks.
//! It reads files and starts nothing.

use std::path::{Path, PathBuf};

use ktwin_check::{Failure, Source, reach};

use super::find::Nvrtc;
use super::host::Text;
use super::lex;

/// What comes before every source.
pub const FIRST: &str = "ktwin/nvcc.h";

/// Headers that are found in no folder, with their text: for what device code may use of them.
const LIBRARY: &[(&str, &str)] = &[
    (FIRST, include_str!("headers/nvcc.h")),
    ("ktwin/promote.h", include_str!("headers/promote.h")),
    ("algorithm", include_str!("headers/algorithm.h")),
    ("array", "#pragma once\n#include <cuda/std/array>\nnamespace std { using namespace cuda::std; }\n"),
    ("cmath", include_str!("headers/cmath.h")),
    (
        "concepts",
        "#pragma once\n#include <cuda/std/concepts>\nnamespace std { using namespace cuda::std; }\n",
    ),
    ("cstddef", include_str!("headers/cstdint.h")),
    ("cstdint", include_str!("headers/cstdint.h")),
    ("cub/cub.cuh", include_str!("headers/cub.h")),
    ("limits", "#pragma once\n#include <cuda/std/limits>\nnamespace std { using namespace cuda::std; }\n"),
    ("tuple", "#pragma once\n#include <cuda/std/tuple>\nnamespace std { using namespace cuda::std; }\n"),
    (
        "type_traits",
        "#pragma once\n#include <cuda/std/type_traits>\nnamespace std { using namespace cuda::std; }\n",
    ),
    ("utility", "#pragma once\n#include <cuda/std/utility>\nnamespace std { using namespace cuda::std; }\n"),
];

/// Headers of the host: nothing in them is for devices, or NVRTC knows it by itself.
const HOST: &[&str] = &[
    "assert.h",
    "atomic",
    "bitset",
    "cassert",
    "cctype",
    "cerrno",
    "cfloat",
    "chrono",
    "climits",
    "complex",
    "condition_variable",
    "cstdarg",
    "cstdio",
    "cstdlib",
    "cstring",
    "ctime",
    "cuda.h",
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "deque",
    "device_functions.h",
    "device_launch_parameters.h",
    "errno.h",
    "exception",
    "filesystem",
    "float.h",
    "fstream",
    "functional",
    "future",
    "getopt.h",
    "initializer_list",
    "inttypes.h",
    "iomanip",
    "ios",
    "iostream",
    "istream",
    "iterator",
    "limits.h",
    "list",
    "map",
    "math.h",
    "memory",
    "mutex",
    "new",
    "numeric",
    "omp.h",
    "optional",
    "ostream",
    "queue",
    "random",
    "set",
    "sstream",
    "stack",
    "stdarg.h",
    "stdbool.h",
    "stddef.h",
    "stdexcept",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string",
    "string.h",
    "string_view",
    "sys/time.h",
    "sys/types.h",
    "thread",
    "time.h",
    "typeinfo",
    "unistd.h",
    "unordered_map",
    "unordered_set",
    "variant",
    "vector",
    "vector_functions.h",
    "vector_types.h",
];

/// Libraries for hosts: what of them device code may call is only in some of their headers.
const LIBRARIES: [(&str, &[&str]); 3] = [
    ("thrust/", &["functional.h", "pair.h", "tuple.h", "iterator/"]),
    ("cub/device/", &[]),
    ("cub/util_", &["type.cuh", "ptx.cuh", "arch.cuh", "namespace.cuh", "macro.cuh", "cpp_dialect.cuh"]),
];

/// Headers of one kernel at most.
const MOST: usize = 256;

/// All that is compiled.
#[derive(Debug, Default)]
pub struct Sources {
    /// The file, then headers of its own by the names that they are included by.
    pub own: Vec<Text>,
    /// Where each of them lies.
    pub paths: Vec<PathBuf>,
    /// Files of the toolkit that they include.
    pub toolkit: Vec<PathBuf>,
    /// Headers that are found nowhere and were left out, each with the first place that includes it.
    pub left_out: Vec<(String, String)>,
}

/// The headers that NVRTC is given beside those of the file's own.
pub fn library() -> impl Iterator<Item = (String, String)> {
    let host = HOST.iter().map(|name| ((*name).to_owned(), String::new()));
    LIBRARY.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).chain(host)
}

fn is_library(name: &str) -> bool {
    LIBRARY.iter().any(|(n, _)| *n == name) || HOST.contains(&name)
}

/// Whether a header, as it is included, is of a library that only hosts can call.
pub fn is_of_hosts(header: &str) -> bool {
    let name = header.trim_matches(['<', '>', '"']);
    let rest = |(folder, devices): &(&str, &[&str])| {
        name.strip_prefix(folder).is_some_and(|rest| !devices.iter().any(|own| rest.starts_with(own)))
    };
    LIBRARIES.iter().any(rest)
}

/// One `#include`.
struct Include<'t> {
    line: usize,
    at: std::ops::Range<usize>,
    name: &'t str,
    quoted: bool,
}

impl Include<'_> {
    fn shown(&self) -> String {
        let name = self.name;
        if self.quoted { format!("\"{name}\"") } else { format!("<{name}>") }
    }
}

fn includes(text: &str) -> Vec<Include<'_>> {
    let mut found = Vec::new();
    for at in lex::cut(text).directives {
        let rest = text[at.clone()].trim_start_matches('#').trim_start();
        let Some(rest) = rest.strip_prefix("include").map(str::trim_start) else { continue };
        let (quoted, close) = match rest.as_bytes().first() {
            Some(b'"') => (true, '"'),
            Some(b'<') => (false, '>'),
            _ => continue,
        };
        let Some((name, _)) = rest[1..].split_once(close) else { continue };
        let line = text[..at.start].matches('\n').count() + 1;
        found.push(Include { line, at, name, quoted });
    }
    found
}

impl Sources {
    /// Reads what the source includes, and what that includes. `folders` are those that the contract names.
    pub fn read(source: &Source, folders: &[PathBuf], nvrtc: &Nvrtc) -> Result<Sources, Failure> {
        let mut all = Sources::default();
        let name = source.path.display().to_string();
        all.own.push(Text { name, text: source.text() });
        all.paths.push(source.path.clone());
        let mut next = 0;
        while next < all.own.len() {
            all.headers_of(next, folders, nvrtc)?;
            next += 1;
        }
        Ok(all)
    }

    fn headers_of(&mut self, number: usize, folders: &[PathBuf], nvrtc: &Nvrtc) -> Result<(), Failure> {
        let text = self.own[number].text.clone();
        let mut renamed = Vec::new();
        let beside = self.paths[number].parent().unwrap_or(Path::new("")).to_path_buf();
        for include in includes(&text) {
            let beside = include.quoted.then(|| beside.join(include.name)).filter(|p| p.is_file());
            // a folder of a toolkit has headers for the host that are known here by other texts
            let elsewhere = folders.iter().filter(|_| !is_library(include.name));
            let found = beside.or_else(|| elsewhere.map(|f| f.join(include.name)).find(|p| p.is_file()));
            match found {
                Some(path) if !reach::covers(&self.paths[0], &path) => {
                    return Err(outside(&include, number == 0));
                }
                Some(path) => {
                    let name = self.add(include.name, path)?;
                    if name != include.name {
                        renamed.push((include.at, format!("#include \"{name}\"")));
                    }
                }
                None if is_library(include.name) || self.own.iter().any(|own| own.name == include.name) => {}
                None if is_of_hosts(include.name) => self.leave_out(number, &include),
                None => match nvrtc.header(include.name) {
                    Some(path) if !self.toolkit.contains(&path) => self.toolkit.push(path),
                    Some(_) => {}
                    None => self.leave_out(number, &include),
                },
            }
        }
        for (at, line) in renamed.into_iter().rev() {
            self.own[number].text.replace_range(at, &line);
        }
        Ok(())
    }

    // A header, and the name that NVRTC knows it by: its path where another one has the name that it is included by.
    fn add(&mut self, name: &str, path: PathBuf) -> Result<String, Failure> {
        let path = path.canonicalize().unwrap_or(path);
        if let Some(at) = self.own.iter().position(|own| own.name == name) {
            let whole = path.display().to_string();
            return if self.paths[at] == path || name == whole {
                Ok(name.to_owned())
            } else {
                self.add(&whole, path)
            };
        }
        if self.own.len() > MOST {
            return Err(Failure::Unsupported(format!("more than {MOST} headers")));
        }
        // NVRTC knows headers by their names, and `#pragma once` would read this one again
        let known = self.paths.iter().position(|known| *known == path).filter(|at| *at > 0);
        if let Some(known) = known.map(|at| &self.own[at]).filter(|known| known.text.contains("#pragma once"))
        {
            let text = format!("#include \"{}\"\n", known.name);
            self.own.push(Text { name: name.to_owned(), text });
            self.paths.push(path);
            return Ok(name.to_owned());
        }
        let text = ktwin_check::read_text(&path);
        let failed = |e| Failure::Compile { message: format!("{}: {e}", path.display()), line: None };
        self.own.push(Text { name: name.to_owned(), text: text.map_err(failed)? });
        self.paths.push(path);
        Ok(name.to_owned())
    }

    fn leave_out(&mut self, number: usize, include: &Include) {
        let header = include.shown();
        if !self.left_out.iter().any(|(_, known)| *known == header) {
            let place = match number {
                0 => format!("line {}", include.line),
                _ => format!("{}({})", self.own[number].name, include.line),
            };
            self.left_out.push((place, header));
        }
        let mut bytes = std::mem::take(&mut self.own[number].text).into_bytes();
        for byte in &mut bytes[include.at.clone()] {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
        self.own[number].text = String::from_utf8_lossy(&bytes).into_owned();
    }
}

// Headers are read outside of the box that the compiler is in.
fn outside(include: &Include, own: bool) -> Failure {
    let message =
        format!("#include {} leads out of the kernel's project: {}", include.shown(), reach::remedy());
    Failure::Compile { message, line: own.then_some(include.line as u32) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_unique() {
        assert!(HOST.is_sorted() || HOST.windows(2).all(|w| w[0] != w[1]));
        assert!(HOST.iter().all(|h| LIBRARY.iter().all(|(l, _)| l != h)));
    }

    #[test]
    fn libraries_for_hosts_are_known() {
        for name in ["<thrust/device_vector.h>", "cub/device/device_reduce.cuh", "<cub/util_allocator.cuh>"] {
            assert!(is_of_hosts(name), "{name}");
        }
        for name in ["<thrust/tuple.h>", "<thrust/iterator/counting_iterator.h>", "cub/block/block_scan.cuh"]
        {
            assert!(!is_of_hosts(name), "{name}");
        }
    }

    #[test]
    fn a_header_by_two_names_is_read_once() {
        let room = tempfile::tempdir().unwrap();
        std::fs::create_dir(room.path().join("sub")).unwrap();
        std::fs::write(room.path().join("sub/a.h"), "#pragma once\nstruct a {};\n").unwrap();
        let text = "#include \"sub/a.h\"\n#include \"a.h\"\n__global__ void k() {}\n";
        let kind = ktwin_check::SourceKind::Cuda;
        let source = Source { kind, path: room.path().join("k.cu"), bytes: text.into() };
        let nvrtc = Nvrtc { library: PathBuf::new(), includes: Vec::new() };
        let all = Sources::read(&source, &[room.path().join("sub")], &nvrtc).unwrap();
        assert_eq!((all.own[2].name.as_str(), all.own[2].text.as_str()), ("a.h", "#include \"sub/a.h\"\n"));
    }

    #[test]
    fn two_headers_of_one_name_are_two() {
        let room = tempfile::tempdir().unwrap();
        for folder in ["a", "b"] {
            std::fs::create_dir(room.path().join(folder)).unwrap();
            std::fs::write(room.path().join(folder).join("h.h"), "#include \"impl.inl\"\nint x;\n").unwrap();
            std::fs::write(room.path().join(folder).join("impl.inl"), format!("int {folder};\n")).unwrap();
        }
        let text = "#include \"a/h.h\"\n#include \"b/h.h\"\n#include \"none.h\"\n__global__ void k() {}\n";
        let kind = ktwin_check::SourceKind::Cuda;
        let source = Source { kind, path: room.path().join("k.cu"), bytes: text.into() };
        let nvrtc = Nvrtc { library: PathBuf::new(), includes: Vec::new() };
        let all = Sources::read(&source, &[], &nvrtc).unwrap();
        assert_eq!(all.own.len(), 5);
        assert_eq!((all.own[3].name.as_str(), all.own[3].text.as_str()), ("impl.inl", "int a;\n"));
        assert!(all.own[4].name.ends_with("b/impl.inl") && all.own[4].text == "int b;\n");
        assert_eq!(all.own[2].text, format!("#include \"{}\"\nint x;\n", all.own[4].name));
        assert_eq!(all.left_out, [("line 3".to_owned(), "\"none.h\"".to_owned())]);
    }

    #[test]
    fn headers_of_the_kernel_come_along_and_unknown_ones_go() {
        let room = tempfile::tempdir().unwrap();
        std::fs::create_dir(room.path().join("sub")).unwrap();
        std::fs::write(room.path().join("sub/a.h"), "#include \"b.h\"\n").unwrap();
        std::fs::write(room.path().join("sub/b.h"), "#define B 1\n#include <torch/torch.h>\n").unwrap();
        let text = "#include <vector>\n#include \"sub/a.h\"\n# include <nccl.h>\n__global__ void k() {}\n";
        let kind = ktwin_check::SourceKind::Cuda;
        let source = Source { kind, path: room.path().join("k.cu"), bytes: text.into() };
        let nvrtc = Nvrtc { library: PathBuf::new(), includes: Vec::new() };
        let all = Sources::read(&source, &[], &nvrtc).unwrap();
        let names: Vec<&str> = all.own.iter().map(|o| o.name.as_str()).skip(1).collect();
        assert_eq!(names, ["sub/a.h", "b.h"]);
        let left_out = [("line 3", "<nccl.h>"), ("b.h(2)", "<torch/torch.h>")];
        assert_eq!(all.left_out, left_out.map(|(place, header)| (place.to_owned(), header.to_owned())));
        assert!(!all.own[0].text.contains("nccl") && all.own[0].text.lines().count() == 4);
        assert!(!all.own[2].text.contains("torch"));
    }

    #[test]
    fn no_header_is_read_out_of_another_project() {
        let room = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(room.path().join("tree/project/kernels")).unwrap();
        std::fs::write(room.path().join("secret.txt"), "nobody's business\n").unwrap();
        let nvrtc = Nvrtc { library: PathBuf::new(), includes: Vec::new() };
        let path = room.path().join("tree/project/kernels/k.cu");
        for name in ["../../../secret.txt".to_owned(), room.path().join("secret.txt").display().to_string()] {
            let text = format!("__global__ void k() {{}}\n#include \"{name}\"\n");
            let source =
                Source { kind: ktwin_check::SourceKind::Cuda, path: path.clone(), bytes: text.into() };
            let failure = Sources::read(&source, &[], &nvrtc).unwrap_err();
            let Failure::Compile { message, line: Some(2) } = &failure else { panic!("{failure:?}") };
            assert!(message.contains("leads out of the kernel's project"), "{message}");
        }
    }
}
