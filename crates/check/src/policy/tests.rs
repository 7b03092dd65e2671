//! Policies are read as they are written, and mistakes say what to write.

use super::*;

fn rule(text: &str) -> Rule {
    Policy::parse(text).unwrap_or_else(|e| panic!("{e}")).rule
}

#[test]
fn numbers_stand_in_order_or_by_name() {
    assert_eq!(rule("allclose:rtol=1e-2,atol=1e-3"), Rule::Allclose { rtol: 1e-2, atol: 1e-3 });
    assert_eq!(rule("allclose: atol = 1e-3, rtol = 1e-2"), rule("allclose:1e-2,1e-3"));
    assert_eq!(rule("correlation"), Rule::Correlation { least: 0.999, relative: 1e-3 });
    assert_eq!(rule("correlation:relative=0.1"), Rule::Correlation { least: 0.999, relative: 0.1 });
    assert_eq!(rule(" exact "), Rule::Exact);
    assert!(rule("bar:1") == Policy::bar().rule && !Policy::parse("bar:2").unwrap().is_bar());
}

#[test]
fn mistakes_say_what_to_write() {
    let refused = |text: &str| Policy::parse(text).unwrap_err();
    assert!(refused("allcose:1,1").starts_with("no policy `allcose`, did you mean `allclose`?"));
    let missing = "policy allclose: `atol` is missing; write allclose:rtol=...,atol=...";
    assert_eq!(refused("allclose:rtol=1"), missing);
    assert!(refused("nmse:-1").contains("`-1` is not a number of at least 0"));
    assert!(refused("nmse:inf").contains("not a number") && refused("nmse:x").contains("not a number"));
    assert!(refused("nmse:1,2").contains("`2` is not one of its numbers"));
    assert!(refused("ulp:most=1,most=2").contains("was said before"));
    assert!(refused("exact:1").ends_with("write exact"));
    for name in ["cosine", "correlation"] {
        let beyond = refused(&format!("{name}:least=2"));
        assert!(
            beyond.starts_with(&format!("policy {name}: no output reaches 2: write at most 1")),
            "{beyond}"
        );
    }
    assert!(refused("").starts_with("no policy ``"));
}

#[test]
fn tables_are_sorted_and_every_preset_is_a_policy() {
    assert!(RULES.is_sorted_by(|a, b| a.name < b.name) && PRESETS.is_sorted_by(|a, b| a.name < b.name));
    for preset in PRESETS {
        assert_eq!(rule(preset.name), rule(preset.is));
        assert!(RULES.iter().all(|row| row.name != preset.name));
    }
    assert_eq!(
        Policy::parse("kernelbench").unwrap().to_string(),
        "kernelbench (allclose:rtol=1e-2,atol=1e-2)"
    );
}
