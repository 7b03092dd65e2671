//! What the kernels of a Triton file take: the parameters of functions under `@triton.jit`, and what their bodies load
//! and store through. It reads lines and words and understands nothing else.

use ktwin_check::interface::{Interface, Param, Spread, Value};
use ktwin_check::signature::{closed, is_word, split};

/// The file's kernels: functions of Triton that no other calls.
pub fn kernels(text: &str) -> Vec<Interface> {
    let text = without_comments(text);
    let all: Vec<(&str, &str, &str)> = functions(&text);
    let called = |name: &str| {
        let call = format!("{name}(");
        all.iter().any(|(_, _, body)| places(body, &call).next().is_some())
    };
    all.iter().filter(|(name, ..)| !called(name)).map(|(name, params, body)| of(name, params, body)).collect()
}

/// Name, parameters and body of each function under `@triton.jit`.
fn functions(text: &str) -> Vec<(&str, &str, &str)> {
    let marks = text.match_indices("@triton.jit").map(|(at, mark)| at + mark.len());
    let function = |at: usize| {
        let def = &text[at + text[at..].find("def ")? + 4..];
        let open = def.find('(')?;
        let params = closed(&def[open + 1..])?;
        let rest = &def[open + 1 + params.len() + 1..];
        // to the next line that is not indented, after the one that the definition begins on
        let body = rest.find('\n').map_or("", |line| &rest[line..]);
        let ends = |at: &usize| {
            let next = body[at + 1..].chars().next();
            next.is_some_and(|c| !c.is_whitespace() && c != ')')
        };
        let end = body.match_indices('\n').map(|(at, _)| at).find(ends).unwrap_or(body.len());
        Some((def[..open].trim(), params, &body[..end]))
    };
    marks.filter_map(function).collect()
}

fn of(name: &str, params: &str, body: &str) -> Interface {
    let mut interface = Interface { entry: name.to_owned(), spread: spread(body), ..Interface::default() };
    let reads = through(body, &["load", "make_block_ptr", "make_tensor_descriptor"]);
    let stores = through(body, &["store", "atomic_"]);
    for param in split(params) {
        let (declared, default) = param.split_once('=').map_or((param, ""), |(d, v)| (d, v.trim()));
        let (name, kind) = declared.split_once(':').unwrap_or((declared, ""));
        let (name, kind) = (name.trim().to_owned(), kind.trim());
        if name.is_empty() || name.starts_with('*') {
            continue;
        }
        if kind.ends_with("constexpr") {
            interface.constants.push((name, default.to_owned()));
        } else if reads.contains(&name) || stores.contains(&name) || is_pointer(&name, kind) {
            let writes = stores.contains(&name);
            interface.params.push(Param::Buffer { name, dtype: String::new(), writes });
        } else {
            let dtype = if kind.starts_with("float") { "f32" } else { "" }.to_owned();
            interface.params.push(Param::Values(vec![Value { name, dtype }]));
        }
    }
    interface
}

/// Whether a parameter is named or declared as a pointer.
fn is_pointer(name: &str, kind: &str) -> bool {
    let name = name.to_lowercase();
    kind.ends_with("tensor") || name.ends_with("ptr") || name.starts_with("ptr_")
}

/// The names that these functions of Triton are given an address by: what it was made from, first of all.
fn through(body: &str, calls: &[&str]) -> Vec<String> {
    let whole = |(at, word): (usize, &str)| body[..at].ends_with('.').then_some(at + word.len());
    let given = calls.iter().flat_map(|call| body.match_indices(call).filter_map(whole));
    let given = given.filter_map(|at| {
        let open = at + body[at..].find('(')?;
        body[at..open].chars().all(is_word).then(|| base(&body[open + 1..]))?
    });
    let mut found: Vec<String> = given.map(str::to_owned).collect();
    let mut next = 0;
    while let Some(name) = found.get(next).cloned() {
        for (target, value) in assignments(body) {
            let from = if target == name { base(value) } else { None };
            if let Some(from) = from.filter(|from| !found.iter().any(|known| known == from)) {
                found.push(from.to_owned());
            }
        }
        next += 1;
    }
    found
}

/// The first name of an expression: of an address, that of the memory.
fn base(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '(');
    let text = ["base", "pointer"].iter().find_map(|key| named(text, key)).unwrap_or(text);
    let name = &text[..text.find(|c| !is_word(c)).unwrap_or(text.len())];
    // `tl.make_block_ptr(x, …)`, `tl.cast(x, …)`
    if name == "tl" {
        return base(&text[text.find('(')? + 1..]);
    }
    (!name.is_empty()).then_some(name)
}

/// What a keyword argument is.
fn named<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.strip_prefix(key)?.trim_start().strip_prefix('=').map(str::trim_start)
}

/// Plain assignments of a body: what to, and what.
fn assignments(body: &str) -> impl Iterator<Item = (&str, &str)> {
    body.lines().filter_map(|line| {
        let (target, value) = line.split_once('=')?;
        let target = target.split(':').next()?.trim();
        let plain = !target.is_empty() && target.chars().all(is_word) && !value.starts_with('=');
        plain.then_some((target, value.trim()))
    })
}

/// What a program is for: a row, where nothing is a multiple of its number but what is not in capitals.
fn spread(body: &str) -> Spread {
    let body: String = body.chars().filter(|c| !c.is_whitespace() || *c == '\n').collect();
    if body.contains("program_id(1)") || body.contains("program_id(axis=1)") {
        return Spread::Plane;
    }
    let id = assignments(&body).find(|(_, value)| value.contains("program_id(")).map(|(name, _)| name);
    let is_step = |text: &str| {
        let word = text.split(|c| !is_word(c)).next().unwrap_or_default();
        !word.is_empty() && !word.contains(char::is_lowercase)
    };
    let in_steps = |name: &str| {
        places(&body, name).any(|at| {
            let (before, after) = (&body[..at], &body[at + name.len()..]);
            let after = after.strip_prefix(".to(tl.int64)").unwrap_or(after);
            let times =
                before.strip_suffix('*').map(|b| b.rsplit(|c| !is_word(c)).next().unwrap_or_default());
            after.strip_prefix('*').is_some_and(is_step)
                || times.is_some_and(is_step)
                || after.starts_with("//")
        })
    };
    match id {
        Some(name) if !in_steps(name) && !in_steps("tl.program_id(0)") => Spread::Rows,
        _ => Spread::Elements,
    }
}

/// Where a word begins that is no part of a longer one.
fn places<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> {
    let ends = word.ends_with(is_word);
    text.match_indices(word).map(|(at, _)| at).filter(move |at| {
        let after = &text[at + word.len()..];
        let longer = ends && after.starts_with(is_word);
        !longer && !text[..*at].ends_with(|c| is_word(c) || c == '.')
    })
}

/// The text without comments and long strings; each line stays one.
fn without_comments(text: &str) -> String {
    let mut out = String::new();
    for (number, part) in text.split("\"\"\"").enumerate() {
        if number % 2 == 1 {
            out.extend(part.chars().filter(|c| *c == '\n'));
            continue;
        }
        for line in part.split_inclusive('\n') {
            let code = line.split('#').next().unwrap_or_default();
            out.push_str(code);
            out.push_str(if code.len() < line.len() && line.ends_with('\n') { "\n" } else { "" });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &str = r#"
@triton.jit
def gain(v): # a helper
    return v * 2

@triton.jit  # type: ignore
def norm(
    # tensors
    out_ptr: tl.tensor,  # [rows, cols]
    X, none, stride, cols: int, eps: float = 1e-5,
    BLOCK: tl.constexpr = 64, EXACT: tl.constexpr = True,
) -> None:
    """X is loaded, tl.load(none)."""
    row = tl.program_id(0).to(tl.int64)
    X += row * stride
    at = X + tl.arange(0, BLOCK)
    v = gain(tl.load(at, mask=at < cols))
    tl.store(
        out_ptr + row * stride + tl.arange(0, BLOCK), v)

def host(): norm[(1,)](X)
"#;

    #[test]
    fn kernels_of_triton_are_read() {
        let all = kernels(ROWS);
        assert_eq!(all.iter().map(|k| k.entry.as_str()).collect::<Vec<_>>(), ["norm"]);
        let buffer = |name: &str, writes| Param::Buffer { name: name.into(), dtype: String::new(), writes };
        let value =
            |name: &str, dtype: &str| Param::Values(vec![Value { name: name.into(), dtype: dtype.into() }]);
        let want = [
            buffer("out_ptr", true),
            buffer("X", false),
            value("none", ""),
            value("stride", ""),
            value("cols", ""),
            value("eps", "f32"),
        ];
        assert_eq!(all[0].params, want);
        let constants: Vec<(&str, &str)> =
            all[0].constants.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(constants, [("BLOCK", "64"), ("EXACT", "True")]);
        assert_eq!(all[0].spread, Spread::Rows);
    }

    #[test]
    fn what_programs_are_for_shows_in_how_their_number_is_used() {
        for (body, spread_of) in [
            ("pid = tl.program_id(0)\nx = pid * BLOCK + tl.arange(0, BLOCK)", Spread::Elements),
            ("x = tl.program_id(0) * 128", Spread::Elements),
            ("r = tl.program_id(axis=0)\nx += r * stride", Spread::Rows),
            ("pid = tl.program_id(0)\nm = pid // groups", Spread::Elements),
            ("i = tl.program_id(0)\nj = tl.program_id(1)", Spread::Plane),
        ] {
            assert_eq!(spread(body), spread_of, "{body}");
        }
    }

    #[test]
    fn any_text_is_read() {
        for text in ["", "@triton.jit", "@triton.jit\ndef k(", "@triton.jit\ndef k(a, = b, *c):\n", "\"\"\"#"]
        {
            kernels(text);
        }
    }
}
