//! Makes one shader of each row of `builtins.toml`. Reads that file, touches nothing else.

use crate::header::{Buffer, Check, Fill, Header, Need, Space, Type};
use crate::shader::{Shader, root};
use serde::Deserialize;
use serde::de::value::{Error, StrDeserializer};
use std::collections::BTreeMap;
use std::fmt::Write;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Registry {
    map: Vec<Map>,
    row: Vec<Row>,
}

// An expression that works by component, on each of the types.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Map {
    name: String,
    types: Vec<String>,
    expr: String,
    out: Option<String>,
    second: Option<String>,
    enable: Option<String>,
    no_spirv: Option<String>,
    check: Check,
    #[serde(default)]
    args: Vec<Arg>,
}

// An expression on named types.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    #[serde(rename = "in")]
    inputs: Vec<String>,
    out: String,
    expr: String,
    enable: Option<String>,
    no_spirv: Option<String>,
    check: Check,
    #[serde(default)]
    args: Vec<Arg>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arg {
    fill: Fill,
    lo: Option<f64>,
    hi: Option<f64>,
    seed: Option<u64>,
}

const NAMES: [&str; 3] = ["a", "b", "c"];
const ITEMS: usize = 128;

/// One shader of every row and type.
pub fn builtins() -> Result<Vec<Shader>, String> {
    let path = root().join("builtins.toml");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let registry: Registry = toml::from_str(&text).map_err(|e| e.to_string())?;
    let maps = registry.map.iter().flat_map(|m| m.types.iter().map(|t| of_map(m, t)));
    maps.chain(registry.row.iter().map(of_row)).collect()
}

// Four vec4 come out for each vec4 that goes in: by scalars, by vec2, by vec3 and at once.
fn of_map(map: &Map, ty: &str) -> Result<Shader, String> {
    let out = map.out.as_deref().unwrap_or(ty);
    let n = NAMES.iter().filter(|n| mentions(&map.expr, n)).count();
    let scalars: Vec<&str> =
        (0..n).map(|k| if k == 1 { map.second.as_deref().unwrap_or(ty) } else { ty }).collect();
    let mut body = String::new();
    for size in 1..=4 {
        let of = |t: &str| {
            if size == 1 { t.to_string() } else { format!("vec{size}<{t}>") }
        };
        let params: Vec<String> = (0..n).map(|k| format!("{}: {}", NAMES[k], of(scalars[k]))).collect();
        let expr = map.expr.replace("$T", &of(ty)).replace("$S", ty);
        let others = [("$U", "u32"), ("$I", "i32"), ("$F", "f32"), ("$B", "bool"), ("$H", "f16")];
        let expr = others.iter().fold(expr, |e, (mark, t)| e.replace(mark, &of(t)));
        let (params, out) = (params.join(", "), of(out));
        let _ = writeln!(body, "fn f{size}({params}) -> {out} {{\n    return {expr};\n}}\n");
    }
    let call = |f: &str, part: &str| {
        let args: Vec<String> = (0..n).map(|k| format!("{}{part}", NAMES[k])).collect();
        format!("{f}({})", args.join(", "))
    };
    let one = |part| call("f1", part);
    let main = format!(
        "    r[4u * i] = vec4<{out}>({}, {}, {}, {});\n    r[4u * i + 1u] = vec4<{out}>({}, {});\n    \
         r[4u * i + 2u] = vec4<{out}>({}, {});\n    r[4u * i + 3u] = {};\n",
        one(".x"),
        one(".y"),
        one(".z"),
        one(".w"),
        call("f2", ".xy"),
        call("f2", ".zw"),
        call("f3", ".xyz"),
        one(".w"),
        call("f4", ""),
    );
    let inputs = scalars.iter().map(|t| format!("vec4<{t}>")).collect();
    let row = Row {
        name: format!("{}_{ty}", map.name),
        inputs,
        out: format!("vec4<{out}>"),
        expr: map.expr.clone(),
        enable: map.enable.clone(),
        no_spirv: map.no_spirv.clone(),
        check: map.check.clone(),
        args: map.args.clone(),
    };
    shader(&row, 4, &body, &main)
}

fn of_row(row: &Row) -> Result<Shader, String> {
    shader(row, 1, "", &format!("    r[i] = {};\n", row.expr))
}

fn shader(row: &Row, results: usize, body: &str, main: &str) -> Result<Shader, String> {
    let mut source = String::new();
    let enable = enables(row);
    for name in &enable {
        let _ = writeln!(source, "enable {name};");
    }
    let mut buffers = Vec::new();
    let mut loads = String::new();
    for (k, ty) in row.inputs.iter().enumerate() {
        let name = NAMES[k];
        let _ = writeln!(source, "@group(0) @binding({k}) var<storage, read> in_{name}: array<{ty}>;");
        let _ = writeln!(loads, "    let {name} = in_{name}[i];");
        buffers.push(input(row, k)?);
    }
    let (k, out) = (row.inputs.len(), &row.out);
    let _ = writeln!(source, "@group(0) @binding({k}) var<storage, read_write> r: array<{out}>;\n");
    let _ = writeln!(source, "{body}@compute @workgroup_size(64)");
    let _ = writeln!(source, "fn main(@builtin(global_invocation_id) id: vec3<u32>) {{\n    let i = id.x;");
    let _ = writeln!(source, "{loads}{main}}}");
    let mut result = buffer(out, ITEMS * results)?;
    // Rows may have gaps that no store fills.
    result.fill = Some(Fill::Zeros);
    result.check = Some(row.check.clone());
    buffers.push(result);
    let header = Header {
        about: row.expr.clone(),
        grid: [ITEMS as u32 / 64, 1, 1],
        buffers,
        define: BTreeMap::new(),
        needs: needs(row, &enable),
        subgroups: false,
        no_driver: None,
        no_spirv: row.no_spirv.clone(),
        finding: Vec::new(),
        bench: None,
    };
    Ok(Shader { name: row.name.clone(), source, header })
}

fn input(row: &Row, k: usize) -> Result<Buffer, String> {
    let mut buffer = buffer(&row.inputs[k], ITEMS)?;
    buffer.fill = Some(Fill::Edges);
    buffer.seed = k as u64 + 1;
    if let Some(arg) = row.args.get(k).or(row.args.last()) {
        (buffer.fill, buffer.lo, buffer.hi) = (Some(arg.fill), arg.lo, arg.hi);
        buffer.seed = arg.seed.unwrap_or(buffer.seed);
    }
    Ok(buffer)
}

fn buffer(ty: &str, items: usize) -> Result<Buffer, String> {
    let (scalar, elements) = layout(ty)?;
    Ok(Buffer {
        ty: scalar,
        len: Some(items * elements),
        values: None,
        fill: None,
        lo: None,
        hi: None,
        seed: 0,
        space: Space::Storage,
        check: None,
    })
}

// The scalar of a type, and how many of them an array's element takes with its padding.
fn layout(ty: &str) -> Result<(Type, usize), String> {
    let (shape, scalar) = ty.strip_suffix('>').and_then(|t| t.split_once('<')).unwrap_or(("", ty));
    let read = Type::deserialize(StrDeserializer::<Error>::new(scalar)).map_err(|e| format!("{ty}: {e}"))?;
    let padded = |rows: usize| if rows == 3 { 4 } else { rows };
    let digits: Vec<usize> = shape.chars().filter_map(|c| c.to_digit(10)).map(|d| d as usize).collect();
    Ok((
        read,
        match digits[..] {
            [rows] => padded(rows),
            [columns, rows] => columns * padded(rows),
            _ => 1,
        },
    ))
}

fn enables(row: &Row) -> Vec<&str> {
    let half = row.inputs.iter().chain([&row.out]).any(|t| t.contains("f16"));
    let named = row.enable.as_deref();
    named.or(half.then_some("f16")).into_iter().collect()
}

fn needs(row: &Row, enable: &[&str]) -> Vec<Need> {
    let uses = |t: &str| row.inputs.iter().chain([&row.out]).any(|i| i.contains(t));
    let all = [
        (Need::F16, enable.contains(&"f16")),
        (Need::I16, enable.contains(&"wgpu_int16")),
        (Need::F64, uses("f64")),
        (Need::I64, uses("i64") || uses("u64")),
    ];
    all.into_iter().filter_map(|(need, used)| used.then_some(need)).collect()
}

// Whether the expression reads the argument: its name as a word of its own.
fn mentions(expr: &str, name: &str) -> bool {
    expr.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').any(|word| word == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_valid_wgsl() {
        for shader in builtins().unwrap() {
            let module = naga::front::wgsl::parse_str(&shader.source);
            let module =
                module.unwrap_or_else(|e| panic!("{}: {}", shader.name, e.emit_to_string(&shader.source)));
            crate::simulate::validate(&module).unwrap_or_else(|e| panic!("{}: {e}", shader.name));
        }
    }

    #[test]
    fn names_are_unique() {
        let shaders = builtins().unwrap();
        let names: std::collections::BTreeSet<&str> = shaders.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names.len(), shaders.len());
    }
}
