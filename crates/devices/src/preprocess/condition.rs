//! The condition of an `#if`: whole numbers, comparisons, `defined`. A name that no macro has is 0.

use super::macros::{Macros, is_word};

/// Signs by how tightly they bind, the loosest first.
const SIGNS: [&[&str]; 6] =
    [&["||"], &["&&"], &["==", "!="], &["<=", ">=", "<", ">"], &["+", "-"], &["*", "/", "%"]];

/// Parentheses and signs before a number, at most.
const DEEPEST: usize = 64;

/// Whether a condition is true.
pub fn holds(text: &str, macros: &mut Macros) -> Result<bool, String> {
    let mut read = Read { tokens: tokens(text)?, at: 0, deep: 0, macros };
    let value = read.binary(0)?;
    match read.tokens.get(read.at) {
        None => Ok(value != 0),
        Some(token) => Err(format!("`{token}` does not belong in this condition")),
    }
}

fn tokens(text: &str) -> Result<Vec<String>, String> {
    let (mut out, mut rest) = (Vec::new(), text.trim_start());
    while let Some(first) = rest.chars().next() {
        let two = rest.get(..2).filter(|two| ["||", "&&", "==", "!=", "<=", ">="].contains(two));
        let length = match two {
            Some(two) => two.len(),
            None if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            None if "<>+-*/%!()".contains(first) => 1,
            None => return Err(format!("`{first}` does not belong in a condition")),
        };
        out.push(rest[..length].to_owned());
        rest = rest[length..].trim_start();
    }
    Ok(out)
}

struct Read<'m> {
    tokens: Vec<String>,
    at: usize,
    deep: usize,
    macros: &'m mut Macros,
}

impl Read<'_> {
    fn take(&mut self, wanted: &str) -> bool {
        let is = self.tokens.get(self.at).is_some_and(|token| token == wanted);
        self.at += usize::from(is);
        is
    }

    fn next(&mut self) -> Result<String, String> {
        let token = self.tokens.get(self.at).cloned().ok_or("the condition ends too early")?;
        self.at += 1;
        Ok(token)
    }

    fn binary(&mut self, level: usize) -> Result<i64, String> {
        let Some(signs) = SIGNS.get(level) else { return self.one() };
        let mut left = self.binary(level + 1)?;
        while let Some(sign) = signs.iter().find(|sign| self.take(sign)) {
            let right = self.binary(level + 1)?;
            left = applied(left, sign, right)?;
        }
        Ok(left)
    }

    fn one(&mut self) -> Result<i64, String> {
        self.deep += 1;
        if self.deep > DEEPEST {
            return Err("the condition is too deep".into());
        }
        let token = self.next()?;
        let value = match token.as_str() {
            "!" => Ok(i64::from(self.one()? == 0)),
            "-" => Ok(self.one()?.wrapping_neg()),
            "(" => {
                let value = self.binary(0)?;
                if self.take(")") { Ok(value) } else { Err("a parenthesis does not close".into()) }
            }
            "defined" => {
                let open = self.take("(");
                let name = self.next()?;
                if open && !self.take(")") {
                    return Err("`defined(` does not close".into());
                }
                Ok(i64::from(self.macros.has(&name)))
            }
            word => self.number(word),
        };
        self.deep -= 1;
        value
    }

    /// A number, or what a name stands for.
    fn number(&mut self, word: &str) -> Result<i64, String> {
        let text = self.macros.expanded(word, &mut false);
        let digits = text.trim().trim_end_matches(['u', 'i']);
        match digits {
            "true" => Ok(1),
            "false" => Ok(0),
            _ if digits.starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
                digits.parse().map_err(|_| format!("`{text}` is not a whole number"))
            }
            _ if digits != word && !digits.is_empty() => Ok(i64::from(holds(digits, self.macros)?)),
            _ if word.chars().all(is_word) => Ok(0),
            _ => Err(format!("`{word}` is not a number")),
        }
    }
}

fn applied(a: i64, sign: &str, b: i64) -> Result<i64, String> {
    let truth = |holds: bool| Ok(i64::from(holds));
    match sign {
        "||" => truth(a != 0 || b != 0),
        "&&" => truth(a != 0 && b != 0),
        "==" => truth(a == b),
        "!=" => truth(a != b),
        "<=" => truth(a <= b),
        ">=" => truth(a >= b),
        "<" => truth(a < b),
        ">" => truth(a > b),
        "+" => Ok(a.wrapping_add(b)),
        "-" => Ok(a.wrapping_sub(b)),
        "*" => Ok(a.wrapping_mul(b)),
        "/" => a.checked_div(b).ok_or_else(|| "a division by zero".into()),
        _ => a.checked_rem(b).ok_or_else(|| "a division by zero".into()),
    }
}
