//! Kernels of Triton from file to verdict: the example of docs/triton.md, several configurations, lines of findings,
//! and what is said of files that Python or Triton refuses. What needs Triton is left out aloud without it, unless
//! `KTWIN_REQUIRE` names it.

use std::fs;
use std::path::Path;

use ktwin_check::{KernelReport, Kind, Verdict};

use crate::support::{command, folder};

fn triton() -> bool {
    let found = ktwin_devices::compiler("triton");
    let required = std::env::var("KTWIN_REQUIRE").is_ok_and(|r| r.split(',').any(|d| d == "triton"));
    if let Err(missing) = &found {
        assert!(!required, "{missing}");
        eprintln!("left out: {missing}");
    }
    found.is_ok()
}

/// The example of docs/triton.md.
fn example() -> String {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/triton.md");
    let text = fs::read_to_string(page).unwrap();
    let block = text.split("```python\n").nth(1).and_then(|rest| rest.split("```").next());
    block.unwrap().to_owned()
}

fn tested(folder: &Path, name: &str, text: &str) -> KernelReport {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    ktwin::kernel(&path).quick().seed(1).run().unwrap()
}

#[test]
fn the_example_passes_with_all_that_it_lists_and_its_faults_do_not() {
    if !triton() {
        return;
    }
    let room = folder("triton_example");
    let text = example();
    let whole = tested(&room, "scale.py", &text);
    assert_eq!(whole.verdict, Verdict::Pass, "{whole:#?}");
    let second = ", { BLOCK = 1024, num_warps = 8 }]";
    let alone =
        tested(&room, "alone.py", &text.replace("[{ BLOCK = 128", "{ BLOCK = 128").replace(second, ""));
    assert!(whole.cases.total() == 2 * alone.cases.total(), "{:?} {:?}", whole.cases, alone.cases);
    // right with the first set alone, which the verdict says
    let half = text.replace("mask=inside)\n", "mask=inside & (at % BLOCK < 512))\n");
    let report = tested(&room, "half.py", &half);
    assert_eq!(report.verdict, Verdict::Fail);
    assert!(report.reason.contains("with BLOCK = 1024, num_warps = 8"), "{report:#?}");
    // the line of the load, though Triton writes assembly for it
    let unguarded = text.replace("tl.load(x + at, mask=inside)", "tl.load(x + at)");
    let failure = tested(&room, "unguarded.py", &unguarded).failure.unwrap_or_default();
    let found = failure.findings.iter().find(|f| f.kind == Kind::OutOfBounds);
    let line = unguarded.lines().position(|l| l.contains("tl.load")).unwrap() as u32 + 1;
    assert_eq!(found.and_then(|f| f.line), Some(line), "{failure:#?}");
}

#[test]
fn host_code_is_left_alone() {
    if !triton() {
        return;
    }
    let host =
        "import no_such_module\nraise SystemExit('host code')\ndef main():\n    no_such_module.run(scale)\n";
    let report = tested(&folder("triton_host"), "host.py", &(example() + host));
    assert_eq!(report.verdict, Verdict::Pass, "{report:#?}");
}

#[test]
fn kernels_are_found_where_they_stand_and_called_as_python_calls_them() {
    if !triton() {
        return;
    }
    let room = folder("triton_found");
    let text = "# --- ktwin\n# op = 'scale'\n# args = ['x', 'y', { alpha = 'f32', N = 'i32' }]\n\
                # grid = ['ceil(N / BLOCK)', 1, 1]\n# define = { BLOCK = 256 }\n# ---\nimport triton\n\
                import triton.language as tl\nfrom no_such_package import libentry\ntry:\n    HERE = bool(tl)\n\
                except ImportError:\n    HERE = False\nif HERE:\n    @libentry()\n    @triton.jit\n\
                \x20   def scale(x, y, alpha, n, BLOCK: tl.constexpr, bias=None, T=None):\n\
                \x20       at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n\
                \x20       v = alpha * tl.load(x + at, mask=at < n)\n\
                \x20       if bias is not None:\n            v += tl.load(bias + at)\n\
                \x20       if T is not None:\n            v = v.to(T)\n\
                \x20       tl.store(y + at, v, mask=at < n)\n";
    let as_said = |define: &str| text.replacen("BLOCK = 256 }", &format!("BLOCK = 256{define} }}"), 1);
    for (name, text) in [
        ("defaults.py", text.to_owned()),
        ("none.py", as_said(", bias = { text = 'None' }")),
        ("type.py", as_said(", bias = { text = 'None' }, T = { text = 'tl.float32' }")),
        (
            "call.py",
            text.replacen("    @libentry()\n    @triton.jit\n", "", 1) + "    named = triton.jit(scale)\n",
        ),
    ] {
        let report = tested(&room, name, &text);
        assert_eq!(report.verdict, Verdict::Pass, "{name}: {report:#?}");
    }
    let coarse =
        tested(&room, "coarse.py", &as_said(", bias = { text = 'None' }, T = { text = 'tl.float16' }"));
    assert_eq!(coarse.verdict, Verdict::Fail);
}

#[test]
fn what_is_refused_is_said_in_one_message_with_its_line() {
    if !triton() {
        return;
    }
    let room = folder("triton_refused");
    let said = |name: &str, from: &str, to: &str| {
        let text = example();
        assert!(text.contains(from), "{from}");
        let report = tested(&room, name, &text.replace(from, to));
        (report.verdict, report.reason)
    };
    let cases = [
        ("syntax.py", "inside = at < n", "inside = at <", Verdict::Fail, "syntax.py:15: SyntaxError"),
        ("name.py", "import triton\n", "import triton\nLIMIT = missing\n", Verdict::Pass, ""),
        (
            "python.py",
            "BLOCK: tl.constexpr)",
            "BLOCK: tl.constexpr = missing)",
            Verdict::Fail,
            "python.py:13: NameError",
        ),
        ("triton.py", "alpha * tl", "alpha @ tl", Verdict::Fail, "triton.py:16: "),
        (
            "unknown.py",
            "[{ BLOCK",
            "[{ BLOK = 1, BLOCK",
            Verdict::Invalid,
            "no constexpr `BLOK` (there is BLOCK",
        ),
        ("warps.py", "num_warps = 4", "num_warps = 3", Verdict::Fail, "num_warps must be a power of 2"),
        ("values.py", ", N = \"i32\"", "", Verdict::Invalid, "`args` gives 3"),
        ("none.py", "@triton.jit\n", "", Verdict::Invalid, "no function is decorated with `@triton.jit`"),
        ("entry.py", "# tile ", "# entry  = \"other\"\n# tile ", Verdict::Invalid, "no kernel `other`"),
    ];
    for (name, from, to, verdict, words) in cases {
        let (found, reason) = said(name, from, to);
        assert_eq!((found, reason.contains(words)), (verdict, true), "{name}: {reason}");
        assert!(!reason.contains("Traceback"), "{name}: {reason}");
    }
    let text = example()
        .replace("[{ BLOCK = 128, num_warps = 4 }, ", "[{ num_warps = 4 }, ")
        .replace("/ BLOCK", "/ 128");
    let report = tested(&room, "missing.py", &text);
    assert!(report.reason.contains("constexpr `BLOCK` has no value: write define"), "{report:#?}");
}

#[test]
fn modules_of_a_package_are_read_as_far_as_the_kernel_needs_them() {
    if !triton() {
        return;
    }
    let room = folder("triton_package");
    let inner = room.join("own/parts");
    std::fs::create_dir_all(&inner).unwrap();
    let write = |name: &str, text: &str| std::fs::write(room.join("own").join(name), text).unwrap();
    // what ties the package together cannot be imported here, and need not be
    write("__init__.py", "import nowhere_to_be_found\n");
    write("parts/__init__.py", "from .helpers import twice\nSAME = 1.0\n");
    let helpers = "import torch\nimport triton\nclass F(torch.autograd.Function, torch.nn.Module):\n    pass\n\
                   f = F.apply\nfrom torch.utils import is_torch_available\n\
                   if torch.xpu.is_available() or torch.utils.is_torch_npu_available():\n\
                   \x20   from triton.language.math import no_such_name\n\
                   if torch.cuda.is_available() and is_torch_available():\n\
                   \x20   @triton.jit\n    def twice(x):\n        return x\n";
    write("parts/helpers.py", helpers);
    let include = |folder: &str, import: &str| {
        let last = "import triton.language as tl\n";
        let text = example().replace(last, &format!("{last}{import}\n"));
        let text = text.replace("alpha * tl", "SAME * twice(alpha) * tl");
        text.replacen("# args", &format!("# include = [\"{folder}\"]\n# args"), 1)
    };
    let import = "from . import twice, SAME as ONE\nSAME = tl.constexpr(ONE)";
    let report = tested(&inner, "kernel.py", &include("../..", import));
    assert_eq!(report.verdict, Verdict::Pass, "{}", report.reason);
    let report = tested(&inner, "lonely.py", &include(".", import));
    let says = "(name the folder that the file's package is in with `include`)";
    assert!(report.reason.contains(says), "{}", report.reason);
    write("parts/helpers.py", "import triton\ntwice = missing\n");
    let report = tested(&inner, "broken.py", &include("../..", import));
    assert!(report.reason.contains("name 'missing' is not defined, in helpers.py:2"), "{}", report.reason);
}

#[test]
fn what_sim_lacks_is_named_with_its_line() {
    if !triton() {
        return;
    }
    let asm = "tl.inline_asm_elementwise('wgmma.fence.sync.aligned; mov.b32 $0, $1;', '=r,r', \
               [tl.load(x + at, mask=inside)], dtype=tl.float32, is_pure=True, pack=1)";
    let text = example().replace("alpha * tl.load(x + at, mask=inside)", asm);
    let report = tested(&folder("triton_lacks"), "scale.py", &text);
    assert_eq!(report.verdict, Verdict::Skip, "{report:#?}");
    let line = text.lines().position(|l| l.contains("wgmma")).unwrap() + 1;
    let words = ["sim does not run this kernel", "wgmma.fence", &format!("line {line}:")];
    assert!(words.iter().all(|w| report.reason.contains(w)), "{}", report.reason);
}

#[test]
fn without_triton_a_kernel_is_skipped_and_told_how_to_get_it() {
    let room = folder("triton_absent");
    fs::write(room.join("scale.py"), example()).unwrap();
    let mut run = command(&["test", "scale.py", "--quick"]);
    let output = run.env("KTWIN_PYTHON", "/no/such/python3").current_dir(&room).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("/no/such/python3") && text.contains("pip install triton"), "{text}");
}

#[test]
fn each_set_of_constants_is_held_against_the_op() {
    let room = folder("triton_contract");
    let path = room.join("scale.py");
    fs::write(&path, example().replace("BLOCK = 1024", "BLOCK = \"M / 2\"")).unwrap();
    let error = ktwin::kernel(&path).load().unwrap_err();
    assert!(error.contains("`M`") && error.contains("scale.py:5"), "{error}");
    fs::write(&path, example().replace("# tile ", "# robust = true\n# tile ")).unwrap();
    let error = ktwin::kernel(&path).load().unwrap_err();
    assert!(error.contains("`robust` applies only to"), "{error}");
}

#[test]
fn what_the_host_computes_is_named_with_what_to_write() {
    if !triton() {
        return;
    }
    let room = folder("triton_heuristics");
    let text = example()
        .replace("[{ BLOCK = 128, num_warps = 4 }, { BLOCK = 1024, num_warps = 8 }]", "{ BLOCK = 128 }")
        .replace(
            "@triton.jit",
            "@triton.heuristics({\"EVEN\": lambda args: args[\"n\"] % args[\"BLOCK\"] == 0})\n@triton.jit",
        )
        .replace("BLOCK: tl.constexpr):", "BLOCK: tl.constexpr, EVEN: tl.constexpr):")
        .replace("inside = at < n", "inside = at < (at + 1 if EVEN else n)");
    let report = tested(&room, "host.py", &text);
    assert_eq!(report.verdict, Verdict::Invalid, "{report:#?}");
    assert!(report.reason.contains("`@triton.heuristics` computes constexpr `EVEN`"), "{}", report.reason);
    let named = |even: &str| text.replace("{ BLOCK = 128 }", &format!("{{ BLOCK = 128, EVEN = {even} }}"));
    assert_eq!(tested(&room, "named.py", &named("\"N % BLOCK == 0\"")).verdict, Verdict::Pass);
    assert_eq!(tested(&room, "wrong.py", &named("true")).verdict, Verdict::Fail);
}
