//! What the script that calls Triton is asked and what it answers, both in JSON.

use std::path::{Path, PathBuf};

use ktwin_check::{Argument, Build, Constant, Failure};
use serde::{Deserialize, Serialize};

/// Where a contract names no architecture.
const ARCH: u32 = 80;

/// What is to be compiled.
#[derive(Clone, Debug, Serialize)]
pub struct Request {
    /// The user's file, as the script may open it.
    pub file: PathBuf,
    /// Where the file's own modules are.
    pub folders: Vec<PathBuf>,
    /// Names of kernels, empty for the only one, with Triton's types of what they are given.
    pub entries: Vec<(String, Vec<String>)>,
    /// Values of constants and options.
    pub constants: Vec<(String, Constant)>,
    /// The architecture: 80 for `sm_80`.
    pub arch: u32,
    /// Where the answer belongs.
    pub answer: PathBuf,
}

/// What came of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Answer {
    /// A kernel for each entry, and the files that were read.
    Made {
        /// The kernels, in order.
        kernels: Vec<Made>,
        /// The user's modules.
        read: Vec<PathBuf>,
    },
    /// Why there is none.
    Refused {
        /// `python`, `compile` or `contract`.
        kind: String,
        /// In words.
        message: String,
        /// The line of the user's file.
        line: Option<u32>,
    },
}

/// A compiled kernel.
#[derive(Clone, Debug, Deserialize)]
pub struct Made {
    /// The PTX.
    pub ptx: String,
    /// What it is called there.
    pub name: String,
    /// Warps of a block.
    pub warps: u32,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// Bytes of memory that each program takes beside its parameters.
    pub scratch: u64,
}

impl Request {
    /// A request for all that is launched.
    pub fn of(
        build: &Build,
        file: &Path,
        folders: Vec<PathBuf>,
        answer: PathBuf,
    ) -> Result<Request, Failure> {
        let mut entries: Vec<(String, Vec<String>)> = Vec::new();
        for (entry, args) in &build.entries {
            if !entries.iter().any(|(known, _)| known == entry) {
                let types = args.iter().flat_map(|arg| types(arg, build));
                entries.push((entry.clone(), types.collect::<Result<_, _>>().map_err(Failure::Mismatch)?));
            }
        }
        let digits = build.arch.as_deref().unwrap_or("").trim_matches(|c: char| !c.is_ascii_digit());
        let arch = digits.parse().unwrap_or(ARCH);
        let constants = build.defines.clone();
        Ok(Request { file: file.to_path_buf(), folders, entries, constants, arch, answer })
    }
}

/// Triton's types of what a parameter is given: values of a struct are parameters of their own.
fn types(arg: &Argument, build: &Build) -> Vec<Result<String, String>> {
    match arg {
        Argument::Buffer(number) | Argument::Returned(number) => {
            let name = build.buffers.get(*number).map_or("", String::as_str);
            // blocks of quantised numbers are bytes
            vec![Ok(format!("*{}", scalar(name).unwrap_or("u8")))]
        }
        Argument::Words(words) => {
            let one = |name: &str| scalar(name).map(str::to_owned);
            let wrong = |name: &str| format!("Triton has no values of type {name}: write i32 or f32");
            words.iter().map(|w| one(w.dtype.name()).ok_or_else(|| wrong(w.dtype.name()))).collect()
        }
    }
}

/// What Triton calls a type.
fn scalar(name: &str) -> Option<&str> {
    let known = [
        ("f16", "fp16"),
        ("f32", "fp32"),
        ("f64", "fp64"),
        ("e4m3", "fp8e4nv"),
        ("e5m2", "fp8e5"),
        ("bool", "i1"),
    ];
    let same = ["bf16", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"];
    let other = known.iter().find(|(own, _)| *own == name).map(|(_, theirs)| *theirs);
    other.or_else(|| same.into_iter().find(|own| *own == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_triton_s() {
        let buffers = ["bf16", "q8_0", "e4m3"].map(str::to_owned).to_vec();
        let args = (0..3).map(Argument::Buffer).collect();
        let entries = vec![("k".to_owned(), args)];
        let build = Build { buffers, entries, arch: Some("sm_90a".into()), ..Build::default() };
        let request = Request::of(&build, Path::new("k.py"), Vec::new(), "a".into()).unwrap();
        assert_eq!(
            request.entries,
            [("k".to_owned(), ["*bf16", "*u8", "*fp8e4nv"].map(str::to_owned).to_vec())]
        );
        assert_eq!(request.arch, 90);
    }

    #[test]
    fn answers_are_told_apart() {
        let refused = r#"{"kind": "python", "message": "NameError: q", "line": 7}"#;
        assert!(matches!(serde_json::from_str(refused), Ok(Answer::Refused { line: Some(7), .. })));
        let made =
            r#"{"kernels": [{"ptx": "", "name": "k", "warps": 4, "shared": 0, "scratch": 0}], "read": []}"#;
        assert!(matches!(serde_json::from_str(made), Ok(Answer::Made { kernels, .. }) if kernels.len() == 1));
    }
}
