//! Any text is an op or gets a diagnostic: never a panic, an exhausted stack or a hang. `cargo test` runs it briefly
//! from the committed seeds, or for as long as `KTWIN_FUZZ_SECONDS` says; `cargo bolero test -p ktwin-lang any_text`
//! runs it with coverage.

use std::time::Duration;

use bolero::check;
use ktwin_lang::{Elements, Meaning, Op, Value};

/// Parses a text, shows what is wrong with it, and evaluates what small case it makes.
fn survive(text: &str) {
    match Op::parse("fuzz.op", text) {
        Err(diagnostic) => {
            assert!(diagnostic.line >= 1 && diagnostic.column >= 1);
            assert!(!diagnostic.to_string().is_empty());
        }
        Ok(op) => {
            let dims: Vec<(&str, i64)> = op.dims.iter().map(|d| (d.name.as_str(), 2)).collect();
            let scalars: Vec<(&str, Value)> =
                op.scalars.iter().map(|s| (s.name.as_str(), Value::Int(1))).collect();
            let Ok(case) = op.bind(&dims, &scalars).or_else(|_| op.bind(&dims, &[])) else { return };
            let elements =
                |shapes: &[Vec<usize>]| shapes.iter().map(|s| s.iter().product::<usize>()).sum::<usize>();
            if elements(&case.input_shapes) + elements(&case.output_shapes) > 4096
                || case.longest_sum() > 4096
            {
                return;
            }
            let tensor = |shape: &Vec<usize>| {
                ktwin_num::Tensor::zeros(ktwin_num::DType::Int { bits: 32, signed: true }, shape)
            };
            let inputs: Vec<_> = case.input_shapes.iter().map(tensor).collect();
            let _ = case.evaluate(&inputs, &Meaning::Exact, Elements::All);
        }
    }
}

/// So many texts, or as many as `KTWIN_FUZZ_SECONDS` leaves time for.
macro_rules! target {
    () => {{
        let seconds = std::env::var("KTWIN_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
        match seconds.map(Duration::from_secs) {
            Some(time) => check!().with_iterations(usize::MAX).with_test_time(time),
            None => check!().with_iterations(20_000),
        }
    }};
}

#[test]
fn any_bytes() {
    target!().for_each(|bytes: &[u8]| survive(&String::from_utf8_lossy(bytes)));
}

fn seeds() -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    for folder in ["../../ops", "tests/__fuzz__/parse/corpus"] {
        let path = format!("{}/{folder}", env!("CARGO_MANIFEST_DIR"));
        let mut files: Vec<_> = std::fs::read_dir(path).unwrap().map(|f| f.unwrap().path()).collect();
        files.retain(|file| file.is_file());
        files.sort();
        out.extend(files.iter().map(|f| std::fs::read(f).unwrap()));
    }
    assert!(out.len() > 60);
    out
}

/// Ops of the catalogue with bytes changed, removed, and pieces repeated or taken from another op.
#[test]
fn any_text() {
    let seeds = seeds();
    target!().with_type::<(u16, u16, Vec<(u16, u8, u8)>)>().for_each(|(one, other, edits)| {
        let mut text = seeds[*one as usize % seeds.len()].clone();
        let donor = &seeds[*other as usize % seeds.len()];
        for (place, kind, byte) in edits.iter().take(12) {
            let at = *place as usize % text.len().max(1);
            let piece = &donor[at.min(donor.len())..(at + *byte as usize % 24).min(donor.len())];
            match kind % 4 {
                0 if at < text.len() => text[at] = *byte,
                1 if at < text.len() => drop(text.remove(at)),
                2 => drop(text.splice(at.min(text.len())..at.min(text.len()), piece.iter().copied())),
                _ => text.truncate(text.len().saturating_sub(*byte as usize % 9)),
            }
        }
        survive(&String::from_utf8_lossy(&text));
    });
}

#[test]
fn deep_and_long_texts_are_refused() {
    for piece in ["(", "-", "not ", "if ", "x[", "sum[n](", "1 + ", "2 ^ ", "a and "] {
        let text = format!("op a(x[N]) -> y[N]\ny[n] = {}", piece.repeat(6000));
        assert!(Op::parse("deep.op", &text).is_err(), "{piece}");
    }
    assert!(Op::parse("long.op", &"#".repeat(1 << 20)).is_err());
}
