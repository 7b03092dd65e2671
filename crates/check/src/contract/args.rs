//! The `args` of a contract: bindings or parameters in order. Part of reading a contract.

use ktwin_num::DType;

use super::reader::Reader;
use super::tree::{Item, Key, Node};
use super::{Arg, Expr, Field, Name};

const HELP: &str = "write a tensor's name, or { D = \"u32\", eps = \"f32\" } for values in one struct; a struct that \
                    has a value twice, or pointers, is a list: [\"x\", \"y\", { D = \"u32\" }, { D = \"u32\" }]";
const PUSH: &str = "write push = [{ D = \"u32\", eps = \"f32\" }], the values in order; those of structs in it stand \
                    there too, and a value that comes twice in two tables: [{ D = \"u32\" }, { D = \"u32\" }]";

/// The whole list.
pub fn read(reader: &mut Reader, node: &Node) -> Vec<Arg> {
    let Some(list) = reader.list(node, "a list: one entry for each binding or parameter") else {
        return Vec::new();
    };
    list.iter().filter_map(|entry| one(reader, entry)).collect()
}

fn one(reader: &mut Reader, node: &Node) -> Option<Arg> {
    match &node.item {
        Item::Text(_) => reader.name(node, HELP).map(Arg::Tensor),
        Item::Table(fields) if !fields.is_empty() => Some(Arg::Fields(some(reader, fields))),
        Item::List(parts) if !parts.is_empty() => Some(Arg::Fields(listed(reader, parts, (HELP, true)))),
        other => {
            reader.mistake(
                &node.span,
                format!("expected a tensor name or a table, found {}", other.shown()),
                HELP,
            );
            None
        }
    }
}

/// What variables of the source hold: a tensor each, or values in one struct.
pub fn globals(reader: &mut Reader, node: &Node) -> Vec<(Name, Arg)> {
    let table = reader.table(node, "globals = { filter = \"w\", width = { N = \"u32\" } }");
    table.iter().filter_map(|(key, value)| Some((reader.key(key), one(reader, value)?))).collect()
}

/// The push constants: one struct, in one table or several.
pub fn push(reader: &mut Reader, node: &Node) -> Vec<Field> {
    match &node.item {
        Item::Table(fields) => some(reader, fields),
        Item::List(parts) => listed(reader, parts, (PUSH, false)),
        other => {
            reader.mistake(&node.span, format!("expected the values to push, found {}", other.shown()), PUSH);
            Vec::new()
        }
    }
}

fn some(reader: &mut Reader, fields: &[(Key, Node)]) -> Vec<Field> {
    fields.iter().filter_map(|(key, value)| field(reader, key, value)).collect()
}

/// A struct in several tables, as TOML has each key of a table once; and where it may have them, pointers to tensors.
fn listed(reader: &mut Reader, parts: &[Node], (help, pointers): (&str, bool)) -> Vec<Field> {
    let mut all = Vec::new();
    for part in parts {
        match &part.item {
            Item::Table(fields) => all.extend(some(reader, fields)),
            Item::Text(_) if pointers => all.extend(reader.name(part, help).map(|Name { text, spot }| {
                let dtype = DType::Int { bits: 64, signed: false };
                Field { value: Expr { text, spot }, dtype, pointer: true }
            })),
            other => reader.mistake(
                &part.span,
                format!("expected the type of a struct field, found {}", other.shown()),
                help,
            ),
        }
    }
    all
}

/// One value of a struct: `D`, `eps`, `"D / 2"`, `x.stride0`, `x.offset`. A bare `x.stride0 = "u32"` is a
/// table in a table to TOML.
fn field(reader: &mut Reader, key: &Key, value: &Node) -> Option<Field> {
    let Name { text, spot } = reader.key(key);
    let (text, value) = match &value.item {
        Item::Table(inner) if inner.len() == 1 => {
            let (part, value) = &inner[0];
            if !is_place(&part.name) {
                let message = format!("`{}` has no `{}`", key.name, part.name);
                reader.mistake(&part.span, message, "write stride0, stride1, … or offset");
                return None;
            }
            (format!("{text}.{}", part.name), value)
        }
        _ => (text, value),
    };
    let dtype = reader.dtype(value)?;
    Some(Field { value: Expr { text, spot }, dtype, pointer: false })
}

fn is_place(part: &str) -> bool {
    part == "offset" || part.strip_prefix("stride").is_some_and(|along| along.parse::<usize>().is_ok())
}
