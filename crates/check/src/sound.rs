//! Holds a contract against its op: names that neither knows, tensors that nobody binds, expressions that
//! say nothing.

use ktwin_num::{DType, did_you_mean};
use ktwin_spec::{Diagnostic, Rounds, Ty};

use crate::contract::{Arg, Expr, Field, FieldSource, Name, Stage};
use crate::kernel::Kernel;
use crate::source::SourceKind;

/// Everything that is wrong.
pub fn mistakes(kernel: &Kernel) -> Vec<Diagnostic> {
    let mut check = Check { kernel, found: promises(kernel) };
    for stage in &kernel.contract.stages {
        check.stage(stage);
    }
    check.bound();
    check.cuda();
    check.subgroup();
    check.pushed();
    check.found
}

/// What is wrong with a promise that has no launch.
pub fn promises(kernel: &Kernel) -> Vec<Diagnostic> {
    let mut check = Check { kernel, found: Vec::new() };
    check.names();
    check.types();
    check.rounds();
    check.expressions();
    check.found
}

struct Check<'a> {
    kernel: &'a Kernel,
    found: Vec<Diagnostic>,
}

impl Check<'_> {
    fn mistake(&mut self, name: &Name, message: String, help: impl Into<String>) {
        let found = self.kernel.mistake(name.spot, name, message, Some(help.into()));
        self.found.push(found);
    }

    fn tensors(&self) -> Vec<String> {
        let op = &self.kernel.op;
        let mut names: Vec<String> = op.inputs.iter().chain(&op.outputs).map(|t| t.name.clone()).collect();
        names.dedup();
        names
    }

    fn known(&mut self, name: &Name, what: &str, known: &[String]) {
        if known.iter().any(|k| **k == **name) {
            return;
        }
        let near = did_you_mean(name, known.iter().map(String::as_str));
        let op = &self.kernel.op.name;
        let help =
            if known.is_empty() { "it has none".into() } else { format!("it has {}", known.join(", ")) };
        self.mistake(name, format!("op {op} has no {what} `{}`{near}", name.text), help);
    }

    /// The names of every table.
    fn names(&mut self) {
        let (kernel, tensors) = (self.kernel, self.tensors());
        let (op, contract) = (&kernel.op, &kernel.contract);
        let inputs: Vec<String> = op.inputs.iter().map(|t| t.name.clone()).collect();
        let outputs: Vec<String> = op.outputs.iter().map(|t| t.name.clone()).collect();
        let dims: Vec<String> = op.dims.iter().map(|d| d.name.clone()).collect();
        let scalars = op.scalars.iter().map(|s| s.name.clone());
        let fixable: Vec<String> = dims.iter().cloned().chain(scalars).collect();
        contract.types.iter().for_each(|(n, _)| self.known(n, "tensor", &tensors));
        contract.layout.iter().for_each(|(n, _)| self.known(n, "tensor", &tensors));
        contract.tile.iter().for_each(|(n, _)| self.known(n, "dimension", &dims));
        contract.dims.iter().for_each(|(n, _)| self.known(n, "dimension", &dims));
        contract.fix.iter().for_each(|(n, _)| self.known(n, "dimension or scalar", &fixable));
        for (output, input) in &contract.inplace {
            self.known(output, "output", &outputs);
            self.known(input, "input", &inputs);
        }
    }

    /// What is rounded further is there, and can be.
    fn rounds(&mut self) {
        let (op, contract) = (&self.kernel.op, &self.kernel.contract);
        let mut rounds = Rounds::none(op);
        for (name, dtype) in &contract.round {
            if let Err(message) = rounds.add(op, name, *dtype) {
                self.mistake(name, message, "write { p = \"f16\" } or { x = \"q8_1\" } for what the op has");
            }
        }
    }

    /// Integers are stored as integers, reals as reals.
    fn types(&mut self) {
        let (op, contract) = (&self.kernel.op, &self.kernel.contract);
        for (name, dtype) in &contract.types {
            let Some(info) = op.inputs.iter().chain(&op.outputs).find(|t| t.name == **name) else { continue };
            if info.integer && !dtype.is_integer() {
                let message = format!("{} holds integers, but {dtype} does not", info.name);
                self.mistake(name, message, "write u32, i32 or another integer type");
            }
        }
        for (output, input) in &contract.inplace {
            let (a, b) = (self.kernel.dtype(output), self.kernel.dtype(input));
            if a != b {
                let message = format!("{} is {a} and {} is {b}", output.text, input.text);
                self.mistake(output, message, "what is written over an input has its type");
            }
        }
    }

    /// Expressions that stand alone.
    fn expressions(&mut self) {
        let contract = &self.kernel.contract;
        contract.limits.iter().for_each(|e| self.expression(e, "a comparison", |t| t == Ty::Bool));
        contract.define.iter().for_each(|(_, e)| self.expression(e, "a value", |_| true));
        contract.scratch.iter().for_each(|s| self.expression(&s.elements, "a number", is_number));
    }

    fn expression(&mut self, expr: &Expr, wanted: &str, fits: impl Fn(Ty) -> bool) {
        match self.kernel.expression(expr) {
            Ok(parsed) if fits(parsed.ty()) => {}
            Ok(parsed) => {
                let message = format!("this is {}, not {wanted}", parsed.ty().shown());
                let found = self.kernel.mistake(expr.spot, &expr.text, message, None);
                self.found.push(found);
            }
            Err(diagnostic) => self.found.push(*diagnostic),
        }
    }

    fn stage(&mut self, stage: &Stage) {
        let sizes = stage.grid.iter().chain(stage.block.iter().flatten()).chain(&stage.shared);
        sizes.for_each(|e| self.expression(e, "a number", is_number));
        let scratch = self.kernel.contract.scratch.iter().map(|s| s.name.text.clone());
        let bindable: Vec<String> = self.tensors().into_iter().chain(scratch).collect();
        for arg in &stage.args {
            match arg {
                Arg::Tensor(name) => self.known(name, "tensor", &bindable),
                Arg::Fields(fields) => fields.iter().for_each(|f| self.source(f)),
            }
        }
        stage.push.iter().for_each(|f| self.source(f));
    }

    fn source(&mut self, field: &Field) {
        match &field.source {
            FieldSource::Expr(expr) => self.field(expr, field.dtype),
            FieldSource::Stride(name, _) | FieldSource::Offset(name) => {
                let tensors = self.tensors();
                self.known(name, "tensor", &tensors);
            }
        }
    }

    /// Push constants are Vulkan's.
    fn pushed(&mut self) {
        let (kernel, stages) = (self.kernel, &self.kernel.contract.stages);
        let vulkan = matches!(kernel.source.kind, SourceKind::Glsl | SourceKind::SpirV | SourceKind::Closure);
        let first = stages.iter().find_map(|stage| stage.push.first());
        if let Some(field) = first.filter(|_| !vulkan) {
            let (spot, word) = match &field.source {
                FieldSource::Expr(expr) => (expr.spot, expr.text.clone()),
                FieldSource::Stride(name, _) | FieldSource::Offset(name) => (name.spot, name.text.clone()),
            };
            let help = "put the values into `args`, as a struct".to_owned();
            let message = "`push` applies only to GLSL and SPIR-V".to_owned();
            self.found.push(kernel.mistake(spot, &word, message, Some(help)));
        }
    }

    fn field(&mut self, expr: &Expr, dtype: DType) {
        self.expression(expr, "a value of this type", |ty| match dtype {
            DType::Block(_) => false,
            DType::Float(_) => ty != Ty::Bool,
            // `D / 2` is real, and whole where D is even; a scalar that is real by itself never is
            _ => ty != Ty::Real || self.kernel.op.scalar(expr.text.trim()).is_none(),
        });
    }

    /// Subgroups have as many lanes as a power of two, and only GPUs have any.
    fn subgroup(&mut self) {
        let contract = &self.kernel.contract;
        if let Some(lanes) = contract.subgroup.iter().find(|n| !(1..=128).contains(*n) || n.count_ones() != 1)
        {
            let message = format!("`subgroup = {lanes}` is not a power of two up to 128");
            self.mistake(&contract.op.clone(), message, "write a power of two up to 128: subgroup = 32");
        }
    }

    /// What only CUDA has, and what it needs.
    fn cuda(&mut self) {
        let (kernel, contract) = (self.kernel, &self.kernel.contract);
        let only = |found: &mut Vec<Diagnostic>, spot, word: &str, key: &str| {
            let message = format!("`{key}` applies only to CUDA");
            found.push(kernel.mistake(spot, word, message, Some(format!("remove `{key}`"))));
        };
        if matches!(kernel.source.kind, SourceKind::Cuda | SourceKind::Ptx) {
            if contract.stages.iter().any(|stage| stage.block.is_none()) {
                let message = "the contract has no `block`".to_owned();
                self.mistake(&contract.op.clone(), message, "add block = [256, 1, 1]: lanes of a workgroup");
            }
            return;
        }
        if kernel.source.kind == SourceKind::Closure {
            return;
        }
        let glsl = kernel.source.kind == SourceKind::Glsl;
        for name in contract
            .arch
            .iter()
            .map(|a| (a, "arch"))
            .chain(contract.include.iter().filter(|_| !glsl).map(|i| (i, "include")))
        {
            only(&mut self.found, name.0.spot, name.0, name.1);
        }
        if let Some(spot) = contract.fast_math {
            only(&mut self.found, spot, "true", "fast_math");
        }
        if let Some((most, spot)) = contract.max_registers {
            only(&mut self.found, spot, &most.to_string(), "max_registers");
        }
        if let Some(spot) = contract.no_spills {
            only(&mut self.found, spot, "false", "spills");
        }
    }

    /// Every tensor of the op is bound somewhere.
    fn bound(&mut self) {
        let kernel = self.kernel;
        let args = kernel.contract.stages.iter().flat_map(|s| &s.args);
        let bound: Vec<&str> =
            args.filter_map(|a| if let Arg::Tensor(n) = a { Some(&**n) } else { None }).collect();
        let over = |input: &str| {
            let pair = kernel.contract.inplace.iter().find(|(_, i)| **i == *input || bound.contains(&&**i));
            pair.is_some_and(|(o, i)| bound.contains(&&**o) || bound.contains(&&**i))
        };
        for name in self.tensors() {
            let written_over = kernel.contract.inplace.iter().any(|(o, i)| **o == *name && over(i));
            if !bound.contains(&name.as_str()) && !over(&name) && !written_over {
                let message = format!("tensor `{name}` of op `{}` is missing from `args`", kernel.op.name);
                self.mistake(&kernel.contract.op.clone(), message, format!("add \"{name}\" to `args`"));
            }
        }
    }
}

fn is_number(ty: Ty) -> bool {
    ty != Ty::Bool
}
