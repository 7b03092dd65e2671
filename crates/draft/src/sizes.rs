//! What the numbers that a kernel takes are for, by the names that people give them: sizes of the op, their products,
//! strides.

use ktwin_check::interface::Spread;
use ktwin_lang::{Op, TensorInfo};

/// Names of the first dimension of a plane, of its last, and of all elements.
const ROWS: [&str; 9] =
    ["rows", "nrows", "row", "height", "batch", "batchsize", "tokens", "ntokens", "numrows"];
const COLUMNS: [&str; 14] = [
    "cols",
    "ncols",
    "columns",
    "width",
    "hidden",
    "hiddensize",
    "hiddendim",
    "dmodel",
    "embd",
    "rowsize",
    "rowlen",
    "vocab",
    "vocabsize",
    "classes",
];
const ALL: [&str; 10] =
    ["n", "elements", "nelements", "numel", "total", "size", "count", "len", "length", "totalelements"];

/// A name as it is compared: small letters and digits, without what says only that it is a buffer.
pub(crate) fn bare(name: &str) -> String {
    let small: String = name.to_lowercase().trim_matches('_').into();
    let ends = ["_buffer", "_buf", "buffer", "buf", "_ptr", "_data", "_tensor", "_mat", "_vec"];
    let cut = ends.iter().find_map(|end| small.strip_suffix(end)).filter(|rest| !rest.is_empty());
    let short = cut.unwrap_or(&small);
    let starts = ["d_", "g_", "p_", "buf_", "n_", "num_"];
    let rest = starts.iter().find_map(|start| short.strip_prefix(start)).unwrap_or(short);
    rest.chars().filter(char::is_ascii_alphanumeric).collect()
}

/// Whether two names mean the same: equal, or one the beginning or the end of the other.
pub(crate) fn alike(own: &str, of_op: &str) -> bool {
    let (own, of_op) = (bare(own), bare(of_op));
    let longer = |a: &str, b: &str| b.len() >= 3 && (a.starts_with(b) || a.ends_with(b));
    own == of_op || longer(&own, &of_op) || longer(&of_op, &own)
}

/// The dimension, or the product of some, that a number by this name is.
pub(crate) fn size(op: &Op, spread: Spread, name: &str) -> Option<String> {
    if let Some(dim) = op.dims.iter().find(|dim| alike(name, &dim.name)) {
        return Some(dim.name.clone());
    }
    let (name, plane) = (bare(name), op.inputs.iter().map(|input| &input.axes).find(|axes| axes.len() > 1));
    let is = |words: &[&str]| words.contains(&name.as_str());
    match plane {
        Some(axes) if is(&ROWS) => axes.first().cloned(),
        Some(axes) if is(&COLUMNS) => axes.last().cloned(),
        _ if is(&ALL) && spread == Spread::Elements => {
            op.outputs.first().map(|output| product(&factors(&output.axes)))
        }
        _ => None,
    }
}

/// How far apart elements of a tensor lie along a dimension, where a number is named as a stride. `tensors` are those
/// that buffers are, by the buffer's name; `all` are the names of all numbers, among which a tensor may have several.
pub(crate) fn stride(op: &Op, tensors: &[(&str, &str)], all: &[&str], name: &str) -> Option<String> {
    // the step from one element of a vector to the next
    if bare(name).strip_prefix("inc").is_some_and(|vector| vector.len() < 2) {
        return Some("1".to_owned());
    }
    let of = |name: &str| {
        let small = name.to_lowercase();
        let rest = match small.strip_prefix("ld").filter(|rest| rest.len() < 2) {
            Some(rest) => rest.to_owned(),
            None => small.contains("stride").then(|| bare(&small.replace("stride", "")))?,
        };
        let has = |tensor: &str| {
            let tensor = bare(tensor);
            !tensor.is_empty() && (rest.starts_with(&tensor) || rest.ends_with(&tensor))
        };
        let named = tensors.iter().filter(|(own, tensor)| has(own) || has(tensor));
        let first =
            |all: &[TensorInfo]| all.first().and_then(|t| tensors.iter().find(|(_, of)| *of == t.name));
        let by_use = match &rest {
            rest if rest.starts_with("out") || rest.starts_with("dst") => first(&op.outputs),
            rest if rest.is_empty() || rest == "row" || rest.starts_with("in") || rest.starts_with("src") => {
                first(&op.inputs)
            }
            _ => None,
        };
        Some(named.max_by_key(|(own, _)| own.len()).or(by_use)?.1)
    };
    let tensor = of(name)?;
    let axes = &op.inputs.iter().chain(&op.outputs).find(|t| t.name == tensor)?.axes;
    let same: Vec<&str> = all.iter().copied().filter(|other| of(other) == Some(tensor)).collect();
    let place = match same.len() {
        // the stride of a tensor is that of its rows
        1 => axes.len().saturating_sub(2),
        _ => same.iter().position(|other| *other == name)?,
    };
    let after = axes.get(place + 1..).unwrap_or_default();
    Some(if axes.len() < 2 { "1".to_owned() } else { product(&factors(after)) })
}

/// Dimensions as factors: what is an expression stands in brackets.
pub(crate) fn factors(axes: &[String]) -> Vec<String> {
    let whole = |axis: &String| if axis.contains(' ') { format!("({axis})") } else { axis.clone() };
    axes.iter().map(whole).collect()
}

/// The product of factors, as a contract writes it.
pub(crate) fn product(factors: &[String]) -> String {
    if factors.is_empty() { "1".into() } else { factors.join(" * ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn op(text: &str) -> Op {
        Op::parse("f.op", text).expect("it is an op")
    }

    #[test]
    fn numbers_are_what_their_names_say() {
        let op = op("op f(x[R, D], w[D]) -> y[R, D]\ny[r, d] = x[r, d] * w[d]\n");
        let of = |name: &str| size(&op, Spread::Elements, name);
        for (name, want) in [("n_rows", "R"), ("ncols", "D"), ("numel", "R * D"), ("d", "D"), ("n", "R * D")]
        {
            assert_eq!(of(name).as_deref(), Some(want), "{name}");
        }
        assert_eq!((of("axis"), size(&op, Spread::Rows, "n")), (None, None));
    }

    #[test]
    fn strides_are_those_of_the_tensor_in_their_name() {
        let op =
            op("op f(a[B, M, K], v[B, K, N]) -> y[B, M, N]\ny[b, m, n] = sum[k](a[b, m, k] * v[b, k, n])\n");
        let tensors = [("a_ptr", "a"), ("v_ptr", "v"), ("out", "y")];
        let all = ["stride_ab", "stride_am", "stride_ak", "out_stride", "ldv"];
        for (name, want) in all.iter().zip(["M * K", "K", "1", "N", "N"]) {
            assert_eq!(stride(&op, &tensors, &all, name).as_deref(), Some(want), "{name}");
        }
        assert_eq!(stride(&op, &tensors, &["width"], "width"), None);
        assert_eq!(stride(&op, &tensors, &["incx"], "incx").as_deref(), Some("1"));
        assert_eq!(stride(&op, &tensors, &["row_stride"], "row_stride").as_deref(), Some("K"));
    }
}
