//! The keys of a contract: one entry and one function each, sorted. Reading a contract is walking this list.

use ktwin_num::Layout;

use super::reader::Reader;
use super::tree::{Item, Key, Node};
use super::{Contract, Fill, Limit, Link, Name, Nan, Scratch, args, chain, define, limits};
use crate::policy::Policy;

/// Reads one key's value into the contract.
type Read = fn(&mut Reader, &mut Contract, &Node);

/// Every key.
pub const KEYS: &[(&str, Read)] = &[
    ("accumulate", |r, c, n| set(r.rung(n), &mut c.accumulate)),
    ("arch", arch),
    ("args", |r, c, n| link(c).args = args::read(r, n)),
    ("batch_invariant", |r, c, n| set(r.truth(n), &mut c.promises.batch_invariant)),
    ("block", |r, c, n| link(c).block = Some(r.three(n, "block"))),
    ("chain", chain::read),
    ("compute", |r, c, n| set(r.rung(n), &mut c.compute)),
    ("define", define::read),
    ("deterministic", |r, c, n| set(r.truth(n), &mut c.promises.deterministic)),
    ("dims", dims),
    ("entry", |r, c, n| set(r.word(n, "the function's name in quotes"), &mut link(c).entry)),
    ("fast_math", |r, c, n| {
        let spot = r.spot(n.span.start);
        c.fast_math = (r.truth(n) == Some(true)).then_some(spot);
    }),
    ("fill", |r, c, n| {
        let table = r.table(n, "fill = { y = 0 }: what a buffer holds before the launch");
        c.fill = named(r, table, fill);
    }),
    ("fix", |r, c, n| {
        let table = r.table(n, "fix = { causal = true }");
        c.fix = named(r, table, |r, n| r.number(n));
    }),
    ("form", |r, c, n| set(r.name(n, "the name of one of the op's forms in quotes").map(Some), &mut c.form)),
    ("globals", |r, c, n| c.globals = args::globals(r, n)),
    ("grid", |r, c, n| link(c).grid = r.three(n, "grid")),
    ("include", |r, c, n| {
        let list = r.one_or_more(n);
        c.include =
            list.into_iter().filter_map(|n| r.name(n, "a folder from the kernel, in quotes")).collect();
    }),
    ("inplace", |r, c, n| {
        let table = r.table(n, "inplace = { y = \"x\" }: output y is written over input x");
        c.inplace = named(r, table, |r, n| r.name(n, "the input's name in quotes"));
    }),
    ("layout", layout),
    ("max_registers", max_registers),
    ("nan", nan),
    ("op", op),
    ("policy", policy),
    ("push", |r, c, n| link(c).push = args::push(r, n)),
    ("returns", |r, c, n| set(r.name(n, "the output's name in quotes").map(Some), &mut link(c).returns)),
    ("robust", |r, c, n| {
        let spot = r.spot(n.span.start);
        c.robust = (r.truth(n) == Some(true)).then_some(spot);
    }),
    ("round", |r, c, n| {
        let table = r.table(n, "round = { p = \"f16\" }");
        c.round = named(r, table, |r, n| r.dtype(n));
    }),
    ("scratch", scratch),
    ("shared", |r, c, n| link(c).shared = r.expr(n)),
    ("spills", |r, c, n| {
        let spot = r.spot(n.span.start);
        c.no_spills = (r.truth(n) == Some(false)).then_some(spot);
    }),
    ("subgroup", |r, c, n| {
        let list = r.some(n);
        c.subgroup = list.into_iter().filter_map(|n| r.whole_number(n)).collect();
    }),
    ("ties", ties),
    ("tile", |r, c, n| {
        for (key, value) in r.table(n, "tile = { D = 256 }") {
            let sizes = r.up_to(TILES, value, "sizes of a tile");
            let sizes: Vec<i64> = sizes.into_iter().filter_map(|n| r.whole_number(n)).collect();
            if sizes.is_empty() && r.mistakes.is_empty() {
                r.mistake(&value.span, "no sizes", "write tile = { D = 256 }".to_owned());
            }
            let name = r.key(key);
            c.tile.extend(sizes.into_iter().map(|size| (name.clone(), size)));
        }
    }),
    ("types", |r, c, n| {
        let table = r.table(n, "types = { x = \"f16\", y = \"f16\" }");
        c.types = named(r, table, |r, n| r.dtype(n));
    }),
    ("where", |r, c, n| {
        let list = r.up_to(CONDITIONS, n, "conditions");
        c.limits = list.into_iter().filter_map(|n| r.expr(n)).collect();
    }),
];

/// The most sizes of a tile in one dimension, around each of which shapes are planned.
const TILES: usize = 64;

/// The most conditions, as in an op.
const CONDITIONS: usize = 64;

/// Keys that concern the launch alone: whatever they say, nothing else is promised.
pub const LAUNCH: &[&str] = &[
    "arch", "args", "block", "chain", "define", "entry", "globals", "grid", "include", "push", "returns",
    "scratch", "shared", "tile",
];

fn set<T>(value: Option<T>, place: &mut T) {
    if let Some(value) = value {
        *place = value;
    }
}

fn link(contract: &mut Contract) -> &mut Link {
    if contract.chain.is_empty() {
        contract.chain.push(Link::default());
    }
    let last = contract.chain.len() - 1;
    &mut contract.chain[last]
}

fn named<T>(
    reader: &mut Reader,
    table: &[(Key, Node)],
    read: impl Fn(&mut Reader, &Node) -> Option<T>,
) -> Vec<(Name, T)> {
    table.iter().filter_map(|(key, node)| Some((reader.key(key), read(reader, node)?))).collect()
}

fn op(reader: &mut Reader, contract: &mut Contract, node: &Node) {
    set(reader.name(node, "an op's name or a path in quotes"), &mut contract.op);
}

/// One value for a whole buffer, or one for each of its elements in a list.
fn fill(reader: &mut Reader, node: &Node) -> Option<Fill> {
    match &node.item {
        Item::List(list) if list.is_empty() => {
            reader.mistake(
                &node.span,
                "an empty list fills nothing",
                "write fill = { info = [\"M\", \"N\"] }",
            );
            None
        }
        Item::List(list) => Some(Fill::Each(list.iter().filter_map(|n| reader.expr(n)).collect())),
        _ => reader.expr(node).map(Fill::Every),
    }
}

/// `sm_90a` or `compute_90a`.
fn arch(reader: &mut Reader, contract: &mut Contract, node: &Node) {
    const FORM: &str = "an architecture in quotes, such as \"sm_80\"";
    let Some(name) = reader.name(node, FORM) else { return };
    let number = name.strip_prefix("sm_").or_else(|| name.strip_prefix("compute_")).unwrap_or("");
    let digits = number.trim_end_matches(['a', 'f']);
    if digits.len() < 2 || number.len() > digits.len() + 1 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        let message = format!("`{}` is not a CUDA architecture", name.text);
        reader.mistake(&node.span, message, format!("write {FORM}"));
        return;
    }
    contract.arch = Some(name);
}

fn max_registers(reader: &mut Reader, contract: &mut Contract, node: &Node) {
    let spot = reader.spot(node.span.start);
    let Some(number) = reader.whole_number(node) else { return };
    match u32::try_from(number) {
        Ok(most @ 1..=255) => contract.max_registers = Some((most, spot)),
        _ => reader.mistake(&node.span, "a lane has 1 to 255 registers", "write max_registers = 64"),
    }
}

fn nan(reader: &mut Reader, contract: &mut Contract, node: &Node) {
    match reader.text(node, "\"isolate\", \"propagate\" or \"never\"").as_deref() {
        Some("never") => contract.promises.nan = Nan::Never,
        Some("propagate") => contract.promises.nan = Nan::Propagate,
        Some("isolate") => contract.promises.nan = Nan::Isolate,
        Some(other) => {
            let message = format!("unknown value `{other}` for `nan`");
            reader.mistake(&node.span, message, "write \"isolate\", \"propagate\" or \"never\"");
        }
        None => {}
    }
}

fn ties(reader: &mut Reader, contract: &mut Contract, node: &Node) {
    match reader.text(node, "\"any\"").as_deref() {
        Some("any") => contract.promises.ties = true,
        Some(other) => {
            let message = format!("unknown value `{other}` for `ties`");
            reader.mistake(
                &node.span,
                message,
                "write \"any\", or leave it out where the op's own choice is kept",
            );
        }
        None => {}
    }
}

fn policy(reader: &mut Reader, contract: &mut Contract, node: &Node) {
    const FORM: &str = "policy = { use = \"allclose:rtol=1e-2,atol=1e-3\", why = \"the reason\" }";
    let (mut rule, mut why) = (None, None);
    for (key, value) in reader.table(node, FORM) {
        match key.name.as_str() {
            "use" => rule = reader.text(value, "a policy in quotes").map(|text| (text, value)),
            "why" => why = reader.text(value, "the reason in quotes").filter(|why| !why.trim().is_empty()),
            _ => reader.unknown(key, "key of a policy", &["use", "why"]),
        }
    }
    match (rule, why) {
        (Some((text, value)), Some(why)) => match Policy::parse(&text) {
            Ok(policy) => contract.policy = Some(policy.because(&why)),
            Err(message) => reader.mistake(&value.span, message, format!("write {FORM}")),
        },
        _ => reader.mistake(&node.span, "a policy needs `use` and `why`", format!("write {FORM}")),
    }
}

fn dims(reader: &mut Reader, contract: &mut Contract, node: &Node) {
    for (key, value) in reader.table(node, "dims = { D = \"1..=16384\" }") {
        let mut found = Vec::new();
        for one in reader.some(value) {
            let limit = match &one.item {
                Item::Int(n) => limits::parse(&n.to_string()),
                Item::Text(text) => limits::parse(text),
                _ => None,
            };
            match limit {
                Some(Limit::Range(Some(0), hi)) if hi != Some(0) => {
                    reader.mistake(&one.span, "no size is 0", "sizes begin at 1: write \"1..=4096\"");
                }
                Some(limit) if limit.is_empty() => {
                    let help = "sizes are at least 1, and the smaller end comes first: write \"3..=9\"";
                    reader.mistake(&one.span, "no size is within this", help);
                }
                Some(limit) => found.push(limit),
                None => reader.mistake(&one.span, "this is not a limit", format!("write {}", limits::FORMS)),
            }
        }
        contract.dims.push((reader.key(key), found));
    }
}

fn layout(reader: &mut Reader, contract: &mut Contract, node: &Node) {
    for (key, value) in reader.table(node, "layout = { x = [\"row\", \"strided\"] }") {
        let mut found = Vec::new();
        for one in reader.some(value) {
            let Some(name) = reader.text(one, "a layout in quotes") else { continue };
            match Layout::parse(&name) {
                Ok(layout) => found.push(layout),
                Err(message) => {
                    reader.mistake(&one.span, message, "layouts are row, transposed, strided, offset")
                }
            }
        }
        contract.layout.push((reader.key(key), found));
    }
}

fn scratch(reader: &mut Reader, contract: &mut Contract, node: &Node) {
    const FORM: &str = "scratch = { partial = \"f32[R * 64]\" }";
    for (key, value) in reader.table(node, FORM) {
        let Some(text) = reader.text(value, "a type and a number of elements: \"f32[R * 64]\"") else {
            continue;
        };
        let parts = text.strip_suffix(']').and_then(|t| t.split_once('['));
        let Some((dtype, elements)) = parts else {
            reader.mistake(&value.span, "this does not give a type and a size", format!("write {FORM}"));
            continue;
        };
        match ktwin_num::DType::parse(dtype.trim()) {
            Ok(dtype) => {
                let mut spot = reader.spot(value.span.start);
                spot.column += 2 + text.find('[').unwrap_or(0);
                let elements = super::Expr { text: elements.to_string(), spot };
                contract.scratch.push(Scratch { name: reader.key(key), dtype, elements });
            }
            Err(message) => reader.mistake(&value.span, message, format!("write {FORM}")),
        }
    }
}

/// How a key is read.
pub fn find(name: &str) -> Option<Read> {
    KEYS.iter().find(|(key, _)| *key == name).map(|(_, read)| *read)
}

/// The name of every key that a contract may have.
pub fn names() -> Vec<&'static str> {
    KEYS.iter().map(|(name, _)| *name).collect()
}

/// Keys that other tools have, or that come to mind, and what they are called here.
const ELSEWHERE: &[(&str, &[&str])] = &[
    ("accumulate", &["acc", "accumulator", "acc_dtype", "accum"]),
    ("args", &["bindings", "buffers", "inputs", "outputs", "params", "parameters", "signature"]),
    ("block", &["block_size", "local_size", "threads", "threadgroup", "workgroup", "workgroup_size"]),
    ("compute", &["math", "precision"]),
    ("define", &["constants", "constexpr", "macros", "overrides", "specialization"]),
    ("dims", &["shape", "shapes", "sizes"]),
    ("entry", &["entry_point", "function", "kernel", "main", "name"]),
    ("fix", &["scalars", "values"]),
    ("globals", &["constant", "constant_memory", "device_variables", "symbols", "variables"]),
    ("grid", &["blocks", "dispatch", "global_size", "groups", "num_groups", "workgroups"]),
    ("policy", &["atol", "rtol", "tolerance", "tolerances"]),
    ("shared", &["dynamic_shared", "shared_memory", "smem"]),
    ("subgroup", &["subgroup_size", "warp", "warp_size", "wave_size"]),
    ("types", &["dtype", "dtypes", "type"]),
];

/// The key that is meant by a word of another tool.
pub fn meant(word: &str) -> Option<&'static str> {
    let word = word.to_lowercase();
    ELSEWHERE.iter().find(|(_, words)| words.contains(&word.as_str())).map(|(key, _)| *key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_other_tools_lead_to_keys() {
        assert!(
            ELSEWHERE
                .iter()
                .all(|(key, words)| find(key).is_some() && words.iter().all(|w| find(w).is_none()))
        );
        assert_eq!(meant("Workgroups"), Some("grid"));
        assert_eq!(meant("colour"), None);
    }
}
