//! Drafts: what is made of an op's formula alone passes, for every op of the catalogue, in every language that drafts
//! are written in, on the simulated GPU and on the host.

mod support;

use std::path::PathBuf;

use ktwin_check::SourceKind;

fn folder(lang: SourceKind) -> PathBuf {
    let folder =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("draft-{}", lang.row().extensions[0]));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The ops of the language's reference: every form of expression there is.
fn examples() -> Vec<String> {
    let text = include_str!("../../../docs/op-language.md");
    let blocks = text.split("```op\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.map(String::from).collect()
}

/// Ops whose bars are wide on ordinary data: what they compute loses its digits there, or might be nothing.
const WIDE: [&str; 7] =
    ["attention_backward", "cumprod", "example_before.op", "gated_delta", "iir", "nbody", "tri_solve"];

/// Drafts of every nth op in a language, from one on, each with its verdict.
fn verdicts(lang: SourceKind, (from, step): (usize, usize)) -> Vec<(String, String)> {
    let folder = folder(lang);
    let mut out = Vec::new();
    let mut ops: Vec<(String, ktwin_lang::Op)> = Vec::new();
    for (name, _) in ktwin::catalogue::OPS {
        ops.push((name.to_string(), ktwin::catalogue::op(name).unwrap()));
    }
    for text in examples() {
        let find = |name: &str| ktwin_check::find_op(name, None, ktwin::catalogue::OPS);
        let op = ktwin_lang::Op::parse_with("example", &text, &find).unwrap();
        let file = format!("example_{}.op", op.name);
        std::fs::write(folder.join(&file), &text).unwrap();
        ops.push((file, op));
    }
    assert!(
        !ops.iter().all(|(_, op)| ktwin_draft::plain(op)),
        "none is left out: say so in `ktwin_draft::plain`"
    );
    ops.retain(|(_, op)| ktwin_draft::plain(op));
    assert!(ops.len() > 120, "only {} ops", ops.len());
    // CI has no time for all of these
    for (name, op) in ops.iter().skip(from).step_by(step * support::every(1)) {
        let file = folder.join(format!("{}.{}", name.trim_end_matches(".op"), lang.row().extensions[0]));
        std::fs::write(&file, ktwin_draft::kernel(op, name, lang).unwrap()).unwrap();
        let verdict = match ktwin::kernel(&file).quick().seed(1).run() {
            Ok(report)
                if !WIDE.contains(&name.as_str())
                    && report.gaps.iter().any(|gap| gap.contains("prove nothing")) =>
            {
                format!("without evidence: {}", report.gaps.join("; "))
            }
            Ok(report) => format!(
                "{} {}\n{}",
                report.verdict,
                report.reason,
                ktwin::explain::explained(&report).join("\n")
            ),
            Err(e) => format!("invalid: {e}"),
        };
        out.push((name.clone(), verdict));
    }
    out
}

/// Every op in the language that is fastest, in two parts; of the others, which share their loops, some.
fn some_pass(lang: SourceKind) {
    const SOME: usize = 9;
    pass(lang, (lang as usize % SOME, SOME));
}

fn pass(lang: SourceKind, which: (usize, usize)) {
    let wrong: Vec<String> = verdicts(lang, which)
        .into_iter()
        .filter(|(_, verdict)| !verdict.starts_with("pass") && !verdict.starts_with("skip"))
        .map(|(name, verdict)| format!("{name}: {verdict}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[ignore = "long: run by .ci/run"]
fn every_op_in_c() {
    pass(SourceKind::C, (0, 2));
}

#[test]
#[ignore = "long: run by .ci/run"]
fn every_other_op_in_c() {
    pass(SourceKind::C, (1, 2));
}

#[test]
#[ignore = "long: run by .ci/run"]
fn some_ops_in_wgsl() {
    pass(SourceKind::Wgsl, (0, 5));
}

#[test]
#[ignore = "long: run by .ci/run"]
fn some_ops_in_cpp() {
    some_pass(SourceKind::Cpp);
}

#[test]
#[ignore = "long: run by .ci/run"]
fn some_ops_in_cuda() {
    some_pass(SourceKind::Cuda);
}

#[test]
#[ignore = "long: run by .ci/run"]
fn some_ops_in_opencl() {
    some_pass(SourceKind::OpenCl);
}

#[test]
#[ignore = "long: run by .ci/run"]
fn some_ops_in_glsl() {
    some_pass(SourceKind::Glsl);
}

#[test]
#[ignore = "long: run by .ci/run"]
fn some_ops_in_rust() {
    some_pass(SourceKind::Rust);
}

#[test]
fn every_language_of_drafts_writes_every_plain_op() {
    use ktwin_check::languages::LANGUAGES;
    let written = [
        SourceKind::C,
        SourceKind::Cpp,
        SourceKind::Cuda,
        SourceKind::Glsl,
        SourceKind::OpenCl,
        SourceKind::Rust,
        SourceKind::Wgsl,
    ];
    for row in LANGUAGES {
        assert_eq!(row.draft.is_some(), written.contains(&row.kind), "{}: it has a test above", row.name);
        for (name, _) in ktwin::catalogue::OPS {
            let op = ktwin::catalogue::op(name).unwrap();
            let draft = ktwin_draft::kernel(&op, name, row.kind);
            assert_eq!(draft.is_some(), row.draft.is_some() && ktwin_draft::plain(&op), "{name}");
        }
    }
}
