//! Golden outputs by the crate whose format they have: insta reads what `ktwin pin` writes, and what its review accepts
//! is what ktwin compares with from then on.

mod support;

use std::path::Path;

use insta::Snapshot;
use support::{folder, ktwin, succeed};

fn text(snapshot: &Snapshot) -> String {
    snapshot.as_text().expect("a snapshot of text").to_string()
}

#[test]
fn insta_reads_reviews_and_accepts_what_is_pinned() {
    let folder = folder("insta");
    let kernel = folder.join("rmsnorm_naive.wgsl");
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels/wgsl/rmsnorm_naive.wgsl");
    let source = std::fs::read_to_string(own).unwrap();
    std::fs::write(&kernel, &source).unwrap();
    let file = kernel.display().to_string();
    succeed(&["pin", &file]);
    let place = folder.join("snapshots/rmsnorm_naive.wgsl.snap");
    let written = std::fs::read_to_string(&place).unwrap();
    let pinned = Snapshot::from_file(&place).unwrap();
    assert_eq!(pinned.metadata().source(), Some("rmsnorm_naive.wgsl"));
    assert!(pinned.metadata().expression().unwrap().starts_with("rmsnorm "));
    let body = written.splitn(3, "---\n").nth(2).unwrap();
    assert_eq!(text(&pinned).trim_end(), body.trim_end());
    // other bits, inside the bars
    let other = source.replacen("/ root", "* (1.0 / root)", 1);
    assert_ne!(other, source);
    std::fs::write(&kernel, other).unwrap();
    let changed = ktwin(&["pin", &file]);
    assert!(changed.code == 1 && changed.out.contains("cargo insta review"), "{}", changed.out);
    let next = folder.join("snapshots/rmsnorm_naive.wgsl.snap.new");
    let proposed = Snapshot::from_file(&next).unwrap();
    assert_ne!(text(&proposed), text(&pinned));
    // what accepting does to the files
    proposed.save(&place).unwrap();
    std::fs::remove_file(&next).unwrap();
    assert!(succeed(&["pin", &file, "--check"]).starts_with("same "));
    std::fs::write(&kernel, source).unwrap();
    assert_eq!(ktwin(&["pin", &file, "--check"]).code, 1, "the first bits are no longer what is pinned");
}
