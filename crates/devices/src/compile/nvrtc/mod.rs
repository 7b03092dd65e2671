//! CUDA C++ to PTX by NVRTC, which is found at run time: host code left out, headers brought together, compiled in a
//! process of its own, and kept by contents.

mod find;
mod host;
mod items;
mod lex;
mod library;
mod ptxas;
mod said;
mod sources;
mod worker;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ktwin_check::{Build, Constant, Failure, Resources, Source};

use crate::compile::{Ptx, cache};
use find::Nvrtc;
use said::{is_about_names, misnamed, refused};
use sources::Sources;
pub use worker::Job;
use worker::{Answer, Request};

/// The architecture where a contract names none: the first with all of bf16, cp.async and mma.sync.
const ARCH: &str = "compute_80";

/// Compiles a source for these entry points.
pub fn compile(source: &Source, build: &Build) -> Result<Ptx, Failure> {
    let nvrtc = find::find()?;
    let base = source.path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folders: Vec<PathBuf> = build.include.iter().map(|folder| base.join(folder)).collect();
    let sources = Sources::read(source, &folders, nvrtc)?;
    let entries: Vec<&str> = build.entries.iter().map(|(entry, _)| entry.as_str()).collect();
    let texts = build.defines.iter().filter_map(|(_, value)| match value {
        Constant::Text(text) => Some(text.as_str()),
        Constant::Number(_) => None,
    });
    let (texts, kernels) = host::without(&sources.own, &entries, &texts.collect::<Vec<_>>());
    let named = named(build, &kernels, &texts[0].text)?;
    let own = |name: &str| texts[1..].iter().any(|t| t.name == name);
    let mut headers: Vec<(String, String)> = sources::library().filter(|(name, _)| !own(name)).collect();
    headers.extend(texts[1..].iter().map(|t| (t.name.clone(), t.text.clone())));
    let request = Request {
        library: nvrtc.library.clone(),
        // a space keeps an empty file from being taken for a question
        text: format!("{} ", texts[0].text),
        name: texts[0].name.clone(),
        headers,
        options: options(build, nvrtc, &texts),
        expressions: named.iter().map(|entry| host::expression(entry)).collect(),
    };
    let key = key(&request, &sources);
    if let Some(kept) = cache::look(&key, &[]).and_then(|bytes| postcard::from_bytes(&bytes).ok()) {
        return Ok(kept);
    }
    let made = match worker::ask(&request)? {
        Answer::Made { ptx, names } => {
            let alone = named.is_empty();
            one_kernel(&ptx, &kernels).map_or(Ok(()), |why| if alone { Err(why) } else { Ok(()) })?;
            Ptx { text: ptx, entries: named.into_iter().zip(names).collect(), needs: Vec::new() }
        }
        Answer::Refused(log) if is_about_names(&log) => return Err(misnamed(&named, &log)),
        Answer::Refused(log) => return Err(refused(&log, &request.name, &sources)),
        Answer::Failed(how) => return Err(failed(&how, &nvrtc.library)),
        Answer::Version(..) => return Err(Failure::Broken("NVRTC answered another question".into())),
    };
    let bytes = postcard::to_stdvec(&made).map_err(|e| Failure::Broken(e.to_string()))?;
    cache::keep(&key, &[], &bytes);
    Ok(made)
}

/// What the entry points of a PTX text take of a card.
pub fn resources(text: &str, arch: Option<&str>) -> Result<Vec<Resources>, String> {
    let library = find::find().ok().map(|nvrtc| nvrtc.library.as_path());
    ptxas::resources(text, arch.unwrap_or(ARCH), library)
}

/// NVRTC in words: its version, and where it is; or how to get it.
pub fn about() -> Result<String, Failure> {
    static SAID: OnceLock<Result<String, Failure>> = OnceLock::new();
    SAID.get_or_init(|| {
        let nvrtc = find::find()?;
        let request = Request {
            library: nvrtc.library.clone(),
            name: String::new(),
            text: String::new(),
            headers: Vec::new(),
            options: Vec::new(),
            expressions: Vec::new(),
        };
        match worker::ask(&request)? {
            Answer::Version(major, minor) => Ok(format!(
                "NVRTC {major}.{minor}, {}{}",
                nvrtc.library.display(),
                missing(nvrtc).map(|m| format!("; {m}")).unwrap_or_default()
            )),
            Answer::Failed(how) => Err(failed(&how, &nvrtc.library)),
            _ => Err(Failure::Broken("NVRTC answered another question".into())),
        }
    })
    .clone()
}

// What a toolkit in parts may lack.
fn missing(nvrtc: &Nvrtc) -> Option<String> {
    let parts = [
        ("cuda_fp16.h", "nvidia-cuda-runtime-cu12"),
        ("cuda/std/cstdint", "nvidia-cuda-cccl-cu12"),
        ("crt/mma.h", "nvidia-cuda-nvcc-cu12"),
    ];
    let gone: Vec<&str> =
        parts.iter().filter(|(header, _)| nvrtc.header(header).is_none()).map(|p| p.1).collect();
    (!gone.is_empty()).then(|| format!("headers missing: pip install {}", gone.join(" ")))
}

fn failed(how: &str, library: &Path) -> Failure {
    if how.contains("cannot load") || how.contains("this is not NVRTC") {
        let get = "set KTWIN_NVRTC to the file of a library that loads".to_owned();
        return Failure::Absent { why: format!("{}: {how}", library.display()), get };
    }
    Failure::Compile { message: format!("NVRTC: {}", how.trim()), line: None }
}

/// The entry points as C++ expressions. A plain name that no kernel has is the contract's mistake.
fn named(build: &Build, kernels: &[String], text: &str) -> Result<Vec<String>, Failure> {
    let mut named: Vec<String> = Vec::new();
    for (entry, _) in build.entries.iter().filter(|(entry, _)| !entry.is_empty()) {
        let plain = host::plain(entry);
        // a macro may have made it, of parts too
        let made = text.contains("##") || lex::all_words(text).contains(&plain);
        if !kernels.iter().any(|k| k == plain) && !made {
            return Err(not_there(plain, kernels));
        }
        if !named.contains(entry) {
            named.push(entry.clone());
        }
    }
    if kernels.is_empty() && named.is_empty() && !text.contains("__global__") {
        return Err(no_kernel());
    }
    Ok(named)
}

// Where the contract names no kernel, there is one.
fn one_kernel(ptx: &str, kernels: &[String]) -> Option<Failure> {
    let all = kernels.join(", ");
    match ptx.matches(".entry ").count() {
        1 => None,
        0 if kernels.is_empty() => Some(no_kernel()),
        0 => Some(Failure::Mismatch(format!(
            "no kernel was instantiated from {all}: a template needs its arguments, entry = \"name<float, 16>\""
        ))),
        _ => {
            Some(Failure::Mismatch(format!("the source has several kernels: name one of {all} with `entry`")))
        }
    }
}

fn no_kernel() -> Failure {
    Failure::Mismatch("the source has no kernel: no function is `__global__`".into())
}

fn not_there(name: &str, kernels: &[String]) -> Failure {
    let near = ktwin_num::did_you_mean(name, kernels.iter().map(String::as_str));
    let has = if kernels.is_empty() { "no kernel".to_owned() } else { kernels.join(", ") };
    Failure::Mismatch(format!("no kernel `{name}`{near} (the source has {has})"))
}

/// The C++ that is spoken: that of `nvcc`, or the next where words of it are used.
fn standard(texts: &[host::Text]) -> &'static str {
    const NEW: [&str; 5] = ["concept", "concepts", "requires", "consteval", "constinit"];
    let is_new = |text: &host::Text| lex::all_words(&text.text).iter().any(|word| NEW.contains(word));
    if texts.iter().any(is_new) { "--std=c++20" } else { "--std=c++17" }
}

/// The headers of which something is named, and which those of the toolkit bring along with nvcc.
fn brought(texts: &[host::Text]) -> impl Iterator<Item = &'static str> {
    const BROUGHT: [(&str, &[&str]); 5] = [
        ("algorithm", &["std::max", "std::min", "std::swap"]),
        (
            "cuda_device_runtime_api.h",
            &["cudaGridDependencySynchronize", "cudaTriggerProgrammaticLaunchCompletion"],
        ),
        ("limits", &["std::numeric_limits"]),
        ("type_traits", &["std::is_", "std::enable_if", "std::conditional", "std::decay", "std::remove_"]),
        ("utility", &["std::move", "std::forward", "std::pair", "std::declval"]),
    ];
    let named = |name: &&str| texts.iter().any(|text| text.text.contains(name));
    BROUGHT.into_iter().filter(move |(_, names)| names.iter().any(named)).map(|(header, _)| header)
}

fn options(build: &Build, nvrtc: &Nvrtc, texts: &[host::Text]) -> Vec<String> {
    let arch = build.arch.as_deref().unwrap_or(ARCH).replacen("sm_", "compute_", 1);
    let mut options = vec![
        format!("--gpu-architecture={arch}"),
        standard(texts).to_owned(),
        "-lineinfo".to_owned(),
        "-default-device".to_owned(),
        "--disable-warnings".to_owned(),
        format!("--pre-include={}", sources::FIRST),
    ];
    options.extend(brought(texts).map(|header| format!("--pre-include={header}")));
    if build.fast_math {
        options.push("--use_fast_math".to_owned());
    }
    options.extend(build.defines.iter().map(|(name, value)| format!("-D{name}={value}")));
    options.extend(nvrtc.includes.iter().map(|folder| format!("-I{}", folder.display())));
    options
}

// All that the result depends on: of files that are the toolkit's, their size and age instead of their contents.
fn key(request: &Request, sources: &Sources) -> String {
    let mut parts: Vec<Vec<u8>> = vec!["nvrtc".into(), env!("CARGO_PKG_VERSION").into()];
    parts.extend([request.name.clone(), request.text.clone()].map(String::into_bytes));
    for (name, text) in &request.headers {
        parts.extend([name.clone(), text.clone()].map(String::into_bytes));
    }
    parts.extend(request.options.iter().chain(&request.expressions).map(|o| o.clone().into_bytes()));
    parts.extend(sources.toolkit.iter().chain([&request.library]).map(|path| {
        let about = fs::metadata(path).ok();
        let since =
            about.as_ref().and_then(|a| a.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok());
        format!("{} {:?} {since:?}", path.display(), about.map(|a| a.len())).into_bytes()
    }));
    cache::key(&parts.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_that_is_not_there_is_named() {
        let build = Build { entries: vec![("sofmax<float>".into(), Vec::new())], ..Build::default() };
        let error =
            named(&build, &["softmax".into()], "void softmax() {} // sofmax").unwrap_err().to_string();
        assert!(error.contains("`sofmax`") && error.contains("softmax"), "{error}");
    }
}
