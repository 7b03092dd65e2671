//! Takes out of a condition the part that says where terms belong.

use crate::code::{Code, CodeKind};
use crate::func::Func;

/// The first part of what must all hold that is `wanted`, and what is left without it.
pub fn cut_out<T>(condition: &Code, wanted: impl Fn(&Code) -> Option<T>) -> Option<(T, Option<Code>)> {
    let mut parts = Vec::new();
    conjuncts(condition, &mut parts);
    let (at, found) = parts.iter().enumerate().find_map(|(at, part)| Some((at, wanted(part)?)))?;
    parts.remove(at);
    let both = |a: Code, b: &Code| Code { kind: CodeKind::Apply(Func::And, vec![a, b.clone()]), ..b.clone() };
    let mut rest = parts.into_iter();
    let first = rest.next().cloned();
    Some((found, first.map(|first| rest.fold(first, both))))
}

fn conjuncts<'c>(code: &'c Code, out: &mut Vec<&'c Code>) {
    match &code.kind {
        CodeKind::Apply(Func::And, sides) => sides.iter().for_each(|side| conjuncts(side, out)),
        _ => out.push(code),
    }
}
