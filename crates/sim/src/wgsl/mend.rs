//! WGSL as naga can read it: what naga lacks is written otherwise, and what it would silently get wrong is refused.
//! Lines stay where they are, so that findings and errors name those of the source.

use std::borrow::Cow;

use super::bits;

/// A piece of the source other than comments and white space, and where it begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Token<'a> {
    pub text: &'a str,
    pub at: usize,
}

/// A change of the source: so many bytes at a place become another text.
pub type Change = (usize, usize, Cow<'static, str>);

/// A source that cannot be read, with where and why.
#[derive(Debug, PartialEq)]
pub struct Refused {
    pub at: usize,
    pub message: String,
}

/// The source with the changes that naga needs.
pub fn mend(text: &str) -> Result<Cow<'_, str>, Refused> {
    if !["--", "subgroup", "align", "bitcast", "push_constant"].iter().any(|word| text.contains(word)) {
        return Ok(Cow::Borrowed(text));
    }
    let tokens = tokens(text);
    aligned_inside(&tokens)?;
    let mut changes = Vec::new();
    enabled(&tokens, &mut changes);
    elect(&tokens, &mut changes);
    minus_minus(&tokens, &mut changes);
    pushed(&tokens, &mut changes);
    let helpers = halves(&tokens, &mut changes);
    let text = made(text, changes, helpers);
    let changes = bits::changes(&text, &self::tokens(&text));
    Ok(match changes.is_empty() {
        true => text,
        false => Cow::Owned(made(&text, changes, bits::HELPERS).into_owned()),
    })
}

/// The text with these changes, and what they need after it.
fn made<'a>(text: &'a str, mut changes: Vec<Change>, helpers: &str) -> Cow<'a, str> {
    if changes.is_empty() {
        return Cow::Borrowed(text);
    }
    changes.sort_by_key(|change| change.0);
    let (mut out, mut from) = (String::with_capacity(text.len() + 256), 0);
    for (at, len, new) in changes {
        out.push_str(&text[from..at]);
        out.push_str(&new);
        from = at + len;
    }
    out.push_str(&text[from..]);
    Cow::Owned(out + helpers)
}

/// What a shader may begin with, in any order.
const DIRECTIVES: [&str; 3] = ["diagnostic", "enable", "requires"];

/// `enable subgroups;`: naga has them without asking, and does not know the word.
fn enabled(tokens: &[Token], changes: &mut Vec<Change>) {
    let mut at = 0;
    while at < tokens.len() && DIRECTIVES.contains(&tokens[at].text) {
        let Some(len) = tokens[at..].iter().position(|t| t.text == ";") else { return };
        let names: Vec<&str> =
            tokens[at + 1..at + len].iter().map(|t| t.text).filter(|t| *t != ",").collect();
        if tokens[at].text == "enable" && names.contains(&"subgroups") {
            let (first, last) = (tokens[at].at, tokens[at + len].at + 1);
            let kept: Vec<&str> = names.into_iter().filter(|n| *n != "subgroups").collect();
            let new = if kept.is_empty() { String::new() } else { format!("enable {};", kept.join(", ")) };
            changes.push((first, last - first, new.into()));
        }
        at += len + 1;
    }
}

/// `subgroupElect()`: the first active lane is the one with no other before it.
fn elect(tokens: &[Token], changes: &mut Vec<Change>) {
    for three in tokens.windows(3).filter(|t| t[0].text == "subgroupElect") {
        if three[1].text == "(" && three[2].text == ")" {
            let len = three[2].at + 1 - three[0].at;
            changes.push((three[0].at, len, "(subgroupExclusiveAdd(1u) == 0u)".into()));
        }
    }
}

/// `a--b`, which naga takes for the end of a statement.
fn minus_minus(tokens: &[Token], changes: &mut Vec<Change>) {
    for two in tokens.windows(2).filter(|t| t[0].text == "--") {
        if !matches!(two[1].text, ";" | ")" | "{" | "}" | ",") {
            changes.push((two[0].at, 2, "- -".into()));
        }
    }
}

/// `var<push_constant>`, which naga now calls `immediate`.
fn pushed(tokens: &[Token], changes: &mut Vec<Change>) {
    let is_space = |four: &&[Token]| {
        let text = |at: usize| four[at].text;
        (text(0), text(1), text(2), text(3)) == ("var", "<", "push_constant", ">")
    };
    changes.extend(tokens.windows(4).filter(is_space).map(|four| {
        let name = four[2];
        (name.at, name.text.len(), "immediate".into())
    }));
}

/// What replaces casts to vectors of f16.
const HALVES: &str = "
fn ktwin_two_halves(x: u32) -> vec2<f16> { return vec2<f16>(unpack2x16float(x)); }
fn ktwin_four_halves(x: vec2<u32>) -> vec4<f16> {
    return vec4<f16>(vec2<f16>(unpack2x16float(x.x)), vec2<f16>(unpack2x16float(x.y)));
}
";

/// `bitcast` to vectors of f16, to which naga gives other types. Returns the functions that replace it.
fn halves(tokens: &[Token], changes: &mut Vec<Change>) -> &'static str {
    let before = changes.len();
    for i in 0..tokens.len() {
        let texts =
            |n: usize| tokens[i..(i + n).min(tokens.len())].iter().map(|t| t.text).collect::<String>();
        let short = matches!(texts(4).as_str(), "bitcast<vec2h>" | "bitcast<vec4h>");
        let long = matches!(texts(7).as_str(), "bitcast<vec2<f16>>" | "bitcast<vec4<f16>>");
        if short || long {
            let name =
                if tokens[i + 2].text.starts_with("vec2") { "ktwin_two_halves" } else { "ktwin_four_halves" };
            let last = tokens[i + if short { 3 } else { 6 }];
            changes.push((tokens[i].at, last.at + last.text.len() - tokens[i].at, name.into()));
        }
    }
    if changes.len() == before { "" } else { HALVES }
}

/// Where what opens at a token closes.
pub fn bracketed(tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0;
    let close = tokens[open..].iter().position(|t| {
        depth += i32::from(t.text == "(") - i32::from(t.text == ")");
        depth == 0
    });
    close.map(|close| open + close)
}

/// `@align` on a member of a struct that lies inside another: naga forgets it there and puts what follows elsewhere,
/// unless the outer member has one of its own.
fn aligned_inside(tokens: &[Token]) -> Result<(), Refused> {
    let mut bodies: Vec<(&str, &[Token])> = Vec::new();
    for (i, two) in tokens.windows(2).enumerate().filter(|(_, t)| t[0].text == "struct") {
        let len = tokens[i..].iter().position(|t| t.text == "}").unwrap_or(tokens.len() - i);
        bodies.push((two[1].text, &tokens[(i + 3).min(i + len)..i + len]));
    }
    let aligned = |part: &[Token]| part.windows(2).any(|t| t[0].text == "@" && t[1].text == "align");
    for (inner, _) in bodies.iter().filter(|(_, body)| aligned(body)) {
        for (outer, body) in &bodies {
            let Some(at) = body.iter().position(|t| t.text == *inner) else { continue };
            let start = body[..at].iter().rposition(|t| t.text == ",").unwrap_or(0);
            if aligned(&body[start..at]) {
                continue;
            }
            let message = format!(
                "members of `{inner}` have `@align`, and naga forgets it inside `{outer}`: give that member of \
                 `{outer}` the `@align` too"
            );
            return Err(Refused { at: body[at].at, message });
        }
    }
    Ok(())
}

/// Words, numbers and single signs; `--` stays together. Comments are left out.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let rest = &text[at..];
        let len = match bytes[at] {
            b if b.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'/' if rest.starts_with("//") => {
                at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            b'/' if rest.starts_with("/*") => {
                at += block_comment(rest);
                continue;
            }
            b'-' if rest.starts_with("--") => 2,
            b if is_word(b) => rest.bytes().position(|b| !is_word(b)).unwrap_or(rest.len()),
            _ => 1,
        };
        out.push(Token { text: &text[at..at + len], at });
        at += len;
    }
    out
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Bytes of a block comment, others inside it counted.
fn block_comment(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0, 0);
    while at < bytes.len() {
        match &bytes[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_naga_lacks_is_written_otherwise() {
        let mended = |text| mend(text).unwrap().into_owned();
        assert_eq!(mended("enable f16, subgroups;\nx"), "enable f16;\nx");
        assert_eq!(mended("enable subgroups; x"), " x");
        assert_eq!(mended("diagnostic(off, a.b); enable subgroups; x"), "diagnostic(off, a.b);  x");
        assert_eq!(
            mended("let a = b--c; i--; for (;;i--) {} // d--e"),
            "let a = b- -c; i--; for (;;i--) {} // d--e"
        );
        assert_eq!(mended("if subgroupElect ( ) {}"), "if (subgroupExclusiveAdd(1u) == 0u) {}");
        assert!(mended("bitcast < vec2 < f16 > > (x)").starts_with("ktwin_two_halves (x)\nfn "));
        assert!(mended("bitcast<vec4h>(x)").starts_with("ktwin_four_halves(x)\nfn "));
    }

    #[test]
    fn casts_of_halves_are_found_by_their_types() {
        let shader = |body: &str| {
            format!(
                "enable f16;\nstruct S {{ h: array<vec4<f16>, 2>, u: vec2<u32> }}\n\
                 @group(0) @binding(0) var<storage, read_write> s: S;\nconst two = vec2<f16>(1h, 2h);\n\
                 fn f(p: vec2<f16>, n: f32) -> u32 {{ let v = p * 2h; var w = vec2u(); {body} return 0u; }}"
            )
        };
        for (body, found) in [
            ("let x = bitcast<u32>(v);", "= ktwin_bits_of_two(v);"),
            ("let x = bitcast<u32>(p.yx) & 0xffffu;", "ktwin_bits_of_two(p.yx) & 0xffffu"),
            ("s.u.x = bitcast < u32 > (s.h[1].zw);", "= ktwin_bits_of_two(s.h[1].zw);"),
            ("w = bitcast<vec2<u32>>(s.h[0]);", "= ktwin_bits_of_four(s.h[0]);"),
            ("let x: i32 = bitcast<i32>(vec2<f16>(f16(n), v.x));", "= ktwin_int_of_two(vec2"),
            ("let x = bitcast<f32>(bitcast<u32>(v) ^ 1u);", "bitcast<f32>(ktwin_bits_of_two(v) ^ 1u)"),
            ("let x = bitcast<u32>(n) + bitcast<u32>(v);", "bitcast<u32>(n) + ktwin_bits_of_two(v)"),
        ] {
            let text = shader(body);
            let mended = mend(&text).unwrap();
            assert!(mended.contains(found), "{body}: {mended}");
            assert!(naga::front::wgsl::parse_str(&mended).is_ok(), "{mended}");
        }
        for body in ["let x = bitcast<u32>(n);", "w = bitcast<vec2u>(w);", "let x = bitcast<u32>(missing);"] {
            let text = shader(body);
            assert_eq!(mend(&text), Ok(Cow::Borrowed(&*text)));
        }
    }

    #[test]
    fn what_needs_no_change_stays() {
        for text in
            ["a - -b", "/* a--b /* c--d */ e--f */ bitcast<u32>(x)", "i--;", "é--;", "/* subgroup", "--", ""]
        {
            assert_eq!(mend(text), Ok(Cow::Borrowed(text)));
        }
    }

    #[test]
    fn an_alignment_that_would_be_forgotten_is_refused() {
        let inner = "struct I { a: u32, @align(16) b: u32 }";
        let refused =
            mend("struct I { @align(16) a: u32 }\nstruct O { b: u32, c: array<I, 2> }").unwrap_err();
        assert!(refused.at == 59 && refused.message.contains("inside `O`"), "{refused:?}");
        assert!(mend(&format!("{inner} struct O {{ c: u32 }} var<private> i: I;")).is_ok());
        assert!(mend(&format!("{inner} struct O {{ c: u32, @align(16) d: I }}")).is_ok());
        assert!(mend("struct I { a: u32 } struct O { @align(16) i: I }").is_ok());
    }
}
