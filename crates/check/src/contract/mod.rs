//! What a kernel promises, as plain data, and reading it from the text of a kernel.

mod args;
mod begun;
mod chain;
mod define;
mod keys;
mod limits;
mod link;
pub(crate) mod reader;
mod repeat;
pub(crate) mod set;
mod spots;
pub(crate) mod text;
pub(crate) mod tree;
mod tuned;

use std::path::Path;

use ktwin_lang::Diagnostic;
use ktwin_num::{DType, Float, Layout};

use crate::device::Number;
use crate::languages::SourceKind;
use crate::policy::Policy;
pub use begun::Begun;
pub use define::Define;
pub(crate) use keys::LAUNCH;
pub use keys::names as contract_keys;
pub use link::{Arg, Field, Link};
use reader::Reader;
pub use repeat::{Counter, Repeated};
pub use text::{example, is_nearly as nearly_opens};

/// A place in the file: line and column from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spot {
    /// Line.
    pub line: usize,
    /// Column in characters.
    pub column: usize,
}

/// A name as written, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where it stands.
    pub spot: Spot,
}

impl std::ops::Deref for Name {
    type Target = str;
    fn deref(&self) -> &str {
        &self.text
    }
}

/// An expression over dimensions and scalars of the op, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// Its text, in the op language.
    pub text: String,
    /// Where it stands.
    pub spot: Spot,
}

/// One limit on a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// `a..=b`, either side open.
    Range(Side, Side),
    /// `multiple of n`.
    Multiple(i64),
    /// `power of two`.
    PowerOfTwo,
    /// `64 | 96 | 128`.
    OneOf(Sizes),
}

/// A few sizes, from the smallest up; the rest of the places hold the largest once more.
pub type Sizes = [i64; 8];

/// A side of a range, where it has one.
pub type Side = Option<i64>;

/// A buffer whose contents are undefined: `scratch = { partial = "f32[R * 64]" }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Scratch {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub dtype: DType,
    /// How many elements.
    pub elements: Expr,
}

/// What a buffer holds before the launch.
#[derive(Clone, Debug, PartialEq)]
pub enum Fill {
    /// One value everywhere.
    Every(Expr),
    /// A value for each element.
    Each(Vec<Expr>),
}

impl Fill {
    /// Its values.
    pub fn values(&self) -> &[Expr] {
        match self {
            Fill::Every(value) => std::slice::from_ref(value),
            Fill::Each(values) => values,
        }
    }

    /// What is wrong where a buffer of so many elements has a list of another length.
    pub fn misfit(&self, name: &str, elements: i64) -> Option<String> {
        let Fill::Each(values) = self else { return None };
        let counted = |n: i64, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let given = values.len() as i64;
        let (given_words, elements_words) = (counted(given, "value"), counted(elements, "element"));
        (given != elements)
            .then(|| format!("`fill` gives {given_words} for `{name}`, which has {elements_words}"))
    }
}

/// What becomes of NaN and infinity in the inputs.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Nan {
    /// Callers have none: such cases are not planned.
    Never,
    /// What they touch is free, all else stays right.
    #[default]
    Isolate,
    /// They come out where the mathematics says.
    Propagate,
}

/// Promises that are tested on their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Promises {
    /// The same inputs give the same bits.
    pub deterministic: bool,
    /// A row alone gives the bits that it gives in the batch.
    pub batch_invariant: bool,
    /// What becomes of NaN.
    pub nan: Nan,
    /// Whether equal elements may come in any order, where the op says what a tie is.
    pub ties: bool,
}

/// A kernel's contract.
#[derive(Clone, Debug, PartialEq)]
pub struct Contract {
    /// A name of the catalogue, or a path relative to the kernel.
    pub op: Name,
    /// The named form of the op that it computes.
    pub form: Option<Name>,
    /// Storage types that are named.
    pub types: Vec<(Name, DType)>,
    /// The promised compute rung.
    pub compute: Float,
    /// The promised accumulator.
    pub accumulate: Float,
    /// Intermediates and inputs that the kernel rounds further.
    pub round: Vec<(Name, DType)>,
    /// The kernels, in order.
    pub chain: Vec<Link>,
    /// Sizes at which the kernel changes what it does.
    pub tile: Vec<(Name, i64)>,
    /// Limits of dimensions, all of which hold.
    pub dims: Vec<(Name, Vec<Limit>)>,
    /// Further limits.
    pub limits: Vec<Expr>,
    /// Scalars (and dimensions) that it takes as given.
    pub fix: Vec<(Name, Number)>,
    /// Compile-time constants.
    pub define: Vec<(Name, Define)>,
    /// Other sets of them, with each of which the kernel is tested as well.
    pub others: Vec<Vec<(Name, Define)>>,
    /// The architecture that CUDA is compiled for.
    pub arch: Option<Name>,
    /// Folders with headers, from the kernel's own.
    pub include: Vec<Name>,
    /// Where it says that CUDA's fast functions are good enough.
    pub fast_math: Option<Spot>,
    /// Where it says that reads past the end of a buffer are the platform's to answer.
    pub robust: Option<Spot>,
    /// Lanes that a subgroup may have; any number where it names none.
    pub subgroup: Vec<i64>,
    /// The most registers that a lane of the compiled kernel may take.
    pub max_registers: Option<(u32, Spot)>,
    /// Where it promises that no registers spill.
    pub no_spills: Option<Spot>,
    /// Layouts accepted per tensor beside `row`.
    pub layout: Vec<(Name, Vec<Layout>)>,
    /// Outputs that are written over an input: output, input.
    pub inplace: Vec<(Name, Name)>,
    /// Buffers whose contents are undefined.
    pub scratch: Vec<Scratch>,
    /// What outputs and scratch buffers hold before the launch.
    pub fill: Vec<(Name, Fill)>,
    /// What variables of the source hold before the launch.
    pub globals: Vec<(Name, Arg)>,
    /// Promises that are tested on their own.
    pub promises: Promises,
    /// What decides in the place of the error bars, with its reason.
    pub policy: Option<Policy>,
    /// Its keys as they are written in the text.
    pub keys: Vec<Name>,
}

impl Contract {
    /// Every expression that it holds.
    pub(crate) fn expressions(&self) -> impl Iterator<Item = &Expr> {
        let defined = self.define.iter().filter_map(|(_, define)| define.value());
        let scratch = self.scratch.iter().map(|s| &s.elements);
        let filled = self.fill.iter().flat_map(|(_, fill)| fill.values());
        self.limits
            .iter()
            .chain(defined)
            .chain(scratch)
            .chain(filled)
            .chain(self.globals.iter().flat_map(|(_, arg)| arg.values()))
            .chain(self.chain.iter().flat_map(Link::expressions))
    }

    /// A contract that says nothing yet: f32 throughout, and the promises that hold where none is named.
    pub(crate) fn empty() -> Contract {
        Contract {
            form: None,
            op: Name::default(),
            types: Vec::new(),
            compute: Float::F32,
            accumulate: Float::F32,
            round: Vec::new(),
            chain: Vec::new(),
            tile: Vec::new(),
            dims: Vec::new(),
            limits: Vec::new(),
            fix: Vec::new(),
            define: Vec::new(),
            others: Vec::new(),
            arch: None,
            include: Vec::new(),
            fast_math: None,
            robust: None,
            subgroup: Vec::new(),
            max_registers: None,
            no_spills: None,
            layout: Vec::new(),
            inplace: Vec::new(),
            scratch: Vec::new(),
            fill: Vec::new(),
            globals: Vec::new(),
            promises: Promises { deterministic: true, ..Promises::default() },
            policy: None,
            keys: Vec::new(),
        }
    }

    /// Reads the contract out of a kernel's text.
    pub fn find(file: &str, text: &str) -> Result<Contract, Vec<Diagnostic>> {
        Contract::find_with(file, text, WHOLE)
    }

    /// The same where other keys are due.
    pub(crate) fn find_with(file: &str, text: &str, due: &[&str]) -> Result<Contract, Vec<Diagnostic>> {
        let kind = SourceKind::of_path(Path::new(file)).unwrap_or(SourceKind::C);
        match text::find(text, kind) {
            Ok(toml) => Contract::read(file, text, &toml, due),
            Err((line, message)) => {
                let source = text.lines().nth(line - 1).unwrap_or("").to_string();
                let file = file.to_string();
                let (column, width, help) = (1, source.chars().count().max(1), None);
                Err(vec![Diagnostic { file, line, column, width, source, message, help }])
            }
        }
    }

    /// Reads a contract that stands alone: the `.toml` beside a binary.
    pub fn parse(file: &str, toml: &str) -> Result<Contract, Vec<Diagnostic>> {
        Contract::read(file, toml, toml, WHOLE)
    }

    /// The same where other keys are due.
    pub(crate) fn parse_with(file: &str, toml: &str, due: &[&str]) -> Result<Contract, Vec<Diagnostic>> {
        Contract::read(file, toml, toml, due)
    }

    fn read(file: &str, whole: &str, toml: &str, due: &[&str]) -> Result<Contract, Vec<Diagnostic>> {
        let mut reader = Reader::new(file, whole, toml);
        let entries = tree::parse(toml).unwrap_or_else(|(span, message)| {
            reader.mistake(&span, message.replace('\n', "; "), "a contract is TOML");
            Vec::new()
        });
        let contract = Contract::of_entries(&mut reader, &entries, None);
        for needed in due {
            let named = |key: &str| contract.keys.iter().any(|name| **name == *key);
            let given = named(needed) || (*needed == "args" && named("chain"));
            if !given && reader.mistakes.is_empty() {
                reader.mistake(&first(toml), format!("the contract has no `{needed}`"), missing(needed));
            }
        }
        if reader.mistakes.is_empty() { Ok(contract) } else { Err(reader.mistakes) }
    }

    /// What entries say that are keys of a contract. A promise that holds for several kernels has none of the
    /// launch, and other keys, which are read elsewhere.
    pub(crate) fn of_entries(
        reader: &mut Reader,
        entries: &[(tree::Key, tree::Node)],
        promise: Option<&[&str]>,
    ) -> Contract {
        let mut contract = Contract::empty();
        let others = promise.unwrap_or(&[]);
        let mut known = [&keys::names(), others].concat();
        known.retain(|key| promise.is_none() || !LAUNCH.contains(key));
        for (key, value) in entries {
            match keys::find(&key.name) {
                _ if others.contains(&key.name.as_str()) => continue,
                Some(read) => read(reader, &mut contract, value),
                None => match keys::meant(&key.name).filter(|meant| known.contains(meant)) {
                    Some(meant) => {
                        let message = format!("unknown key `{}`, did you mean `{meant}`?", key.name);
                        reader.mistake(
                            &key.span,
                            message,
                            "`ktwin help contract` explains every key".to_owned(),
                        );
                    }
                    None => reader.unknown(key, "key", &known),
                },
            }
            contract.keys.push(reader.key(key));
        }
        chain::beside(reader, entries, &contract);
        if contract.names("compute") && !contract.names("accumulate") {
            contract.accumulate = contract.compute;
        }
        contract
    }

    /// Whether it has a key.
    pub fn names(&self, key: &str) -> bool {
        self.keys.iter().any(|name| **name == *key)
    }

    /// The storage type that the contract names for a tensor.
    pub fn type_of(&self, tensor: &str) -> Option<DType> {
        self.types.iter().find(|(name, _)| **name == *tensor).map(|(_, dtype)| *dtype)
    }

    /// What a tensor of the op is stored as: its own type, or the usual one.
    pub(crate) fn stored(&self, tensor: &str, integer: bool) -> DType {
        self.type_of(tensor).unwrap_or(if integer { DType::U32 } else { DType::F32 })
    }

    /// The limits of a dimension.
    pub fn limits_of(&self, dim: &str) -> impl Iterator<Item = Limit> + '_ {
        let dim = dim.to_string();
        let own = self.dims.iter().filter(move |(name, _)| **name == *dim);
        own.flat_map(|(_, limits)| limits.iter().copied())
    }
}

/// The keys without which a contract says nothing.
const WHOLE: &[&str] = &["op", "args"];

/// The place of the contract's first word.
fn first(toml: &str) -> std::ops::Range<usize> {
    let start = toml.len() - toml.trim_start().len();
    start..(start + 1).min(toml.len())
}

fn missing(key: &str) -> &'static str {
    match key {
        "op" => "write op = \"rmsnorm\", a name that `ktwin ops` lists or a path to an .op file",
        _ => "write args = [\"x\", \"y\", { N = \"u32\" }], one entry for each binding or parameter",
    }
}

#[cfg(test)]
mod tests;
