//! Problems of benchmarks whose submissions are functions in Python: reads the key `problem` of a task, and looks at
//! the problem itself. Runs nothing.

use std::ops::Range;
use std::path::{Path, PathBuf};

use ktwin_num::did_you_mean;

use crate::calling::{Calling, Given, Style};
use crate::contract::reader::Reader;
use crate::contract::tree::{Item, Key, Node};
use crate::terms::Terms;

const FORM: &str = "problem = { kernelbench = \"36_RMSNorm_.py\", pass = [\"x\"], init = [\"D\"] } or \
                    problem = { gpumode = \"vectoradd_py\", pass = [\"a\", \"b\"] }";
const STATE: &str = "state = { w = \"weight\" }: input w is the parameter `weight`";

/// Modules of a GPU MODE task that submissions may import; its reference is not among them.
const MODULES: &[&str] = &["task.py", "utils.py"];

/// Types that PyTorch has.
const TYPES: &[&str] =
    &["bf16", "bool", "e4m3", "e5m2", "f16", "f32", "f64", "i16", "i32", "i64", "i8", "u8"];

/// A problem, and how its submissions are called.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Its file, or its folder.
    pub path: PathBuf,
    /// How submissions are called, but for what follows from the op.
    call: Calling,
    /// The text of the problem's own module, where it has one.
    model: String,
    /// Where the task names it.
    pub(crate) span: Range<usize>,
}

/// Why a problem is not one, and what to do.
type Wrong = (String, &'static str);

impl Problem {
    /// Reads the value of the key `problem`.
    pub(crate) fn read(reader: &mut Reader, node: &Node) -> Option<Problem> {
        let table = reader.table(node, FORM);
        let named = |style: &Style| table.iter().any(|(key, _)| key.name == style.name());
        let Some(style) = Style::ALL.into_iter().find(named) else {
            reader.mistake(&node.span, "a problem names its benchmark", format!("write {FORM}"));
            return None;
        };
        let call = Calling { style, entry: style.entry().into(), ..Calling::default() };
        let (path, model) = Default::default();
        let mut out = Problem { path, call, model, span: node.span.clone() };
        table.iter().for_each(|(key, value)| out.take(reader, key, value));
        Some(out)
    }

    fn take(&mut self, reader: &mut Reader, key: &Key, value: &Node) {
        let modules = self.call.style == Style::KernelBench;
        let list = reader.one_or_more(value);
        match key.name.as_str() {
            name if name == self.call.style.name() => self.open(reader, value),
            "pass" => {
                self.call.alone = matches!(value.item, Item::Text(_));
                self.call.pass =
                    list.into_iter().filter_map(|n| reader.text(n, "a name in quotes")).collect();
            }
            "init" if modules => {
                self.call.init = list.into_iter().filter_map(|n| given(reader, n)).collect();
            }
            "state" if modules => {
                let named = reader.table(value, STATE).iter().filter_map(|(key, node)| {
                    Some((key.name.clone(), reader.text(node, "a parameter's name in quotes")?))
                });
                self.call.state = named.collect();
            }
            _ => {
                let known = [self.call.style.name(), "pass", "init", "state"];
                reader.unknown(key, "key of a problem", &known[..if modules { 4 } else { 2 }]);
            }
        }
    }

    /// Looks at the problem itself, and takes what submissions may import of it.
    fn open(&mut self, reader: &mut Reader, node: &Node) {
        let Some(path) = reader.text(node, "a path in quotes") else { return };
        self.path = Path::new(reader.file).parent().unwrap_or(Path::new("")).join(path);
        let looked = match self.call.style {
            Style::KernelBench => model(&self.path).map(|text| self.model = text),
            Style::GpuMode => modules(&self.path).map(|modules| {
                self.call.modules = modules;
                // its own answer, if it has one, can be judged as well
                self.model = text(&self.path.join("reference.py")).unwrap_or_default();
            }),
        };
        if let Err((why, help)) = looked {
            reader.mistake(&node.span, format!("{}: {why}", self.path.display()), help);
        }
    }

    /// The benchmark that it is of.
    pub fn style(&self) -> Style {
        self.call.style
    }

    /// How a submission is called. The problem's own file can be judged as well: an op that its module does not compute
    /// is not its op.
    pub(crate) fn call(&self, source: &[u8], terms: &Terms) -> Calling {
        let own = !self.model.is_empty() && self.model.as_bytes() == source;
        let call = self.call.of(&terms.op, &terms.contract);
        if own { Calling { entry: call.style.own_entry().into(), ..call } } else { call }
    }

    /// Bytes of what a verdict depends on beside the task's own text.
    pub(crate) fn content(&self) -> Vec<u8> {
        let modules = &self.call.modules;
        modules.iter().flat_map(|(name, text)| [name.as_bytes(), text.as_bytes()].concat()).collect()
    }

    /// What does not fit the op and the terms.
    pub(crate) fn mistakes(&self, terms: &Terms, reader: &mut Reader) {
        let found = self.unknown(terms).into_iter().chain(self.missing(terms)).chain(untyped(terms));
        for message in found.collect::<Vec<_>>() {
            reader.mistake(&self.span, message, "");
        }
    }

    /// Names that the op does not have.
    fn unknown(&self, terms: &Terms) -> Vec<String> {
        let op = &terms.op;
        let inputs: Vec<&str> = op.inputs.iter().map(|t| t.name.as_str()).collect();
        let numbers: Vec<&str> = op
            .dims
            .iter()
            .map(|d| d.name.as_str())
            .chain(op.scalars.iter().map(|s| s.name.as_str()))
            .collect();
        let outputs = op.outputs.iter().map(|t| t.name.as_str());
        let all: Vec<&str> = inputs.iter().copied().chain(outputs).chain(numbers.iter().copied()).collect();
        let wrong = |key: &str, name: &str, known: &[&str]| {
            let near = did_you_mean(name, known.iter().copied());
            (!known.contains(&name)).then(|| format!("`{key}`: op {} has no `{name}`{near}", op.name))
        };
        let made_with = self.call.init.iter().flat_map(Given::names);
        let init = made_with.filter_map(|name| wrong("init", name, &numbers));
        let pass = self.call.pass.iter().filter_map(|name| wrong("pass", name, &all));
        let state = self.call.state.iter().filter_map(|(name, _)| wrong("state", name, &inputs));
        pass.chain(init).chain(state).collect()
    }

    /// What no submission would be told.
    fn missing(&self, terms: &Terms) -> Vec<String> {
        let (op, call) = (&terms.op, &self.call);
        let inputs = op.inputs.iter().map(|t| &t.name).filter(|name| !call.hands_over(name));
        let inputs = inputs.map(|name| match call.style {
            Style::KernelBench => {
                format!("no submission is given input `{name}`: add it to `pass` or `state`")
            }
            Style::GpuMode => format!("no submission is given input `{name}`: add it to `pass`"),
        });
        let is_fixed = |name: &str| terms.contract.fix.iter().any(|(own, _)| **own == *name);
        let scalars = op.scalars.iter().map(|s| &s.name);
        let scalars = scalars.filter(|name| !call.hands_over(name) && !is_fixed(name));
        let scalars = scalars.map(|name| {
            let help = format!("pass it on, or write fix = {{ {name} = … }}");
            format!("no submission is told scalar `{name}`, which plans vary: {help}")
        });
        inputs.chain(scalars).collect()
    }
}

/// Tensors of types that PyTorch does not have.
fn untyped(terms: &Terms) -> Vec<String> {
    let tensors = terms.op.inputs.iter().chain(&terms.op.outputs);
    let wrong = |(name, dtype): (&String, &str)| {
        let help = format!("give `{name}` another type, as in types = {{ {name} = \"i32\" }}");
        (!TYPES.contains(&dtype)).then(|| format!("PyTorch has no {dtype}: {help}"))
    };
    tensors.filter_map(|t| wrong((&t.name, terms.contract.stored(&t.name, t.integer).name()))).collect()
}

/// Something that a module is made with: a name of the op's, or a number.
fn given(reader: &mut Reader, node: &Node) -> Option<Given> {
    match &node.item {
        Item::Text(name) => Some(Given::Name(name.clone())),
        Item::List(all) => Some(Given::Several(all.iter().filter_map(|node| given(reader, node)).collect())),
        _ => reader.number(node).map(Given::Number),
    }
}

fn text(path: &Path) -> Result<String, Wrong> {
    crate::read::text(path).map_err(|e| (e.to_string(), ""))
}

/// The text of a problem of KernelBench.
fn model(path: &Path) -> Result<String, Wrong> {
    let whole = text(path)?;
    let is_model = |line: &str| line.starts_with("class Model(") || line.starts_with("class Model:");
    let none =
        || ("there is no `class Model` in it".into(), "name a problem's file, such as level1/36_RMSNorm_.py");
    if whole.lines().any(is_model) { Ok(whole) } else { Err(none()) }
}

/// The modules of a GPU MODE task that submissions may import: its own, or those that lie beside all tasks.
fn modules(folder: &Path) -> Result<Vec<(String, String)>, Wrong> {
    let about = crate::read::text(&folder.join("task.yml"));
    let about =
        about.map_err(|e| (format!("task.yml: {e}"), "name the folder that holds the task's task.yml"))?;
    let language = about.lines().find_map(|line| line.strip_prefix("lang:")).unwrap_or("py");
    let language = language.trim().trim_matches(['"', '\'']);
    if language != "py" {
        let why = format!("its submissions are in `{language}`, and not functions in Python");
        return Err((why, "remove `problem`, and let submissions have contracts"));
    }
    let mut found = Vec::new();
    for name in MODULES {
        let places = [folder.join(name), folder.join("..").join(name)];
        if let Some(path) = places.iter().find(|path| path.is_file()) {
            found.push(((*name).to_owned(), text(path)?));
        }
    }
    Ok(found)
}
