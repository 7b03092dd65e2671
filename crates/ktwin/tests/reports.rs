//! What `ktwin test` writes beside what it prints: reports in files, annotations, arrays of failures and pictures of
//! them; parts of a run, help.

mod support;

use std::path::{Path, PathBuf};

use support::{Run, command, files, folder, ktwin, load};

const HEAD: &str = "/*--- ktwin\nop = \"relu\"\nargs = [\"x\", \"y\", { N = \"u32\" }]\n\
                    grid = [\"ceil(N / 64)\", 1, 1]\n---*/\n\
                    struct Sizes { n: u32 }\n\
                    @group(0) @binding(0) var<storage, read> x: array<f32>;\n\
                    @group(0) @binding(1) var<storage, read_write> y: array<f32>;\n\
                    @group(0) @binding(2) var<uniform> s: Sizes;\n\
                    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n\
                    if (id.x < s.n) { y[id.x] = ";

/// A right kernel, and one that computes max(1, x).
fn kernels(name: &str) -> PathBuf {
    let dir = folder(name);
    for (file, value) in [("good", "max(x[id.x], 0.0)"), ("wrong", "max(x[id.x], 1.0)")] {
        std::fs::write(dir.join(format!("{file}.wgsl")), format!("{HEAD}{value}; }} }}\n")).unwrap();
    }
    dir
}

fn run(dir: &Path, args: &[&str]) -> Run {
    let mut command = command(&["test", ".", "--quick", "--seed", "5"]);
    command.args(args).current_dir(dir).env("XDG_CACHE_HOME", dir.join("cache")).env_remove("GITHUB_ACTIONS");
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Run { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

const FORMULA: &str = "matches the op with `max(x[n], 0)` read as `max(x[n], 1)`";

#[test]
fn several_reports_tell_of_one_run() {
    let dir = kernels("reports");
    let names = ["r.html", "r.md", "r.csv", "r.xml"];
    let args: Vec<&str> = names.iter().flat_map(|name| ["--report", name]).collect();
    let ended = run(&dir, &args);
    assert_eq!(ended.code, 1, "{}{}", ended.out, ended.err);
    assert!(ended.out.contains(FORMULA) && ended.out.contains(", quick plan"), "{}", ended.out);
    for name in names {
        let text = std::fs::read_to_string(dir.join(name)).unwrap();
        assert!(text.contains("good.wgsl") && text.contains("wrong.wgsl"), "{name}: {text}");
        assert!(text.contains("read as"), "{name}: {text}");
        // every measure, whichever rule decides, of failing cases too; JUnit has each as a property
        assert!(name == "r.xml" || text.contains("worst over all cases"), "{name}: {text}");
        assert!(
            ["nmse", "max_rel", "ulps", "correlation"].iter().all(|m| text.contains(m)),
            "{name}: {text}"
        );
    }
    let page = std::fs::read_to_string(dir.join("r.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("Cases by size") && !page.contains("<script"), "{page}");
    let refused = run(&dir, &["--report", "r.pdf"]);
    assert!(refused.code == 2 && refused.err.contains(".html, .md, .csv, .xml"), "{}", refused.err);
}

#[test]
fn a_page_tells_all_that_cases_cover() {
    let dir = folder("covered");
    let page = dir.join("r.html").display().to_string();
    let kernel = format!("{}/../../kernels/wgsl/rmsnorm_naive.wgsl", env!("CARGO_MANIFEST_DIR"));
    let ended = ktwin(&["test", &kernel, "--quick", "--seed", "5", "--report", &page]);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    let page = std::fs::read_to_string(page).unwrap();
    for part in [
        "<li>Pairs of dimensions: R &lt; D in ",
        "<li>Types: x f32, w f32, y f32</li>",
        "<li>Layouts: row",
        "<li>Cases by regime: exact ",
        "<th>limit",
    ] {
        assert!(page.contains(part), "{part} in {page}");
    }
}

#[test]
fn annotations_are_at_the_kernel() {
    let dir = kernels("annotations");
    let ended = run(&dir, &["--format", "github"]);
    let lines: Vec<&str> = ended.out.lines().filter(|line| line.starts_with("::")).collect();
    assert_eq!(lines.len(), 1, "{}", ended.out);
    assert!(lines[0].starts_with("::error file=wrong.wgsl,line=1,title=") && lines[0].contains(FORMULA));
}

#[test]
fn a_failure_can_be_looked_at() {
    let dir = kernels("dumps");
    assert_eq!(run(&dir, &["--dump", "out"]).code, 1);
    let own = dir.join("out/wrong.wgsl-sim");
    let all = ["README.md", "x.npy", "y.bar.npy", "y.error.npy", "y.expected.npy", "y.got.npy"];
    assert_eq!(files(&dir.join("out")), ["wrong.wgsl-sim"]);
    assert_eq!(files(&own), all);
    let of = |name: &str| load(&own.join(name)).to_f64();
    let errors =
        of("y.expected.npy").iter().zip(of("y.got.npy")).map(|(e, g)| (g - e).abs()).collect::<Vec<_>>();
    assert_eq!(of("y.error.npy"), errors);
    let readme = std::fs::read_to_string(own.join("README.md")).unwrap();
    assert!(readme.contains(FORMULA) && readme.contains("np.load"), "{readme}");
    let shown = ktwin(&["show", &own.display().to_string(), "--svg"]);
    assert!(
        shown.code == 0
            && shown.out.contains("wrong\n  |")
            && shown.out.contains("` up to ")
            && shown.out.contains("NaN/inf"),
        "{}",
        shown.out
    );
    assert!(std::fs::read_to_string(own.join("y.map.svg")).unwrap().starts_with("<svg"));
    let nothing = ktwin(&["show", &dir.display().to_string()]);
    assert!(nothing.code == 2 && nothing.err.contains("--dump"), "{}", nothing.err);
}

#[test]
fn parts_together_are_the_whole() {
    let dir = kernels("shards");
    let listed = |shard: &str| {
        let run = run(&dir, &["--list", "--shard", shard]);
        run.out.lines().map(str::to_string).collect::<Vec<_>>()
    };
    let parts = [listed("1/2"), listed("2/2")].concat();
    assert!(
        parts.len() == 2 && parts.iter().any(|l| l.contains("good")) && parts != listed("1/1")[..1],
        "{parts:?}"
    );
    assert_eq!(run(&dir, &["--shard", "3/3"]).code, 3);
    assert_eq!(run(&dir, &["--shard", "0/3"]).code, 2);
}

#[test]
fn a_changed_kernel_is_tested_again() {
    use std::io::{BufRead, BufReader};
    let dir = kernels("watched");
    let mut command = command(&["test", "wrong.wgsl", "--watch", "--seed", "5"]);
    command.current_dir(&dir).env("XDG_CACHE_HOME", dir.join("cache"));
    let mut child =
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = |word: &str| lines.by_ref().map_while(Result::ok).find(|line| line.starts_with(word));
    // what is written within the same tick of the clock has another length
    let (file, all) = (dir.join("wrong.wgsl"), next("fail"));
    let wrong = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{wrong}// as before\n")).unwrap();
    let still = next("fail");
    std::fs::write(&file, format!("{HEAD}max(x[id.x], 0.0); }} }}\n// right\n")).unwrap();
    let told = [all, still, next("pass"), next("pass")];
    child.kill().unwrap();
    let _ = child.wait();
    // the case that failed comes first, alone
    let alone = |line: &Option<String>| line.as_ref().map(|line| line.contains(" 1 case"));
    assert_eq!(told.each_ref().map(alone), [Some(false), Some(true), Some(true), Some(false)], "{told:?}");
}

#[test]
fn help_has_topics_and_every_subcommand() {
    for (topic, word) in [
        ("contract", "--- ktwin"),
        ("op", "sum[d](x[r, d]^2)"),
        ("devices", "sim"),
        ("exit-codes", "130"),
        ("test", "--watch"),
    ] {
        let run = ktwin(&["help", topic]);
        assert!(run.code == 0 && run.out.contains(word), "{topic}: {}{}", run.out, run.err);
    }
    let unknown = ktwin(&["help", "contrct"]);
    assert!(unknown.code == 2 && unknown.err.contains("did you mean `contract`?"), "{}", unknown.err);
    assert!(ktwin(&["completions", "bash"]).out.contains("ktwin"));
    assert!(ktwin(&["man"]).out.contains(".TH ktwin 1"));
    let matrix = ktwin(&["ops", "--matrix"]).out;
    let row = matrix.lines().find(|line| line.starts_with("rmsnorm ")).unwrap();
    assert!(
        row.contains("own") && matrix.lines().any(|line| line.starts_with("wgsl") && line.contains("sim"))
    );
    let mut ops = matrix.lines().skip_while(|line| !line.starts_with("op "));
    let languages: Vec<&str> = ops.next().unwrap().split_whitespace().skip(1).collect();
    let row: Vec<&str> = row.split_whitespace().skip(1).collect();
    for language in ["c", "cuda", "glsl", "opencl", "triton", "wgsl"] {
        let at = languages.iter().position(|name| *name == language).unwrap();
        assert_eq!(row[at], "own", "{language}: {matrix}");
    }
}

#[test]
fn what_is_nearly_a_kernel_is_not_left_out() {
    let dir = folder("nearly");
    std::fs::write(dir.join("a.wgsl"), "/*--- kwtin\nop = \"relu\"\n---*/\n").unwrap();
    let ended = run(&dir, &[]);
    assert!(ended.code == 2 && ended.out.contains("write `--- ktwin`"), "{}{}", ended.out, ended.err);
}

/// What headless Chromium makes of a page in a window of this width: its text afterwards, and what it logged. None
/// where there is no Chromium, which is left out aloud, unless `KTWIN_REQUIRE` names it.
fn rendered(page: &Path, width: usize) -> Option<(String, String)> {
    let required = std::env::var("KTWIN_REQUIRE").is_ok_and(|r| r.split(',').any(|d| d == "chromium"));
    let mut chromium = std::process::Command::new("chromium");
    chromium.args([
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--enable-logging=stderr",
        "--dump-dom",
    ]);
    chromium.arg(format!("--window-size={width},900")).arg(format!("file://{}", page.display()));
    let Ok(output) = chromium.output() else {
        assert!(!required, "chromium is required");
        eprintln!("left out: chromium is not on PATH");
        return None;
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Some((text(&output.stdout), text(&output.stderr)))
}

#[test]
fn the_page_fits_a_narrow_window() {
    let dir = kernels("page");
    assert_eq!(run(&dir, &["--report", "r.html"]).code, 1);
    let text = std::fs::read_to_string(dir.join("r.html")).unwrap();
    // a window is 500 wide at least there; a frame is as narrow as it is told to be
    let measure =
        "<script>parent.document.title = 'wide ' + document.documentElement.scrollWidth</script></body>";
    let framed = text.replace("</body>", measure).replace('&', "&amp;").replace('"', "&quot;");
    let frame =
        format!("<iframe width=\"400\" height=\"900\" style=\"border:0\" srcdoc=\"{framed}\"></iframe>");
    std::fs::write(dir.join("frame.html"), frame).unwrap();
    if let Some((_, log)) = rendered(&dir.join("r.html"), 600) {
        assert!(!log.contains("CONSOLE"), "{log}");
    }
    let Some((dom, _)) = rendered(&dir.join("frame.html"), 600) else { return };
    let wide =
        dom.split("<title>wide ").nth(1).and_then(|rest| rest.split('<').next()?.parse::<usize>().ok());
    assert!(wide.is_some_and(|wide| wide <= 400), "{wide:?}");
}
