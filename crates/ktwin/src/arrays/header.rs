//! The header of an .npy file: a Python dictionary of three keys, as text. Reads just that much Python.

use super::Made;

/// What an .npy header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    pub descr: String,
    pub fortran_order: bool,
    pub shape: Vec<usize>,
}

/// More dimensions are those of no array that NumPy makes.
const MOST_DIMENSIONS: usize = 64;

/// Reads `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`.
pub fn parse(text: &str) -> Made<Header> {
    let mut at = Cursor { rest: text };
    let (mut descr, mut fortran_order, mut shape) = (None, None, None);
    at.expect('{')?;
    while !at.take('}') {
        let key = at.string()?;
        at.expect(':')?;
        let again = match key {
            "descr" => descr.replace(at.descr()?).is_some(),
            "fortran_order" => fortran_order.replace(at.truth()?).is_some(),
            "shape" => shape.replace(at.shape()?).is_some(),
            _ => return Err(format!("its header has a key `{}` that .npy files do not have", short(key))),
        };
        if again {
            return Err(format!("its header names `{key}` twice"));
        }
        if !at.take(',') {
            at.expect('}')?;
            break;
        }
    }
    if !at.rest.trim().is_empty() {
        return Err("its header goes on past its end".into());
    }
    match (descr, fortran_order, shape) {
        (Some(descr), Some(fortran_order), Some(shape)) => Ok(Header { descr, fortran_order, shape }),
        _ => Err("its header lacks descr, fortran_order or shape".into()),
    }
}

fn short(text: &str) -> String {
    text.chars().take(24).filter(|c| !c.is_control()).collect()
}

struct Cursor<'a> {
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, sign: char) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, sign: char) -> Made<()> {
        match self.take(sign) {
            true => Ok(()),
            false => Err(format!("its header is damaged: `{sign}` is missing before `{}`", short(self.rest))),
        }
    }

    fn string(&mut self) -> Made<&'a str> {
        let quote = if self.take('\'') { '\'' } else { '"' };
        if quote == '"' {
            self.expect('"')?;
        }
        let Some((text, rest)) = self.rest.split_once(quote) else {
            return Err("its header is damaged: a text has no end".into());
        };
        self.rest = rest;
        Ok(text)
    }

    fn descr(&mut self) -> Made<String> {
        match self.rest.trim_start().starts_with('[') {
            true => Err("it holds records of several fields; save each field as an array of its own".into()),
            false => self.string().map(str::to_string),
        }
    }

    fn truth(&mut self) -> Made<bool> {
        self.rest = self.rest.trim_start();
        for (word, value) in [("True", true), ("False", false)] {
            if let Some(rest) = self.rest.strip_prefix(word) {
                self.rest = rest;
                return Ok(value);
            }
        }
        Err("its header is damaged: fortran_order is neither True nor False".into())
    }

    fn shape(&mut self) -> Made<Vec<usize>> {
        let mut shape = Vec::new();
        self.expect('(')?;
        while !self.take(')') {
            let digits = self.rest.trim_start();
            let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
            let size = digits[..end].parse();
            let Ok(size) = size else {
                return Err(format!(
                    "its header has a shape that is not a list of sizes: `{}`",
                    short(digits)
                ));
            };
            shape.push(size);
            if shape.len() > MOST_DIMENSIONS {
                return Err(format!(
                    "its header has more than {MOST_DIMENSIONS} dimensions, which no array has"
                ));
            }
            self.rest = &digits[end..];
            // Python 2 wrote long integers so
            self.take('L');
            if !self.take(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_as_numpy_writes_them() {
        let header =
            |shape: &[usize]| Header { descr: "<f4".into(), fortran_order: false, shape: shape.into() };
        for (shape, expected) in [("()", &[][..]), ("(3,)", &[3]), ("(3, 4)", &[3, 4]), ("(3L, 4L)", &[3, 4])]
        {
            let text = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}     \n");
            assert_eq!(parse(&text), Ok(header(expected)));
        }
        let other = "{\"shape\":(2,),\"fortran_order\":True,\"descr\":\"|u1\"}";
        assert_eq!(parse(other), Ok(Header { descr: "|u1".into(), fortran_order: true, shape: vec![2] }));
    }

    #[test]
    fn dimensions_without_end_are_refused() {
        let sizes = "1,".repeat(MOST_DIMENSIONS + 1);
        assert!(parse(&format!("{{'shape': ({sizes})}}")).unwrap_err().contains("more than 64 dimensions"));
    }

    #[test]
    fn damage_is_named() {
        for (text, part) in [
            ("", "`{` is missing"),
            ("{'descr': '<f4'", "`}` is missing"),
            ("{'descr': '<f4, 'shape': (1,)}", "damaged"),
            ("{'descr': '<f4'}", "lacks"),
            ("{'descr': '<f4', 'descr': '<f4'}", "twice"),
            ("{'shape': (-1,)}", "not a list of sizes"),
            ("{'shape': (99999999999999999999,)}", "not a list of sizes"),
            ("{'fortran_order': 1}", "neither"),
            ("{'descr': [('a', '<f4')]}", "records"),
            ("{'colour': 1}", "do not have"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': ()} x", "past its end"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
