//! Functions of Rust: traits make each parameter out of a place in memory, by the type that the function says it has.

use ktwin_check::{Argument, Failure};
use ktwin_num::DType;

/// The traits, in a module of their own at the kernel's end.
pub const BEFORE: &str = include_str!("before.txt");

pub fn one(number: usize, entry: &str, args: &[Argument], buffers: &[String]) -> Result<String, Failure> {
    let (mut values, mut keep) = (Vec::new(), None);
    for (i, argument) in args.iter().enumerate() {
        match argument {
            Argument::Returned(buffer) => {
                let dtype = super::element(buffers, *buffer).unwrap_or(DType::F32);
                let length = i + args.len();
                keep = Some((of(&dtype)?, format!("*a.add({i}), *a.add({length}) as usize")));
            }
            Argument::Buffer(buffer) => {
                if args[..i].contains(argument) {
                    return Err(Failure::Mismatch(
                        "one buffer is given to two parameters, and slices of Rust do not overlap: write a function \
                         that takes it once, as `&mut`"
                            .into(),
                    ));
                }
                let bytes = super::element(buffers, *buffer).map_or(1, |t| t.bytes_per_block());
                let length = i + args.len();
                values.push(format!(
                    "ktwin_entry::buffer::<{bytes}, _>(*a.add({i}), *a.add({length}) as usize)"
                ));
            }
            Argument::Words(words) => values.push(match &words[..] {
                [word] => format!("ktwin_entry::value(*(*a.add({i}) as *const {}))", of(&word.dtype)?),
                _ => format!("ktwin_entry::whole::<{}, _>(*a.add({i}))", ktwin_check::pack(words).len()),
            }),
        }
    }
    let call = format!("{entry}({})", values.join(", "));
    let body = match keep {
        Some((of, place)) => format!("ktwin_entry::keep::<{of}, _>({call}, {place})"),
        None => format!("let _ = {call}"),
    };
    let symbol = super::symbol(number);
    // SAFETY: a part of the kernel, and run where the kernel is: its places are those that the child laid out
    Ok(format!(
        "#[unsafe(no_mangle)] pub unsafe extern \"C\" fn {symbol}(a: *const *mut u8) {{ unsafe {{ {body}; }} }}\n"
    ))
}

/// A number's type as Rust names it.
fn of(dtype: &DType) -> Result<String, Failure> {
    match *dtype {
        DType::F32 | DType::F64 | DType::Bool | DType::Int { bits: 8 | 16 | 32 | 64, .. } => {
            Ok(dtype.name().to_string())
        }
        _ => {
            let name = dtype.name();
            Err(Failure::Mismatch(format!(
                "a value cannot be passed to Rust as `{name}`: use f32, f64, bool or an integer"
            )))
        }
    }
}
