//! What a kernel takes of a card, as `ptxas` says it: it turns PTX into a card's own code and tells
//! what that needs. It comes with CUDA's toolkit and in PyPI's nvidia-cuda-nvcc; where it is not
//! there, nothing is said.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::UNIX_EPOCH;

use ktwin_check::Resources;

use crate::compile::cache::{self, Room};
use crate::compile::process::{self, COMPILER, Reach};

const GET: &str = "it comes with the CUDA toolkit, or with pip install nvidia-cuda-nvcc-cu12";

/// The program: beside NVRTC's library, or on the path.
fn find(library: Option<&Path>) -> Option<PathBuf> {
    let mut places: Vec<PathBuf> = Vec::new();
    // lib64 of a toolkit, nvidia/cu13/lib, nvidia/cuda_nvrtc/lib, targets/x86_64-linux/lib
    for up in library.into_iter().flat_map(Path::ancestors).skip(2).take(3) {
        places.extend(["bin", "cuda_nvcc/bin"].map(|folder| up.join(folder)));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    places.extend(std::env::split_paths(&path));
    places.into_iter().map(|folder| folder.join("ptxas")).find(|file| file.is_file())
}

/// What every entry point of a text takes on an architecture.
pub fn resources(text: &str, arch: &str, library: Option<&Path>) -> Result<Vec<Resources>, String> {
    let program = find(library).ok_or_else(|| format!("ptxas was not found: {GET}"))?;
    let arch = arch.replacen("compute_", "sm_", 1);
    let about = fs::metadata(&program).map_err(|e| format!("{}: {e}", program.display()))?;
    let age = about.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let version = format!("{} {} {age:?} {}", program.display(), about.len(), env!("CARGO_PKG_VERSION"));
    let key = cache::key(&[b"ptxas", text.as_bytes(), arch.as_bytes(), version.as_bytes()]);
    if let Some(kept) = cache::look(&key, &[]) {
        return Ok(read(&String::from_utf8_lossy(&kept)));
    }
    let said = ask(&program, text, &arch).map_err(|e| format!("{}: {e}", program.display()))?;
    cache::keep(&key, &[], said.as_bytes());
    Ok(read(&said))
}

fn ask(program: &Path, text: &str, arch: &str) -> Result<String, String> {
    let broken = |e: std::io::Error| e.to_string();
    let room = Room::new().map_err(broken)?;
    let (source, made) = (room.path().join("kernel.ptx"), room.path().join("kernel.cubin"));
    fs::write(&source, text).map_err(broken)?;
    let mut command = Command::new(program);
    command.arg(format!("-arch={arch}")).arg("-v").arg("-o").arg(made).arg(source);
    let folder = program.parent().map(Path::to_path_buf);
    let reach = Reach { read: folder.into_iter().collect(), write: Some(room.path().to_path_buf()) };
    let said = process::run(&command, &[], COMPILER, &reach).map_err(broken)?;
    match said.status {
        Ok(status) if status.success() => Ok(said.err + &said.out),
        _ => Err(said.err.trim().lines().next().unwrap_or("it failed without a message").to_owned()),
    }
}

/// The numbers before words that `ptxas` writes: `Used 40 registers`, `16 bytes stack frame`.
fn number(line: &str, words: &str) -> Option<u32> {
    let before = &line[..line.find(words)?];
    before.split(|c: char| !c.is_ascii_digit()).rfind(|part| !part.is_empty())?.parse().ok()
}

/// What it said of each entry point.
fn read(said: &str) -> Vec<Resources> {
    let mut out: Vec<Resources> = Vec::new();
    for line in said.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            let mut parts = rest.split('\'');
            let entry = parts.next().unwrap_or("").to_owned();
            let arch = parts.nth(1).unwrap_or("").to_owned();
            out.push(Resources { entry, arch, ..Resources::default() });
        }
        let Some(last) = out.last_mut() else { continue };
        let into = [
            ("bytes stack frame", &mut last.stack),
            ("bytes spill stores", &mut last.spill_stores),
            ("bytes spill loads", &mut last.spill_loads),
            ("bytes smem", &mut last.shared),
        ];
        for (words, place) in into {
            *place = number(line, words).unwrap_or(*place);
        }
        if line.contains(": Used ") {
            last.registers = number(line, " registers").unwrap_or(0);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ptxas_says_is_read() {
        let said = "ptxas info    : 0 bytes gmem\n\
            ptxas info    : Compiling entry function '_Z1kPf' for 'sm_80'\n\
            ptxas info    : Function properties for _Z1kPf\n    \
            512 bytes stack frame, 16 bytes spill stores, 20 bytes spill loads\n\
            ptxas info    : Used 40 registers, used 1 barriers, 512 bytes cumulative stack size, 4096 bytes smem, \
            376 bytes cmem[0]\n\
            ptxas info    : Compiling entry function 'two' for 'sm_80'\n\
            ptxas info    : Used 8 registers, 360 bytes cmem[0]\n";
        let all = read(said);
        let first = Resources {
            entry: "_Z1kPf".into(),
            arch: "sm_80".into(),
            registers: 40,
            spill_stores: 16,
            spill_loads: 20,
            shared: 4096,
            stack: 512,
        };
        assert_eq!(all[0], first);
        assert_eq!((all[1].entry.as_str(), all[1].registers, all[1].shared), ("two", 8, 0));
        assert_eq!(all.len(), 2);
    }
}
