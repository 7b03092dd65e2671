//! The habits of this code that a machine can check, over every crate of the workspace.

use std::path::{Path, PathBuf};

/// Code is formatted to 110; comments and texts that cannot be broken may go a little further.
const COLUMNS: usize = 120;
const FILE_LINES: usize = 400;
const FUNCTION_LINES: usize = 60;

/// Words that must not occur in code, and what to write instead. Split so that this file does not find
/// itself.
const BANNED: &[(&str, &str)] = &[
    (concat!("todo", "!("), "finish it, or leave it out"),
    (concat!("unimplemented", "!("), "finish it, or leave it out"),
    (concat!("dbg", "!("), "remove it"),
    (concat!("#[ig", "nore]"), "a test runs, is long and says so, or is not there"),
];

/// Crates whose code must not print: reporters do.
const SILENT: &[&str] = &["num", "lang", "sim", "check"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn walk(folder: &Path, extension: &str, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name();
        if path.is_dir() && name != "target" && name != ".git" {
            walk(&path, extension, out);
        } else if path.extension().is_some_and(|e| e == extension) {
            out.push(path);
        }
    }
}

fn sources() -> Vec<(String, String)> {
    let mut paths = Vec::new();
    walk(&root().join("crates"), "rs", &mut paths);
    paths.sort();
    let read = |path: &PathBuf| {
        let name = path.strip_prefix(root()).unwrap_or(path).display().to_string();
        (name, std::fs::read_to_string(path).unwrap())
    };
    paths.iter().map(read).collect()
}

/// Fails with every complaint, not only the first.
fn none(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn every_file_says_what_it_is_for() {
    let sources = sources();
    assert!(sources.len() > 50, "the walk found only {} files", sources.len());
    none(sources.iter().filter(|(_, text)| !text.starts_with("//!")).map(|(name, _)| name.clone()).collect());
}

#[test]
fn files_and_lines_are_short() {
    let mut complaints = Vec::new();
    for (name, text) in sources() {
        if text.lines().count() > FILE_LINES {
            complaints.push(format!("{name}: {} lines; at most {FILE_LINES}", text.lines().count()));
        }
        for (at, line) in text.lines().enumerate().filter(|(_, l)| l.chars().count() > COLUMNS) {
            complaints.push(format!(
                "{name}:{}: {} columns; at most {COLUMNS}",
                at + 1,
                line.chars().count()
            ));
        }
    }
    none(complaints);
}

/// First lines and lengths of the functions of a formatted file: from `fn` to the brace at the same indent.
fn functions(text: &str) -> Vec<(usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut out = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let words = line.trim_start();
        let head = ["fn ", "pub fn ", "pub(crate) fn ", "pub(super) fn ", "const fn ", "pub const fn "];
        if !head.iter().any(|h| words.starts_with(h)) || words.ends_with(['}', ';']) {
            continue;
        }
        let close = format!("{}}}", " ".repeat(indent));
        if let Some(length) = lines[at..].iter().position(|l| *l == close) {
            out.push((at + 1, length + 1));
        }
    }
    out
}

#[test]
fn functions_are_short() {
    let mut complaints = Vec::new();
    let mut seen = 0;
    for (name, text) in sources() {
        for (line, length) in functions(&text) {
            seen += 1;
            if length > FUNCTION_LINES {
                complaints.push(format!("{name}:{line}: {length} lines; at most {FUNCTION_LINES}"));
            }
        }
    }
    assert!(seen > 500, "only {seen} functions were found");
    none(complaints);
}

#[test]
fn banned_words_do_not_stand_in_code() {
    let mut complaints = Vec::new();
    for (name, text) in sources() {
        for (word, instead) in BANNED {
            if text.contains(word) {
                complaints.push(format!("{name}: `{word}`: {instead}"));
            }
        }
        let left_out = concat!("#[ig", "nore = \"");
        let long = concat!("#[ig", "nore = \"long: run by .ci/run\"]");
        if text.matches(left_out).count() != text.matches(long).count() {
            complaints.push(format!("{name}: a test that is left out is long, and .ci/run runs it: {long}"));
        }
        let silent = SILENT.iter().any(|c| name.starts_with(&format!("crates/{c}/src/")));
        let prints = text.lines().any(|l| {
            let code = l.trim_start();
            !code.starts_with("//") && (code.contains("println!(") || code.contains("process::exit"))
        });
        if silent && prints {
            complaints.push(format!("{name}: prints or exits; return data, a reporter prints it"));
        }
    }
    none(complaints);
}

/// The system's functions, which give other bits on other systems.
const FOREIGN: &[&str] = &[
    ".ln()",
    ".log2()",
    ".log10()",
    ".exp()",
    ".exp2()",
    ".powf(",
    ".sin()",
    ".cos()",
    ".tan()",
    ".asin()",
    ".acos()",
    ".atan()",
    ".sinh()",
    ".cosh()",
    ".tanh()",
    ".cbrt()",
    ".hypot(",
    ".exp_m1()",
    ".ln_1p()",
];

/// Double-double numbers have functions of the same names, this project's own.
const DOUBLE: &[&str] =
    &["crates/num/src/dd/", "crates/lang/src/eval/double.rs", "crates/lang/src/function.rs"];

#[test]
fn no_verdict_depends_on_the_functions_of_a_system() {
    let mut complaints = Vec::new();
    for (name, text) in sources() {
        let decides = SILENT.iter().any(|c| name.starts_with(&format!("crates/{c}/src/")));
        if !decides || DOUBLE.iter().any(|d| name.starts_with(d)) {
            continue;
        }
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (at, line) in code.lines().enumerate().filter(|(_, l)| !l.trim_start().starts_with("//")) {
            if let Some(function) = FOREIGN.iter().find(|f| line.contains(**f)) {
                complaints.push(format!("{name}:{}: `{function}`: use ktwin_num::math", at + 1));
            }
        }
    }
    none(complaints);
}

#[test]
fn unsafe_code_is_only_where_foreign_code_is_called() {
    let word = concat!("uns", "afe ");
    let mut complaints = Vec::new();
    for (name, text) in sources().into_iter().filter(|(name, _)| !name.contains("/tests/")) {
        for (at, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or("");
            if !code.contains(&format!("{word}{{")) && !code.contains(&format!("{word}impl")) {
                continue;
            }
            let before: Vec<&str> = text.lines().skip(at.saturating_sub(8)).take(9).collect();
            let room = name.starts_with("crates/devices/") || name == "crates/num/src/pages.rs";
            if !room {
                complaints.push(format!("{name}:{}: only crates/devices calls foreign code", at + 1));
            } else if !before.iter().any(|l| l.contains("SAFETY:")) {
                complaints.push(format!("{name}:{}: say why it is sound: `// SAFETY: ...`", at + 1));
            }
        }
    }
    none(complaints);
}

/// What differs between ops lives in the op: no library asks for one by its name.
#[test]
fn no_op_is_known_by_name() {
    let mut ops = Vec::new();
    walk(&root().join("ops"), "op", &mut ops);
    let names: Vec<String> =
        ops.iter().map(|p| p.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    assert!(names.len() >= 60);
    let mut complaints = Vec::new();
    for (name, text) in sources() {
        let library =
            ["lang", "check", "devices"].iter().any(|c| name.starts_with(&format!("crates/{c}/src/")));
        if !library {
            continue;
        }
        for line in text.lines().filter(|l| l.contains("=>") || l.contains("==")) {
            let matched = names.iter().find(|op| line.contains(&format!("name == \"{op}\"")));
            complaints.extend(matched.map(|op| format!("{name}: matches on the op `{op}`: {}", line.trim())));
        }
    }
    none(complaints);
}

#[test]
fn the_code_map_knows_every_crate_and_stays_short() {
    let map = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let mut complaints = Vec::new();
    for entry in std::fs::read_dir(root().join("crates")).unwrap().flatten() {
        let name = format!("crates/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() && !map.contains(&name) {
            complaints.push(format!("{name} does not stand in ARCHITECTURE.md"));
        }
    }
    if map.lines().count() > 240 {
        complaints.push(format!("ARCHITECTURE.md has {} lines; at most 240", map.lines().count()));
    }
    none(complaints);
}
