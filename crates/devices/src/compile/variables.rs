//! Variables of a PTX text that a host fills before it starts kernels: `__constant__ float filter[9]`. Plain text.

use ktwin_check::{Failure, Global};
use ktwin_num::did_you_mean;

use super::Ptx;

/// What a variable holds of which nobody says what it is: NaN in every type of floats.
const NOBODYS: u8 = 0xff;

/// A variable as the text has it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Variable<'t> {
    symbol: &'t str,
    bytes: usize,
}

impl Ptx {
    /// What the text calls a variable, and all of its bytes.
    pub fn filled(&self, global: &Global) -> Result<(String, Vec<u8>), Failure> {
        let all: Vec<Variable> = self.text.lines().filter_map(declared).collect();
        let named = |variable: &&Variable| is_called(variable.symbol, &global.name);
        let found = all.iter().find(named).ok_or_else(|| missing(&global.name, &all))?;
        if global.bytes.len() > found.bytes {
            return Err(Failure::Mismatch(format!(
                "`globals` gives `{}` {} bytes, and it has {}: limit sizes in `dims`",
                global.name,
                global.bytes.len(),
                found.bytes
            )));
        }
        let mut bytes = global.bytes.clone();
        bytes.resize(found.bytes, NOBODYS);
        Ok((found.symbol.to_owned(), bytes))
    }
}

fn missing(name: &str, all: &[Variable]) -> Failure {
    let names: Vec<&str> = all.iter().map(|variable| called(variable.symbol)).collect();
    let near = did_you_mean(name, names.iter().copied());
    let has = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    Failure::Mismatch(format!(
        "no variable `{name}` in constant or device memory{near} (the compiled source has {has})"
    ))
}

/// The variable that a line declares: `.const .align 4 .b8 filter[36];`.
fn declared(line: &str) -> Option<Variable<'_>> {
    const LINKED: [&str; 3] = [".visible", ".weak", ".common"];
    let mut words = line.split_whitespace().skip_while(|word| LINKED.contains(word));
    if !matches!(words.next()?, ".const" | ".global") {
        return None;
    }
    let mut width = None;
    let name = loop {
        let word = words.next()?;
        match word.strip_prefix('.') {
            Some("align") => words.next().map(drop)?,
            Some(kind) => width = kind.trim_start_matches(char::is_alphabetic).parse::<usize>().ok(),
            None => break word,
        }
    };
    let end = name.find(['[', '=', ';']).unwrap_or(name.len());
    let sizes = name[end..].split(['[', ']']).filter_map(|part| part.parse::<usize>().ok());
    Some(Variable { symbol: &name[..end], bytes: width? / 8 * sizes.product::<usize>() })
}

/// Whether a symbol is that of a variable which the source calls so.
fn is_called(symbol: &str, name: &str) -> bool {
    symbol == name || called(symbol) == name.rsplit("::").next().unwrap_or(name)
}

/// The last name in a symbol: `_ZN6filter4rowsE` is `rows`, `_ZL5width` is `width`.
fn called(symbol: &str) -> &str {
    let Some(mut rest) = symbol.strip_prefix("_Z") else { return symbol };
    let mut last = symbol;
    loop {
        rest = rest.trim_start_matches(['N', 'L', 'K']);
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let part = rest[..digits].parse::<usize>().ok().and_then(|len| rest.get(digits..digits + len));
        match part {
            Some(part) => (last, rest) = (part, &rest[digits + part.len()..]),
            None => return last,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = ".version 8.0\n.visible .const .align 4 .b8 filter[36];\n.const .align 4 .u32 _ZL5width;\n\
        .global .align 8 .u64 _ZN3own5countE = 7;\n.extern .shared .align 16 .b8 buf[];\n\
        .visible .entry k(\n.param .u64 .ptr .global .align 4 k_param_0\n)\n{\nld.global.u32 %r1, [%rd1];\n}\n";

    fn filled(name: &str, bytes: usize) -> Result<(String, Vec<u8>), String> {
        let ptx = Ptx { text: TEXT.into(), ..Ptx::default() };
        ptx.filled(&Global { name: name.into(), bytes: vec![1; bytes] }).map_err(|e| e.to_string())
    }

    #[test]
    fn variables_are_found_by_the_names_of_the_source() {
        let (symbol, bytes) = filled("filter", 20).unwrap();
        assert_eq!((&*symbol, bytes.len(), &bytes[19..21]), ("filter", 36, &[1, 0xff][..]));
        assert_eq!(filled("width", 4), Ok(("_ZL5width".into(), vec![1; 4])));
        assert_eq!(filled("own::count", 8), Ok(("_ZN3own5countE".into(), vec![1; 8])));
    }

    #[test]
    fn what_is_not_there_or_too_long_is_said() {
        let missing = filled("filtre", 4).unwrap_err();
        assert!(missing.contains("`filter`") && missing.contains("has filter, width, count"), "{missing}");
        let long = filled("filter", 40).unwrap_err();
        assert!(long.contains("gives `filter` 40 bytes, and it has 36: limit sizes in `dims`"), "{long}");
    }
}
