//! What a contract commits its kernel to, as plain data that a report carries: a pass is worth as much as
//! this.

use std::collections::BTreeMap;

use hmac_sha256::Hash as Sha256;
use ktwin_lang::Op;
use serde::{Deserialize, Serialize};

use crate::contract::{Contract, Fill, Name, Nan};
use crate::domain;
use crate::kernel::{Catalogue, Kernel};

/// What an op is known by, whatever it is called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// A hash of the op's text without comments and blanks.
    pub hash: String,
    /// Whether the catalogue has the same text.
    pub catalogue: bool,
}

/// The text without what changes nothing: comments, blank lines, blanks in a row.
fn plain(text: &str) -> String {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or(""));
    let lines = lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// A hash in letters and digits; each part with its length, so that no two lists of parts look the same.
pub fn hash_of(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().take(16).map(|b| format!("{b:02x}")).collect()
}

/// Whether an op of the catalogue is this one: its text, with those of the ops that it calls.
fn has(catalogue: &Catalogue, name: &str, text: &str, own: &str) -> bool {
    let text = plain(text);
    let more = own.strip_prefix(text.as_str()).is_some_and(|rest| rest.starts_with('\n'));
    let find = |name: &str| crate::ops::find(name, None, catalogue);
    text == own || more && Op::parse_with(name, &text, &find).is_ok_and(|op| plain(&op.text) == own)
}

impl Content {
    /// The content of an op's text.
    pub fn of(text: &str, catalogue: &Catalogue) -> Content {
        let own = plain(text);
        let hash = hash_of(&[own.as_bytes()]);
        Content { hash, catalogue: catalogue.iter().any(|(name, text)| has(catalogue, name, text, &own)) }
    }
}

/// Numbers of which one holds: `8, 16 or 32`.
pub fn listed(numbers: &[i64]) -> String {
    let words: Vec<String> = numbers.iter().map(i64::to_string).collect();
    match words.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} or {last}", before.join(", ")),
        _ => words.concat(),
    }
}

/// What a kernel promises.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PromiseReport {
    /// The op's name as it calls itself.
    pub op: String,
    /// A hash of the op's content.
    pub hash: String,
    /// Whether the catalogue has this very op.
    pub catalogue: bool,
    /// The storage type of each tensor.
    pub types: BTreeMap<String, String>,
    /// The compute rung.
    pub compute: String,
    /// The accumulator.
    pub accumulate: String,
    /// What is rounded further, and to what.
    pub round: BTreeMap<String, String>,
    /// The named form of the op.
    pub form: Option<String>,
    /// Whether CUDA's fast functions are good enough.
    pub fast_math: bool,
    /// Whether it may read past the end of a buffer.
    #[serde(default)]
    pub robust: bool,
    /// Outputs that must be filled before each launch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fill: Vec<String>,
    /// Outputs that are written over an input, each with it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inplace: BTreeMap<String, String>,
    /// Lanes that a subgroup must have; any number where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subgroup: Vec<i64>,
    /// Whether the same inputs give the same bits.
    pub deterministic: bool,
    /// Whether a row alone gives the bits that it gives among others.
    pub batch_invariant: bool,
    /// Whether equal elements may come in any order.
    pub ties: bool,
    /// What becomes of NaN and infinity in the inputs.
    pub nan: Nan,
    /// The policy that decides in the place of the error bars, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// Real scalars and dimensions that are taken as given.
    pub fix: BTreeMap<String, String>,
    /// The share of the op's domain that `dims`, `where` and `fix` leave, of sizes drawn by their octaves;
    /// real scalars that are fixed are not in it.
    pub share: f64,
}

/// The outputs that must hold something before each launch.
pub(crate) fn filled_outputs(kernel: &Kernel) -> impl Iterator<Item = &(Name, Fill)> {
    kernel.contract.fill.iter().filter(|(name, _)| kernel.op.output(name).is_some())
}

/// What the contract, and not the op, writes over an input.
fn inplace(kernel: &Kernel) -> BTreeMap<String, String> {
    let all = kernel.contract.inplace.iter();
    all.map(|(output, input)| (output.text.clone(), input.text.clone())).collect()
}

/// What a kernel promises.
pub fn promise(kernel: &Kernel) -> PromiseReport {
    let Contract { compute, accumulate, promises, .. } = &kernel.contract;
    let tensors = kernel.op.inputs.iter().chain(&kernel.op.outputs);
    PromiseReport {
        op: kernel.op.name.clone(),
        hash: kernel.content.hash.clone(),
        catalogue: kernel.content.catalogue,
        types: tensors.map(|t| (t.name.clone(), kernel.dtype(&t.name).to_string())).collect(),
        compute: compute.name().to_string(),
        accumulate: accumulate.name().to_string(),
        round: kernel.contract.round.iter().map(|(n, d)| (n.text.clone(), d.to_string())).collect(),
        form: kernel.contract.form.as_ref().map(|name| name.text.clone()),
        fast_math: kernel.contract.fast_math.is_some(),
        robust: kernel.contract.robust.is_some(),
        fill: filled_outputs(kernel).map(|(name, _)| name.text.clone()).collect(),
        inplace: inplace(kernel),
        subgroup: kernel.contract.subgroup.clone(),
        deterministic: promises.deterministic,
        batch_invariant: promises.batch_invariant,
        ties: promises.ties,
        nan: promises.nan,
        policy: kernel.contract.policy.as_ref().map(|p| p.reasoned()),
        fix: kernel.contract.fix.iter().map(|(n, v)| (n.text.clone(), v.to_string())).collect(),
        share: domain::share(kernel),
    }
}

impl PromiseReport {
    /// All of it in one line.
    pub fn sentence(&self) -> String {
        let origin = if self.catalogue { "from the catalogue" } else { "not from the catalogue" };
        let short: String = self.hash.chars().take(8).collect();
        let mut parts = vec![format!("{} ({origin}, {short})", self.op)];
        let mut of_type: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (name, dtype) in &self.types {
            of_type.entry(dtype).or_default().push(name);
        }
        let types = of_type.iter().map(|(dtype, names)| format!("{} {dtype}", names.join(" ")));
        parts.push(types.collect::<Vec<_>>().join(", "));
        let mut rungs = format!("computes in {}", self.compute);
        if self.accumulate != self.compute {
            rungs.push_str(&format!(", sums in {}", self.accumulate));
        }
        parts.push(rungs);
        let rounded = self.round.iter().map(|(name, dtype)| format!("{name} to {dtype}"));
        let rounded: Vec<String> = rounded.collect();
        parts.extend((!rounded.is_empty()).then(|| format!("rounds {}", rounded.join(", "))));
        parts.extend(self.ties.then(|| "equal elements in any order".to_string()));
        parts.extend(self.form.iter().map(|form| format!("form {form}")));
        parts.extend(self.fast_math.then(|| "fast math".to_string()));
        parts.extend(self.robust.then(|| "may read past the end of buffers".to_string()));
        let filled = (!self.fill.is_empty()).then(|| self.fill.join(", "));
        parts.extend(filled.map(|names| format!("{names} filled before each launch")));
        parts.extend(self.inplace.iter().map(|(output, input)| format!("{output} only in place of {input}")));
        let lanes = (!self.subgroup.is_empty()).then(|| listed(&self.subgroup));
        parts.extend(lanes.map(|lanes| format!("subgroups of {lanes} lanes alone")));
        parts.push(if self.deterministic { "deterministic".into() } else { "not deterministic".into() });
        parts.extend(self.batch_invariant.then(|| "batch invariant".to_string()));
        let nan = match self.nan {
            Nan::Never => "no NaN or infinity taken",
            Nan::Isolate => "NaN isolated",
            Nan::Propagate => "NaN propagated",
        };
        parts.push(nan.to_string());
        parts.push(shown_share(self.share));
        parts.extend(self.policy.iter().map(|policy| format!("decided by {policy}")));
        let fixed: Vec<String> = self.fix.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        parts.extend((!fixed.is_empty()).then(|| format!("only {}", fixed.join(", "))));
        parts.join("; ")
    }
}

fn shown_share(share: f64) -> String {
    match share {
        s if s >= 1.0 => "all of its domain".to_string(),
        s if s < 0.01 => "less than 1% of its domain".to_string(),
        s => format!("{:.0}% of its domain", (s * 100.0).min(99.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPS: &[(&str, &str)] = &[("half", "# half\nop half(x[N]) -> y[N]\n\ny[n] = x[n] / 2\n")];

    #[test]
    fn content_is_known_whatever_it_is_called() {
        let same = "# another comment\nop half(x[N])  -> y[N]\ny[n] = x[n] / 2 # here too\n";
        assert_eq!(Content::of(same, OPS), Content::of(OPS[0].1, OPS));
        assert!(Content::of(same, OPS).catalogue);
        let other = Content::of("op half(x[N]) -> y[N]\ny[n] = x[n] / 3\n", OPS);
        assert!(!other.catalogue && other.hash != Content::of(same, OPS).hash);
    }

    #[test]
    fn an_op_is_known_with_all_that_it_calls() {
        let ops = &[OPS[0], ("quarter", "op quarter(x[N]) -> y[N]\nh = half(x)\ny = half(h)\n")];
        let made = |find: ktwin_lang::Find| Op::parse_with("q", ops[1].1, find).unwrap();
        let own = Content::of(&made(&|name| crate::ops::find(name, None, ops)).text, ops);
        assert!(own.catalogue);
        // another `half` beside it makes it another op
        let other = |_: &str| Some(("half.op".into(), OPS[0].1.replace("/ 2", "/ 3")));
        let other = Content::of(&made(&other).text, ops);
        assert!(!other.catalogue && other.hash != own.hash);
    }

    #[test]
    fn hashes_know_where_parts_end() {
        assert_ne!(hash_of(&[b"ab", b"c"]), hash_of(&[b"a", b"bc"]));
        assert_eq!(hash_of(&[]), "e3b0c44298fc1c149afbf4c8996fb924");
    }

    #[test]
    fn a_promise_is_told_in_one_line() {
        let toml = "op = 'half'\nargs = ['x', 'y']\ntypes = { x = 'f16' }\ncompute = 'bf16'\naccumulate = 'f32'\n\
                    round = { x = 'q8_0' }\ndeterministic = false\ndims = { N = '32' }\n";
        let said = promise(&Kernel::of_contract("k", toml, OPS).unwrap()).sentence();
        let wanted = "computes in bf16, sums in f32; rounds x to q8_0; not deterministic; NaN isolated; \
                      less than 1% of its domain";
        assert!(said.starts_with("half (from the catalogue, ") && said.ends_with(wanted), "{said}");
        assert!(said.contains("; x f16, y f32; "), "{said}");
        let plain = Kernel::of_contract("k", "op = 'half'\nargs = ['x', 'y']\n", OPS).unwrap();
        assert!(promise(&plain).sentence().ends_with("all of its domain"));
    }
}
