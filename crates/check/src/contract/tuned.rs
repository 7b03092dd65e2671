//! The configurations that `@triton.autotune` chooses among: each is a set of constants that the kernel is tested with.
//! They are read where they are written as lists of numbers and words; what is computed is left to the contract.

use super::define::SETS;
use super::{Contract, Define, Expr, Name, Spot};
use crate::languages::SourceKind;
use crate::source::Source;

/// A piece of Python.
#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Number(String),
    Text(String),
    Mark(char),
}

impl Token {
    fn says(&self, word: &str) -> bool {
        matches!(self, Token::Word(own) if own == word)
    }
}

/// The constants of a configuration.
type Set = Vec<(Name, Define)>;

impl Contract {
    /// With the configurations of the source's kernel, unless this gives a value to one of their constants.
    pub(crate) fn tuned(mut self, source: &Source) -> Contract {
        if source.kind != SourceKind::Triton {
            return self;
        }
        let entry = match &self.chain[..] {
            [link] if !link.entry.is_empty() => Some(&*link.entry),
            _ => None,
        };
        let all = configurations(&cut(&source.text()), entry, self.op.spot).unwrap_or_default();
        let own = |name: &str| self.sets().any(|set| set.iter().any(|(known, _)| known.text == name));
        if all.is_empty() || all.len() > SETS || all.iter().flatten().any(|(name, _)| own(name)) {
            return self;
        }
        let joined = |set: &Set, one: &Set| set.iter().chain(one).cloned().collect();
        let mut sets: Vec<Set> = Vec::new();
        for set in self.sets().flat_map(|set| all.iter().map(move |one| joined(set, one))) {
            if !sets.contains(&set) {
                sets.push(set);
            }
        }
        let mut sets = sets.into_iter();
        self.define = sets.next().unwrap_or_default();
        self.others = sets.collect();
        self
    }

    fn sets(&self) -> impl Iterator<Item = &Set> {
        std::iter::once(&self.define).chain(&self.others)
    }
}

/// The tokens of a text of Python, without its comments.
fn cut(text: &str) -> Vec<Token> {
    let (mut out, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let mut length = first.len_utf8();
        if first == '#' {
            length = rest.find('\n').unwrap_or(rest.len());
        } else if matches!(first, '\'' | '"') {
            let quote = ["\"\"\"", "'''"].into_iter().find(|q| rest.starts_with(q)).unwrap_or(&rest[..1]);
            let inside = &rest[quote.len()..];
            let end = inside.find(quote).unwrap_or(inside.len());
            out.push(Token::Text(inside[..end].to_owned()));
            length = (quote.len() + end + quote.len()).min(rest.len());
        } else if is_word(first) {
            length =
                rest.find(|c| !is_word(c) && (c != '.' || !first.is_ascii_digit())).unwrap_or(rest.len());
            let word = rest[..length].to_owned();
            out.push(if first.is_ascii_digit() { Token::Number(word) } else { Token::Word(word) });
        } else if !first.is_whitespace() {
            out.push(Token::Mark(first));
        }
        rest = &rest[length..];
    }
    out
}

/// The configurations of a kernel, or of the only one that has any.
fn configurations(tokens: &[Token], entry: Option<&str>, spot: Spot) -> Option<Vec<Set>> {
    let at = (0..tokens.len()).filter(|at| tokens[*at] == Token::Mark('@'));
    let tuned = at.filter_map(|at| tuned(tokens, at)).filter(|(name, _)| entry.is_none_or(|e| *name == e));
    let [(_, arguments)] = tuned.collect::<Vec<_>>()[..] else { return None };
    let named = |part: &&[Token]| is_word(part, "configs") && part.get(1) == Some(&Token::Mark('='));
    let parts = parts(arguments);
    let list = parts.iter().copied().find(named).map(|part| &part[2..]).or(parts.first().copied())?;
    let all: Option<Vec<Set>> =
        each(tokens, listed(tokens, list)?)?.iter().map(|one| configuration(one, spot)).collect();
    all.filter(|all| !all.is_empty())
}

/// The elements of a list by what is between its brackets: those that are written, or of `… for a in [1, 2]` one for
/// each value.
fn each(tokens: &[Token], inner: &[Token]) -> Option<Vec<Vec<Token>>> {
    let mut clauses = inner.split(|token| token.says("for"));
    let template = clauses.next()?;
    let mut out = vec![template.to_vec()];
    let mut computed = false;
    for clause in clauses {
        computed = true;
        let at = clause.iter().position(|token| token.says("in"))?;
        let (names, values) = (parts(&clause[..at]), parts(listed(tokens, &clause[at + 1..])?));
        let with = |one: &Vec<Token>, value: &[Token]| {
            let values = if names.len() == 1 { vec![value] } else { parts(inside(value)?) };
            let is_name = |token: &Token| names.iter().position(|name| *name == [token.clone()]);
            let put = |token: &Token| match is_name(token) {
                Some(at) => values.get(at).map(|value| value.to_vec()),
                None => Some(vec![token.clone()]),
            };
            one.iter().map(put).collect::<Option<Vec<_>>>().map(|all| all.concat())
        };
        let next = out.iter().flat_map(|one| values.iter().map(move |value| with(one, value)));
        out = next.take(SETS + 1).collect::<Option<_>>()?;
    }
    if !computed {
        out = parts(template).into_iter().map(<[Token]>::to_vec).collect();
    }
    Some(out)
}

/// The name of the function that a decorator at this place tunes, and what is between the decorator's parentheses.
fn tuned(tokens: &[Token], at: usize) -> Option<(&str, &[Token])> {
    let call = at + 1 + tokens[at + 1..].iter().position(|t| *t == Token::Mark('('))?;
    if call > at + 4 || !is_word(&tokens[call - 1..], "autotune") {
        return None;
    }
    let arguments = inside(&tokens[call..])?;
    let after = &tokens[call + arguments.len() + 2..];
    let def = after.iter().position(|t| t.says("def"))?;
    let Some(Token::Word(name)) = after.get(def + 1) else { return None };
    Some((name, arguments))
}

/// What is between the brackets of a list: written here, or by a name or a function that returns it.
fn listed<'t>(tokens: &'t [Token], list: &'t [Token]) -> Option<&'t [Token]> {
    let after =
        |words: &[Token]| tokens.windows(words.len()).position(|w| w == words).map(|at| at + words.len());
    let whole = match list {
        [Token::Mark('['), ..] => list,
        [name @ Token::Word(_)] => &tokens[after(&[name.clone(), Token::Mark('=')])?..],
        [name @ Token::Word(_), Token::Mark('('), Token::Mark(')')] => {
            let body = &tokens[after(&[Token::Word("def".into()), name.clone()])?..];
            let next = body.iter().position(|t| t.says("def")).unwrap_or(body.len());
            let mut returns = (0..next).filter(|at| is_word(&body[*at..], "return"));
            let (first, None) = (returns.next()?, returns.next()) else { return None };
            &body[first + 1..]
        }
        _ => return None,
    };
    let (inner, is_list) = (inside(whole)?, whole.first() == Some(&Token::Mark('[')));
    // of `[...] + more` and of `[...] if ... else ...` this is not all
    let ends = whole
        .get(inner.len() + 2)
        .is_none_or(|next| !matches!(next, Token::Mark('+' | '*' | '.' | '[')) && !next.says("if"));
    (is_list && ends).then_some(inner)
}

/// `triton.Config({"BLOCK": 128}, num_warps=4)`.
fn configuration(tokens: &[Token], spot: Spot) -> Option<Set> {
    let call = tokens.iter().position(|t| *t == Token::Mark('('))?;
    if call == 0 || !is_word(&tokens[call - 1..], "Config") {
        return None;
    }
    let arguments = inside(&tokens[call..])?;
    if call + arguments.len() + 2 != tokens.len() {
        return None;
    }
    let named = |name: &str| Name { text: name.to_owned(), spot };
    let mut out = Vec::new();
    for (number, part) in parts(arguments).into_iter().enumerate() {
        match part {
            [Token::Mark('{'), ..] if number == 0 => {
                for pair in parts(inside(part)?) {
                    let [Token::Text(name), Token::Mark(':'), value] = pair else { return None };
                    out.push((named(name), constant(value, spot)?));
                }
            }
            [Token::Word(name), Token::Mark('='), ..] if name == "pre_hook" => {}
            [Token::Word(name), Token::Mark('='), value] => out.push((named(name), constant(value, spot)?)),
            _ => return None,
        }
    }
    Some(out)
}

fn constant(token: &Token, spot: Spot) -> Option<Define> {
    let value = |text: String| Some(Define::Value(Expr { text, spot }));
    match token {
        Token::Word(word) if word == "True" || word == "False" => value(word.to_lowercase()),
        Token::Number(digits) => value(digits.replace('_', "")),
        Token::Text(text) => Some(Define::Text(text.clone(), spot)),
        Token::Word(_) | Token::Mark(_) => None,
    }
}

fn is_word(tokens: &[Token], word: &str) -> bool {
    tokens.first().is_some_and(|first| first.says(word))
}

/// How much deeper in brackets the text is after a token.
fn deeper(token: &Token) -> i32 {
    match token {
        Token::Mark('(' | '[' | '{') => 1,
        Token::Mark(')' | ']' | '}') => -1,
        _ => 0,
    }
}

/// What is between the bracket that tokens begin with and the one that closes it.
fn inside(tokens: &[Token]) -> Option<&[Token]> {
    let mut depth = 0;
    let end = tokens.iter().position(|token| {
        depth += deeper(token);
        depth <= 0
    })?;
    (end > 0).then(|| &tokens[1..end])
}

/// What commas part, those within brackets left alone.
fn parts(tokens: &[Token]) -> Vec<&[Token]> {
    let mut depth = 0;
    let split = tokens.split(|token| {
        depth += deeper(token);
        depth == 0 && *token == Token::Mark(',')
    });
    split.filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, entry: Option<&str>) -> Option<Vec<String>> {
        let shown = |set: Set| {
            set.iter().map(|(name, value)| format!("{}={value}", name.text)).collect::<Vec<_>>().join(" ")
        };
        configurations(&cut(text), entry, Spot::default()).map(|all| all.into_iter().map(shown).collect())
    }

    const TWO: &str = "[triton.Config({'B': 64, \"EVEN\": True}, num_warps=2),  # one\n Config({'B': 1_024}, \
                       num_warps=8, pre_hook=lambda a: f(a)),]";

    #[test]
    fn lists_are_read_wherever_they_stand() {
        let all = vec!["B=64 EVEN=true num_warps=2".to_owned(), "B=1024 num_warps=8".to_owned()];
        let kernel = "@triton.jit\ndef k(x, B: tl.constexpr): pass\n";
        for text in [
            format!("@triton.autotune(configs={TWO}, key=['n'])\n{kernel}"),
            format!("@autotune({TWO}, key=['n'])\n@triton.heuristics({{}})\n{kernel}"),
            format!("LIST = {TWO}\n@triton.autotune(key=['n'], configs=LIST)\n{kernel}"),
            format!("def get():\n    return {TWO}\n@triton.autotune(configs=get(), key=[])\n{kernel}"),
        ] {
            assert_eq!(read(&text, None).as_ref(), Some(&all), "{text}");
            assert_eq!(read(&text, Some("k")).as_ref(), Some(&all), "{text}");
            assert_eq!(read(&text, Some("other")), None);
        }
    }

    #[test]
    fn lists_of_every_combination_are_written_out() {
        let text = "WARPS = [4, 8]\n@triton.autotune(configs=[triton.Config({'B': b, 'C': c}, num_warps=w)\n \
                    for b, c in [(32, 1), (64, 2)] for w in WARPS], key=[])\n@triton.jit\ndef k(x): pass\n";
        let all =
            ["B=32 C=1 num_warps=4", "B=32 C=1 num_warps=8", "B=64 C=2 num_warps=4", "B=64 C=2 num_warps=8"];
        assert_eq!(read(text, None).unwrap(), all);
    }

    #[test]
    fn what_is_computed_is_left_alone() {
        let kernel = "@triton.jit\ndef k(x): pass\n";
        for list in [
            "[triton.Config({'B': b}) for b in more]",
            "[triton.Config({'B': b}) for b in [32, 64] if b > 32]",
            "[triton.Config({'B': 2 * b}) for b in [32, 64]]",
            "[triton.Config({'B': a}) for a, b in [32, 64]]",
            "[x for x in [32]]",
            "[1] if x else [2]",
            "[triton.Config({'B': 32})] + more",
            "[triton.Config({'B': 32 * 2})]",
            "[triton.Config(dict(B=32))]",
            "get(32)",
            "[",
            "",
            "[]",
            "unknown",
        ] {
            assert_eq!(
                read(&format!("@triton.autotune(configs={list}, key=[])\n{kernel}"), None),
                None,
                "{list}"
            );
        }
        // which of two is meant is not known
        let one = format!("@triton.autotune(configs={TWO}, key=[])\n{kernel}");
        assert_eq!(read(&format!("{one}{one}"), None), None);
    }
}
