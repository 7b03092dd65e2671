//! CUDA C++ and PTX from file to verdict: the README's example, PTX with its contract in either place, and what is said
//! where NVRTC is missing. What needs NVRTC is left out aloud without it, unless `KTWIN_REQUIRE` names it.

use std::fs;
use std::path::Path;
use std::process::Command;

use ktwin_check::{KernelReport, Kind, Verdict};

use crate::support::folder;

fn nvrtc() -> bool {
    let found = ktwin_devices::compiler("nvrtc");
    let required = std::env::var("KTWIN_REQUIRE").is_ok_and(|r| r.split(',').any(|d| d == "nvrtc"));
    if let Err(missing) = &found {
        assert!(!required, "{missing}");
        eprintln!("left out: {missing}");
    }
    found.is_ok()
}

fn tested(folder: &Path, name: &str, text: &str) -> KernelReport {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    ktwin::kernel(&path).quick().seed(1).run().unwrap()
}

/// The indented block of the README that begins with a contract, under this heading.
fn example(heading: &str) -> String {
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let text = fs::read_to_string(readme).unwrap();
    let section = text.split(heading).nth(1).unwrap();
    let from = section.lines().skip_while(|l| !l.starts_with("    /*--- ktwin"));
    let block = from.take_while(|l| l.is_empty() || l.starts_with("    "));
    block.map(|l| format!("{}\n", l.strip_prefix("    ").unwrap_or(l))).collect()
}

#[test]
fn the_example_of_the_readme_passes_and_its_fault_does_not() {
    if !nvrtc() {
        return;
    }
    let room = folder("cuda_readme");
    let text = example("## CUDA");
    assert!(text.contains("if (i < n)"));
    let report = tested(&room, "silu.cu", &text);
    assert_eq!(report.verdict, Verdict::Pass, "{report:#?}");
    let report = tested(&room, "unguarded.cu", &text.replace("if (i < n)", ""));
    let kinds = report.failure.map(|f| f.kinds).unwrap_or_default();
    assert!(kinds.contains(&Kind::OutOfBounds), "{kinds:?}");
}

/// The compiler shares a line between two copies of a loop, of which one never runs: that is no gap.
#[test]
fn lines_that_a_compiler_moves_are_no_gaps_and_lines_that_never_run_are() {
    if !nvrtc() {
        return;
    }
    let room = folder("cuda_moved");
    let text = r#"/*--- ktwin
op    = "relu"
args  = ["x", "y", { N = "u32" }]
dims  = { N = "..=3000" }
grid  = ["ceil(N / 512)", 1, 1]
block = [16, 16, 1]
tile  = { N = 512 }
---*/
__global__ void relu(const float *x, float *y, unsigned n)
{
    __shared__ float s[16][33];
    unsigned tx = threadIdx.x, ty = threadIdx.y, lane = ty * 16 + tx;
    for (unsigned n0 = 0; n0 < n; n0 += 512 * gridDim.x) {
        for (unsigned i = lane; i < 512; i += 256) {
            unsigned k = i % 16, m = i / 16;
            unsigned at = n0 + blockIdx.x * 512 + i;
            s[k][m] = at < n ? x[at] : 0;
        }
        __syncthreads();
        for (unsigned i = lane; i < 512; i += 256) {
            unsigned at = n0 + blockIdx.x * 512 + i;
            if (at < n) y[at] = fmaxf(s[i % 16][i / 16], 0);
        }
        __syncthreads();
    }
}
"#;
    let idle = |name: &str, text: &str| {
        let report = tested(&room, name, text);
        assert_eq!(report.verdict, Verdict::Pass, "{report:#?}");
        report.gaps.into_iter().find(|gap| gap.contains("ran in no case"))
    };
    assert_eq!(idle("moved.cu", text), None);
    let never = text.replace("    unsigned tx", "    if (n > 5000)\n        y[0] = x[1];\n    unsigned tx");
    let said = idle("never.cu", &never).expect("a line never runs");
    assert!(said.contains("y[0] = x[1];"), "{said}");
}

pub const CONTRACT: &str = "op = \"scale\"\nargs = [\"x\", \"y\", { N = \"u32\" }, { alpha = \"f32\" }]\n\
                        grid = [\"ceil(N / 64)\", 1, 1]\nblock = 64\n";

pub const PTX: &str = r"
.version 7.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 x, .param .u64 y, .param .u32 n, .param .f32 a)
{
    .reg .pred %p<2>;
    .reg .f32 %f<4>;
    .reg .b32 %r<6>;
    .reg .b64 %d<8>;
    ld.param.u64 %d1, [x];
    ld.param.u64 %d2, [y];
    ld.param.u32 %r1, [n];
    ld.param.f32 %f1, [a];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra DONE;
    cvta.to.global.u64 %d3, %d1;
    cvta.to.global.u64 %d4, %d2;
    mul.wide.u32 %d5, %r5, 4;
    add.s64 %d6, %d3, %d5;
    add.s64 %d7, %d4, %d5;
    ld.global.f32 %f2, [%d6];
    mul.f32 %f3, %f2, %f1;
    st.global.f32 [%d7], %f3;
DONE:
    ret;
}
";

#[test]
fn ptx_has_its_contract_in_a_comment_or_beside_it() {
    let room = folder("cuda_ptx");
    let inside = format!("/*--- ktwin\n{CONTRACT}---*/\n{PTX}");
    assert_eq!(tested(&room, "inside.ptx", &inside).verdict, Verdict::Pass);
    let wrong = inside.replace("mul.f32 %f3, %f2, %f1", "add.f32 %f3, %f2, %f1");
    assert_eq!(tested(&room, "wrong.ptx", &wrong).verdict, Verdict::Fail);
    fs::write(room.join("beside.toml"), CONTRACT).unwrap();
    assert_eq!(tested(&room, "beside.ptx", PTX).verdict, Verdict::Pass);
    let found = ktwin::suite::kernels(std::slice::from_ref(&room), None).unwrap();
    assert_eq!(found.len(), 3);
}

#[test]
fn what_only_cuda_has_and_what_it_needs_is_said() {
    let room = folder("cuda_contracts");
    let load = |name: &str, text: &str| {
        let path = room.join(name);
        fs::write(&path, text).unwrap();
        ktwin::kernel(&path).load().map(|kernel| kernel.rules())
    };
    let text = example("## CUDA");
    let fast = text.replace("block = [256, 1, 1]", "block = [256, 1, 1]\nfast_math = true");
    assert_eq!(load("plain.cu", &text).unwrap().name(), "cuda");
    assert_eq!(load("fast.cu", &fast).unwrap().name(), "cuda-fast");
    let error = load("bare.cu", &text.replace("block = [256, 1, 1]", "")).unwrap_err();
    assert!(error.contains("no `block`") && error.contains("add block"), "{error}");
    let error = load("fast.wgsl", &fast).unwrap_err();
    assert!(error.contains("`fast_math` applies only to CUDA"), "{error}");
}

#[test]
fn constants_have_names_in_expressions() {
    let room = folder("cuda_constants");
    let named = CONTRACT.replace("ceil(N / 64)", "ceil(N / LANES)").replace("64\n", "\"LANES\"\n");
    let inside = |more: &str| format!("/*--- ktwin\n{named}{more}\n---*/\n{PTX}");
    assert_eq!(
        tested(&room, "named.ptx", &inside("define = { LANES = \"2 * HALF\", HALF = 32 }")).verdict,
        Verdict::Pass
    );
    let path = room.join("circle.ptx");
    fs::write(&path, inside("define = { LANES = \"LANES\" }")).unwrap();
    let error = ktwin::kernel(&path).load().map(|_| ()).unwrap_err();
    assert!(error.contains("`LANES` is not known"), "{error}");
}

#[test]
fn promised_resources_are_held_against_what_ptxas_says() {
    let room = folder("cuda_resources");
    let with =
        |name: &str, more: &str| tested(&room, name, &format!("/*--- ktwin\n{CONTRACT}{more}---*/\n{PTX}"));
    let report = with("many.ptx", "max_registers = 255\nspills = false\n");
    if report.verdict == Verdict::Skip {
        assert!(report.reason.contains("ptxas was not found"), "{report:#?}");
        eprintln!("left out: {}", report.reason);
        return;
    }
    assert_eq!(report.verdict, Verdict::Pass, "{report:#?}");
    assert!(report.resources[0].entry == "scale" && report.resources[0].registers > 1, "{report:#?}");
    let kinds = with("few.ptx", "max_registers = 1\n").failure.map(|f| f.kinds).unwrap_or_default();
    assert_eq!(kinds, [Kind::Resources]);
}

fn command(args: &[&str], nvrtc: &Path) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ktwin"));
    let said = command.args(args).env("KTWIN_NVRTC", nvrtc).output().unwrap();
    (said.status.code(), String::from_utf8_lossy(&said.stdout).into_owned())
}

#[test]
fn without_nvrtc_it_says_how_to_get_it() {
    let room = folder("cuda_without");
    let path = room.join("silu.cu");
    fs::write(&path, example("## CUDA")).unwrap();
    let (code, text) = command(&["test", &path.display().to_string()], &room);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("pip install nvidia-cuda-nvrtc-cu12"), "{text}");
    // a library that is another one
    let other = room.join("libother.so");
    fs::write(&other, "no library").unwrap();
    let (code, text) = command(&["test", &path.display().to_string()], &other);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("libother.so") && text.contains("KTWIN_NVRTC"), "{text}");
    let (code, text) = command(&["devices"], &room);
    assert_eq!(code, Some(0));
    assert!(text.contains(&room.display().to_string()), "{text}");
}
