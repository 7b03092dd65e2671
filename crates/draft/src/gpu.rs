//! Drafts in CUDA C++ and OpenCL C: a kernel a step, one lane an element.

use ktwin_lang::{Func, Op, Ty};

use crate::clike::{called, cast, lacking};
use crate::dialect::Dialect;
use crate::lanes::{Entry, LANES, Lanes, handed, launch};
use crate::names::Names;
use crate::steps::Steps;
use crate::stores::{Stores, whole};
use crate::{Field, arguments, fields, storage};

/// One of the two languages.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Gpu {
    Cuda,
    OpenCl,
}

impl Dialect for Gpu {
    fn ty(&self, ty: Ty) -> &'static str {
        match ty {
            Ty::Int => "int",
            Ty::Real => "float",
            Ty::Bool => "bool",
        }
    }

    fn real(&self, value: f64) -> String {
        match value {
            v if v.is_nan() && *self == Gpu::Cuda => "nanf(\"\")".into(),
            v if v.is_nan() => "NAN".into(),
            f64::INFINITY => "INFINITY".into(),
            f64::NEG_INFINITY => "-INFINITY".into(),
            v => format!("{v:?}f"),
        }
    }

    fn cast(&self, to: Ty, value: &str) -> String {
        cast(self, to, value)
    }

    /// OpenCL's functions take any width, CUDA's of 32 bits end in `f`.
    fn call(&self, func: Func, ty: Ty, args: &[String]) -> String {
        called(func, ty, args, if *self == Gpu::Cuda { "f" } else { "" })
    }

    fn extreme(&self, largest: bool) -> String {
        if largest { "2147483647".into() } else { "-2147483647".into() }
    }
}

impl Gpu {
    /// The contract's lines, and the code.
    pub fn kernel(self, op: &Op) -> (Vec<String>, String) {
        let steps = Steps::of(op);
        let mut names = Names::of(op);
        let stores = Stores::new(op, &steps, &mut names);
        let fields = fields(op, &names);
        names.fresh("sizes");
        let alone = names.fresh(&op.name);
        let head = |at: &str, count: &str| {
            let [first, step] = self.walk();
            format!("for (int {at} = {first}; {at} < {count}; {at} += {step})")
        };
        let mut lanes =
            Lanes { op, steps: &steps, stores: &stores, names, dialect: &self, head: &head, alone: &alone };
        let entries = lanes.entries();
        let fields = if entries.iter().any(|e| !e.sizes.is_empty()) { fields } else { Vec::new() };
        let mut contract = storage(op, &stores);
        contract.extend(launch(&entries, &arguments(op, &stores, &fields, handed), true));
        let mut code = String::new();
        for entry in &entries {
            code.push_str(&self.entry(op, &stores, &fields, entry));
        }
        (contract, self.before(&fields, &code) + &code)
    }

    /// A lane's first element, and how far it is to its next.
    fn walk(self) -> [String; 2] {
        match self {
            Gpu::Cuda => {
                [format!("(int)(blockIdx.x * {LANES} + threadIdx.x)"), format!("(int)gridDim.x * {LANES}")]
            }
            Gpu::OpenCl => ["(int)get_global_id(0)".into(), "(int)get_global_size(0)".into()],
        }
    }

    /// The struct of the sizes, and the functions that are used.
    fn before(self, fields: &[Field], code: &str) -> String {
        let mut out = String::new();
        if fields.len() > 1 {
            let each = fields.iter().map(|f| format!("    {} {};\n", held(f.ty), f.name));
            out.push_str(&format!("\ntypedef struct {{\n{}}} sizes_t;\n", each.collect::<String>()));
        }
        let mark = if self == Gpu::Cuda { "__device__ " } else { "" };
        for text in lacking(code, mark, "int", ["2147483647", "-2147483647 - 1"]) {
            out.push_str(&format!("\n{text}"));
        }
        out
    }

    fn entry(self, op: &Op, stores: &Stores, fields: &[Field], entry: &Entry) -> String {
        let (head, space) = match self {
            Gpu::Cuda => ("extern \"C\" __global__ void", ""),
            Gpu::OpenCl => ("__kernel void", "__global "),
        };
        let buffer = |store| {
            let constant = if stores.written(op, store) { "" } else { "const " };
            let ty = if whole(op, store) { "int" } else { "float" };
            format!("{space}{constant}{ty} *{}", stores.name(store))
        };
        let mut params: Vec<String> = stores.all(op).into_iter().map(buffer).collect();
        match fields {
            [] => {}
            [only] => params.push(format!("{} {}", held(only.ty), only.name)),
            _ => params.push("sizes_t sizes".into()),
        }
        let used = fields.iter().filter(|f| fields.len() > 1 && entry.sizes.contains(&f.name));
        let locals = used.map(|f| format!("    const {} {1} = sizes.{1};\n", held(f.ty), f.name));
        format!(
            "\n{head} {}({})\n{{\n{}{}\n}}\n",
            entry.name,
            params.join(", "),
            locals.collect::<String>(),
            entry.lines.join("\n")
        )
    }
}

/// The type that a value is handed over in.
fn held(ty: Ty) -> &'static str {
    match ty {
        Ty::Int => "int",
        Ty::Real => "float",
        Ty::Bool => "unsigned",
    }
}
