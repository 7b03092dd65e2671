//! The arrows between crates: ARCHITECTURE.md says which crates of the workspace each may use, and Cargo which it
//! does. Both must say the same.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

type Uses = BTreeMap<String, BTreeSet<String>>;

/// What the table of ARCHITECTURE.md says: `| crates/NAME | what | may use |`, names of crates without `ktwin-`.
fn said(text: &str) -> Uses {
    let mut uses = Uses::new();
    for line in text.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if let ["", place, _, may, ""] = cells[..]
            && let Some(name) = place.trim_matches('`').strip_prefix("crates/")
        {
            let named = may.split(',').map(str::trim).filter(|m| !["-", "nothing", ""].contains(m));
            uses.insert(name.to_owned(), named.map(str::to_owned).collect());
        }
    }
    uses
}

/// What the manifests say: dependencies that are built whenever the crate is, those of tests left out.
fn done(metadata: &serde_json::Value) -> Uses {
    let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    let short = |name: &str| name.strip_prefix("ktwin-").unwrap_or(name).to_owned();
    let mut uses = Uses::new();
    for package in list(&metadata["packages"]) {
        let own = list(&package["dependencies"])
            .into_iter()
            .filter(|d| d["kind"] != "dev" && d["path"].is_string());
        let own = own.filter_map(|d| d["name"].as_str().map(short));
        uses.insert(short(package["name"].as_str().unwrap_or_default()), own.collect());
    }
    uses
}

/// Where the two differ.
fn differences(said: &Uses, done: &Uses) -> Vec<String> {
    let names: BTreeSet<&String> = said.keys().chain(done.keys()).collect();
    let shown = |uses: Option<&BTreeSet<String>>| match uses {
        Some(uses) => format!("{:?}", uses.iter().collect::<Vec<_>>()),
        None => "nothing at all of it".to_owned(),
    };
    let differ = names.into_iter().filter(|name| said.get(*name) != done.get(*name));
    let told = |name: &String| {
        let (said, done) = (shown(said.get(name)), shown(done.get(name)));
        format!("crates/{name}: ARCHITECTURE.md says {said}, Cargo.toml says {done}")
    };
    differ.map(told).collect()
}

#[test]
fn crates_use_what_the_code_map_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let asked = ["metadata", "--no-deps", "--offline", "--format-version", "1"];
    let out = Command::new(env!("CARGO")).args(asked).current_dir(&root).output().unwrap();
    let metadata = serde_json::from_slice(&out.stdout).unwrap();
    let map = std::fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let (said, done) = (said(&map), done(&metadata));
    assert!(done.len() > 5, "{done:?}");
    let differences = differences(&said, &done);
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn an_arrow_too_many_or_too_few_is_seen() {
    let map = "| place | what | may use |\n| `crates/a` | x | b, c |\n| `crates/b` | y | nothing |\n| `ops/` | z | - |";
    let of = |text: &str| done(&serde_json::from_str(text).unwrap());
    let b = r#"{"name": "ktwin-b", "dependencies": [{"name": "ktwin-a", "kind": "dev", "path": "a"}]}"#;
    let a = |uses: &str| format!(r#"{{"packages": [{b}, {{"name": "ktwin-a", "dependencies": [{uses}]}}]}}"#);
    let on_b = r#"{"name": "ktwin-b", "kind": null, "path": "b"}"#;
    let on_c = r#"{"name": "ktwin-c", "kind": null, "path": "c"}, {"name": "rayon", "kind": null}"#;
    assert_eq!(differences(&said(map), &of(&a(&format!("{on_b}, {on_c}")))), [""; 0]);
    assert_eq!(differences(&said(map), &of(&a(on_b))).len(), 1);
    let all = format!("{on_b}, {on_c}, {}", on_c.replace("ktwin-c", "ktwin-d"));
    assert_eq!(differences(&said(map), &of(&a(&all))).len(), 1);
    assert_eq!(differences(&said(map), &of(r#"{"packages": []}"#)).len(), 2);
}
