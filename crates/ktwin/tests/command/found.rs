//! docs/found.md: every command on it is run, and says what the page says it does.

use std::path::Path;

use crate::support::command;

#[test]
fn the_page_of_what_is_found_says_what_is_printed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/found.md")).unwrap();
    let sections: Vec<&str> = page.split("\n## ").skip(1).collect();
    assert_eq!(sections.len(), 10);
    for section in sections {
        let run = section.lines().find_map(|line| line.strip_prefix("    ktwin ")).expect("a command");
        let args: Vec<&str> = run.split_whitespace().collect();
        let output = command(&args).current_dir(&root).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        let says =
            section.split("```says\n").nth(1).and_then(|rest| rest.split("\n```").next()).expect("its words");
        assert!(says.lines().count() >= 2, "ktwin {run}");
        for line in says.lines().map(str::trim) {
            let found = printed.lines().any(|printed| printed.trim().starts_with(line));
            assert!(found, "ktwin {run} does not say `{line}` but\n{printed}");
        }
    }
}
