//! The book, `docs/`: its table of contents names every page, its links lead somewhere, and its pages print
//! what they show. A page is a script: blocks with `file=NAME` are files (`diff` changes one that is there),
//! and each `$` line of a `console` block is run in their folder. `KTWIN_UPDATE=1` writes the outputs anew.

mod engine;

use std::fs::{create_dir, create_dir_all, read_to_string, write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{files, folder, ktwin};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// The pages with their texts, the table of contents left out.
fn pages() -> Vec<(String, String)> {
    let names = files(&docs()).into_iter().filter(|name| name.ends_with(".md") && name != "SUMMARY.md");
    let read = |name: String| {
        let text = read_to_string(docs().join(&name)).unwrap();
        (name, text)
    };
    let pages: Vec<_> = names.map(read).collect();
    assert!(pages.len() > 20, "only {} pages", pages.len());
    pages
}

/// A page cut at its fences. A block has its first line as its head; prose has no head, and begins with the
/// fence that closes the block before it.
fn pieces(page: &str) -> Vec<(&str, String)> {
    let mut out = vec![("", String::new())];
    for line in page.split_inclusive('\n') {
        let (fence, open) = (line.starts_with("```"), !out[out.len() - 1].0.is_empty());
        if fence && !open {
            out.push((line, String::new()));
            continue;
        }
        if fence {
            out.push(("", String::new()));
        }
        let at = out.len() - 1;
        out[at].1.push_str(line);
    }
    out
}

/// The words after the fence: the language, then `file=NAME`.
fn words_of(head: &str) -> (&str, Option<&str>) {
    let mut words = head.trim_start_matches('`').split_whitespace();
    (words.next().unwrap_or(""), words.next().and_then(|word| word.strip_prefix("file=")))
}

/// One side of a change: the lines that it has, without their first column.
fn side(hunk: &str, sign: char) -> String {
    let lines = hunk.lines().filter(|line| line.is_empty() || line.starts_with([' ', sign]));
    lines.map(|line| format!("{}\n", line.get(1..).unwrap_or(""))).collect()
}

/// Puts a file of a page into the folder.
fn put(folder: &Path, kind: &str, name: &str, text: &str) {
    let path = folder.join(name);
    create_dir_all(path.parent().unwrap()).unwrap();
    if kind != "diff" {
        return write(path, text).unwrap();
    }
    let mut file = read_to_string(&path).unwrap();
    for hunk in text.split("@@\n") {
        let before = side(hunk, '-');
        assert_eq!(file.matches(&before).count(), 1, "{name} must have once\n{before}");
        file = file.replacen(&before, &side(hunk, '+'), 1);
    }
    write(path, file).unwrap();
}

/// What a shell prints for a line, in the folder, with the command on its path.
fn printed(line: &str, folder: &Path) -> String {
    let command = Path::new(env!("CARGO_BIN_EXE_ktwin")).parent().unwrap();
    let path = format!("{}:{}", command.display(), std::env::var("PATH").unwrap_or_default());
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec 2>&1\n{line}")]).current_dir(folder).stdin(Stdio::null());
    for variable in ["CI", "GITHUB_ACTIONS", "COLUMNS"] {
        shell.env_remove(variable);
    }
    let output = shell.env("PATH", path).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap().replace(&folder.display().to_string(), ".");
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// A `console` block as it is when its commands are run now.
fn session(block: &str, folder: &Path) -> String {
    let commands = block.lines().filter_map(|line| line.strip_prefix("$ "));
    commands.map(|line| format!("$ {line}\n{}", printed(line, folder))).collect()
}

/// A text's words without what differs from run to run: times, and the seed of a run that was given none.
fn lasting(text: &str) -> Vec<&str> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let number = |word: &str| word.trim_end_matches(',').parse::<f64>().is_ok();
    let differs = |at: usize| {
        let time = words.get(at + 1).is_some_and(|next| ["s", "s,"].contains(next));
        // a column of seconds
        let tenths = words[at].split_once('.').is_some_and(|(_, digits)| digits.len() == 1);
        let seed = at > 0 && words[at - 1] == "seed";
        number(words[at]) && (time || tenths || seed)
    };
    (0..words.len()).map(|at| if differs(at) { "…" } else { words[at] }).collect()
}

/// The page as it is when everything on it is run now: blocks that say the same stay as they are.
fn run(name: &str, page: &str) -> String {
    let folder = folder(&format!("book-{name}"));
    // a project of its own, whatever lies around it
    create_dir(folder.join(".git")).unwrap();
    let mut out = String::new();
    for (head, text) in pieces(page) {
        out.push_str(head);
        let now = match words_of(head) {
            ("console", None) => session(&text, &folder),
            (kind, Some(file)) => {
                put(&folder, kind, file, &text);
                text.clone()
            }
            _ => text.clone(),
        };
        out.push_str(if lasting(&now) == lasting(&text) { &text } else { &now });
    }
    out
}

/// Runs a page, writes it anew if that is asked for, and says where it does not show what is printed.
fn complaint(name: &str, page: &str) -> Option<String> {
    let now = run(name, page);
    if std::env::var_os("KTWIN_UPDATE").is_some() && now != *page {
        write(docs().join(name), &now).unwrap();
        return None;
    }
    let mut lines = page.lines().zip(now.lines()).enumerate();
    let differs = lines.find(|(_, (page, now))| lasting(page) != lasting(now));
    let place = differs.map(|(at, (page, now))| format!("docs/{name}:{}: `{page}`, now `{now}`", at + 1));
    (now != *page).then(|| place.unwrap_or_else(|| format!("docs/{name} ends otherwise")))
}

#[test]
fn pages_show_what_is_printed() {
    let scripts: Vec<_> = pages().into_iter().filter(|(_, text)| text.contains("\n```console\n")).collect();
    assert!(scripts.len() >= 6, "only {} pages have commands", scripts.len());
    let complaints: Vec<String> = std::thread::scope(|scope| {
        let run = |(name, text)| scope.spawn(move || complaint(name, text));
        let threads: Vec<_> = scripts.iter().map(|(name, text)| run((name, text))).collect();
        threads.into_iter().filter_map(|thread| thread.join().unwrap()).collect()
    });
    let hint = "run this test with KTWIN_UPDATE=1 and read what changes";
    assert!(complaints.is_empty(), "{hint}:\n{}", complaints.join("\n"));
}

#[test]
fn times_and_drawn_seeds_alone_may_differ() {
    assert_eq!(lasting("pass k on sim, seed 7, 0.21 s"), lasting("pass k  on sim, seed 81, 12.00 s"));
    assert_eq!(lasting("1  pass  0.2  ada.wgsl"), lasting("1  pass  10.1  ada.wgsl"));
    for (page, now) in
        [("error 0.21", "error 0.22"), ("seed=7", "seed=8"), ("3 gaps", "2 gaps"), ("72.5%", "72.6%")]
    {
        assert_ne!(lasting(page), lasting(now));
    }
}

/// Where the links of a page lead, as they are written.
fn links(page: &str) -> Vec<String> {
    let prose = pieces(page).into_iter().filter(|(head, _)| head.is_empty());
    let lines: String = prose.map(|(_, text)| text.trim_start_matches("```").to_string()).collect();
    let lines: Vec<&str> = lines.lines().filter(|line| !line.starts_with("    ")).collect();
    // what stands between backticks is code
    let text: String = lines.join("\n").split('`').step_by(2).collect();
    let ends = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    ends.map(|(link, _)| link.to_string()).collect()
}

#[test]
fn the_table_of_contents_names_every_page() {
    let mut named = links(&read_to_string(docs().join("SUMMARY.md")).unwrap());
    named.sort();
    let there: Vec<String> = pages().into_iter().map(|(name, _)| name).collect();
    assert_eq!(named, there, "docs/SUMMARY.md names each page once");
}

/// What mdbook and GitHub call the places that headings make.
fn anchors(page: &str) -> Vec<String> {
    let headings = page.lines().filter(|line| line.starts_with('#'));
    let slug = |heading: &str| {
        let kept = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.collect::<String>().replace(' ', "-")
    };
    headings.map(slug).collect()
}

#[test]
fn links_between_pages_lead_somewhere() {
    let (pages, mut seen) = (pages(), 0);
    for (name, text) in &pages {
        for link in links(text).iter().filter(|link| !link.contains("://")) {
            seen += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let file = if file.is_empty() { name } else { file };
            let inside = !file.contains("..") && docs().join(file).exists();
            assert!(inside, "docs/{name}: {link}: the book has no {file}");
            let known = anchor.is_empty()
                || anchors(&read_to_string(docs().join(file)).unwrap()).contains(&anchor.into());
            assert!(known, "docs/{name}: {link}: no such heading");
        }
    }
    assert!(seen > 30, "only {seen} links");
}

#[test]
fn every_subcommand_stands_in_the_reference() {
    let page = read_to_string(docs().join("commands.md")).unwrap();
    let help = ktwin(&["--help"]).out;
    let list = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap();
    let names = list
        .lines()
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next());
    let lacking: Vec<&str> = names
        .filter(|name| !page.contains(&format!("\n## ktwin {name}\n\n```console\n$ ktwin {name} --help\n")))
        .collect();
    assert!(lacking.is_empty(), "docs/commands.md lacks {lacking:?}");
}

#[test]
fn the_code_of_the_page_for_engines_is_run() {
    let page = read_to_string(docs().join("how-to-engine.md")).unwrap();
    let blocks = pieces(&page).into_iter().filter(|(head, _)| words_of(head).0 == "rust");
    let blocks: Vec<String> = blocks.map(|(_, text)| text).collect();
    assert!(blocks.len() >= 4);
    for block in blocks {
        assert!(include_str!("engine.rs").contains(&block), "book/engine.rs lacks\n{block}");
    }
}
