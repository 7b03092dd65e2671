//! Drafts for GPUs: an entry point a step, one lane an element. What the languages share.

use ktwin_lang::{Op, Ty};

use crate::dialect::Dialect;
use crate::expr::Writer;
use crate::names::Names;
use crate::recur::{apart, members};
use crate::steps::{Step, Steps};
use crate::stores::{Store, Stores, elements, store_of_output};

/// Lanes of a workgroup.
pub const LANES: usize = 64;

/// One step.
pub struct Entry {
    /// Its name.
    pub name: String,
    /// The dimensions and scalars that it uses.
    pub sizes: Vec<String>,
    /// How many elements it makes, as the contract writes it.
    pub count: String,
    /// The loop over them.
    pub lines: Vec<String>,
}

impl Entry {
    /// The grid: a lane for each element, as far as devices go.
    pub fn grid(&self) -> String {
        format!("[\"min(ceil({} / {LANES}), 65535)\", 1, 1]", self.count)
    }
}

/// What all entry points have in common.
pub struct Lanes<'a> {
    pub op: &'a Op,
    pub steps: &'a Steps,
    pub stores: &'a Stores,
    pub names: Names,
    pub dialect: &'a dyn Dialect,
    /// The head of a lane's loop over elements, from the name of the place and the number of them.
    pub head: &'a dyn Fn(&str, &str) -> String,
    /// What an entry point is called that is the only one.
    pub alone: &'a str,
}

impl Lanes<'_> {
    /// An entry point for each step.
    pub fn entries(&mut self) -> Vec<Entry> {
        self.steps.steps.iter().map(|step| self.entry(step)).collect()
    }

    fn entry(&mut self, step: &Step) -> Entry {
        let (op, steps, stores) = (self.op, self.steps, self.stores);
        let (first, verb) = match step {
            Step::Compute(group) => (group[0], "make"),
            Step::Copy { stage, .. } => (*stage, "copy"),
            Step::Recur(number) => (members(steps, &op.recurrences[*number])[0].0, "run"),
        };
        let name = match steps.steps.len() {
            1 => self.alone.to_string(),
            _ => self.names.fresh(&format!("{verb}_{}", op.stages[first].name)),
        };
        let mut w = Writer::new(op, steps, stores, self.dialect, &self.names);
        let at = w.names.fresh("at");
        let space = match step {
            Step::Recur(number) => apart(op, steps, &op.recurrences[*number]).into_iter().collect(),
            _ => op.stages[first].space.clone(),
        };
        self.indices(&mut w, &space, &at);
        match step {
            Step::Recur(number) => w.recurrence(*number),
            Step::Copy { stage, output } => {
                let (from, to) =
                    (stores.name(Store::Scratch(*stage)), stores.name(store_of_output(op, *output)));
                w.line(&format!("{to}[{at}] = {from}[{at}];"));
            }
            Step::Compute(group) => {
                for (store, _, value) in w.computed(group) {
                    w.line(&format!("{}[{at}] = {value};", stores.name(store)));
                }
                w.unguard(first);
            }
        }
        w.close();
        Entry { name, sizes: w.sizes(), count: elements(op, &space), lines: w.lines }
    }

    /// The loop over all elements, and the indices of each.
    fn indices(&self, w: &mut Writer, space: &[usize], at: &str) {
        let extents: Vec<String> = space.iter().map(|v| w.extent(*v)).collect();
        let count = if extents.is_empty() { "1".to_string() } else { extents.join(" * ") };
        w.open(&(self.head)(at, &count));
        for (k, var) in space.iter().enumerate() {
            let name = w.bind(*var);
            let lo = w.bounds(*var).0;
            let below = extents[k + 1..].join(" * ");
            let mut value = match k + 1 == space.len() {
                true => at.to_string(),
                false if space.len() - k == 2 => format!("{at} / {below}"),
                false => format!("{at} / ({below})"),
            };
            if k > 0 {
                value = format!("{value} % {}", extents[k]);
            }
            if lo != "0" {
                value = format!("{value} + {lo}");
            }
            w.line(&self.dialect.constant(Ty::Int, &name, &value));
        }
    }
}

/// The contract's lines on entry points that all take the same: `args` and `grid`, or a `chain` of them, with the
/// workgroup's size where the launch says it.
pub fn launch(entries: &[Entry], args: &str, block: bool) -> Vec<String> {
    if let [only] = entries {
        let mut lines = vec![format!("args    = {args}"), format!("grid    = {}", only.grid())];
        lines.extend(block.then(|| format!("block   = [{LANES}, 1, 1]")));
        return lines;
    }
    let block = if block { format!(", block = {LANES}") } else { String::new() };
    let step =
        |e: &Entry| format!("    {{ entry = \"{}\", args = {args}, grid = {}{block} }},", e.name, e.grid());
    let mut lines = vec!["chain   = [".to_string()];
    lines.extend(entries.iter().map(step));
    lines.push("]".into());
    lines
}

/// The types that values are handed over in: truth as a number.
pub fn handed(ty: Ty) -> &'static str {
    match ty {
        Ty::Int => "i32",
        Ty::Real => "f32",
        Ty::Bool => "u32",
    }
}
