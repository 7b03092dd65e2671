//! Words, brackets and comments of a text in C or what looks like it. It knows characters and no grammar.

/// Whether a name may have this character.
pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// What stands before the parenthesis that closes.
pub fn closed(text: &str) -> Option<&str> {
    let mut depth = 1;
    for (at, c) in text.char_indices() {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        if depth == 0 {
            return Some(&text[..at]);
        }
    }
    None
}

/// Parts between commas that stand in no brackets.
pub fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut out) = (0, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '<' | '{' => depth += 1,
            ')' | ']' | '>' | '}' => depth -= 1,
            ',' if depth == 0 => {
                out.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    out.push(&text[start..]);
    out.into_iter().map(str::trim).filter(|part| !part.is_empty() && *part != "void").collect()
}

/// The parameters of a template that a definition begins with, and what stands after them.
pub fn template(head: &str) -> (Vec<String>, &str) {
    let Some((_, rest)) = head.split_once("template") else { return (Vec::new(), head) };
    let Some(inside) = rest.trim_start().strip_prefix('<') else { return (Vec::new(), head) };
    let mut depth = 1;
    let end = inside.find(|c| {
        depth += i32::from(c == '<') - i32::from(c == '>');
        depth == 0
    });
    let Some(end) = end else { return (Vec::new(), head) };
    (split(&inside[..end]).into_iter().map(str::to_owned).collect(), &inside[end + 1..])
}

/// The words of a text.
pub fn words(text: &str) -> Vec<&str> {
    text.split(|c| !is_word(c)).filter(|word| !word.is_empty()).collect()
}

/// The last of them.
pub fn last_word(text: &str) -> Option<&str> {
    words(text).last().copied()
}

/// The text with a space in the place of each comment.
pub fn without_comments(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        out.push_str(&rest[..at]);
        let end = if rest[at..].starts_with("//") { "\n" } else { "*/" };
        match rest[at + 2..].find(end) {
            Some(end_at) => rest = &rest[at + 2 + end_at + if end == "\n" { 0 } else { 2 }..],
            None => return out,
        }
        out.push(' ');
    }
    out + rest
}

/// The longest word that a raw string of C++ has before its bracket.
const LONGEST: usize = 16;

/// What is in a raw string of C++, of which a text begins after `R"`; where it begins, and where the text goes on.
pub fn raw(text: &str) -> Option<(&str, usize)> {
    let (open, _) = text.char_indices().take(LONGEST + 1).find(|(_, c)| *c == '(')?;
    let close = format!("){}\"", &text[..open]);
    let body = &text[open + 1..];
    let end = body.find(&close)?;
    Some((&body[..end], open + 1 + end + close.len()))
}

/// The text with nothing in the raw strings of C++: what is in them is no code of the file.
pub fn without_raw_strings(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find("R\"") {
        let Some((_, end)) = raw(&rest[at + 2..]) else { break };
        out.push_str(&rest[..at + 2]);
        out.push('"');
        rest = &rest[at + 2 + end..];
    }
    out + rest
}

/// The function's own name in `space::name<float, 16>`.
pub fn plain(entry: &str) -> &str {
    path(entry).rsplit("::").next().unwrap_or(entry)
}

/// The same with its namespaces.
pub fn path(entry: &str) -> &str {
    entry.split(['<', '(', ' ']).next().unwrap_or(entry)
}

/// A text that says what the parameters of a template are where an entry point gives them arguments.
pub fn instantiated(text: &str, entry: Option<&str>) -> String {
    let (mut out, whole) = (text.to_owned(), without_comments(text));
    let Some((name, arguments)) = entry.and_then(|entry| Some((plain(entry), arguments(entry)?))) else {
        return out;
    };
    let is_own = |at: &usize| {
        !whole[..*at].ends_with(is_word) && whole[at + name.len()..].trim_start().starts_with('(')
    };
    let heads = whole.match_indices(name).map(|(at, _)| at).filter(is_own);
    let Some(params) = heads
        .map(|at| template(&whole[..at][whole[..at].rfind(['}', ';', '{', '#']).map_or(0, |at| at + 1)..]).0)
        .find(|all| !all.is_empty())
    else {
        return out;
    };
    for (param, argument) in params.iter().zip(split(arguments)) {
        let declared = param.split('=').next().unwrap_or(param);
        let Some(name) = last_word(declared) else { continue };
        out.push_str(&match words(declared).first() {
            Some(&("typename" | "class")) => format!("\nusing {name} = {argument};"),
            _ => format!("\nconstexpr int {name} = {argument};"),
        });
    }
    out + "\n"
}

/// What stands between the brackets of `name<float, 16>`.
fn arguments(entry: &str) -> Option<&str> {
    let (_, rest) = entry.split_once('<')?;
    Some(&rest[..rest.rfind('>')?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_strings_are_emptied() {
        let text = "a R\"x(b \" ( )y\" )x\" c R\"(d)\" e";
        assert_eq!(without_raw_strings(text), "a R\"\" c R\"\" e");
        assert_eq!(without_raw_strings("R\"(open"), "R\"(open");
        let text = "template <class T, int B>\n__global__ void __launch_bounds__(B) k(const T *x) {}\n";
        let all = instantiated(text, Some("a::k<__half, 64>"));
        assert_eq!(all, format!("{text}\nusing T = __half;\nconstexpr int B = 64;\n"));
        assert_eq!(instantiated(text, Some("k")) + &instantiated(text, None), text.repeat(2));
        assert_eq!(plain("a::b::k<a::T, 16>(const float *)"), "k");
    }
}
