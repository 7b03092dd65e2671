//! The device `cuda` on machines without a card: a driver that knows one kernel (`fake_cuda.c`) shows that parameters,
//! canaries, errors and times travel as they must. What needs a card is in docs/on-hardware.md.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cuda::{CONTRACT, PTX};
use crate::support::folder;

/// A folder with the driver and the kernel, where there is a compiler of C.
fn room(name: &str) -> Option<(PathBuf, String)> {
    let room = folder(name);
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/command/fake_cuda.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(room.join("libcuda.so.1")).arg(source);
    if !cfg!(target_os = "linux") || !compiler.status().is_ok_and(|status| status.success()) {
        eprintln!("left out: no compiler of C for Linux");
        return None;
    }
    let kernel = room.join("scale.ptx");
    fs::write(&kernel, format!("/*--- ktwin\n{CONTRACT}---*/\n{PTX}")).unwrap();
    Some((room, kernel.display().to_string()))
}

fn run(room: &Path, fake: &str, args: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ktwin"));
    command.args(args).env("LD_LIBRARY_PATH", room).env("FAKE_CUDA", fake);
    let said = command.output().unwrap();
    let both = [said.stdout, said.stderr].concat();
    (said.status.code(), String::from_utf8_lossy(&both).into_owned())
}

#[test]
fn a_card_gets_the_same_verdicts() {
    let Some((room, kernel)) = room("card_verdicts") else { return };
    let test = |fake| run(&room, fake, &["test", &kernel, "--device", "cuda", "--quick", "--seed", "1"]);
    let (code, text) = test("right");
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("scale") && text.contains("on cuda"), "{text}");
    for (fake, words) in [
        ("wrong", "1 of 71 elements wrong"),
        ("past", "past the end"),
        ("fault", "CUDA_ERROR_ILLEGAL_ADDRESS"),
        ("refuse", "Unknown symbol 'q'"),
    ] {
        let (code, text) = test(fake);
        assert_eq!(code, Some(1), "{fake}: {text}");
        assert!(text.contains(words), "{fake}: {text}");
    }
    // a case that stopped the card ends its process, and the cases after it are run by another
    let (_, text) =
        run(&room, "fault", &["test", &kernel, "--device", "cuda", "--seed", "1", "--format", "json"]);
    let cases: Vec<&str> = text.lines().filter(|line| line.contains("\"event\":\"case\"")).collect();
    let passed = cases.iter().filter(|line| line.contains("\"pass\"")).count();
    assert!(passed > 0 && passed < cases.len(), "{passed} of {}: {text}", cases.len());
}

#[test]
fn variables_of_the_source_are_filled_on_a_card() {
    let Some((room, _)) = room("card_variables") else { return };
    let tested = |globals: &str| {
        let file = room.join("scale.ptx");
        let ptx = PTX.replacen(".visible", ".const .align 4 .f32 _ZL6factor;\n.visible", 1);
        fs::write(&file, format!("/*--- ktwin\n{CONTRACT}{globals}---*/\n{ptx}")).unwrap();
        run(&room, "variable", &["test", &file.display().to_string(), "--device", "cuda", "--quick"])
    };
    let (code, text) = tested("globals = { factor = { alpha = 'f32' } }\n");
    assert_eq!(code, Some(0), "{text}");
    let (code, text) = tested("");
    assert!(code == Some(1) && text.contains("wrong values"), "{text}");
    let (code, text) = tested("globals = { facto = { alpha = 'f32' } }\n");
    assert!(code == Some(2) && text.contains("no variable `facto`"), "{code:?} {text}");
}

#[test]
fn without_a_card_it_says_so() {
    let Some((room, kernel)) = room("card_absent") else { return };
    for device in ["cuda", "cuda:3"] {
        let fake = if device == "cuda" { "none" } else { "right" };
        let (code, text) = run(&room, fake, &["test", &kernel, "--device", device, "--quick"]);
        assert_eq!(code, Some(3), "{text}");
        assert!(text.contains("NVIDIA GPU"), "{text}");
    }
    let (code, text) = run(&room, "right", &["devices"]);
    assert!(code == Some(0) && text.contains("Fake, 1 GiB, driver for CUDA 12.9"), "{text}");
}

#[test]
fn a_card_times_by_its_own_clock() {
    let Some((room, kernel)) = room("card_times") else { return };
    let args = ["bench", &kernel, "--device", "cuda", "--dims", "N=256", "--time", "0.3"];
    let (code, text) = run(&room, "wrong", &args);
    assert!(code == Some(1) && text.contains("not timed"), "{code:?} {text}");
    let (code, text) = run(&room, "right", &args);
    assert!(code == Some(0) && text.contains("warm") && text.contains("GB/s"), "{code:?} {text}");
    // by a clock that is ten times too slow
    let (code, text) = run(&room, "slow clock", &args);
    assert!(code == Some(1) && text.contains("the clock beside the kernel says"), "{code:?} {text}");
}
