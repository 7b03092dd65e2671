//! A kernel with its contract and its op, checked against each other: every name known, every expression
//! sound.

use std::path::{Path, PathBuf};

use ktwin_lang::{Diagnostic, Op, Role, Rounds};
use ktwin_num::{DType, Language, Tensor, did_you_mean};

use crate::calling::Calling;
use crate::case::Case;
use crate::contract::set::Setting;
use crate::contract::{Contract, Link, Name, Spot};
use crate::expressions::Compiled;
use crate::found::Found;
use crate::languages::SourceKind;
use crate::ops::NoOp;
use crate::places::Place;
use crate::promise::Content;
use crate::source::Source;
use crate::terms::Terms;
use crate::weights::Weights;

/// Ops by name, sorted: what `op = "rmsnorm"` is looked up in.
pub type Catalogue<'a> = [(&'a str, &'a str)];

/// A kernel, ready to be planned for.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Its file as the user named it.
    pub name: String,
    /// Its code.
    pub source: Source,
    /// What it promises.
    pub contract: Contract,
    /// What it claims to compute.
    pub op: Op,
    /// The op as its own definitions write it, where the contract claims a form of it.
    pub plain: Option<Op>,
    /// What the op is known by: a hash of its content, whatever it is called.
    pub content: Content,
    /// Ops of the catalogue with the same tensors, by name, which it may compute by mistake.
    pub(crate) kin: Vec<(String, String)>,
    /// How it is called, where it is a function in Python.
    pub call: Option<Calling>,
    /// Arrays that were given for inputs, in the place of drawn numbers.
    pub weights: Vec<Weights>,
    /// The text that holds the contract, for messages.
    pub(crate) text: String,
    pub(crate) file: String,
    pub(crate) compiled: Compiled,
    /// What its contract can say of where tensors lie.
    pub(crate) places: Vec<Place>,
}

/// Why a file is not a kernel.
#[derive(Clone, Debug)]
pub enum LoadError {
    /// It cannot be read, or is not a kernel at all.
    File(String),
    /// Its contract is wrong.
    Contract(Vec<Diagnostic>),
}

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LoadError::File(message) => f.write_str(message),
            LoadError::Contract(mistakes) => {
                let shown: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
                f.write_str(&shown.join("\n\n"))
            }
        }
    }
}

impl std::error::Error for LoadError {}

impl Kernel {
    /// Loads a kernel's file; a binary's contract is in the `.toml` beside it.
    pub fn load(path: &Path, catalogue: &Catalogue) -> Result<Kernel, LoadError> {
        Kernel::load_with(path, &[], catalogue)
    }

    /// The same with other numbers in its contract: constants of `define`, or the width of `block`.
    pub fn load_with(path: &Path, settings: &[Setting], catalogue: &Catalogue) -> Result<Kernel, LoadError> {
        let found = Found::read(path)?.set(settings)?;
        let contract = found.contract(&["op", "args"])?;
        let Found { name, source, file, text, .. } = found;
        Kernel::assemble(&name, source, contract, &file, &text, catalogue)
    }

    /// The same under terms that somebody else sets: of its own contract only what concerns the launch counts, and what
    /// would weaken the terms is refused at its line.
    pub fn load_under(path: &Path, terms: &Terms, catalogue: &Catalogue) -> Result<Kernel, LoadError> {
        let found = match &terms.problem {
            Some(problem) => Found::called(path, problem, terms)?,
            None => Found::read(path)?,
        };
        let own = found.contract(&["args"])?;
        let Found { name, source, file, text, call } = found;
        let contract = terms.governing(&own, &source, (&file, &text), catalogue)?;
        let parts = (terms.op.clone(), terms.content.clone());
        let kernel = Kernel::of_parts(&name, source, contract, (&file, &text), parts)?.beside(catalogue);
        crate::reach::at_home(Kernel { call, ..kernel })
    }

    /// A kernel without a file: a function with its contract as TOML.
    pub fn of_contract(name: &str, toml: &str, catalogue: &Catalogue) -> Result<Kernel, LoadError> {
        let source = Source { kind: SourceKind::Closure, path: PathBuf::from(name), bytes: Vec::new() };
        let contract = Contract::parse(name, toml).map_err(LoadError::Contract)?;
        Kernel::assemble(name, source, contract, name, toml, catalogue)
    }

    fn assemble(
        name: &str,
        source: Source,
        contract: Contract,
        file: &str,
        text: &str,
        catalogue: &Catalogue,
    ) -> Result<Kernel, LoadError> {
        let (op, content) = op_of(&contract.op, &source.path, (file, text), catalogue)?;
        let kernel = Kernel::of_parts(name, source, contract, (file, text), (op, content))?;
        Ok(kernel.beside(catalogue))
    }

    /// The kernel with the ops that are like its own.
    fn beside(self, catalogue: &Catalogue) -> Kernel {
        Kernel { kin: crate::kin::of(&self.op.name, &self.op.text, catalogue), ..self }
    }

    /// A kernel of an op that is known already.
    pub(crate) fn of_parts(
        name: &str,
        source: Source,
        contract: Contract,
        (file, text): (&str, &str),
        (op, content): (Op, Content),
    ) -> Result<Kernel, LoadError> {
        let contract = contract.tuned(&source);
        let kernel = Kernel::unchecked(name, source, contract, (file, text), (op, content))?;
        let wrong = kernel.each().into_iter().map(|one| crate::sound::mistakes(&one));
        match wrong.into_iter().find(|mistakes| !mistakes.is_empty()) {
            None => Ok(kernel),
            Some(mistakes) => Err(LoadError::Contract(mistakes)),
        }
    }

    /// The kernel with each set of constants that its contract has: itself, where it has no other.
    pub fn each(&self) -> Vec<Kernel> {
        let others = self.contract.others.iter().map(|define| {
            let contract = Contract { define: define.clone(), others: Vec::new(), ..self.contract.clone() };
            let kernel = Kernel { contract, compiled: Compiled::default(), ..self.clone() };
            Kernel { compiled: Compiled::of(&kernel), ..kernel }
        });
        std::iter::once(self.clone()).chain(others).collect()
    }

    /// The same, its contract not yet held against its op.
    pub(crate) fn unchecked(
        name: &str,
        source: Source,
        contract: Contract,
        (file, text): (&str, &str),
        (op, content): (Op, Content),
    ) -> Result<Kernel, LoadError> {
        let (op, plain) = claimed(op, contract.form.as_ref()).map_err(|(name, message, help)| {
            LoadError::Contract(vec![diagnostic(file, text, name.spot, &name.text, message, Some(help))])
        })?;
        let (name, file, text) = (name.to_string(), file.to_string(), text.to_string());
        let compiled = Compiled::default();
        let (weights, places) = (Vec::new(), Place::all(&op));
        let (call, kin) = (None, Vec::new());
        let kernel = Kernel {
            name,
            source,
            contract,
            op,
            plain,
            content,
            kin,
            call,
            weights,
            text,
            file,
            compiled,
            places,
        };
        Ok(Kernel { compiled: Compiled::of(&kernel), ..kernel })
    }

    /// A mistake at a place of the contract.
    pub(crate) fn mistake(
        &self,
        spot: Spot,
        word: &str,
        message: String,
        help: Option<String>,
    ) -> Diagnostic {
        diagnostic(&self.file, &self.text, spot, word, message, help)
    }

    /// The accuracy rules that its arithmetic goes by.
    pub fn rules(&self) -> Language {
        match self.source.kind.rules() {
            Language::Cuda if self.contract.fast_math.is_some() => Language::CudaFast,
            rules => rules,
        }
    }

    /// The text of a line of the kernel's file, counted from 1.
    pub fn line(&self, number: u32) -> &str {
        let text = if self.file == self.name { self.text.as_str() } else { "" };
        text.lines().nth(number.saturating_sub(1) as usize).unwrap_or("").trim()
    }

    /// What the kernel rounds further than its rungs.
    pub fn rounds(&self, op: &Op) -> Rounds {
        let mut rounds = Rounds::none(op);
        for (name, dtype) in &self.contract.round {
            // loading the kernel told of what cannot be
            let _ = rounds.add(op, name, *dtype);
        }
        rounds
    }

    /// The storage type of a tensor of the op.
    pub fn dtype(&self, tensor: &str) -> DType {
        self.dtype_by(&self.contract, tensor)
    }

    /// Whether all tensors are stored as integers.
    pub(crate) fn whole_numbers(&self) -> bool {
        let mut tensors = self.op.inputs.iter().chain(&self.op.outputs);
        tensors.all(|tensor| self.dtype(&tensor.name).is_integer())
    }

    /// The storage type that another contract would give it.
    pub(crate) fn dtype_by(&self, contract: &Contract, tensor: &str) -> DType {
        let inputs = self.op.inputs.iter().chain(&self.op.outputs);
        let integer = inputs.clone().any(|t| t.name == tensor && t.integer);
        contract.stored(tensor, integer)
    }

    /// A tensor in the layout that a case names for it. Where rows are padded, so are slices whose stride the kernel
    /// is told, and rows begin past an offset that it is told.
    pub(crate) fn laid_out(&self, tensor: &Tensor, name: &str, case: &Case) -> Result<Tensor, String> {
        tensor.laid_out(case.layout(name), &self.contract.told(name))
    }

    /// The input that an output is written over, by the op or by the contract.
    pub fn over(&self, output: usize) -> Option<usize> {
        let info = &self.op.outputs[output];
        if info.role == Role::InPlace {
            return self.op.input(&info.name);
        }
        let named = self.contract.inplace.iter().find(|(name, _)| **name == *info.name)?;
        self.op.input(&named.1)
    }

    /// The values of a scalar that the contract fixes.
    pub fn fixed(&self, name: &str) -> Option<crate::device::Number> {
        self.contract.fix.iter().find(|(n, _)| **n == *name).map(|(_, v)| *v)
    }

    /// The types in which a scalar is handed to the kernel.
    pub fn passed_as(&self, scalar: &str) -> Option<DType> {
        let fields = self.contract.chain.iter().flat_map(Link::fields);
        fields.filter(|f| f.value.text.trim() == scalar).map(|f| f.dtype).next()
    }
}

/// The op that a contract names, and what it is known by. A path is seen from `beside`, a file.
pub(crate) fn op_of(
    wanted: &Name,
    beside: &Path,
    (file, text): (&str, &str),
    catalogue: &Catalogue,
) -> Result<(Op, Content), LoadError> {
    let at = |message: String, help: String| {
        let help = (!help.is_empty()).then_some(help);
        LoadError::Contract(vec![diagnostic(file, text, wanted.spot, wanted, message, help)])
    };
    // the catalogue's forms are held against their ops by its tests
    let own = wanted.ends_with(".op") || wanted.contains('/');
    let op = if own {
        let path = beside.parent().unwrap_or(Path::new("")).join(&wanted.text);
        crate::ops::read(&path, catalogue).map_err(|none| match none {
            NoOp::File(why) => at(why, String::new()),
            NoOp::Mistake(mistake) => LoadError::Contract(vec![mistake]),
        })?
    } else {
        let names = catalogue.iter().map(|(name, _)| *name);
        let Some((_, op)) = catalogue.iter().find(|(name, _)| *name == wanted.text) else {
            let near = did_you_mean(wanted, names);
            let help = "write a name that `ktwin ops` lists, or a path to an .op file".to_string();
            return Err(at(format!("no op `{}`{near}", wanted.text), help));
        };
        let beside = |name: &str| crate::ops::find(name, None, catalogue);
        let op = Op::parse_with(&format!("{}.op", wanted.text), op, &beside);
        op.map_err(|d| LoadError::Contract(vec![d]))?
    };
    if own && let Some(message) = op.disagreement() {
        return Err(at(message, "a form is another way of writing the same mathematics".to_string()));
    }
    if own && let Some(mistake) = op.does_not_evaluate() {
        return Err(LoadError::Contract(vec![mistake]));
    }
    let content = Content::of(&op.text, catalogue);
    Ok((op, content))
}

/// The op as the form that a contract claims writes it, and the op itself beside it.
fn claimed(op: Op, claim: Option<&Name>) -> Result<(Op, Option<Op>), (Name, String, String)> {
    let Some(name) = claim else { return Ok((op, None)) };
    let form = op.form(&name.text).map_err(|(message, help)| (name.clone(), message, help))?;
    Ok((form.op.clone(), Some(op)))
}

pub(crate) fn diagnostic(
    file: &str,
    text: &str,
    spot: Spot,
    word: &str,
    message: String,
    help: Option<String>,
) -> Diagnostic {
    Diagnostic {
        file: file.to_string(),
        line: spot.line,
        column: spot.column.max(1),
        width: word.chars().count().max(1),
        source: text.lines().nth(spot.line.saturating_sub(1)).unwrap_or("").to_string(),
        message,
        help,
    }
}
