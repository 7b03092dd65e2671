//! docs/contract.md: every contract in it is one, and every key is in it.

use ktwin_check::{Kernel, contract_keys};

pub fn reference() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/contract.md")).unwrap()
}

#[test]
fn every_contract_of_the_reference_holds() {
    let text = reference();
    let blocks: Vec<&str> = text.split("```toml\n").skip(1).map(|b| b.split("```").next().unwrap()).collect();
    assert!(blocks.len() >= 6);
    for block in blocks {
        if let Err(error) = Kernel::of_contract("docs/contract.md", block, ktwin::catalogue::OPS) {
            panic!("{error}\n{block}");
        }
    }
}

#[test]
fn every_key_is_explained() {
    let text = reference();
    for key in contract_keys() {
        let rows = text.lines().filter(|l| l.starts_with('|'));
        let names = rows.filter_map(|l| l.split('|').nth(1));
        assert!(names.into_iter().any(|n| n.contains(&format!("`{key}`"))), "{key} is not explained");
    }
}
