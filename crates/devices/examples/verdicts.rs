//! Tests kernels on a device and prints a line for each: `verdicts DEVICE [quick] [SEED] FILE...`.
//! A small run of the whole flow without the command.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use ktwin_check::{Amount, Kernel, KernelReport, Options, check};
use ktwin_devices::{Limits, find};

fn catalogue() -> Vec<(&'static str, &'static str)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ops");
    let mut ops = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.path().file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let text = std::fs::read_to_string(entry.path()).unwrap_or_default();
        ops.push((&*name.leak(), &*text.leak()));
    }
    ops.sort();
    ops
}

fn show(report: &KernelReport) {
    let (cases, like) = (&report.cases, report.behaves_like.map_or("?".into(), |rungs| rungs.to_string()));
    println!(
        "{:7} {:50} {:3} cases, {:2} sharp, {:2} blind, {:2} skip, ratio {:8.3}, {like}, {:.2} s  {}",
        report.verdict,
        report.kernel,
        cases.total(),
        report.sharp,
        cases.blind,
        cases.skip,
        report.ratio,
        report.seconds,
        report.reason,
    );
    for gap in &report.gaps {
        println!("        gap: {gap}");
    }
    let Some(failure) = &report.failure else { return };
    let case = failure.case.as_ref().map_or(String::new(), ToString::to_string);
    println!("        case {case} {}", failure.reason);
    for finding in &failure.findings {
        let (line, place) = (finding.line.unwrap_or(0), finding.place.as_deref().unwrap_or(""));
        println!("        {line}: {}: {} {place} x{}", finding.kind, finding.message, finding.count);
    }
    for pattern in &failure.patterns {
        println!("        {pattern}");
    }
    for output in &failure.outputs {
        for worst in output.worst.iter().take(3) {
            println!("        {} {:?}", output.name, worst);
        }
    }
}

fn main() {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let device = find(&words.remove(0), Limits::default()).unwrap_or_else(|e| panic!("{e}"));
    let quick = words.first().is_some_and(|w| w == "quick");
    words.drain(..usize::from(quick));
    let seed = words.first().and_then(|w| w.parse().ok());
    words.drain(..usize::from(seed.is_some()));
    let ops = catalogue();
    for file in &words {
        let kernel = match Kernel::load(Path::new(file), &ops) {
            Ok(kernel) => kernel,
            Err(error) => {
                println!("{error}");
                continue;
            }
        };
        let options = Options { amount: Amount::quick(quick), seed, ..Options::default() };
        show(&check(&kernel, &*device, &options, &|_| (), &AtomicBool::new(false)));
    }
}
