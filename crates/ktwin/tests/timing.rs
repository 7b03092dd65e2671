//! The library as `cargo bench` uses it: the example of docs/bench.md is a program that runs.

use std::path::Path;
use std::time::Duration;

#[path = "../benches/kernels.rs"]
mod example;

#[test]
fn the_example_of_the_page_is_the_benchmark_and_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("../../docs/bench.md")).unwrap();
    assert!(page.contains(include_str!("../benches/kernels.rs")), "docs/bench.md shows another program");
    example::main().unwrap_or_else(|why| panic!("{why}"));
}

#[test]
fn counts_are_the_same_on_every_run() {
    let counts = |seed| {
        let bench = ktwin::bench("kernels/wgsl/rmsnorm.wgsl").device("sim").at("R=4,D=512").seed(seed);
        bench.measure().unwrap_or_else(|why| panic!("{why}")).rows[0].counts.clone()
    };
    assert!(counts(1).iter().any(|(name, n)| *name == "sectors" && *n > 0.0));
    assert_eq!(counts(1), counts(2));
}

#[test]
fn what_is_wrong_or_cannot_be_has_no_figures() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wrong.c");
    let text = std::fs::read_to_string("kernels/c/silu.c").unwrap();
    std::fs::write(&file, text.replace("1.0f", "1.1f")).unwrap();
    let short = |file: &Path| ktwin::bench(file).time(Duration::from_millis(100));
    let says = |bench: ktwin::KernelBench| bench.measure().err().unwrap_or_default();
    let wrong = says(short(&file).at("N=64"));
    assert!(wrong.contains("not timed, since its verdict is fail"), "{wrong}");
    let none = says(short(Path::new("kernels/c/silu.c")));
    assert!(none.contains("name a case"), "{none}");
    let other = ktwin::bench("kernels/c/gelu.c").at("N=64");
    let silu = ktwin::bench("kernels/c/silu.c").at("N=64");
    let refused = silu.against(&other, 8).err().unwrap_or_default();
    assert!(refused.contains("does not compute what kernels/c/silu.c does"), "{refused}");
}
