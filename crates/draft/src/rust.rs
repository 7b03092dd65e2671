//! Drafts in Rust: one function on slices, a nest of loops a step.

use ktwin_lang::{Func, Op, Ty};

use crate::dialect::{Dialect, function};
use crate::expr::Writer;
use crate::lanes::handed;
use crate::names::Names;
use crate::nests::nests;
use crate::steps::Steps;
use crate::stores::{Stores, whole};
use crate::{Field, arguments, fields, storage};

struct Rust;

impl Dialect for Rust {
    fn ty(&self, ty: Ty) -> &'static str {
        match ty {
            Ty::Int => "i32",
            Ty::Real => "f32",
            Ty::Bool => "bool",
        }
    }

    fn real(&self, value: f64) -> String {
        match value {
            v if v.is_nan() => "f32::NAN".into(),
            f64::INFINITY => "f32::INFINITY".into(),
            f64::NEG_INFINITY => "-f32::INFINITY".into(),
            v => format!("{v:?}"),
        }
    }

    fn constant(&self, ty: Ty, name: &str, value: &str) -> String {
        format!("let {name}: {} = {value};", self.ty(ty))
    }

    fn variable(&self, ty: Ty, name: &str, value: Option<&str>) -> String {
        match value {
            Some(value) => format!("let mut {name}: {} = {value};", self.ty(ty)),
            None => format!("let {name}: {};", self.ty(ty)),
        }
    }

    fn range(&self, name: &str, lo: &str, hi: &str) -> String {
        format!("for {name} in {lo}..{hi}")
    }

    fn when(&self, condition: &str) -> String {
        format!("if {condition}")
    }

    fn choose(&self, condition: &str, yes: &str, no: &str) -> String {
        format!("(if {condition} {{ {yes} }} else {{ {no} }})")
    }

    fn cast(&self, to: Ty, value: &str) -> String {
        format!("(({value}) as {})", self.ty(to))
    }

    fn call(&self, func: Func, ty: Ty, args: &[String]) -> String {
        let all = args.join(", ");
        let name = match (func, ty) {
            (Func::Sigmoid, _) => return format!("1.0 / (1.0 + f32::exp(-({all})))"),
            (Func::Rsqrt, _) => return format!("1.0 / f32::sqrt({all})"),
            (Func::IntDiv, _) => return format!("floor_div({all})"),
            (Func::Mod, _) => return format!("floor_mod({all})"),
            (Func::Erf, _) => return format!("erf({all})"),
            (Func::Sign, Ty::Int) => return format!("i32::signum({all})"),
            (Func::Sign, _) => return format!("sign({all})"),
            (Func::Expm1, _) => "exp_m1",
            (Func::Log1p, _) => "ln_1p",
            (Func::Log, _) => "ln",
            (Func::Pow, Ty::Real) => "powf",
            (Func::Round, _) => "round_ties_even",
            _ => function(func),
        };
        format!("{}::{name}({all})", self.ty(ty))
    }

    fn element(&self, buffer: &str, place: &str) -> String {
        let is_name = place.chars().all(|c| c.is_alphanumeric() || c == '_');
        if is_name { format!("{buffer}[{place} as usize]") } else { format!("{buffer}[({place}) as usize]") }
    }

    fn extreme(&self, largest: bool) -> String {
        if largest { "i32::MAX".into() } else { "-i32::MAX".into() }
    }
}

/// Functions that Rust lacks, each with the words that show it is used.
const HELPERS: [(&str, &str); 4] = [
    (
        "floor_div(",
        "/// Quotient of integers, rounded down.
fn floor_div(a: i32, b: i32) -> i32 {
    a / b - i32::from(a % b != 0 && (a < 0) != (b < 0))
}
",
    ),
    (
        "floor_mod(",
        "/// Remainder with the divisor's sign.
fn floor_mod(a: i32, b: i32) -> i32 {
    let rest = a % b;
    if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest }
}
",
    ),
    (
        " erf(",
        "/// The error function, which Rust leaves to the C library.
fn erf(x: f32) -> f32 {
    unsafe extern \"C\" {
        safe fn erff(x: f32) -> f32;
    }
    erff(x)
}
",
    ),
    (
        " sign(",
        "/// 0 of zeros, unlike `signum`.
fn sign(x: f32) -> f32 {
    f32::from(i8::from(x > 0.0) - i8::from(x < 0.0))
}
",
    ),
];

/// The contract's lines, and the code.
pub fn kernel(op: &Op) -> (Vec<String>, String) {
    let steps = Steps::of(op);
    let mut names = Names::of(op);
    let stores = Stores::new(op, &steps, &mut names);
    let fields = fields(op, &names);
    names.fresh("sizes");
    let mut w = Writer::new(op, &steps, &stores, &Rust, &names);
    nests(&mut w, &names);
    let used = w.sizes();
    let body = w.lines.join("\n");
    let name = names.fresh(&op.name);
    let mut out = String::from("#![allow(non_snake_case, unused)]\n\n");
    if fields.len() > 1 {
        let each = fields.iter().map(|f| format!("    {}: {},\n", f.name, handed(f.ty)));
        out.push_str(&format!("#[repr(C)]\nstruct Sizes {{\n{}}}\n\n", each.collect::<String>()));
    }
    for (word, text) in HELPERS {
        if body.contains(word) || body.contains(&format!("({}", word.trim_start())) {
            out.push_str(&format!("{text}\n"));
        }
    }
    out.push_str(&format!("fn {name}({}) {{\n", parameters(op, &stores, &fields)));
    if fields.len() > 1 {
        let used = fields.iter().filter(|f| used.contains(&f.name));
        out.push_str(&used.map(|f| format!("    let {0} = sizes.{0};\n", f.name)).collect::<String>());
    }
    out.push_str(&format!("{body}\n}}\n"));
    let mut lines = vec![format!("entry   = \"{name}\"")];
    lines.extend(storage(op, &stores));
    lines.push(format!("args    = {}", arguments(op, &stores, &fields, handed)));
    (lines, out)
}

fn parameters(op: &Op, stores: &Stores, fields: &[Field]) -> String {
    let mut all: Vec<String> = Vec::new();
    for store in stores.all(op) {
        let mutable = if stores.written(op, store) { "mut " } else { "" };
        let ty = if whole(op, store) { "i32" } else { "f32" };
        all.push(format!("{}: &{mutable}[{ty}]", stores.name(store)));
    }
    match fields {
        [] => {}
        [only] => all.push(format!("{}: {}", only.name, handed(only.ty))),
        _ => all.push("sizes: Sizes".into()),
    }
    all.join(", ")
}
