//! Every example of docs/op-language.md: `op` blocks are evaluated on their `values`, `mistake` blocks are
//! refused in
//! the words of their `says`.

mod support;

use ktwin_lang::{Op, Value};
use serde_json::Value as Json;
use support::{Array, Call, disagreement, folder};

struct Block {
    kind: String,
    text: String,
    line: usize,
}

/// The fenced blocks of the page, in order.
fn blocks() -> Vec<Block> {
    let page = std::fs::read_to_string(folder("docs/op-language.md")).expect("docs/op-language.md");
    let mut out: Vec<Block> = Vec::new();
    let mut open = false;
    for (at, line) in page.lines().enumerate() {
        match (line.strip_prefix("```"), open) {
            (Some(kind), false) => {
                out.push(Block { kind: kind.to_string(), text: String::new(), line: at + 1 });
                open = true;
            }
            (Some(_), true) => open = false,
            (None, true) => {
                let block = out.last_mut().expect("a block is open");
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, false) => {}
        }
    }
    out
}

/// Blocks of one kind, each with the block after it, which must be of the other.
fn pairs(kind: &str, behind: &str) -> Vec<(Block, Block)> {
    let mut all = blocks().into_iter();
    let mut out = Vec::new();
    while let Some(block) = all.next() {
        if block.kind == kind {
            let next = all.next().filter(|next| next.kind == behind);
            let next = next.unwrap_or_else(|| panic!("line {}: no {behind} behind it", block.line));
            out.push((block, next));
        }
    }
    out
}

/// Nested lists as an array.
fn array(json: &Json) -> Array {
    match json {
        Json::Array(items) => {
            let parts: Vec<Array> = items.iter().map(array).collect();
            let mut shape = vec![parts.len()];
            shape.extend(&parts[0].shape);
            Array::new(&shape, parts.into_iter().flat_map(|p| p.values).collect())
        }
        Json::String(word) => Array::new(&[], vec![word.parse().expect("inf, -inf or nan")]),
        other => Array::new(&[], vec![other.as_f64().expect("a number")]),
    }
}

/// The `name = value` lines of a part of a `values` block.
fn assignments(part: &str) -> Vec<(&str, Json)> {
    part.lines()
        .map(|line| {
            let (name, value) = line.split_once(" = ").unwrap_or_else(|| panic!("`{line}`"));
            (name, serde_json::from_str(value).unwrap_or_else(|e| panic!("`{line}`: {e}")))
        })
        .collect()
}

fn give(call: Call, name: &str, value: &Json) -> Call {
    if call.op.input(name).is_some() {
        return call.input(name, &array(value));
    }
    match (call.op.dim(name), value) {
        (Some(_), size) => call.dim(name, size.as_u64().expect("a size") as usize),
        (None, Json::Bool(on)) => call.scalar(name, Value::Bool(*on)),
        (None, number) => match number.as_i64() {
            Some(whole) => call.scalar(name, Value::Int(whole)),
            None => call.real(name, number.as_f64().expect("a number")),
        },
    }
}

#[test]
fn every_example_gives_what_the_page_says() {
    let pairs = pairs("op", "values");
    assert!(pairs.len() >= 15, "only {} examples", pairs.len());
    for (block, values) in pairs {
        let place = format!("docs/op-language.md:{}", block.line);
        let op = support::parse(&place, &block.text);
        let (given, wanted) = values.text.split_once("gives\n").expect("`gives`");
        let call = assignments(given).iter().fold(Call::new(op), |call, (n, v)| give(call, n, v));
        let got = call.run().unwrap_or_else(|e| panic!("{place}: {e}"));
        let wanted = assignments(wanted);
        assert_eq!(got.len(), wanted.len(), "{place}: outputs");
        for (name, value) in wanted {
            let (_, array_got) =
                got.iter().find(|(n, _)| n == name).unwrap_or_else(|| panic!("{place}: {name}"));
            let wrong = disagreement(array_got, &array(&value), 1e-12);
            assert!(wrong.is_none(), "{place}: {name}: {}", wrong.unwrap_or_default());
        }
    }
}

#[test]
fn every_mistake_is_refused_in_the_words_of_the_page() {
    let pairs = pairs("mistake", "says");
    assert!(pairs.len() >= 5, "only {} mistakes", pairs.len());
    for (block, says) in pairs {
        let name = block.text.split(['(', ' ']).nth(1).expect("op NAME(");
        match Op::parse_with(&format!("{name}.op"), &block.text, &support::find) {
            Ok(_) => panic!("docs/op-language.md:{}: accepted", block.line),
            Err(mistake) => assert_eq!(mistake.to_string().trim_end(), says.text.trim_end()),
        }
    }
}

/// The functions that the page lists.
fn listed_functions(page: &str) -> Vec<String> {
    let section = page.split("## Functions").nth(1).expect("a section");
    let list = section.split("`rsqrt(x)` is").next().expect("a list");
    let quoted = list.split('`').skip(1).step_by(2);
    let names = quoted.flat_map(|part| match part.split_once('(') {
        Some((name, _)) => vec![name],
        None => part.split_whitespace().collect(),
    });
    names.map(str::to_string).collect()
}

#[test]
fn every_function_and_reduction_stands_in_an_example() {
    let page = std::fs::read_to_string(folder("docs/op-language.md")).expect("docs/op-language.md");
    let text: String = blocks().into_iter().filter(|b| b.kind == "op").map(|b| b.text).collect();
    let functions = listed_functions(&page);
    assert!(functions.len() >= 25, "{functions:?}");
    let reductions = "sum mean prod max min argmax argmin any".split(' ').map(|name| format!("{name}["));
    let calls = functions.iter().map(|name| format!("{name}("));
    let lacking: Vec<String> = calls.chain(reductions).filter(|call| !text.contains(call)).collect();
    assert!(lacking.is_empty(), "without an example: {lacking:?}");
}
