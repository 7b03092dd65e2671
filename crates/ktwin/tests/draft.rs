//! Drafts: what is made of an op's formula alone passes, for every op of the catalogue, on the simulated GPU and on
//! the host.

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

/// Drafts of all ops in a language, each with its verdict.
fn verdicts(lang: SourceKind) -> Vec<(String, String)> {
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
    for (name, op) in &ops {
        let file = folder.join(format!("{}.{}", name.trim_end_matches(".op"), lang.row().extensions[0]));
        std::fs::write(&file, ktwin_draft::kernel(op, name, lang).unwrap()).unwrap();
        let verdict = match ktwin::kernel(&file).quick().seed(1).run() {
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

fn all_pass(lang: SourceKind) {
    let wrong: Vec<String> = verdicts(lang)
        .into_iter()
        .filter(|(_, verdict)| !verdict.starts_with("pass") && !verdict.starts_with("skip"))
        .map(|(name, verdict)| format!("{name}: {verdict}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[ignore = "long: run by .ci/run"]
fn every_op_in_wgsl() {
    all_pass(SourceKind::Wgsl);
}

#[test]
#[ignore = "long: run by .ci/run"]
fn every_op_in_c() {
    all_pass(SourceKind::C);
}

#[test]
#[ignore = "long: run by .ci/run"]
fn every_op_in_cpp() {
    all_pass(SourceKind::Cpp);
}
