//! Functions of C++, whose own type says what they are given: templates here read it, so that no name is looked up in
//! a library and no parameter is guessed.

use std::fmt::Write;

use ktwin_check::{Argument, Failure};

use super::super::shim;

/// What makes parameters of any type out of places in memory.
pub const BEFORE: &str = include_str!("before.cpp");

pub fn one(number: usize, entry: &str, args: &[Argument], buffers: &[String]) -> Result<String, Failure> {
    let shim::Call { declared, result, .. } = shim::call(number, args, buffers)?;
    let taken = args.iter().filter(|argument| !matches!(argument, Argument::Returned(_))).count();
    let (mut types, mut kinds, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let mut place = None;
    for (i, argument) in args.iter().enumerate() {
        let value = match argument {
            Argument::Returned(_) => {
                place = Some(format!("a[{i}], (unsigned long)a[{}]", i + args.len()));
                continue;
            }
            Argument::Buffer(buffer) => {
                let dtype = super::element(buffers, *buffer);
                let bytes = dtype.filter(|t| t.elements_per_block() == 1).map_or(0, |t| t.bytes_per_block());
                format!(
                    "ktwin_entry::buffer<P{i}, {bytes}>::of(a[{i}], (unsigned long)a[{}])",
                    i + args.len()
                )
            }
            Argument::Words(words) => {
                let of = shim::words_type(number, i, words)?;
                format!("ktwin_entry::value<P{i}, {of}>::of(a[{i}])")
            }
        };
        values.push(value);
        types.push(format!("class P{i}"));
        kinds.push(format!("P{i}"));
    }
    types.insert(0, "class R".into());
    let (symbol, types) = (super::symbol(number), types.join(", "));
    let (kinds, call) = (kinds.join(", "), format!("f({})", values.join(", ")));
    let body = match place {
        Some(place) => format!("ktwin_entry::keep<{result}>({call}, {place})"),
        None => call,
    };
    let mut out = declared;
    // writing to a string cannot fail
    let _ = write!(
        out,
        "template <{types}> void {symbol}_to(R (*f)({kinds}), void **a) {{ (void)a; {body}; }}\n\
         template <class R, class... P> void {symbol}_of(R (*f)(P...), void **a) {{\n\
         static_assert(sizeof...(P) == {taken}, \"the function does not take as many parameters as `args` has\");\n\
         {symbol}_to(f, a); }}\n\
         extern \"C\" __attribute__((visibility(\"default\"))) void {symbol}(void **a) {{ {symbol}_of({}, a); }}\n",
        function(entry)
    );
    Ok(out)
}

/// The function's address; where the name ends in a list of types, of that overload.
fn function(entry: &str) -> String {
    let open = entry.trim_end().ends_with(')').then(|| opened(entry)).flatten();
    match open {
        Some(at) => {
            let (name, types) = (entry[..at].trim(), entry[at + 1..].trim_end().trim_end_matches(')'));
            format!("ktwin_entry::pick<{types}>::of(&{name})")
        }
        None => format!("&{}", entry.trim()),
    }
}

/// Where the parenthesis opens that the text's last character closes.
fn opened(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.char_indices().rev().find_map(|(at, c)| {
        depth += match c {
            ')' => 1,
            '(' => -1,
            _ => 0,
        };
        (c == '(' && depth == 0).then_some(at)
    })
}
