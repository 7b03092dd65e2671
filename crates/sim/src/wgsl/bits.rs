//! `bitcast` of vectors of f16 to numbers of 32 bits, to which naga gives the wrong type. Whether an argument is such a
//! vector is naga's to say: it reads a text that asks for the argument's type where each cast was.

use std::fmt::Write;

use naga::front::Typifier;
use naga::proc::ResolveContext;
use naga::{
    BinaryOperator, Expression, Function, Handle, Literal, Module, ScalarKind, TypeInner, VectorSize,
};

use super::mend::{Change, Token, bracketed};

/// Types that such a cast may have, and the functions that make them of two and of four halves.
const TARGETS: &[(&str, VectorSize, &str)] = &[
    ("u32", VectorSize::Bi, "ktwin_bits_of_two"),
    ("i32", VectorSize::Bi, "ktwin_int_of_two"),
    ("f32", VectorSize::Bi, "ktwin_real_of_two"),
    ("vec2<u32>", VectorSize::Quad, "ktwin_bits_of_four"),
    ("vec2u", VectorSize::Quad, "ktwin_bits_of_four"),
];

/// These functions.
pub const HELPERS: &str = "
fn ktwin_bits_of_two(x: vec2<f16>) -> u32 { return pack2x16float(vec2<f32>(x)); }
fn ktwin_int_of_two(x: vec2<f16>) -> i32 { return bitcast<i32>(ktwin_bits_of_two(x)); }
fn ktwin_real_of_two(x: vec2<f16>) -> f32 { return bitcast<f32>(ktwin_bits_of_two(x)); }
fn ktwin_bits_of_four(x: vec4<f16>) -> vec2<u32> {
    return vec2<u32>(ktwin_bits_of_two(x.xy), ktwin_bits_of_two(x.zw));
}
";

/// The first of the numbers that mark questions in the text that naga reads: nobody else writes them twice in one
/// `select`.
const MARK: u32 = 0x6b74_0000;
/// Casts inside each other's arguments that are looked at; each doubles the text inside.
const DEPTH: usize = 4;

/// A cast that may be of halves: the number of its first token, those of its type, and of what it casts.
struct Cast {
    first: usize,
    target: usize,
    open: usize,
    close: usize,
}

/// The changes that make casts of vectors of f16 calls. `text` is otherwise as naga reads it.
pub fn changes(text: &str, tokens: &[Token]) -> Vec<Change> {
    if !tokens.windows(2).any(|t| t[0].text == "enable" && t[1].text == "f16") {
        return Vec::new();
    }
    let casts = casts(tokens);
    if casts.is_empty() || depth(&casts) > DEPTH {
        return Vec::new();
    }
    let mut asked = String::new();
    ask(text, tokens, &casts, 0..text.len(), &mut asked);
    // what is wrong otherwise is told of the text itself
    let Ok(module) = naga::front::wgsl::parse_str(&asked) else { return Vec::new() };
    let mut out = Vec::new();
    for (number, size) in answers(&module) {
        let Some(cast) = casts.get(number) else { continue };
        let (_, of, name) = TARGETS[cast.target];
        let (start, end) = (tokens[cast.first].at, tokens[cast.open].at);
        if of == size && !out.iter().any(|(at, ..): &Change| *at == start) {
            out.push((start, end - start, name.into()));
        }
    }
    out
}

fn casts(tokens: &[Token]) -> Vec<Cast> {
    let mut out = Vec::new();
    for first in (0..tokens.len()).filter(|&i| tokens[i].text == "bitcast") {
        let Some(len) = tokens[first..].iter().position(|t| t.text == "(") else { break };
        let open = first + len;
        let head: String = tokens[first + 1..open].iter().map(|t| t.text).collect();
        let target = TARGETS
            .iter()
            .position(|(of, ..)| head.strip_prefix('<').and_then(|h| h.strip_suffix('>')) == Some(of));
        if let (Some(target), Some(close)) = (target, bracketed(tokens, open)) {
            out.push(Cast { first, target, open, close });
        }
    }
    out
}

fn depth(casts: &[Cast]) -> usize {
    let around =
        |inner: &Cast| casts.iter().filter(|c| c.open < inner.first && inner.first < c.close).count();
    casts.iter().map(|cast| around(cast) + 1).max().unwrap_or(0)
}

/// The text of a range, with a question in each cast's place: `u32(select(MARK, MARK, all(x == x)))` is a number
/// whatever `x` is.
fn ask(text: &str, tokens: &[Token], casts: &[Cast], range: std::ops::Range<usize>, out: &mut String) {
    let mut from = range.start;
    for (number, cast) in casts.iter().enumerate() {
        let at = tokens[cast.first].at;
        if at < from || at >= range.end {
            continue;
        }
        out.push_str(&text[from..at]);
        let mut inner = String::new();
        ask(text, tokens, casts, tokens[cast.open].at + 1..tokens[cast.close].at, &mut inner);
        let mark = MARK + number as u32;
        // writing to a string cannot fail
        let _ =
            write!(out, "{}(select({mark}u, {mark}u, all(({inner}) == ({inner}))))", TARGETS[cast.target].0);
        from = tokens[cast.close].at + 1;
    }
    out.push_str(&text[from..range.end]);
}

/// The questions that were about vectors of f16, and how long these are.
fn answers(module: &Module) -> Vec<(usize, VectorSize)> {
    let functions = module.functions.iter().map(|(_, function)| function);
    let all = functions.chain(module.entry_points.iter().map(|entry| &entry.function));
    all.flat_map(|function| of_function(module, function)).collect()
}

fn of_function(module: &Module, function: &Function) -> Vec<(usize, VectorSize)> {
    let context = ResolveContext::with_locals(module, &function.local_variables, &function.arguments);
    let mut typifier = Typifier::default();
    let mut out = Vec::new();
    for (handle, expression) in function.expressions.iter() {
        if typifier.grow(handle, &function.expressions, &context).is_err() {
            break;
        }
        let Some((number, asked)) = question(function, expression) else { continue };
        if let TypeInner::Vector { size, scalar } = *typifier.get(asked, &module.types)
            && scalar.kind == ScalarKind::Float
            && scalar.width == 2
        {
            out.push((number, size));
        }
    }
    out
}

/// The number of a question, and what it is about.
fn question(function: &Function, expression: &Expression) -> Option<(usize, Handle<Expression>)> {
    let Expression::Select { condition, accept, .. } = *expression else { return None };
    let Expression::Literal(Literal::U32(mark)) = function.expressions[accept] else { return None };
    let Expression::Relational { argument, .. } = function.expressions[condition] else { return None };
    let Expression::Binary { op: BinaryOperator::Equal, left, .. } = function.expressions[argument] else {
        return None;
    };
    Some((mark.checked_sub(MARK)? as usize, left))
}
