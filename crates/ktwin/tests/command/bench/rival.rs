//! What `ktwin bench --vs` takes beside a file: a revision of git, a device.

use std::path::Path;
use std::process::Command;

use super::{bench, kernel, measured};
use crate::support::folder;

/// Git in a folder, as somebody who has a name.
fn git(folder: &Path, args: &[&str]) {
    let who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
    let output = Command::new("git").arg("-C").arg(folder).args(who).args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Eight times as slow as its header says by `TIMES`.
fn with_header(folder: &Path, times: usize) -> String {
    std::fs::write(folder.join("times.h"), format!("#define TIMES {times}\n")).unwrap();
    let body = "for (volatile int k = 0; k < TIMES; k++) work(x, y, n);";
    kernel(folder, "silu.c", "#include \"times.h\"", body)
}

#[test]
fn a_kernel_is_compared_with_what_it_was_at_a_revision() {
    let top = folder("bench-revision");
    let folder = top.join("kernels");
    std::fs::create_dir(&folder).unwrap();
    git(&top, &["init", "--quiet"]);
    std::fs::write(top.join("README"), "").unwrap();
    git(&top, &["add", "."]);
    git(&top, &["commit", "--quiet", "-m", "before"]);
    with_header(&folder, 8);
    git(&top, &["add", "."]);
    git(&top, &["commit", "--quiet", "-m", "slow"]);
    // the kernel's own text stays: what lies beside it is as it was then, too
    let name = with_header(&folder, 1);
    let sizes = ["--dims", "N=4096", "--rounds", "8", "--vs"];
    let with = |vs: &str| [&[&*name], &sizes[..], &[vs]].concat().join(" ");
    let args = with("HEAD");
    let (run, code) = measured(&folder, &args.split(' ').collect::<Vec<_>>());
    assert_eq!(code, 0, "{run}");
    let against = run["cases"][0]["against"].as_array().unwrap();
    assert!(against.iter().any(|a| a["outcome"] == "faster"), "{run}");
    let what = against[0]["what"].as_str().unwrap();
    assert!(what.contains("against silu.c at HEAD ("), "{run}");
    for (vs, says) in [
        ("HEAD~1", "kernels/silu.c was not in the repository then"),
        ("HEAD~9", "git knows no such revision"),
    ] {
        let args = with(vs);
        let run = bench(&folder, &args.split(' ').collect::<Vec<_>>());
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{vs}: {}", run.err);
        assert!(run.err.contains(says) && !run.err.contains("measuring"), "{vs}: {}", run.err);
    }
    // a name that git would take for an option is none
    let run = bench(&folder, &[&*name, "--dims", "N=64", "--vs=--output=x"]);
    assert!(run.code == 2 && run.err.contains("git knows no such revision"), "{}", run.err);
    // the folder of another test may lie in a repository of its own
    let alone = tempfile::tempdir().unwrap();
    let name = kernel(alone.path(), "silu.c", "", "work(x, y, n);");
    let run = bench(alone.path(), &[&name, "--vs", "HEAD"]);
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(run.err.contains("is in no git repository"), "{}", run.err);
}

#[test]
fn counts_are_not_compared_with_times() {
    let folder = folder("bench-devices");
    let shader = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/wgsl/rmsnorm.wgsl");
    let name = kernel(&folder, "silu.c", "", "work(x, y, n);");
    for (args, says) in [
        (&[shader, "--vs", "device:sim"][..], "is measured on sim already"),
        (&[shader, "--device", "sim", "--vs", "device:native"], "does not take the language"),
        (&[&*name, "--vs", "device:sim"], "does not take the language"),
        (&[&*name, "--vs", "device:nobody"], "nobody"),
        (&[shader, "--device", "sim", "--vs", "device:vulkan"], "counts and times are not compared"),
    ] {
        let run = bench(&folder, &[args, &["--dims", "R=4", "D=64"]].concat());
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{args:?}: {}", run.err);
        assert!(run.err.contains(says) && !run.err.contains("measuring"), "{args:?}: {}", run.err);
    }
}
