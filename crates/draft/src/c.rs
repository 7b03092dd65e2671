//! Drafts in C and C++: one function, a nest of loops a step.

use ktwin_lang::{Func, Op, Ty};

use crate::dialect::{Dialect, function};
use crate::expr::Writer;
use crate::names::Names;
use crate::steps::{Step, Steps};
use crate::stores::{Store, Stores, store_of_output, whole};
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

    fn constant(&self, ty: Ty, name: &str, value: &str) -> String {
        format!("const {} {name} = {value};", self.ty(ty))
    }

    fn variable(&self, ty: Ty, name: &str, value: Option<&str>) -> String {
        match value {
            Some(value) => format!("{} {name} = {value};", self.ty(ty)),
            None => format!("{} {name};", self.ty(ty)),
        }
    }

    fn range(&self, name: &str, lo: &str, hi: &str) -> String {
        format!("for (int32_t {name} = {lo}; {name} < {hi}; {name}++)")
    }

    fn when(&self, condition: &str) -> String {
        format!("if ({condition})")
    }

    fn choose(&self, condition: &str, yes: &str, no: &str) -> String {
        format!("({condition} ? {yes} : {no})")
    }

    fn cast(&self, to: Ty, value: &str) -> String {
        match to {
            Ty::Int => format!("to_int({value})"),
            _ => format!("({})({value})", self.ty(to)),
        }
    }

    fn call(&self, func: Func, ty: Ty, args: &[String]) -> String {
        let all = args.join(", ");
        match (func, ty) {
            (Func::Sigmoid, _) => format!("1.0f / (1.0f + expf(-({all})))"),
            (Func::Rsqrt, _) => format!("1.0f / sqrtf({all})"),
            (Func::IntDiv, _) => format!("floor_div({all})"),
            (Func::Mod, _) => format!("floor_mod({all})"),
            (Func::Abs | Func::Sign | Func::Min | Func::Max | Func::Pow, Ty::Int) => {
                format!("int_{}({all})", function(func))
            }
            (Func::Sign, _) => format!("real_sign({all})"),
            (Func::Min | Func::Max | Func::Abs, _) => format!("f{}f({all})", function(func)),
            (Func::Round, _) => format!("rintf({all})"),
            _ => format!("{}f({all})", function(func)),
        }
    }

    fn extreme(&self, largest: bool) -> String {
        if largest { "INT32_MAX".into() } else { "-INT32_MAX".into() }
    }
}

/// Functions that C lacks, each with the word that shows it is used.
const HELPERS: [(&str, &str); 8] = [
    (
        "floor_div(",
        "// Quotient of integers, rounded down.
static int32_t floor_div(int32_t a, int32_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
",
    ),
    (
        "floor_mod(",
        "// Remainder with the divisor's sign.
static int32_t floor_mod(int32_t a, int32_t b)
{
    const int32_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
",
    ),
    (
        "to_int(",
        "// Cut towards zero; what is too large is the largest there is.
static int32_t to_int(float a)
{
    return a >= 2147483648.0f ? INT32_MAX : a > -2147483648.0f ? (int32_t)a : INT32_MIN;
}
",
    ),
    ("int_min(", "static int32_t int_min(int32_t a, int32_t b) { return a < b ? a : b; }\n"),
    ("int_max(", "static int32_t int_max(int32_t a, int32_t b) { return a > b ? a : b; }\n"),
    ("int_abs(", "static int32_t int_abs(int32_t a) { return a < 0 ? -a : a; }\n"),
    ("int_sign(", "static int32_t int_sign(int32_t a) { return (a > 0) - (a < 0); }\n"),
    ("real_sign(", "static float real_sign(float a) { return (float)((a > 0) - (a < 0)); }\n"),
];

/// The contract's lines, and the code; `abi` stands before the function.
pub fn kernel(op: &Op, abi: &str) -> (Vec<String>, String) {
    let steps = Steps::of(op);
    let mut names = Names::of(op);
    let stores = Stores::new(op, &steps, &mut names);
    let fields = fields(op, &names);
    names.fresh("sizes");
    let mut w = Writer::new(op, &steps, &stores, &C, &names);
    for (at, step) in steps.steps.iter().enumerate() {
        if at > 0 {
            w.lines.push(String::new());
        }
        w.names = names.clone();
        step_loops(&mut w, step);
    }
    let used = w.sizes();
    let body = w.lines.join("\n");
    let mut out =
        String::from("#include <math.h>\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n\n");
    if fields.len() > 1 {
        let each: Vec<String> =
            fields.iter().map(|f| format!("    {} {};\n", handed(f.ty), f.name)).collect();
        out.push_str(&format!("typedef struct {{\n{}}} sizes_t;\n\n", each.concat()));
    }
    for (word, text) in HELPERS {
        if body.contains(word) {
            out.push_str(&format!("{text}\n"));
        }
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

fn step_loops(w: &mut Writer, step: &Step) {
    let (group, copy) = match step {
        Step::Compute(group) => (group.clone(), None),
        Step::Copy { stage, output } => (vec![*stage], Some(*output)),
    };
    let space = w.op.stages[group[0]].space.clone();
    if space.is_empty() {
        w.block();
    }
    for var in &space {
        let (lo, hi) = w.bounds(*var);
        let name = w.bind(*var);
        w.open(&C.range(&name, &lo, &hi));
    }
    if let Some(output) = copy {
        let at = w.place(group[0]);
        let (from, to) =
            (w.stores.name(Store::Scratch(group[0])), w.stores.name(store_of_output(w.op, output)));
        w.line(&format!("{to}[{at}] = {from}[{at}];"));
    } else {
        for (store, place, value) in w.computed(&group) {
            w.line(&format!("{}[{place}] = {value};", w.stores.name(store)));
        }
        w.unguard(group[0]);
    }
    for _ in 0..space.len().max(1) {
        w.close();
    }
}
