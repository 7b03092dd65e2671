//! Drafts in WGSL: an entry point a step, one lane an element.

use ktwin_lang::{Func, Op, Ty};

use crate::dialect::{Dialect, helpers, shading};
use crate::lanes::{LANES, Lanes, handed, launch};
use crate::names::Names;
use crate::steps::Steps;
use crate::stores::{Stores, whole};
use crate::{Field, arguments, fields, storage};

struct Wgsl;

impl Dialect for Wgsl {
    fn ty(&self, ty: Ty) -> &'static str {
        match ty {
            Ty::Int => "i32",
            Ty::Real => "f32",
            Ty::Bool => "bool",
        }
    }

    fn real(&self, value: f64) -> String {
        match value {
            v if v.is_nan() => "infinity() - infinity()".into(),
            f64::INFINITY => "infinity()".into(),
            f64::NEG_INFINITY => "-infinity()".into(),
            v => format!("{v:?}"),
        }
    }

    fn constant(&self, _: Ty, name: &str, value: &str) -> String {
        format!("let {name} = {value};")
    }

    fn variable(&self, ty: Ty, name: &str, value: Option<&str>) -> String {
        match value {
            Some(value) => format!("var {name}: {} = {value};", self.ty(ty)),
            None => format!("var {name}: {};", self.ty(ty)),
        }
    }

    fn range(&self, name: &str, lo: &str, hi: &str) -> String {
        format!("for (var {name} = {lo}; {name} < {hi}; {name}++)")
    }

    fn when(&self, condition: &str) -> String {
        format!("if {condition}")
    }

    fn choose(&self, condition: &str, yes: &str, no: &str) -> String {
        format!("select({no}, {yes}, {condition})")
    }

    fn cast(&self, to: Ty, value: &str) -> String {
        format!("{}({value})", self.ty(to))
    }

    fn call(&self, func: Func, _: Ty, args: &[String]) -> String {
        let own = [(Func::Rsqrt, "inverseSqrt"), (Func::IntDiv, "floor_div"), (Func::Mod, "floor_mod")];
        shading(func, args, &own)
    }

    fn extreme(&self, largest: bool) -> String {
        if largest { "0x7fffffff".into() } else { "-0x7fffffff".into() }
    }
}

/// Functions that WGSL lacks, each with the words that show it is used.
const HELPERS: [(&str, &str); 8] = [
    (
        "floor_div(",
        "// Quotient of integers, rounded down.
fn floor_div(a: i32, b: i32) -> i32 {
    return a / b - select(0, 1, a % b != 0 && (a < 0) != (b < 0));
}
",
    ),
    (
        "floor_mod(",
        "// Remainder with the divisor's sign.
fn floor_mod(a: i32, b: i32) -> i32 {
    let rest = a % b;
    return select(rest, rest + b, rest != 0 && (rest < 0) != (b < 0));
}
",
    ),
    (
        "infinity(",
        "// WGSL has no constant for it.
var<private> infinity_bits: u32 = 0x7f800000u;

fn infinity() -> f32 {
    return bitcast<f32>(infinity_bits);
}
",
    ),
    (
        "erf(",
        "// The error function by Abramowitz and Stegun 7.1.26: error at most 1.5e-7.
fn erf(x: f32) -> f32 {
    let t = 1.0 / (1.0 + 0.3275911 * abs(x));
    let sum = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
    return sign(x) * (1.0 - sum * exp(-x * x));
}
",
    ),
    ("expm1(", "fn expm1(x: f32) -> f32 {\n    return exp(x) - 1.0;\n}\n"),
    ("log1p(", "fn log1p(x: f32) -> f32 {\n    return log(1.0 + x);\n}\n"),
    ("log10(", "fn log10(x: f32) -> f32 {\n    return log2(x) * 0.30102999566;\n}\n"),
    ("cbrt(", "fn cbrt(x: f32) -> f32 {\n    return sign(x) * pow(abs(x), 1.0 / 3.0);\n}\n"),
];

/// The contract's lines, and the code.
pub fn kernel(op: &Op) -> (Vec<String>, String) {
    let steps = Steps::of(op);
    let mut names = Names::of(op);
    let stores = Stores::new(op, &steps, &mut names);
    let fields = fields(op, &names);
    let [id, groups] = ["id", "groups"].map(|name| names.fresh(name));
    names.fresh("sizes");
    let head = |at: &str, count: &str| {
        format!("for (var {at} = i32({id}.x); {at} < {count}; {at} += i32({groups}.x) * {LANES})")
    };
    let mut lanes =
        Lanes { op, steps: &steps, stores: &stores, names, dialect: &Wgsl, head: &head, alone: "main" };
    let entries = lanes.entries();
    let fields = if entries.iter().any(|e| !e.sizes.is_empty()) { fields } else { Vec::new() };
    let mut contract = storage(op, &stores);
    contract.extend(launch(&entries, &arguments(op, &stores, &fields, handed), false));
    let mut out = bindings(op, &stores, &fields);
    let mut code = String::new();
    for e in &entries {
        let sizes: Vec<String> =
            e.sizes.iter().map(|name| format!("    let {name} = sizes.{name};\n")).collect();
        code.push_str(&format!(
            "\n@compute @workgroup_size({LANES})\nfn {}(@builtin(global_invocation_id) {id}: vec3<u32>, \
             @builtin(num_workgroups) {groups}: vec3<u32>) {{\n{}{}\n}}\n",
            e.name,
            sizes.concat(),
            e.lines.join("\n")
        ));
    }
    for text in helpers(&HELPERS, &code) {
        out.push_str(&format!("\n{text}"));
    }
    (contract, out + &code)
}

fn bindings(op: &Op, stores: &Stores, fields: &[Field]) -> String {
    let mut out = String::new();
    if !fields.is_empty() {
        let each: Vec<String> = fields.iter().map(|f| format!("{}: {}", f.name, handed(f.ty))).collect();
        out.push_str(&format!("\nstruct Sizes {{ {} }}\n", each.join(", ")));
    }
    out.push('\n');
    let all = stores.all(op);
    for (binding, store) in all.iter().enumerate() {
        let access = if stores.written(op, *store) { "read_write" } else { "read" };
        let ty = if whole(op, *store) { "i32" } else { "f32" };
        let name = stores.name(*store);
        out.push_str(&format!("@group(0) @binding({binding}) var<storage, {access}> {name}: array<{ty}>;\n"));
    }
    if !fields.is_empty() {
        out.push_str(&format!("@group(0) @binding({}) var<uniform> sizes: Sizes;\n", all.len()));
    }
    out
}
