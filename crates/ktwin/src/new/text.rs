//! The text of a new kernel: one of this project's own where there is one, otherwise a frame around the
//! formula.

use ktwin::starters::STARTERS;
use ktwin_spec::{Op, Role, TensorInfo, Ty};

use super::Lang;

/// The whole file.
pub fn kernel(op: &Op, name: &str, lang: Lang) -> String {
    let folder = if lang == Lang::Wgsl { "wgsl" } else { "c" };
    let wanted = format!("\"{}\"", op.name);
    let mine = STARTERS.iter().find(|(path, text)| {
        let line = text.lines().find(|l| l.trim_start().starts_with("op ")).unwrap_or("");
        path.starts_with(folder) && line.contains(&wanted)
    });
    match mine {
        Some((_, text)) if name == op.name => (*text).to_string(),
        _ => frame(op, name, lang),
    }
}

/// A contract, the bindings, and a body that writes zeros where the formula belongs.
fn frame(op: &Op, name: &str, lang: Lang) -> String {
    let count = elements(&op.outputs[0]);
    let fields = fields(op);
    let types: Vec<String> = fields.iter().map(|(n, ty)| format!("{n} = \"{ty}\"")).collect();
    let mut args: Vec<String> = tensors(op).iter().map(|t| format!("\"{}\"", t.name)).collect();
    if lang == Lang::Wgsl && !types.is_empty() {
        args.push(format!("{{ {} }}", types.join(", ")));
    } else {
        args.extend(types.iter().map(|t| format!("{{ {t} }}")));
    }
    let mut out =
        format!("/*--- ktwin\nop      = \"{name}\"\ncompute = \"f32\"\nargs    = [{}]\n", args.join(", "));
    if lang == Lang::Wgsl {
        out.push_str(&format!("grid    = [\"min(ceil({count} / 64), 65535)\", 1, 1]\n"));
    }
    out.push_str("---*/\n");
    let formula = op.text.lines().skip_while(|l| l.starts_with('#') || l.trim().is_empty());
    for line in formula {
        out.push_str(format!("// {line}").trim_end());
        out.push('\n');
    }
    out.push('\n');
    out.push_str(&if lang == Lang::Wgsl { wgsl(op, &fields) } else { c(op, &fields) });
    out
}

/// Inputs, then outputs that are not written over one of them.
fn tensors(op: &Op) -> Vec<&TensorInfo> {
    op.inputs.iter().chain(op.outputs.iter().filter(|o| o.role != Role::InPlace)).collect()
}

fn elements(tensor: &TensorInfo) -> String {
    let dims: Vec<String> = tensor
        .shown
        .trim_matches(['[', ']'])
        .split(',')
        .map(|d| d.trim().to_string())
        .filter(|d| !d.is_empty())
        .map(|d| if d.contains(' ') { format!("({d})") } else { d })
        .collect();
    if dims.is_empty() { "1".to_string() } else { dims.join(" * ") }
}

/// Dimensions and scalars with the types they are handed over in.
fn fields(op: &Op) -> Vec<(String, &'static str)> {
    let dims = op.dims.iter().map(|d| (d.name.clone(), "u32"));
    let scalars = op.scalars.iter().map(|s| {
        let ty = match s.ty {
            Ty::Real => "f32",
            Ty::Int => "i32",
            Ty::Bool => "u32",
        };
        (s.name.clone(), ty)
    });
    dims.chain(scalars).collect()
}

fn is_output(op: &Op, tensor: &TensorInfo) -> bool {
    op.outputs.iter().any(|o| o.name == tensor.name)
}

fn wgsl(op: &Op, fields: &[(String, &str)]) -> String {
    let mut out = String::new();
    if !fields.is_empty() {
        let each: Vec<String> = fields.iter().map(|(n, ty)| format!("{n}: {ty}")).collect();
        out.push_str(&format!("struct Sizes {{ {} }}\n\n", each.join(", ")));
    }
    for (binding, tensor) in tensors(op).iter().enumerate() {
        let access = if is_output(op, tensor) { "read_write" } else { "read" };
        let ty = if tensor.integer { "u32" } else { "f32" };
        let name = &tensor.name;
        out.push_str(&format!("@group(0) @binding({binding}) var<storage, {access}> {name}: array<{ty}>;\n"));
    }
    if !fields.is_empty() {
        let binding = tensors(op).len();
        out.push_str(&format!("@group(0) @binding({binding}) var<uniform> s: Sizes;\n"));
    }
    out.push_str(
        "\n@compute @workgroup_size(64)\nfn main(@builtin(global_invocation_id) id: vec3<u32>,\n        \
         @builtin(num_workgroups) groups: vec3<u32>) {\n",
    );
    for tensor in &op.outputs {
        let size = in_struct(&elements(tensor), fields);
        let zero = if tensor.integer { "0u" } else { "0.0" };
        out.push_str(&format!(
            "    for (var i = id.x; i < {size}; i += groups.x * 64u) {{\n        \
             {}[i] = {zero}; // write the formula here\n    }}\n",
            tensor.name
        ));
    }
    out.push_str("}\n");
    out
}

/// An expression over dimensions as WGSL reads them from the struct.
fn in_struct(text: &str, fields: &[(String, &str)]) -> String {
    let parts = text.split(' ').map(|word| {
        let bare = word.trim_matches(['(', ')']);
        match fields.iter().any(|(n, _)| n == bare) {
            true => word.replace(bare, &format!("s.{bare}")),
            false if bare.parse::<i64>().is_ok() => word.replace(bare, &format!("{bare}u")),
            false => word.to_string(),
        }
    });
    parts.collect::<Vec<_>>().join(" ").replace("//", "/")
}

fn c(op: &Op, fields: &[(String, &str)]) -> String {
    let mut parameters: Vec<String> = Vec::new();
    for tensor in tensors(op) {
        let constant = if is_output(op, tensor) { "" } else { "const " };
        let ty = if tensor.integer { "uint32_t" } else { "float" };
        parameters.push(format!("{constant}{ty} *{}", tensor.name));
    }
    for (name, ty) in fields {
        let ty = match *ty {
            "f32" => "float",
            "i32" => "int32_t",
            _ => "uint32_t",
        };
        parameters.push(format!("{ty} {name}"));
    }
    let mut out =
        format!("#include <math.h>\n#include <stdint.h>\n\nvoid {}({}) {{\n", op.name, parameters.join(", "));
    for tensor in &op.outputs {
        let size = elements(tensor).replace("//", "/");
        out.push_str(&format!(
            "    for (uint32_t i = 0; i < {size}; i++) {{\n        \
             {}[i] = 0; // write the formula here\n    }}\n",
            tensor.name
        ));
    }
    out.push_str("}\n");
    out
}
