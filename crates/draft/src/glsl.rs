//! Drafts in GLSL: one lane an element. A file has one entry point, so several steps share a workgroup, with a barrier
//! between them.

use ktwin_lang::{Func, Op, Ty};

use crate::dialect::{Dialect, helpers, shading};
use crate::lanes::{LANES, Lanes, handed, launch};
use crate::names::Names;
use crate::steps::Steps;
use crate::stores::{Stores, whole};
use crate::{Field, arguments, fields, storage};

struct Glsl;

impl Dialect for Glsl {
    fn ty(&self, ty: Ty) -> &'static str {
        match ty {
            Ty::Int => "int",
            Ty::Real => "float",
            Ty::Bool => "bool",
        }
    }

    fn real(&self, value: f64) -> String {
        match value {
            v if v.is_nan() => "intBitsToFloat(0x7fc00000)".into(),
            f64::INFINITY => "intBitsToFloat(0x7f800000)".into(),
            f64::NEG_INFINITY => "-intBitsToFloat(0x7f800000)".into(),
            v => format!("{v:?}"),
        }
    }

    fn cast(&self, to: Ty, value: &str) -> String {
        match to {
            Ty::Int => format!("to_int({value})"),
            _ => format!("{}({value})", self.ty(to)),
        }
    }

    fn call(&self, func: Func, _: Ty, args: &[String]) -> String {
        let own = [
            (Func::Rsqrt, "inversesqrt"),
            (Func::IntDiv, "floor_div"),
            (Func::Mod, "floor_mod"),
            (Func::Round, "roundEven"),
            (Func::Atan2, "atan"),
        ];
        shading(func, args, &own)
    }

    fn extreme(&self, largest: bool) -> String {
        if largest { "0x7fffffff".into() } else { "-0x7fffffff".into() }
    }
}

/// Functions that GLSL lacks, each with the words that show it is used.
const HELPERS: [(&str, &str); 8] = [
    (
        "floor_div(",
        "// Quotient of integers, rounded down.
int floor_div(int a, int b) {
    return a / b - int(a - a / b * b != 0 && (a < 0) != (b < 0));
}
",
    ),
    (
        "floor_mod(",
        "// Remainder with the divisor's sign; `%` of negative numbers is undefined.
int floor_mod(int a, int b) {
    int rest = a - a / b * b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
",
    ),
    (
        "to_int(",
        "// Cut towards zero; what is too large is the largest there is.
int to_int(float a) {
    return a >= 2147483648.0 ? 0x7fffffff : a > -2147483648.0 ? int(a) : -0x7fffffff - 1;
}
",
    ),
    (
        "erf(",
        "// The error function by Abramowitz and Stegun 7.1.26: error at most 1.5e-7.
float erf(float x) {
    float t = 1.0 / (1.0 + 0.3275911 * abs(x));
    float sum = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
    return sign(x) * (1.0 - sum * exp(-x * x));
}
",
    ),
    ("expm1(", "float expm1(float x) {\n    return exp(x) - 1.0;\n}\n"),
    ("log1p(", "float log1p(float x) {\n    return log(1.0 + x);\n}\n"),
    ("log10(", "float log10(float x) {\n    return log2(x) * 0.30102999566;\n}\n"),
    ("cbrt(", "float cbrt(float x) {\n    return sign(x) * pow(abs(x), 1.0 / 3.0);\n}\n"),
];

/// The contract's lines, and the code.
pub fn kernel(op: &Op) -> (Vec<String>, String) {
    let steps = Steps::of(op);
    let mut names = Names::of(op);
    let stores = Stores::new(op, &steps, &mut names);
    let fields = fields(op, &names);
    let head = |at: &str, count: &str| {
        let (first, groups) = ("int(gl_GlobalInvocationID.x)", "int(gl_NumWorkGroups.x)");
        format!("for (int {at} = {first}; {at} < {count}; {at} += {groups} * {LANES})")
    };
    let mut lanes = Lanes {
        op,
        steps: &steps,
        stores: &stores,
        names: names.clone(),
        dialect: &Glsl,
        head: &head,
        alone: "main",
    };
    let entries = lanes.entries();
    let fields = if entries.iter().any(|e| !e.sizes.is_empty()) { fields } else { Vec::new() };
    let args = arguments(op, &stores, &fields, handed);
    let mut contract = storage(op, &stores);
    match &entries[..] {
        [_] => contract.extend(launch(&entries, &args, false)),
        _ => contract.extend([format!("args    = {args}"), "grid    = [1, 1, 1]".into()]),
    }
    let bodies: Vec<String> = entries.iter().map(|e| e.lines.join("\n")).collect();
    let code =
        format!("\nvoid main() {{\n{}\n}}\n", bodies.join("\n    memoryBarrierBuffer();\n    barrier();\n"));
    let mut out = bindings(op, &stores, &fields, &mut names, entries.len() > 1);
    for text in helpers(&HELPERS, &code) {
        out.push_str(&format!("\n{text}"));
    }
    (contract, out + &code)
}

/// The buffers; those of several steps are written by one lane and read by another.
fn bindings(op: &Op, stores: &Stores, fields: &[Field], names: &mut Names, several: bool) -> String {
    let mut out = format!("#version 450\nlayout(local_size_x = {LANES}) in;\n");
    let all = stores.all(op);
    for (binding, store) in all.iter().enumerate() {
        let access = match stores.written(op, *store) {
            false => "readonly ",
            true if several => "coherent ",
            true => "",
        };
        let ty = if whole(op, *store) { "int" } else { "float" };
        let (name, block) = (stores.name(*store), names.fresh(&format!("Of_{}", stores.name(*store))));
        out.push_str(&format!("layout(binding = {binding}) {access}buffer {block} {{ {ty} {name}[]; }};\n"));
    }
    if !fields.is_empty() {
        let each: Vec<String> = fields.iter().map(|f| format!("{} {};", held(f.ty), f.name)).collect();
        let block = names.fresh("Sizes");
        out.push_str(&format!("layout(binding = {}) uniform {block} {{ {} }};\n", all.len(), each.join(" ")));
    }
    out
}

/// The type of a uniform buffer's field.
fn held(ty: Ty) -> &'static str {
    match ty {
        Ty::Int => "int",
        Ty::Real => "float",
        Ty::Bool => "uint",
    }
}
