//! Drafts in C and C++: one function, a nest of loops a step.

use ktwin_lang::{Func, Op, Ty};

use crate::clike::{called, cast, lacking};
use crate::dialect::Dialect;
use crate::expr::Writer;
use crate::names::Names;
use crate::nests::nests;
use crate::steps::Steps;
use crate::stores::{Stores, whole};
use crate::{Field, arguments, fields, storage};

struct C;

impl Dialect for C {
    fn ty(&self, ty: Ty) -> &'static str {
        match ty {
            Ty::Int => "int32_t",
            Ty::Real => "float",
            Ty::Bool => "bool",
        }
    }

    fn real(&self, value: f64) -> String {
        match value {
            v if v.is_nan() => "NAN".into(),
            f64::INFINITY => "INFINITY".into(),
            f64::NEG_INFINITY => "-INFINITY".into(),
            v => format!("{v:?}f"),
        }
    }

    fn cast(&self, to: Ty, value: &str) -> String {
        cast(self, to, value)
    }

    fn call(&self, func: Func, ty: Ty, args: &[String]) -> String {
        called(func, ty, args, "f")
    }

    fn extreme(&self, largest: bool) -> String {
        if largest { "INT32_MAX".into() } else { "-INT32_MAX".into() }
    }
}

/// The contract's lines, and the code; `abi` stands before the function.
pub fn kernel(op: &Op, abi: &str) -> (Vec<String>, String) {
    let steps = Steps::of(op);
    let mut names = Names::of(op);
    let stores = Stores::new(op, &steps, &mut names);
    let fields = fields(op, &names);
    names.fresh("sizes");
    let mut w = Writer::new(op, &steps, &stores, &C, &names);
    nests(&mut w, &names);
    let used = w.sizes();
    let body = w.lines.join("\n");
    let mut out =
        String::from("#include <math.h>\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n\n");
    if fields.len() > 1 {
        let each: Vec<String> =
            fields.iter().map(|f| format!("    {} {};\n", handed(f.ty), f.name)).collect();
        out.push_str(&format!("typedef struct {{\n{}}} sizes_t;\n\n", each.concat()));
    }
    for text in lacking(&body, "static ", "int32_t", ["INT32_MAX", "INT32_MIN"]) {
        out.push_str(&format!("{text}\n"));
    }
    let name = names.fresh(&op.name);
    out.push_str(&format!("{abi}void {name}({})\n{{\n", parameters(op, &stores, &fields)));
    out.push_str(&locals(&fields, &used));
    out.push_str(&format!("{body}\n}}\n"));
    (contract_lines(op, &stores, &fields), out)
}

fn contract_lines(op: &Op, stores: &Stores, fields: &[Field]) -> Vec<String> {
    let args = arguments(op, stores, fields, |ty| if ty == Ty::Real { "f32" } else { "u32" });
    let mut lines = storage(op, stores);
    lines.push(format!("args    = {args}"));
    lines
}

fn parameters(op: &Op, stores: &Stores, fields: &[Field]) -> String {
    let mut all: Vec<String> = Vec::new();
    for store in stores.all(op) {
        let constant = if stores.written(op, store) { "" } else { "const " };
        let ty = if whole(op, store) { "int32_t" } else { "float" };
        all.push(format!("{constant}{ty} *{}", stores.name(store)));
    }
    match fields {
        [] => {}
        [only] => all.push(format!("{} given_{}", handed(only.ty), only.name)),
        _ => all.push("sizes_t sizes".into()),
    }
    all.join(", ")
}

/// Those that are used, by names of their own and signed.
fn locals(fields: &[Field], used: &[String]) -> String {
    let each = fields.iter().filter(|f| used.contains(&f.name)).map(|f| {
        let name = &f.name;
        let from = if fields.len() == 1 { format!("given_{name}") } else { format!("sizes.{name}") };
        match f.ty {
            Ty::Real => format!("    const float {name} = {from};\n"),
            _ => format!("    const int32_t {name} = (int32_t){from};\n"),
        }
    });
    each.collect()
}

fn handed(ty: Ty) -> &'static str {
    if ty == Ty::Real { "float" } else { "uint32_t" }
}
