//! The JSON schema of events: `docs/events.schema.json` is made here, and every kind of event goes through it and
//! back.

use std::path::Path;

use ktwin_lang::Value;
use ktwin_num::{Float, Layout, Regime};

use crate::case::Case;
use crate::event::{
    CaseEnded, ElementReport, Event, FailureReport, KernelReport, Measures, Note, OutputReport, Rungs, SCHEMA,
};
use crate::finding::{Finding, Kind};
use crate::law::{LawReport, LawTest};
use crate::mutants::Mutant;
use crate::pattern::{
    At, Data, Direction, LaidOut, Misread, Neighbour, Pattern, Place, Relation, Rule, What,
};
use crate::verdict::Verdict;

fn case() -> Case {
    Case {
        dims: vec![("N".into(), 5), ("K".into(), 1)],
        scalars: vec![
            ("eps".into(), Value::Real(1e-5)),
            ("low".into(), Value::Real(f64::NEG_INFINITY)),
            ("whole".into(), Value::Real(2.0)),
            ("pos".into(), Value::Int(-3)),
            ("causal".into(), Value::Bool(true)),
        ],
        regime: Regime::Normal,
        chosen: 1,
        seed: u64::from(u32::MAX),
        layouts: vec![("x".into(), Layout::Strided)],
    }
}

/// One of every place.
fn places() -> [Place; 15] {
    [
        Place::LastRow(3),
        Place::LastColumn(3),
        Place::FirstRow,
        Place::FirstColumn,
        Place::NotFirst,
        Place::PartialTile { from: 64, tile: 32 },
        Place::PastFirstTile(32),
        Place::FirstTile(32),
        Place::EndOfTile(32),
        Place::PartOfTile { tile: 256, from: 0, to: 32 },
        Place::Residue { modulo: 4, rest: 3 },
        Place::LastFew { from: 30, count: 2 },
        Place::From(2),
        Place::UpTo(2),
        Place::Only(2),
    ]
}

/// One of every rule.
fn rules() -> [Rule; 15] {
    let dim = || "N".to_string();
    [
        Rule::Multiple { dim: dim(), of: 16 },
        Rule::NotMultiple { dim: dim(), of: 16 },
        Rule::Remainder { dim: dim(), of: 8, rest: 7, past: true },
        Rule::Size { dim: dim(), is: 1 },
        Rule::AtLeast { dim: dim(), size: 65, below: 64 },
        Rule::AtMost { dim: dim(), size: 65, above: 66 },
        Rule::Elements { dims: vec![dim(), "R".into()], least: 66_211, below: 65_000 },
        Rule::Apart { dim: dim(), other: "R".into() },
        Rule::Below { dim: dim(), other: "R".into() },
        Rule::Regime { is: Regime::Nan },
        Rule::Scalar { name: "alpha".into(), is: Value::Real(f64::INFINITY) },
        Rule::Negative { name: "alpha".into() },
        Rule::From { name: "pos".into(), least: 300.0, below: 255.0 },
        Rule::To { name: "pos".into(), most: 255.0, above: f64::INFINITY },
        Rule::Layout { tensor: "x".into(), is: Layout::Transposed },
    ]
}

/// One of every pattern.
fn patterns() -> Vec<Pattern> {
    let rules = rules();
    let mut all = vec![
        What::NeverWritten,
        What::LaidOut { tensors: vec![LaidOut { tensor: "x".into(), axes: vec!["N".into(), "C".into()] }] },
        What::Misread { input: "w".into(), how: Misread::Shifted { by: 8 } },
        What::Remembers,
        What::AllNan,
        What::AllZero,
        What::OthersOfEquals,
        What::AllOne { number: -1.0 },
        What::WrongSign,
        What::Wraps { bits: 16 },
        What::EqualTo { element: Neighbour::PreviousRow },
        What::EqualToInput { input: "x".into() },
        What::Transposed,
        What::Factor { factor: 0.1 + 0.2 },
        What::Offset { offset: f64::INFINITY },
        What::Coarse { digits: 3.5 },
        What::EveryElement,
        What::Subgroups,
        What::OtherOp { op: "gelu_erf".into(), title: "the exact form".into() },
        What::OtherOrder,
        What::WhereDue { due: "y".into(), relation: Relation::AtLeast, limit: "65504".into() },
        What::Border { indices: ["h".into(), "w".into()] },
        What::WhereRead {
            read: "x[n]".into(),
            relation: Relation::AtLeast,
            limit: "256".into(),
            part: false,
        },
        What::RoundedBy { how: Direction::TiesAway, dtype: "f16".into(), part: true },
        What::SeveralGroups {
            failing: 3,
            of: 4,
            rule: Some(Rule::AtLeast { dim: "N".into(), size: 65, below: 64 }),
        },
        What::Runs { lines: "12, 15-18".into(), text: "sum += x;".into() },
        What::Formula { was: "a < b".into(), now: "a <= b".into(), cancels: true },
        What::Saturates { number: 32767.0, dtype: "i16".into() },
        What::PastF64,
        What::IndexWraps { index: Some("t".into()), count: 1024 },
        What::IndexWraps { index: None, count: 65536 },
        What::ScalesOfBlocks { minima: true },
        What::CodesOfBlocks { cut: Some("down".into()) },
        What::CodesOfBlocks { cut: None },
        What::Subnormal { of: "x".into() },
    ];
    all.extend(places().map(|place| What::Where { index: "n".into(), place }));
    let at = |place| At { index: "n".into(), place };
    all.push(What::WhereEither { places: [at(Place::FirstRow), at(Place::EndOfTile(4))] });
    all.push(What::FailsWhenever { rule: rules[0].clone() });
    all.push(What::FailsOnlyWhen { rule: rules[0].clone(), failing: 11, of: 12 });
    all.extend(Data::ALL.map(|data| What::FailsOnlyOn { data }));
    all.extend(rules.map(|rule| What::FailsWhen { rule }));
    all.into_iter().map(|what| Pattern { output: Some("y".into()), what, case: Some(case()) }).collect()
}

fn case_ended() -> CaseEnded {
    CaseEnded {
        kernel: "k.wgsl".into(),
        device: "sim".into(),
        case: case(),
        repeat: "ktwin test k.wgsl --case N=5".into(),
        verdict: Verdict::Crash,
        ratio: f64::INFINITY,
        measures: vec![Measures { output: "y".into(), values: vec![("ulps".into(), f64::INFINITY)] }],
        sharp: true,
        blind_to: Mutant::ALL.iter().map(|(_, mutant)| *mutant).collect(),
        findings: Kind::ALL.iter().map(|(name, kind)| Finding::new(*kind, *name)).collect(),
        reason: String::new(),
        seconds: 0.1,
    }
}

fn law() -> LawReport {
    let (test, output) = ("mean".into(), "y".into());
    let least =
        LawTest { test, output, statistic: 3.25, due: 3.5, samples: 1 << 40, p: 1e-300, limit: 1e-13 };
    LawReport { samples: 1 << 41, tests: 9, visible: 0.01, false_alarms: 1e-9, least: Some(least) }
}

fn kernel_report() -> KernelReport {
    let element = |got| ElementReport { index: vec![1, 2], expected: 0.1, got, error: got, bar: 1e-300 };
    let output = OutputReport {
        name: "y".into(),
        shape: vec![2, 3],
        total: 6,
        failing: 2,
        worst: vec![element(Some(f64::NEG_INFINITY)), element(Some(1.0 / 3.0)), element(None)],
        histogram: vec![1, 0, 2],
        map: vec![".+#".into()],
        whole: vec![element(Some(0.1))],
        levels: Some([vec!["09".into()], vec!["<N".into()]]),
    };
    KernelReport {
        verdict: Verdict::Fail,
        promised: Some(Rungs { compute: Float::F32, accumulate: Float::F32, or_f16: false }),
        behaves_like: Some(Rungs { compute: Float::F32, accumulate: Float::BF16, or_f16: false }),
        notes: vec![Note { finding: Finding::new(Kind::NanBorn, "a NaN"), case: case() }],
        failure: Some(FailureReport {
            case: Some(case()),
            findings: vec![Finding { line: Some(3), ..Finding::new(Kind::Race, "two lanes") }],
            kinds: vec![Kind::Race],
            others: Vec::new(),
            outputs: vec![output],
            patterns: patterns(),
            ..FailureReport::default()
        }),
        law: Some(law()),
        seed: Some(7),
        ..KernelReport::default()
    }
}

#[test]
fn every_event_is_read_back_as_it_was() {
    let report = Event::Verdict(Box::new(kernel_report()));
    for event in [report, Event::Case(case_ended())] {
        let text = serde_json::to_string(&event).unwrap();
        assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), event, "{text}");
    }
}

#[test]
fn what_is_not_an_event_is_refused() {
    let text = serde_json::to_string(&Event::Case(case_ended())).unwrap();
    for (from, to) in [
        ("\"crash\"", "\"fine\""),
        ("\"normal\"", "\"odd\""),
        ("\"strided\"", "3"),
        ("\"race\"", "\"racing\""),
        ("\"ratio\":\"inf\"", "\"ratio\":\"huge\""),
        ("\"event\":\"case\"", "\"event\":\"cases\""),
    ] {
        assert!(text.contains(from), "{from} in {text}");
        assert!(serde_json::from_str::<Event>(&text.replace(from, to)).is_err(), "{to}");
    }
}

#[test]
fn the_schema_in_docs_is_current() {
    let mut schema = schemars::schema_for!(Event);
    schema.insert("title".into(), format!("Events of ktwin, version {SCHEMA}").into());
    let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/events.schema.json");
    if std::env::var_os("KTWIN_UPDATE").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == text,
        "docs/events.schema.json is out of date: run this test with KTWIN_UPDATE=1, and raise SCHEMA if a field \
         changed its meaning or went"
    );
}
