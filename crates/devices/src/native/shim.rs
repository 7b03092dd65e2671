//! A few lines of C between the child and a kernel: they call it with parameters of the types that the
//! contract names, so that nobody has to build calls by hand. Pure: text out.

use std::fmt::Write;

use ktwin_check::{Argument, Failure, Word};
use ktwin_num::DType;

/// The text that offers `symbol(void **arguments, void (*function)(void))` for each function, and the symbols in
/// the same order. `buffers` has what the elements of each buffer are.
pub fn text(calls: &[(How, &[Argument])], buffers: &[String]) -> Result<(String, Vec<String>), Failure> {
    let mut out = String::from("#include <stdbool.h>\n#include <stdint.h>\n");
    let mut symbols = Vec::new();
    for (number, (how, args)) in calls.iter().enumerate() {
        let symbol = format!("ktwin_call_{number}");
        let Call { declared, result, parameters, keep, values } = call(number, args, buffers)?;
        out.push_str(&declared);
        let body = match how {
            How::Parameters => format!("(void)a; {keep}(({result} (*)({parameters}))f)({values});"),
            How::Places => "((void (*)(void **))f)(a);".to_owned(),
        };
        line(&mut out, format_args!("void {symbol}(void **a, void (*f)(void)) {{ {body} }}"));
        symbols.push(symbol);
    }
    Ok((out, symbols))
}

/// What a function is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// The parameters that the contract names.
    Parameters,
    /// The places of all of them: it is one of `forward`.
    Places,
}

/// The parts of a call in C, whose arguments lie at the places `a`.
pub struct Call {
    /// Structs that are passed by value, as definitions.
    pub declared: String,
    /// What the function returns.
    pub result: String,
    /// The types of its parameters.
    pub parameters: String,
    /// What stands before the call so that its result is kept.
    pub keep: String,
    /// Its arguments.
    pub values: String,
}

/// The call of the entry point of this number.
pub fn call(number: usize, args: &[Argument], buffers: &[String]) -> Result<Call, Failure> {
    let (mut parameters, mut values) = (Vec::new(), Vec::new());
    let (mut result, mut keep, mut declared) = ("void", String::new(), String::new());
    for (i, argument) in args.iter().enumerate() {
        let kind = match argument {
            Argument::Returned(buffer) => {
                let name = buffers.get(*buffer).map_or("", String::as_str);
                result = c_type("the result", DType::parse(name).map_err(Failure::Mismatch)?)?;
                keep = format!("*({result} *)a[{i}] = ");
                continue;
            }
            Argument::Buffer(_) => "void *".to_owned(),
            Argument::Words(words) => words_type(number, i, words)?,
        };
        if let Argument::Words(words) = argument
            && words.len() != 1
        {
            let fields: Result<Vec<String>, Failure> =
                words.iter().enumerate().map(|(j, w)| Ok(format!("{} f{j};", type_of(w)?))).collect();
            line(&mut declared, format_args!("{kind} {{ {} }};", fields?.join(" ")));
        }
        values.push(match argument {
            Argument::Buffer(_) | Argument::Returned(_) => format!("a[{i}]"),
            Argument::Words(_) => format!("*({kind} *)a[{i}]"),
        });
        parameters.push(kind);
    }
    let parameters = if parameters.is_empty() { "void".into() } else { parameters.join(", ") };
    Ok(Call { declared, result: result.into(), parameters, keep, values: values.join(", ") })
}

/// The type of values: that of a single one, or a struct's.
pub fn words_type(number: usize, at: usize, words: &[Word]) -> Result<String, Failure> {
    match words {
        [word] => Ok(type_of(word)?.to_owned()),
        _ => Ok(format!("struct ktwin_words_{number}_{at}")),
    }
}

fn line(out: &mut String, text: std::fmt::Arguments) {
    // writing to a string cannot fail
    let _ = writeln!(out, "{text}");
}

fn type_of(word: &Word) -> Result<&'static str, Failure> {
    c_type(&format!("`{}`", word.name), word.dtype)
}

fn c_type(what: &str, dtype: DType) -> Result<&'static str, Failure> {
    let integer = |bits, signed| match (bits, signed) {
        (8, true) => Some("int8_t"),
        (8, false) => Some("uint8_t"),
        (16, true) => Some("int16_t"),
        (16, false) => Some("uint16_t"),
        (32, true) => Some("int32_t"),
        (32, false) => Some("uint32_t"),
        (64, true) => Some("int64_t"),
        (64, false) => Some("uint64_t"),
        _ => None,
    };
    let found = match dtype {
        DType::F32 => Some("float"),
        DType::F64 => Some("double"),
        DType::Bool => Some("bool"),
        DType::Int { bits, signed } => integer(bits, signed),
        // narrow floats are passed as their bits
        other => integer(8 * other.bytes_per_block() as u32, false).filter(|_| other.float().is_some()),
    };
    found.ok_or_else(|| {
        let kind = dtype.name();
        Failure::Mismatch(format!(
            "{what} cannot be passed to C as `{kind}`: use f32, f64, bool or an integer"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(name: &str, dtype: DType) -> Word {
        Word { name: name.into(), dtype, bytes: Vec::new(), buffer: None }
    }

    #[test]
    fn a_struct_is_passed_by_value_and_a_single_word_as_itself() {
        let words = Argument::Words(vec![word("D", DType::U32), word("eps", DType::F32)]);
        let args = [Argument::Buffer(0), words, Argument::Words(vec![word("n", DType::I64)])];
        let (text, symbols) = text(&[(How::Parameters, &args)], &[]).unwrap_or_default();
        assert_eq!(symbols, ["ktwin_call_0"]);
        assert!(text.contains("struct ktwin_words_0_1 { uint32_t f0; float f1; };"), "{text}");
        assert!(text.contains("((void (*)(void *, struct ktwin_words_0_1, int64_t))f)"), "{text}");
        assert!(text.contains("f)(a[0], *(struct ktwin_words_0_1 *)a[1], *(int64_t *)a[2]);"), "{text}");
    }

    #[test]
    fn blocks_are_no_parameters() {
        let q4 = DType::parse("q4_0").unwrap_or(DType::F32);
        let args = [Argument::Words(vec![word("w", q4)])];
        assert!(matches!(text(&[(How::Parameters, &args)], &[]), Err(Failure::Mismatch(_))));
    }

    #[test]
    fn what_a_function_returns_goes_into_its_buffer() {
        let args = [Argument::Words(vec![word("n", DType::I32)]), Argument::Buffer(0), Argument::Returned(1)];
        let of = |dtype: &str| text(&[(How::Parameters, &args)], &["f32".into(), dtype.into()]);
        let (text, _) = of("f64").unwrap_or_default();
        assert!(
            text.contains("*(double *)a[2] = ((double (*)(int32_t, void *))f)(*(int32_t *)a[0], a[1]);"),
            "{text}"
        );
        assert!(matches!(of("q4_0"), Err(Failure::Mismatch(_))));
    }
}
