//! The arrays of a comparison: every input and every output, in the types that they have or had.

use ktwin::elsewhere::{Given, as_stored, pairs};
use ktwin_lang::{Op, TensorInfo};
use ktwin_num::DType;

use crate::twin::inputs;
use crate::twin::request::{Request, file};
use crate::twin::watch::Watch;

/// Takes `--device-dtype` into the types of outputs.
pub fn device_types(op: &Op, texts: &[String], request: &mut Request) -> Result<(), String> {
    for text in texts.iter().flat_map(|t| t.split(',')).map(str::trim).filter(|t| !t.is_empty()) {
        let (name, dtype) = text.split_once('=').map_or((None, text), |(name, dtype)| (Some(name), dtype));
        let dtype = DType::parse(dtype).map_err(|e| format!("--device-dtype {text}: {e}"))?;
        let of = |info: &TensorInfo| name.map_or(!info.integer, |name| name == info.name);
        let named: Vec<usize> = (0..op.outputs.len()).filter(|at| of(&op.outputs[*at])).collect();
        if named.is_empty() {
            let outputs: Vec<&str> = op.outputs.iter().map(|t| t.name.as_str()).collect();
            let has = outputs.join(", ");
            return Err(format!("--device-dtype {text}: op {} has no such output (it has {has})", op.name));
        }
        for at in named {
            if request.output_types[at].is_some_and(|known| known != dtype) {
                let name = &op.outputs[at].name;
                return Err(format!("--device-dtype {text}: --types says another type of {name}"));
            }
            request.output_types[at] = Some(dtype);
        }
    }
    Ok(())
}

/// The names and types of `--round`, which were checked before.
pub fn rounds(texts: &[String]) -> Result<Vec<(String, DType)>, String> {
    let each = pairs("--round", texts)?.into_iter();
    each.map(|(name, dtype)| Ok((name, DType::parse(&dtype)?))).collect()
}

/// All inputs and all outputs, in the op's order.
pub fn all(
    op: &Op,
    request: &Request,
    outputs: &[String],
    watch: &Watch,
) -> Result<(Vec<Given>, Vec<Given>), String> {
    let inputs = inputs::given(op, request, watch)?;
    let inputs = complete(op, &op.inputs, ("input", "--in"), inputs)?;
    let files = outputs.iter().map(|text| file(&op.name, &op.outputs, "output", text));
    let files: Vec<_> = files.collect::<Result<_, _>>()?;
    let outputs = inputs::read(op, &op.outputs, &files, &request.output_types, (as_stored, watch))?;
    Ok((inputs, complete(op, &op.outputs, ("output", "--out"), outputs)?))
}

/// Refuses what is missing.
fn complete(
    op: &Op,
    tensors: &[TensorInfo],
    (what, option): (&str, &str),
    given: Vec<Option<Given>>,
) -> Result<Vec<Given>, String> {
    let missing: Vec<&TensorInfo> =
        tensors.iter().zip(&given).filter(|(_, g)| g.is_none()).map(|(info, _)| info).collect();
    if let Some(first) = missing.first() {
        let all: Vec<String> = missing.iter().map(ToString::to_string).collect();
        let (all, name) = (all.join(", "), &first.name);
        return Err(format!("{what} {all} of op {} is not given: add {option} {name}=FILE", op.name));
    }
    Ok(given.into_iter().flatten().collect())
}
