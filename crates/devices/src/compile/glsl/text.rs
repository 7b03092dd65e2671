//! What must be known of GLSL before it is compiled: its specialisation constants. Words only; no grammar.

/// The words of a text, without comments; every other mark is a word of its own.
fn words(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("//") {
            rest = after.find('\n').map_or("", |end| &after[end..]);
        } else if let Some(after) = rest.strip_prefix("/*") {
            rest = after.find("*/").map_or("", |end| &after[end + 2..]);
        } else {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let len = match is_word(first) {
                true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                false => first.len_utf8(),
            };
            if !first.is_whitespace() {
                out.push(&rest[..len]);
            }
            rest = &rest[len..];
        }
    }
    out
}

/// The names of the specialisation constants, with their numbers as they are written:
/// `layout(constant_id = 3) const uint NAME = 1;`.
pub fn constants(text: &str) -> Vec<(String, String)> {
    let words = words(text);
    let mut out = Vec::new();
    for (at, _) in words.iter().enumerate().filter(|(_, word)| **word == "constant_id") {
        let rest = &words[at..];
        let end = rest.iter().position(|word| *word == ";").unwrap_or(rest.len());
        let body = rest.iter().position(|word| *word == ")").map_or(0, |close| close + 1);
        let equals = (body..end).find(|&i| rest[i] == "=");
        if let Some(name) = equals.and_then(|i| rest.get(i.wrapping_sub(1))) {
            let number = rest.get(2).copied().unwrap_or_default();
            out.push(((*name).to_owned(), number.to_owned()));
        }
    }
    out
}

/// What glslang says of a uniform outside of a block.
pub const LOOSE: &str = "'non-opaque uniforms outside a block'";

/// The options by which glslang makes one block of all uniforms outside of blocks, at the binding after those that the
/// text names.
pub fn in_one_block(text: &str) -> [String; 5] {
    let words = words(text);
    let named = words.windows(3).filter_map(|three| match three {
        ["binding", "=", number] => number.parse::<u32>().ok(),
        _ => None,
    });
    let next = named.max().map_or(0, |last| last + 1);
    ["-R".into(), "--set-default-uniform-block".into(), "uniforms".into(), "0".into(), next.to_string()]
}

/// The files that a text includes, each once.
pub fn included(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for line in text.lines() {
        let Some(rest) = line.trim_start().strip_prefix('#').map(str::trim_start) else { continue };
        let Some(rest) = rest.strip_prefix("include").map(str::trim_start) else { continue };
        let end = if rest.starts_with('<') { '>' } else { '"' };
        let name = rest.get(1..).and_then(|rest| rest.split_once(end)).map(|(name, _)| name.to_owned());
        out.extend(name.filter(|name| !out.contains(name)));
    }
    out
}

/// The version of a text that names none, as those do that an engine puts its own head before.
const VERSION: &str = "#version 450";

/// The text as it is compiled: with a version, and so that files can be included, on the same lines as before.
pub fn extended(text: &str) -> String {
    let begins = |line: &str, word: &str| {
        line.trim_start().strip_prefix('#').is_some_and(|rest| rest.trim_start().starts_with(word))
    };
    let includes = text.lines().any(|line| begins(line, "include"));
    let version = text.lines().position(|line| begins(line, "version"));
    let more = if includes { "#extension GL_GOOGLE_include_directive : enable\n" } else { "" };
    let Some(version) = version else { return format!("{VERSION}\n{more}#line 1\n{text}") };
    if !includes {
        return text.to_owned();
    }
    let mut out = String::new();
    for (number, line) in text.lines().enumerate() {
        out.push_str(line);
        out.push('\n');
        if number == version {
            out.push_str(&format!("{more}#line {}\n", version + 2));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_found_by_their_words() {
        let text = "// layout(constant_id = 9) const int NOT = 1;
            layout(local_size_x_id = 0) in;
            layout (constant_id=1) const uint BLOCK = 32 * (1 + 1);
            layout(constant_id = 2)\n const bool /* why */ CAUSAL = false;";
        assert_eq!(constants(text), [("BLOCK", "1"), ("CAUSAL", "2")].map(|(n, id)| (n.into(), id.into())));
        assert!(constants("constant_id").is_empty());
    }

    #[test]
    fn uniforms_of_their_own_follow_the_bindings_that_are_named() {
        let text =
            "layout(std430, binding = 0) buffer A { float x[]; };\nlayout(binding=3) buffer B { float y[]; };
            // layout(binding = 7)\nuniform uint N;";
        assert_eq!(in_one_block(text)[4], "4");
        assert_eq!(in_one_block("uniform uint N;")[4], "0");
    }

    #[test]
    fn included_files_are_named_once() {
        let text =
            "#include \"a.glsl\"\n # include <b.glsl> // c\n#include \"a.glsl\"\n#included\nint include;\n";
        assert_eq!(included(text), ["a.glsl", "b.glsl"]);
    }

    #[test]
    fn included_files_need_an_extension() {
        let text = "/* c */\n#version 450\n#include \"a.glsl\"\nvoid main() {}\n";
        assert_eq!(extended("#version 450\n"), "#version 450\n");
        let bare = "layout(local_size_x = 64) in;\nvoid main() {}\n";
        assert_eq!(extended(bare), format!("#version 450\n#line 1\n{bare}"));
        let made = extended(&format!("#include \"a.glsl\"\n{bare}"));
        assert!(made.starts_with("#version 450\n#extension GL_GOOGLE"), "{made}");
        assert_eq!(extended(" # version 310 es\n"), " # version 310 es\n");
        let made = extended(text);
        assert!(
            made.contains("#extension GL_GOOGLE_include_directive : enable\n#line 3\n#include"),
            "{made}"
        );
    }
}
