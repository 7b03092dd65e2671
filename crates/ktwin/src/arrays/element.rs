//! What NumPy calls an array's elements, and which type of ours that is.

use ktwin_num::DType;

use super::Made;

/// How an array's elements are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    pub dtype: DType,
    /// Whether the bytes of each element are in reverse order.
    pub big_endian: bool,
}

/// The elements that a `descr` such as `<f4` describes.
pub fn element(descr: &str, wanted: Option<DType>) -> Made<Element> {
    let (order, code) = match descr.as_bytes() {
        [order @ (b'<' | b'>' | b'|' | b'='), ..] => (*order, &descr[1..]),
        _ => (b'=', descr),
    };
    let name = match code {
        "f2" => "f16",
        "f4" => "f32",
        "f8" => "f64",
        "i1" => "i8",
        "i2" => "i16",
        "i4" => "i32",
        "i8" => "i64",
        "u1" => "u8",
        "u2" => "u16",
        "u4" => "u32",
        "u8" => "u64",
        "b1" | "?" => "bool",
        _ => return other(descr, code, wanted),
    };
    Ok(Element { dtype: DType::parse(name)?, big_endian: order == b'>' })
}

/// Types that NumPy has and we have not, and raw bytes.
fn other(descr: &str, code: &str, wanted: Option<DType>) -> Made<Element> {
    if let Some(size) = code.strip_prefix('V') {
        let fits = wanted.filter(|w| {
            w.float().is_some() && w.elements_per_block() == 1 && size == w.bytes_per_block().to_string()
        });
        let Some(dtype) = fits else {
            return Err(format!(
                "its elements are {size} raw bytes each ({descr}); say with --types what they are: bf16 …"
            ));
        };
        return Ok(Element { dtype, big_endian: false });
    }
    let what = match code.as_bytes() {
        [b'O', ..] => "Python objects (pickled), which are not read",
        [b'c', ..] => "complex numbers, which no op takes",
        [b'S' | b'U' | b'a', ..] => "text",
        [b'M' | b'm', ..] => "dates or times",
        b"f16" | b"f12" => "extended-precision floats, which are as wide as the machine that wrote them says",
        _ => return Err(format!("its element type `{descr}` is not known")),
    };
    Err(format!("it holds {what}; save numbers as f16, f32, f64 or integers"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_known_by_either_byte_order() {
        for (descr, dtype, big_endian) in [
            ("<f4", DType::F32, false),
            (">f2", DType::F16, true),
            ("|b1", DType::Bool, false),
            ("=i8", DType::I64, false),
            ("f8", DType::F64, false),
        ] {
            assert_eq!(element(descr, None), Ok(Element { dtype, big_endian }));
        }
    }

    #[test]
    fn raw_bytes_are_what_types_say() {
        assert_eq!(element("|V2", Some(DType::BF16)).map(|e| e.dtype), Ok(DType::BF16));
        assert!(element("|V2", None).unwrap_err().contains("--types"));
        assert!(element("|V2", Some(DType::F32)).unwrap_err().contains("2 raw bytes"));
    }

    #[test]
    fn what_holds_no_numbers_is_refused() {
        for (descr, part) in [
            ("|O", "pickled"),
            ("<c16", "complex"),
            ("<U5", "text"),
            ("<M8[ns]", "dates"),
            ("<f16", "extended"),
            ("zz", "not known"),
            ("", "not known"),
        ] {
            let error = element(descr, None).unwrap_err();
            assert!(error.contains(part), "{descr}: {error}");
        }
    }
}
