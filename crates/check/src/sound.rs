//! Holds a contract against its op: names that neither knows, tensors that nobody binds, expressions that
//! say nothing.

use ktwin_lang::{Diagnostic, Rounds, Ty, Value};
use ktwin_num::{DType, did_you_mean};

use crate::chain;
use crate::contract::reader::MOST_MISTAKES;
use crate::contract::{Arg, Counter, Define, Expr, Field, Fill, Link, Name, Repeated, Scratch};
use crate::kernel::Kernel;
use crate::languages::{Code, SourceKind};

/// Everything that is wrong.
pub fn mistakes(kernel: &Kernel) -> Vec<Diagnostic> {
    let mut check = Check { kernel, found: promises(kernel) };
    for link in &kernel.contract.chain {
        check.link(link);
    }
    check.globals();
    check.found.extend(crate::bound::mistakes(kernel));
    check.found.extend(crate::applies::mistakes(kernel));
    check.found.extend(crate::counts::mistakes(kernel));
    check.found.extend(crate::reach::mistakes(kernel));
    check.found.extend(crate::pointers::mistakes(kernel));
    check.found
}

/// What is wrong with a promise that has no launch.
pub fn promises(kernel: &Kernel) -> Vec<Diagnostic> {
    let mut check = Check { kernel, found: Vec::new() };
    check.names();
    check.types();
    check.rounds();
    check.expressions();
    check.filled();
    check.found.extend(crate::counts::fixed(kernel));
    check.found
}

/// What is known where an expression stands, beside sizes and scalars: the counters of loops around it, and where
/// tensors lie.
#[derive(Clone, Copy)]
struct Known<'a> {
    repeated: &'a Repeated,
    placed: bool,
}

struct Check<'a> {
    kernel: &'a Kernel,
    found: Vec<Diagnostic>,
}

impl Check<'_> {
    /// Notes a mistake; nobody reads more than so many.
    fn mistake(&mut self, name: &Name, message: String, help: impl Into<String>) {
        if self.found.len() >= MOST_MISTAKES {
            return;
        }
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

    /// Ties can be open only where the op says what a tie is.
    fn ties(&mut self) {
        let (op, contract) = (&self.kernel.op, &self.kernel.contract);
        let key = contract.keys.iter().find(|key| key.text == "ties");
        if let Some(key) = key.filter(|_| contract.promises.ties && op.ties.is_empty()).cloned() {
            let message = format!("op {} does not say which places are as good as each other", op.name);
            let help = "add a line such as `ties y: x[y]` to the op, or remove `ties`";
            self.mistake(&key, message, help.to_string());
        }
    }

    /// A law is decided by its own tests.
    fn policy(&mut self) {
        let (op, contract) = (&self.kernel.op, &self.kernel.contract);
        let key = contract.keys.iter().find(|key| key.text == "policy");
        if let Some(key) = key.filter(|_| op.is_random()).cloned() {
            let message = format!("op {} is random, and judged by its law", op.name);
            self.mistake(&key, message, "remove `policy`: no rule for elements decides of a law");
        }
    }

    /// A buffer of the contract's own has a name that the op has not: `args` and `fill` could mean either.
    fn fresh(&mut self, name: &Name) {
        let op = &self.kernel.op;
        let what = match () {
            () if op.inputs.iter().chain(&op.outputs).any(|t| t.name == name.text) => "a tensor",
            () if op.dim(name).is_some() => "a dimension",
            () if op.scalar(name).is_some() => "a scalar",
            () => return,
        };
        let message =
            format!("`{}` is {what} of op {}, so no scratch buffer can have this name", name.text, op.name);
        self.mistake(
            name,
            message,
            format!("call it something else, such as `{}_scratch`", name.text.to_lowercase()),
        );
    }

    /// The names of every table.
    fn names(&mut self) {
        self.ties();
        self.policy();
        let (kernel, tensors) = (self.kernel, self.tensors());
        let (op, contract) = (&kernel.op, &kernel.contract);
        let inputs: Vec<String> = op.inputs.iter().map(|t| t.name.clone()).collect();
        let outputs: Vec<String> = op.outputs.iter().map(|t| t.name.clone()).collect();
        let dims: Vec<String> = op.dims.iter().map(|d| d.name.clone()).collect();
        let scalars = op.scalars.iter().map(|s| s.name.clone());
        let fixable: Vec<String> = dims.iter().cloned().chain(scalars).collect();
        contract.scratch.iter().for_each(|scratch| self.fresh(&scratch.name));
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

    /// Integers are stored in types that hold some: also in floats, as far as these count.
    fn types(&mut self) {
        let (op, contract) = (&self.kernel.op, &self.kernel.contract);
        for (name, dtype) in &contract.types {
            let Some(info) = op.inputs.iter().chain(&op.outputs).find(|t| t.name == **name) else { continue };
            if info.integer && !dtype.is_integer() && dtype.float().is_none() {
                let message = format!("{} holds integers, but {dtype} does not", info.name);
                self.mistake(
                    name,
                    message,
                    "write u32, i32 or another integer type, or f32 for those it counts",
                );
            } else if info.domain.sorted.is_some() && matches!(dtype, DType::Block(_)) {
                let message = format!("{} is in order, which blocks of {dtype} do not keep", info.name);
                self.mistake(name, message, "write f32 or another type of single numbers");
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

    /// Buffers that are filled begin as nothing else, and hold single numbers.
    fn filled(&mut self) {
        let (kernel, contract) = (self.kernel, &self.kernel.contract);
        let fresh = (0..kernel.op.outputs.len()).filter(|o| kernel.over(*o).is_none());
        let outputs = fresh.map(|o| kernel.op.outputs[o].name.clone());
        let all: Vec<String> = outputs.chain(contract.scratch.iter().map(|s| s.name.text.clone())).collect();
        for (name, fill) in &contract.fill {
            self.known(name, "output or scratch buffer that can be filled:", &all);
            let own = contract.scratch.iter().find(|s| s.name.text == name.text);
            let dtype = own.map_or_else(|| kernel.dtype(name), |s| s.dtype);
            let known = Known { repeated: &Repeated::default(), placed: own.is_some() };
            fill.values().iter().for_each(|value| self.value(value, dtype, known));
            self.listed(name, fill, own);
        }
    }

    /// A list has a value for each element, where their number is known already; that of an output never is.
    fn listed(&mut self, name: &Name, fill: &Fill, scratch: Option<&Scratch>) {
        let Some(scratch) = scratch else {
            if matches!(fill, Fill::Each(_)) {
                let message = format!("a list fills scratch buffers, but `{}` is an output", name.text);
                self.mistake(name, message, format!("write one value: fill = {{ {} = 0 }}", name.text));
            }
            return;
        };
        let elements = self.kernel.expression(&scratch.elements).ok().and_then(|e| e.value(&[], &[]));
        if let Some(Value::Int(elements)) = elements
            && let Some(message) = fill.misfit(name, elements)
        {
            let help = format!("write one value for each element, or give `{}` another size", name.text);
            self.mistake(name, message, help);
        }
    }

    /// Expressions that stand alone.
    fn expressions(&mut self) {
        let contract = &self.kernel.contract;
        contract.limits.iter().for_each(|e| self.expression(e, "a comparison", |t| t == Ty::Bool));
        contract.define.iter().for_each(|(name, define)| self.constant(name, define));
        contract.scratch.iter().for_each(|s| self.expression(&s.elements, "a number", is_number));
    }

    /// Text is for languages that put it somewhere; what is not an expression may have been meant as text.
    fn constant(&mut self, name: &Name, define: &Define) {
        let row = self.kernel.source.kind.row();
        match define {
            Define::Text(text, spot) if !row.text => {
                let message = format!("`{}` is text, but constants of {} are numbers", name.text, row.name);
                let help = "write a number or an expression over sizes".to_owned();
                self.found.push(self.kernel.mistake(*spot, text, message, Some(help)));
            }
            Define::Text(..) => {}
            Define::Value(expr) => {
                let before = self.found.len();
                self.expression(expr, "a value", |_| true);
                for found in self.found.iter_mut().skip(before).filter(|_| row.text) {
                    let Name { text: name, .. } = name;
                    let text = format!("if text is meant, write {name} = {{ text = {:?} }}", expr.text);
                    let help = found.help.take().map_or(text.clone(), |help| format!("{help}; {text}"));
                    found.help = Some(help);
                }
            }
        }
    }

    /// An expression over sizes and scalars alone.
    fn expression(&mut self, expr: &Expr, wanted: &str, fits: impl Fn(Ty) -> bool) {
        self.judged(expr, wanted, Known { repeated: &Repeated::default(), placed: false }, fits);
    }

    fn judged(&mut self, expr: &Expr, wanted: &str, known: Known, fits: impl Fn(Ty) -> bool) {
        let (message, help) = match self.kernel.expression(expr) {
            Ok(parsed) if !fits(parsed.ty()) => {
                (format!("this is {}, not {wanted}", parsed.ty().shown()), None)
            }
            Ok(parsed) => match chain::unknown_here(self.kernel, &parsed, known.repeated, known.placed) {
                Some((message, help)) => (message, Some(help)),
                None => return,
            },
            Err(diagnostic) => return self.found.push(*diagnostic),
        };
        let found = self.kernel.mistake(expr.spot, &expr.text, message, help);
        self.found.push(found);
    }

    fn link(&mut self, link: &Link) {
        let sizes = link.grid.iter().chain(link.block.iter().flatten()).chain(&link.shared);
        let known = Known { repeated: &link.repeated, placed: false };
        sizes.for_each(|e| self.judged(e, "a number", known, is_number));
        self.repeated(&link.repeated);
        let known = Known { placed: true, ..known };
        let scratch = self.kernel.contract.scratch.iter().map(|s| s.name.text.clone());
        let bindable: Vec<String> = self.tensors().into_iter().chain(scratch).collect();
        for arg in &link.args {
            match arg {
                Arg::Tensor(name) => self.buffer(name, &bindable),
                Arg::Fields(fields) => {
                    fields.iter().filter(|f| f.pointer).for_each(|f| self.pointer(f, &bindable));
                    fields.iter().filter(|f| !f.pointer).for_each(|f| self.value(&f.value, f.dtype, known));
                }
            }
        }
        link.push.iter().for_each(|f| self.value(&f.value, f.dtype, known));
        self.returned(link);
    }

    /// A tensor or scratch buffer that an entry point gets; numbers go in a table.
    fn buffer(&mut self, name: &Name, bindable: &[String]) {
        let op = &self.kernel.op;
        let (what, as_type) = match () {
            () if bindable.contains(&name.text) => return,
            () if op.scalars.iter().any(|s| s.name == name.text && s.ty == Ty::Real) => ("scalar", "f32"),
            () if op.scalars.iter().any(|s| s.name == name.text) => ("scalar", "i32"),
            () if op.dims.iter().any(|d| d.name == name.text) => ("dimension", "u32"),
            () => return self.known(name, "tensor", bindable),
        };
        let message = format!("`{}` is a {what} of op {}, not a tensor", name.text, op.name);
        self.mistake(name, message, format!("write {{ {} = \"{as_type}\" }} for a value", name.text));
    }

    /// What a function returns is one number: an output that has a buffer of its own, and no dimension. C++ and Rust
    /// return containers as well.
    fn returned(&mut self, link: &Link) {
        let kernel = self.kernel;
        let Some(name) = &link.returns else { return };
        let outputs: Vec<String> = kernel.op.outputs.iter().map(|t| t.name.clone()).collect();
        self.known(name, "output", &outputs);
        let Some(output) = kernel.op.output(name) else { return };
        let dtype = kernel.dtype(name);
        let is_one = matches!(kernel.source.kind, SourceKind::Cpp | SourceKind::Rust)
            || kernel.op.outputs[output].axes.is_empty();
        if !is_one || kernel.over(output).is_some() || matches!(dtype, DType::Block(_)) {
            let message =
                format!("`{}` is not a single number, which is all that a function can return", name.text);
            self.mistake(name, message, format!("put \"{}\" into `args`", name.text));
        } else if link.pointers().any(|own| own == name.text) {
            let message = format!("`{}` is returned, and is among `args` as well", name.text);
            self.mistake(name, message, "write it in one place");
        }
    }

    /// A value that is handed over, of which it may be known where tensors lie.
    /// A struct has pointers only where addresses are numbers.
    fn pointer(&mut self, field: &Field, bindable: &[String]) {
        let kind = self.kernel.source.kind;
        let name = Name { text: field.value.text.clone(), spot: field.value.spot };
        let addresses = matches!(kind.row().code, Code::Machine | Code::Ptx) && kind != SourceKind::Triton;
        match addresses {
            true => self.known(&name, "tensor", bindable),
            false => {
                let message = format!("a struct in {} has no pointers", kind.row().name);
                self.mistake(&name, message, "give each tensor an entry of its own in `args`");
            }
        }
    }

    /// Loops have names of their own, whole bounds, and know the loops around them.
    fn repeated(&mut self, repeated: &Repeated) {
        for (depth, counter) in repeated.counters.iter().enumerate() {
            let Counter { name, from, to } = counter;
            if let Some(message) = chain::taken(self.kernel, counter) {
                self.mistake(name, message, "give the counter another name");
            }
            let outer = Repeated { counters: repeated.counters[..depth].to_vec(), when: Vec::new() };
            let known = Known { repeated: &outer, placed: false };
            [from, to].into_iter().for_each(|end| self.judged(end, "a number", known, is_number));
        }
        let known = Known { repeated, placed: false };
        repeated.when.iter().for_each(|e| self.judged(e, "a comparison", known, |t| t == Ty::Bool));
    }

    fn value(&mut self, expr: &Expr, dtype: DType, known: Known) {
        self.judged(expr, "a value of this type", known, |ty| match dtype {
            DType::Block(_) => false,
            DType::Float(_) => ty != Ty::Bool,
            // `D / 2` is real, and whole where D is even; a scalar that is real by itself never is
            _ => ty != Ty::Real || self.kernel.op.scalar(expr.text.trim()).is_none(),
        });
    }

    /// Variables of the source hold inputs that nobody writes, or values.
    fn globals(&mut self) {
        let (op, contract) = (&self.kernel.op, &self.kernel.contract);
        let read = |name: &String| !contract.inplace.iter().any(|(_, input)| **input == *name);
        let inputs: Vec<String> = op.inputs.iter().map(|t| t.name.clone()).filter(read).collect();
        let known = Known { repeated: &Repeated::default(), placed: true };
        for (_, arg) in &contract.globals {
            match arg {
                Arg::Tensor(name) => self.known(name, "input that variables can hold:", &inputs),
                Arg::Fields(fields) => {
                    fields.iter().for_each(|f| self.value(&f.value, f.dtype, known));
                }
            }
        }
    }
}

fn is_number(ty: Ty) -> bool {
    ty != Ty::Bool
}
