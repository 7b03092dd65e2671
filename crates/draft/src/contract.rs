//! A contract for a kernel that exists: what its source says, matched with the op by names and order. What is guessed
//! is marked, to be looked at.

use ktwin_check::interface::{Interface, Param, Spread, Value};
use ktwin_check::signature::is_word;
use ktwin_lang::{Op, Ty};

use crate::constants::constants;
use crate::launch::launch;
use crate::sizes::{alike, bare, size, stride};
use crate::template;

/// How a kernel is started, as far as its source does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Called as it is.
    Called,
    /// As workgroups of a size that the source says.
    Said,
    /// As workgroups of a size that the launch says.
    Launched,
    /// As programs, whose lanes the compiler chooses.
    Programs,
}

/// The contract's lines, without the marks of a comment, and how many of them hold guesses. `op_name` is how the
/// contract names the op; `is_alone` says that the file has no other entry point.
pub fn contract(
    op: &Op,
    op_name: &str,
    interface: &Interface,
    is_alone: bool,
    start: Start,
) -> (Vec<String>, usize) {
    let mut draft = Draft::new(op);
    draft.buffers(&interface.params);
    let each: Vec<&Value> = values(interface).collect();
    draft.values(&each, interface, start);
    let mut lines = vec![format!("op      = \"{op_name}\"")];
    lines.extend(template::entry(interface, is_alone));
    lines.extend(draft.args(interface));
    lines.extend(draft.results(interface, start));
    lines.extend(draft.storage());
    lines.extend(launch(op, interface, start));
    lines.extend(constants(op, interface));
    let guesses = lines.iter().filter(|line| line.contains(MARK)).count();
    (lines, guesses)
}

/// What marks a guess.
pub(crate) const MARK: &str = "# check:";

fn values(interface: &Interface) -> impl Iterator<Item = &Value> {
    let passed = interface.params.iter().filter_map(|param| match param {
        Param::Values(values) => Some(values),
        Param::Buffer { .. } => None,
    });
    passed.flatten().chain(&interface.pushed)
}

/// What is matched so far: for each buffer and each value of the kernel its name in the op.
struct Draft<'o> {
    op: &'o Op,
    buffers: Vec<Matched>,
    values: Vec<Matched>,
}

struct Matched {
    own: String,
    dtype: String,
    /// The name in the op, or what is written in its place.
    of_op: Option<String>,
    is_guess: bool,
}

/// What a buffer is for, as far as its name and its access say.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It is only read, or named as what is.
    Read,
    /// It may be written.
    Written,
    /// It may be written, and is named as an output.
    Named,
}

impl Role {
    fn of(name: &str, writes: bool) -> Role {
        let bare = bare(name);
        let word = bare.trim_end_matches(|c: char| c.is_ascii_digit());
        let is = |words: &[&str]| words.iter().any(|w| word == *w || (w.len() > 2 && word.starts_with(w)));
        match writes {
            false => Role::Read,
            true if is(&["src", "source", "in", "inp", "input", "x", "a", "b"]) => Role::Read,
            true if is(&["dst", "dest", "out", "res", "result", "y", "c"]) => Role::Named,
            true => Role::Written,
        }
    }
}

impl<'o> Draft<'o> {
    fn new(op: &'o Op) -> Draft<'o> {
        Draft { op, buffers: Vec::new(), values: Vec::new() }
    }

    /// Tensors by their names, then by their order among those that are read and written. A buffer that could be either
    /// is an input where the outputs have buffers already.
    fn buffers(&mut self, params: &[Param]) {
        let inputs: Vec<&str> = self.op.inputs.iter().map(|t| t.name.as_str()).collect();
        let outputs: Vec<&str> = self.op.outputs.iter().map(|t| t.name.as_str()).collect();
        for param in params {
            let Param::Buffer { name, dtype, .. } = param else { continue };
            self.buffers.push(Matched {
                own: name.clone(),
                dtype: dtype.clone(),
                of_op: None,
                is_guess: false,
            });
        }
        let all: Vec<&str> = inputs.iter().chain(&outputs).copied().collect();
        by_name(&mut self.buffers, &all);
        let roles = params.iter().filter_map(|param| match param {
            Param::Buffer { name, writes, .. } => Some(Role::of(name, *writes)),
            Param::Values(_) => None,
        });
        let roles: Vec<Role> = roles.collect();
        for (names, due) in [(&outputs, [Role::Named, Role::Written]), (&inputs, [Role::Read, Role::Written])]
        {
            for role in due {
                let open: Vec<&str> = left(&self.buffers, names);
                let theirs = self.buffers.iter_mut().zip(&roles);
                let theirs = theirs.filter(|(m, own)| m.of_op.is_none() && **own == role);
                for ((matched, _), name) in theirs.zip(open) {
                    (matched.of_op, matched.is_guess) = (Some(name.to_owned()), true);
                }
            }
        }
        self.over_an_input(&inputs);
    }

    /// An output whose buffer is the only one there is for an input, too, is written over that.
    fn over_an_input(&mut self, inputs: &[&str]) {
        let [input] = left(&self.buffers, inputs)[..] else { return };
        let axes = |name: &str| self.axes(name).cloned();
        let wanted = axes(input);
        let is_output = |m: &Matched| m.of_op.as_ref().is_some_and(|name| !inputs.contains(&name.as_str()));
        let shared =
            self.buffers.iter().position(|m| is_output(m) && m.of_op.as_deref().and_then(axes) == wanted);
        if let Some(at) = shared.filter(|_| self.buffers.iter().all(|m| m.of_op.is_some())) {
            let matched = &mut self.buffers[at];
            (matched.of_op, matched.is_guess) = (Some(input.to_owned()), true);
        }
    }

    /// The dimensions of a tensor of the op.
    fn axes(&self, name: &str) -> Option<&Vec<String>> {
        let mut all = self.op.inputs.iter().chain(&self.op.outputs);
        all.find(|t| t.name == name).map(|t| &t.axes)
    }

    /// Dimensions and scalars by their names, then by their order among whole and other numbers.
    fn values(&mut self, values: &[&Value], interface: &Interface, start: Start) {
        let matched = |v: &&Value| Matched {
            own: v.name.clone(),
            dtype: v.dtype.clone(),
            of_op: None,
            is_guess: false,
        };
        self.values = values.iter().map(matched).collect();
        let dims: Vec<&str> = self.op.dims.iter().map(|d| d.name.as_str()).collect();
        let of = |real: bool| {
            let own = self.op.scalars.iter().filter(move |s| (s.ty == Ty::Real) == real);
            own.map(|s| s.name.as_str()).collect::<Vec<&str>>()
        };
        let (reals, whole) = (of(true), of(false));
        let all: Vec<&str> = dims.iter().chain(&reals).chain(&whole).copied().collect();
        by_name(&mut self.values, &all);
        let strides = self.strides();
        self.by_meaning(interface.spread, &strides);
        let whole: Vec<&str> = dims.iter().chain(&whole).copied().collect();
        for (names, real) in [(&whole, false), (&reals, true)] {
            let open = left(&self.values, names);
            let theirs = self.values.iter_mut();
            let theirs: Vec<&mut Matched> = theirs
                .filter(|m| {
                    m.of_op.is_none()
                        && m.dtype.starts_with('f') == real
                        && !strides.iter().any(|s| s.0 == m.own)
                })
                .collect();
            // what is not handed over is mostly what the grid has: rows, the first dimensions; with more numbers than
            // names, places say nothing
            let Some(skipped) = open.len().checked_sub(theirs.len()) else { continue };
            for (matched, name) in theirs.into_iter().zip(open.into_iter().skip(skipped)) {
                (matched.of_op, matched.is_guess) = (Some(name.to_owned()), true);
            }
        }
        for matched in self.values.iter_mut().filter(|m| m.of_op.is_none()) {
            let found = strides.iter().find(|(own, _)| *own == matched.own);
            (matched.is_guess, matched.of_op) = (found.is_some(), found.map(|(_, size)| size.clone()));
        }
        // what a macro or a header says of its type is not known
        for matched in self.values.iter_mut().filter(|m| m.dtype.is_empty()) {
            let is_real = reals.iter().any(|real| matched.of_op.as_deref() == Some(*real));
            let whole = if start == Start::Programs { "i32" } else { "u32" };
            matched.dtype = if is_real { "f32" } else { whole }.to_owned();
            matched.is_guess |= start != Start::Programs;
        }
    }

    /// Whole numbers that are named as strides, each with what it is.
    fn strides(&self) -> Vec<(String, String)> {
        let tensors = self.buffers.iter().filter_map(|m| Some((m.own.as_str(), m.of_op.as_deref()?)));
        let tensors: Vec<(&str, &str)> = tensors.collect();
        let all: Vec<&str> = self.values.iter().map(|m| m.own.as_str()).collect();
        let open = self.values.iter().filter(|m| m.of_op.is_none() && !m.dtype.starts_with('f'));
        open.filter_map(|m| Some((m.own.clone(), stride(self.op, &tensors, &all, &m.own)?))).collect()
    }

    /// Other whole numbers, by what such names mean.
    fn by_meaning(&mut self, spread: Spread, strides: &[(String, String)]) {
        let is_stride = |m: &Matched| strides.iter().any(|(own, _)| *own == m.own);
        for at in 0..self.values.len() {
            let matched = &self.values[at];
            if matched.of_op.is_some() || matched.dtype.starts_with('f') || is_stride(matched) {
                continue;
            }
            let found = size(self.op, spread, &matched.own);
            let found = found.filter(|size| self.values.iter().all(|m| m.of_op.as_ref() != Some(size)));
            let matched = &mut self.values[at];
            (matched.is_guess, matched.of_op) = (found.is_some(), found);
        }
    }

    fn args(&self, interface: &Interface) -> Vec<String> {
        let (mut buffers, mut values) = (self.buffers.iter(), self.values.iter());
        let mut all = Vec::new();
        for param in &interface.params {
            match param {
                Param::Buffer { .. } => {
                    let Some(matched) = buffers.next() else { continue };
                    let name = matched.of_op.as_ref().unwrap_or(&matched.own);
                    all.push((format!("\"{name}\""), remark(matched, "which tensor is")));
                }
                Param::Values(fields) => {
                    let own: Vec<&Matched> = values.by_ref().take(fields.len()).collect();
                    all.push(structure(&own));
                }
            }
        }
        let mut lines = vec!["args    = [".to_owned()];
        lines.extend(all.into_iter().map(|(text, remark)| format!("  {text},{remark}")));
        lines.push("]".into());
        let pushed: Vec<&Matched> = values.collect();
        if !pushed.is_empty() {
            let (text, remark) = structure(&pushed);
            lines.push(format!("push    = {text}{remark}"));
        }
        lines
    }

    /// Where an output without a buffer goes: what a function returns, or over an input that is written.
    fn results(&self, interface: &Interface, start: Start) -> Option<String> {
        let outputs: Vec<&str> = self.op.outputs.iter().map(|t| t.name.as_str()).collect();
        let output = *left(&self.buffers, &outputs).first()?;
        if start == Start::Called && !interface.returns.is_empty() {
            return Some(format!("returns = \"{output}\""));
        }
        let written = interface.params.iter().filter_map(|param| match param {
            Param::Buffer { writes, .. } => Some(*writes),
            Param::Values(_) => None,
        });
        let mut over = self
            .buffers
            .iter()
            .zip(written)
            .filter(|(_, writes)| *writes)
            .filter_map(|(m, _)| m.of_op.as_ref());
        let input = over.find(|input| self.axes(input) == self.axes(output))?;
        Some(format!(
            "inplace = {{ {output} = \"{input}\" }} {MARK} {output} is taken to be written over {input}"
        ))
    }

    /// Types that are not those a contract has by itself, and buffers that no tensor is.
    fn storage(&self) -> Vec<String> {
        let (named, others): (Vec<&Matched>, Vec<&Matched>) =
            self.buffers.iter().partition(|m| m.of_op.is_some());
        let of = |m: &&Matched| {
            let name = m.of_op.clone().unwrap_or_default();
            (!m.dtype.is_empty() && m.dtype != "f32").then(|| format!("{name} = \"{}\"", m.dtype))
        };
        let types: Vec<String> = named.iter().filter_map(of).collect();
        let mut lines = Vec::new();
        if !types.is_empty() {
            let packed = named.iter().any(|m| m.dtype.starts_with('u') && !self.is_whole(m));
            let remark = match packed {
                true => {
                    format!(" {MARK} words that hold f16 or quantised blocks are named so: \"f16\", \"q4_0\"")
                }
                false => String::new(),
            };
            lines.push(format!("types   = {{ {} }}{remark}", types.join(", ")));
        }
        if !others.is_empty() {
            let each = others.iter().map(|m| {
                let dtype = if m.dtype.is_empty() { "f32" } else { &m.dtype };
                format!("{} = \"{dtype}[1]\"", m.own)
            });
            let each = each.collect::<Vec<_>>().join(", ");
            lines.push(format!(
                "scratch = {{ {each} }} {MARK} how many elements? what may the kernel find there?"
            ));
        }
        lines
    }

    /// Whether the tensor of a buffer holds integers.
    fn is_whole(&self, matched: &Matched) -> bool {
        let name = matched.of_op.as_deref().unwrap_or_default();
        self.op.inputs.iter().chain(&self.op.outputs).any(|t| t.name == name && t.integer)
    }
}

fn by_name(all: &mut [Matched], names: &[&str]) {
    let same = |own: &str, name: &str| own == name;
    let like = |own: &str, name: &str| bare(own) == bare(name);
    for means in [&same as &dyn Fn(&str, &str) -> bool, &like, &alike] {
        for name in left(all, names) {
            let fits = |m: &Matched| means(&m.own, name);
            if let Some(matched) = all.iter_mut().find(|m| m.of_op.is_none() && fits(m)) {
                matched.of_op = Some(name.to_owned());
            }
        }
    }
}

/// Names of the op that nothing is matched with yet.
fn left<'n>(all: &[Matched], names: &[&'n str]) -> Vec<&'n str> {
    let taken = |name: &str| all.iter().any(|m| m.of_op.as_deref() == Some(name));
    names.iter().copied().filter(|name| !taken(name)).collect()
}

fn remark(matched: &Matched, what: &str) -> String {
    match (&matched.of_op, matched.is_guess) {
        (Some(name), true) => format!(" {MARK} `{}` is taken for {name}, by its place", matched.own),
        (Some(_), false) => String::new(),
        (None, _) => format!(" {MARK} {what} `{}`?", matched.own),
    }
}

/// One value or a struct of several. A value that nothing is known of is passed as 0.
fn structure(fields: &[&Matched]) -> (String, String) {
    let field = |m: &&Matched| {
        let name = match m.of_op.as_deref().unwrap_or("0") {
            word if word.chars().all(is_word) && !word.starts_with(|c: char| c.is_ascii_digit()) => {
                word.to_owned()
            }
            expression => format!("\"{expression}\""),
        };
        format!("{name} = \"{}\"", if m.dtype.is_empty() { "u32" } else { &m.dtype })
    };
    let mut names: Vec<&Option<String>> = fields.iter().map(|m| &m.of_op).collect();
    names.sort();
    let is_twice = names.windows(2).any(|pair| pair[0] == pair[1]);
    let each: Vec<String> = fields.iter().map(field).collect();
    let text = match is_twice {
        true => format!("[{}]", each.iter().map(|f| format!("{{ {f} }}")).collect::<Vec<_>>().join(", ")),
        false => format!("{{ {} }}", each.join(", ")),
    };
    let odd = fields.iter().filter(|m| m.is_guess || m.of_op.is_none());
    let odd: Vec<String> = odd
        .map(|m| match &m.of_op {
            Some(name) => format!("`{}` is taken for {name}", m.own),
            None => format!("what is `{}`? it is passed as 0", m.own),
        })
        .collect();
    let remark = if odd.is_empty() { String::new() } else { format!(" {MARK} {}", odd.join("; ")) };
    (text, remark)
}
