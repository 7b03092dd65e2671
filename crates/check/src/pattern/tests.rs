//! Each pattern in words.

use super::*;

#[test]
fn every_pattern_is_a_sentence_of_its_own() {
    let head = What::Where { index: "h".into(), place: Place::LastRow(3) };
    for (what, words) in [
        (What::AllZero, "every wrong element is zero"),
        (
            What::OthersOfEquals,
            "every wrong element is the place of another of equal elements: ties are broken differently",
        ),
        (What::AllOne { number: -1.0 }, "every wrong element is -1"),
        (What::Factor { factor: 2.0 }, "every wrong element is off by a constant factor 2"),
        (What::Factor { factor: 1.000_050_1 }, "every wrong element is off by a constant factor 1.000050"),
        (head, "wrong exactly where h = 3, the last"),
    ] {
        assert_eq!(Pattern::from(what).to_string(), words);
    }
}
