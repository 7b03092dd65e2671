//! Text after a kernel's own that offers functions which nobody outside the file could call: `static` ones, C++
//! without `extern "C"`, Rust that takes slices. The kernel's text stays as it is, line by line. Pure: text out.

mod c;
mod cpp;
mod rust;

use ktwin_check::{Argument, Failure, Source, SourceKind, signature};
use ktwin_num::DType;

/// What the function is called that offers the entry point of this number. It takes the places of all arguments, then
/// the bytes that there are at each of them.
pub fn symbol(number: usize) -> String {
    format!("ktwin_entry_{number}")
}

/// The function that is meant by `entry` in a file that does not export it: where that is empty, the only one that
/// takes so many parameters.
pub fn meant(source: &Source, entry: &str, args: &[Argument]) -> Result<String, Failure> {
    if !entry.is_empty() {
        return Ok(entry.to_owned());
    }
    let taken = args.iter().filter(|argument| !matches!(argument, Argument::Returned(_))).count();
    let all = signature::functions(&source.text(), source.kind);
    let mut fitting: Vec<_> = all.iter().filter(|function| function.params.len() == taken).collect();
    if fitting.len() == 1 {
        return Ok(fitting.remove(0).entry.clone());
    }
    fitting = if fitting.is_empty() { all.iter().collect() } else { fitting };
    let names: Vec<&str> = fitting.iter().map(|function| function.entry.as_str()).collect();
    let has = if names.is_empty() { String::new() } else { format!(" (it has {})", names.join(", ")) };
    let naming = naming(source.kind);
    Err(Failure::Mismatch(format!(
        "the file exports no function, and which of its own is the kernel is not clear{has}: {naming}"
    )))
}

/// The text that offers these entry points, by their numbers. `buffers` has what the elements of each buffer are.
pub fn text(
    kind: SourceKind,
    entries: &[(usize, String, &[Argument])],
    buffers: &[String],
) -> Result<String, Failure> {
    let one = match kind {
        SourceKind::Cpp => cpp::one,
        SourceKind::Rust => rust::one,
        _ => c::one,
    };
    // the kernel's last line may lack its end
    let mut out = String::from("\n");
    out.push_str(match kind {
        SourceKind::Cpp => cpp::BEFORE,
        SourceKind::Rust => rust::BEFORE,
        _ => c::BEFORE,
    });
    for (number, entry, args) in entries {
        if entry.contains([';', '{', '}', '#', '"', '\\', '\n', '@']) {
            return Err(Failure::Mismatch(format!("`entry = \"{entry}\"` is not the name of a function")));
        }
        out.push_str(&one(*number, entry, args, buffers)?);
    }
    Ok(out)
}

/// How the entry points of a language are named where they are not exported.
pub fn naming(kind: SourceKind) -> &'static str {
    match kind {
        SourceKind::Cpp => {
            "name one function as C++ does: its namespace (`entry = \"ops::silu\"`), a template's arguments \
             (`\"silu<float>\"`), the parameters of an overload (`\"silu(const float *, float *, int)\"`)"
        }
        SourceKind::Rust => {
            "name one function as Rust does: its module (`entry = \"ops::silu\"`), what is generic \
             (`\"silu::<f32>\"`); slices and pointers are tensors in `args`, numbers and structs are values"
        }
        _ => {
            "name a function of the file (`entry = \"silu\"`), and give `args` one entry for each of its parameters"
        }
    }
}

/// The type of a buffer's elements, if it is told.
fn element(buffers: &[String], number: usize) -> Option<DType> {
    buffers.get(number).and_then(|name| DType::parse(name).ok())
}

#[cfg(test)]
mod tests {
    use ktwin_check::Word;

    use super::*;

    fn args() -> Vec<Argument> {
        let word = |name: &str, dtype| Word { name: name.into(), dtype, bytes: vec![0; 4], buffer: None };
        let pair = Argument::Words(vec![word("n", DType::U32), word("eps", DType::F32)]);
        vec![Argument::Buffer(0), Argument::Words(vec![word("n", DType::U32)]), pair, Argument::Returned(1)]
    }

    fn of(kind: SourceKind, entry: &str) -> String {
        let buffers = ["f32".to_owned(), "f64".to_owned()];
        text(kind, &[(3, entry.into(), &args())], &buffers).unwrap_or_else(|e| panic!("{e}"))
    }

    #[test]
    fn c_is_called_through_a_pointer_where_a_struct_is_passed() {
        let text = of(SourceKind::C, "f");
        assert!(text.contains("struct ktwin_words_3_2 { uint32_t f0; float f1; };"), "{text}");
        assert!(text.contains("*(double *)a[3] = to(a[0], *(uint32_t *)a[1], "), "{text}");
    }

    #[test]
    fn overloads_of_cpp_are_chosen_by_their_parameters() {
        let text = of(SourceKind::Cpp, "a::f<(1)>(const float *, int)");
        assert!(text.contains("ktwin_entry::pick<const float *, int>::of(&a::f<(1)>)"), "{text}");
        assert!(of(SourceKind::Cpp, "a::f<2>").contains("(&a::f<2>, a)"));
    }

    #[test]
    fn what_is_not_a_name_is_refused() {
        for entry in ["f(); }", "f\n", "#define", "\"f\""] {
            assert!(text(SourceKind::C, &[(0, entry.into(), &[])], &[]).is_err(), "{entry}");
        }
    }

    #[test]
    fn rust_takes_one_buffer_once() {
        let args = [Argument::Buffer(0), Argument::Buffer(0)];
        let said = text(SourceKind::Rust, &[(0, "f".into(), &args)], &["f32".to_owned()]);
        assert!(matches!(said, Err(Failure::Mismatch(text)) if text.contains("once")));
    }
}
