//! The `chain` of a contract: kernels one after another, some of them within loops. Part of reading a contract.

use super::reader::Reader;
use super::tree::{Key, Node};
use super::{Contract, Link, Repeated, keys};

/// How a chain is written.
const FORM: &str = "chain = [{ entry = \"first\", args = […], grid = […] }, …]";

/// Keys that say how often and when kernels of a chain are launched.
const AROUND: &[&str] = &["repeat", "when"];

/// Keys of one kernel of a chain.
const CHAIN_KEYS: &[&str] = &["args", "block", "entry", "grid", "push", "returns", "shared"];

/// The whole list.
pub fn read(reader: &mut Reader, contract: &mut Contract, node: &Node) {
    let Some(list) = reader.list(node, FORM) else { return };
    contract.chain.clear();
    links(reader, contract, list, &Repeated::default());
}

/// Kernels of a chain, all of them with these loops around them.
fn links(reader: &mut Reader, contract: &mut Contract, list: &[Node], outer: &Repeated) {
    for part in list {
        let entries = reader.table(part, FORM);
        let repeated = outer.with(reader, entries);
        match entries.iter().find(|(key, _)| key.name == "chain") {
            Some((key, inner)) => group(reader, contract, (key, inner, entries), &repeated),
            None => {
                contract.chain.push(Link { repeated, ..Link::default() });
                entries.iter().for_each(|(key, value)| link_key(reader, contract, key, value));
            }
        }
    }
}

fn link_key(reader: &mut Reader, contract: &mut Contract, key: &Key, value: &Node) {
    match CHAIN_KEYS.contains(&key.name.as_str()).then(|| keys::find(&key.name)).flatten() {
        Some(read) => read(reader, contract, value),
        None if AROUND.contains(&key.name.as_str()) => {}
        None => reader.unknown(key, "chain key", &[CHAIN_KEYS, AROUND].concat()),
    }
}

/// Several kernels within the same loops, or under the same condition.
fn group(
    reader: &mut Reader,
    contract: &mut Contract,
    (key, inner, entries): (&Key, &Node, &[(Key, Node)]),
    repeated: &Repeated,
) {
    const WRITE: &str = "write { repeat = \"step in 0..4\", chain = [{ entry = \"first\", … }, …] }";
    if !entries.iter().any(|(key, _)| AROUND.contains(&key.name.as_str())) {
        reader.mistake(&key.span, "a chain within a chain has a `repeat` or a `when`", WRITE);
    }
    for (other, _) in entries.iter().filter(|(other, _)| other.name != "chain") {
        if !AROUND.contains(&other.name.as_str()) {
            let message = format!("`{}` is a key of one launch, and `chain` has several", other.name);
            reader.mistake(&other.span, message, WRITE);
        }
    }
    if let Some(list) = reader.list(inner, WRITE) {
        links(reader, contract, list, repeated);
    }
}

/// Refuses keys of one launch beside a chain, whose launches have their own.
pub fn beside(reader: &mut Reader, entries: &[(Key, Node)], contract: &Contract) {
    if !contract.names("chain") {
        return;
    }
    for (key, _) in entries.iter().filter(|(key, _)| CHAIN_KEYS.contains(&key.name.as_str())) {
        let message = format!("`{}` is a key of one launch, and `chain` has several", key.name);
        reader.mistake(&key.span, message, "write it in each table of `chain` that it is meant for");
    }
}
