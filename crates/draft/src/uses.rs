//! What a kernel's text does with its buffers: whether it writes to one at all. It reads characters and understands
//! nothing else; where it is in doubt, a buffer may be written.

use ktwin_check::interface::{Interface, Param};
use ktwin_check::signature::{is_word, without_comments};

use crate::spread::{body, spread};

/// Corrects what an interface says: a buffer that could be written, but that the code only reads, is an input. Notes
/// what workgroups are for.
pub fn heed(interface: &mut Interface, text: &str) {
    let text = without_comments(text);
    interface.spread = spread(&text, &interface.entry);
    // other functions may call other things so
    let text = body(&text, &interface.entry).unwrap_or(&text);
    for param in &mut interface.params {
        if let Param::Buffer { name, writes, .. } = param {
            *writes = *writes && !is_only_read(text, name);
        }
    }
}

/// What one place in the text does with a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Declared,
    Read,
    Written,
}

/// Whether the text reads elements of a buffer, and does nothing else with it.
fn is_only_read(text: &str, name: &str) -> bool {
    let whole = |at: usize| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        !before.ends_with(is_word) && !after.starts_with(is_word) && !before.ends_with('.')
    };
    let places = text.match_indices(name).map(|(at, _)| at).filter(|at| !name.is_empty() && whole(*at));
    let uses: Vec<Use> = places.map(|at| used(text[..at].trim_end(), &text[at + name.len()..])).collect();
    uses.contains(&Use::Read) && !uses.contains(&Use::Written)
}

/// What is done with a buffer whose name stands between two parts of the text.
fn used(before: &str, after: &str) -> Use {
    let is_address = before.ends_with('&') && !before.ends_with("&&");
    let Some(rest) = element(after) else {
        let next = after.trim_start();
        let is_pointer =
            before.ends_with(['*', '&']) || before.ends_with("restrict") || before.ends_with("restrict__");
        let ends = next.starts_with([',', ')']) && is_pointer;
        let is_declared =
            ends || next.starts_with(':') || next.replace(char::is_whitespace, "").starts_with("[]");
        return if is_declared { Use::Declared } else { Use::Written };
    };
    let rest = rest.trim_start();
    let assigns = ["+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"];
    let is_assigned =
        (rest.starts_with('=') && !rest.starts_with("==")) || assigns.iter().any(|a| rest.starts_with(a));
    let is_stepped = before.ends_with("++") || before.ends_with("--");
    if is_assigned || is_stepped || is_address { Use::Written } else { Use::Read }
}

/// What follows after the index of an element, and members of it; none where no element is meant.
fn element(after: &str) -> Option<&str> {
    let (mut rest, mut is_element) = (after, false);
    loop {
        let next = rest.trim_start();
        if next.starts_with('[') {
            let inside = bracketed(next)?;
            is_element = true;
            rest = &next[inside.len()..];
        } else if let Some(member) = next.strip_prefix('.') {
            rest = member.trim_start_matches(is_word);
            if rest.starts_with('(') {
                return None;
            }
        } else {
            return is_element.then_some(rest);
        }
    }
}

/// Brackets with what stands between them, where that is something.
fn bracketed(text: &str) -> Option<&str> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        depth += i32::from(c == '[') - i32::from(c == ']');
        if depth == 0 {
            return (!text[1..at].trim().is_empty()).then_some(&text[..=at]);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_that_are_only_read() {
        for (text, read) in [
            ("void k(float *x, float *y) { y[0] = x[1] == 2; }", true),
            ("void k(float* __restrict__ x, int n) { for (;;) s += x[i * n + y[i]]; }", true),
            ("var<storage, read_write> x: array<f32>; fn f() { let v = a && x[i].y < 2; }", true),
            ("struct p { x : u32 } fn f() { b = p.x[2]; }", false),
            ("void k(float x[], float *y) { x[0] = y[1]; }", false),
            ("void k(float *x) { f(x[2]); x[x[0]] += 1; }", false),
            ("void k(float *x) { y = x[2]; x[0]++; }", false),
            ("void k(float *x) { y = x[2]; ++x[0]; }", false),
            ("void k(float *x) { y = x[2]; atomicAdd(&x[0], 1); }", false),
            ("void k(float *x) { y = x[2]; float *z = x + 4; z[0] = 1; }", false),
            ("void k(float *x) { y = x[2]; fill(x, 3); }", false),
            ("void k(float *x) { y = xx[2]; }", false),
        ] {
            assert_eq!(is_only_read(text, "x"), read, "{text}");
        }
        assert!(!is_only_read("x[", "x") && !is_only_read("", "x") && !is_only_read("x[1]", ""));
    }
}
