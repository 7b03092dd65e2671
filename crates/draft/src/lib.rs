//! A first kernel out of an op's formula: plain loops, one lane an element, right before it is fast. What `ktwin new`
//! writes where this project has no kernel of its own.
#![warn(missing_docs)]

mod c;
mod clike;
mod constants;
mod contract;
mod dialect;
mod expr;
mod glsl;
mod gpu;
mod lanes;
mod launch;
mod loops;
mod names;
mod nests;
mod reads;
mod recur;
mod rust;
mod sizes;
mod spread;
mod steps;
mod stores;
mod template;
mod triton;
mod uses;
mod wgsl;

use ktwin_check::SourceKind;
use ktwin_check::languages::Draft;
use ktwin_lang::{Func, NodeKind, Op, Ty};

pub use contract::{Start, contract};
use names::Names;
use stores::{Store, Stores, whole};
pub use triton::kernels as kernels_of_triton;
pub use uses::heed;

/// The whole file: contract, formula and code; none in a language that drafts are not written in. `op_name` is how the
/// contract names the op.
pub fn kernel(op: &Op, op_name: &str, kind: SourceKind) -> Option<String> {
    if !plain(op) {
        return None;
    }
    let language = kind.row();
    let (lines, code) = match language.draft? {
        Draft::Wgsl => wgsl::kernel(op),
        Draft::C(before) => c::kernel(op, before),
        Draft::Cuda => gpu::Gpu::Cuda.kernel(op),
        Draft::OpenCl => gpu::Gpu::OpenCl.kernel(op),
        Draft::Glsl => glsl::kernel(op),
        Draft::Rust => rust::kernel(op),
    };
    let (line, [open, close]) = language.comments?;
    let contract = format!("{open}--- ktwin\nop      = \"{op_name}\"\n{}\n---{close}\n", lines.join("\n"));
    Some(format!("{contract}{}{code}", formula(op, line)))
}

/// Whether drafts can be written of this op. Their integers are of 32 bits, so those of bits are left to people, and so
/// are random ones.
pub fn plain(op: &Op) -> bool {
    let wide =
        |func: &Func| matches!(func, Func::Bit(_) | Func::Wrap { .. } | Func::BitsOf(_) | Func::OfBits(_));
    let mut found = op.is_random() || !recur::plain(op);
    for node in op.stages.iter().flat_map(ktwin_lang::Stage::nodes) {
        node.walk(&mut |n| found |= matches!(&n.kind, NodeKind::Apply(func, _) if wide(func)));
    }
    !found
}

/// The op's definitions as comments.
fn formula(op: &Op, mark: &str) -> String {
    let lines = op.text.lines().skip_while(|l| l.starts_with('#') || l.trim().is_empty());
    lines.map(|line| format!("{}\n", format!("{mark} {line}").trim_end())).collect()
}

/// A dimension or a scalar as it is handed over.
struct Field<'o> {
    /// Its name in the op, and in the kernel.
    of_op: &'o str,
    name: String,
    ty: Ty,
}

/// Dimensions, then scalars.
fn fields<'o>(op: &'o Op, names: &Names) -> Vec<Field<'o>> {
    let dims = op.dims.iter().map(|d| (d.name.as_str(), Ty::Int));
    let all = dims.chain(op.scalars.iter().map(|s| (s.name.as_str(), s.ty)));
    all.map(|(of_op, ty)| Field { of_op, name: names.size(of_op).to_string(), ty }).collect()
}

/// The contract's lines on how tensors are stored and on scratch buffers.
fn storage(op: &Op, stores: &Stores) -> Vec<String> {
    let all = stores.all(op);
    let of = |store: &Store| if whole(op, *store) { "i32" } else { "f32" };
    let (scratch, tensors): (Vec<Store>, Vec<Store>) =
        all.iter().partition(|s| matches!(s, Store::Scratch(_)));
    let integers: Vec<String> = tensors
        .iter()
        .filter(|s| whole(op, **s))
        .map(|s| format!("{} = \"i32\"", stores.contract_name(op, *s)))
        .collect();
    let buffers: Vec<String> = scratch
        .iter()
        .filter_map(|s| if let Store::Scratch(stage) = s { Some((s, *stage)) } else { None })
        .map(|(s, stage)| {
            format!("{} = \"{}[{}]\"", stores.name(*s), of(s), stores::elements(op, &op.stages[stage].space))
        })
        .collect();
    let mut lines = Vec::new();
    if !integers.is_empty() {
        lines.push(format!("types   = {{ {} }}", integers.join(", ")));
    }
    lines.push("compute = \"f32\"".into());
    if !buffers.is_empty() {
        lines.push(format!("scratch = {{ {} }}", buffers.join(", ")));
    }
    lines
}

/// The contract's `args`: all buffers, then the values in the types that they are handed over in.
fn arguments(op: &Op, stores: &Stores, fields: &[Field], ty: impl Fn(Ty) -> &'static str) -> String {
    let buffers = stores.all(op);
    let mut args: Vec<String> =
        buffers.iter().map(|s| format!("\"{}\"", stores.contract_name(op, *s))).collect();
    if !fields.is_empty() {
        let each: Vec<String> = fields.iter().map(|f| format!("{} = \"{}\"", f.of_op, ty(f.ty))).collect();
        args.push(format!("{{ {} }}", each.join(", ")));
    }
    format!("[{}]", args.join(", "))
}
