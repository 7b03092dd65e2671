//! Rules that outputs are accepted by in the place of their error bars: named, read from text such as
//! `allclose:rtol=1e-2,atol=1e-3`, each a row of one table. What they decide is in `decide`.

mod decide;
pub mod examples;
mod presets;

use std::fmt;

use ktwin_num::{DType, did_you_mean};

pub use decide::Decider;
pub(crate) use decide::{attach, stored};
pub use presets::PRESETS;

/// A rule with its numbers, which the formula of its row names.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // of the numbers
pub enum Rule {
    /// Every error at most so many times its bar.
    Bar { margin: f64 },
    /// Every error at most atol + rtol |e|.
    Allclose { rtol: f64, atol: f64 },
    /// Every error at most max(atol, rtol |e|).
    AllcloseMax { rtol: f64, atol: f64 },
    /// The same as `Allclose`, with numbers by storage type: type, rtol, atol. Other types must be equal.
    ByType { numbers: &'static [(DType, f64, f64)] },
    /// Every error at most so many units in the last place of the storage type.
    Ulp { most: f64 },
    /// Every element is what the value is stored as.
    Exact,
    /// Every error at most so many times that of the formula evaluated at the promised rungs, and half a unit in
    /// the last place of the storage type.
    Twice { times: f64 },
    /// The sum of the squared errors at most so many times that of the squared values.
    Nmse { most: f64 },
    /// The correlation at least, and the largest relative error at most.
    Correlation { least: f64, relative: f64 },
    /// The cosine at least.
    Cosine { least: f64 },
    /// The 1-norm of the errors at most so many times n u times that of the values.
    Residual { most: f64 },
}

/// A rule as it was asked for, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// How it was written.
    pub text: String,
    /// What it is.
    pub rule: Rule,
    /// Why the error bar is not good enough; empty where nobody asked.
    pub why: String,
}

/// A kind of rule: what it is called, its numbers with their defaults, its formula.
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// Its numbers, in the order in which they may stand without their names.
    pub keys: &'static [(&'static str, Option<f64>)],
    /// What an output must satisfy: g came, e is due.
    pub formula: &'static str,
    make: fn(&[f64]) -> Rule,
}

/// Every kind, sorted by name.
pub const RULES: &[Row] = &[
    Row {
        name: "allclose",
        keys: &[("rtol", None), ("atol", None)],
        formula: "every |g - e| <= atol + rtol |e|",
        make: |v| Rule::Allclose { rtol: v[0], atol: v[1] },
    },
    Row {
        name: "allclose_max",
        keys: &[("rtol", None), ("atol", None)],
        formula: "every |g - e| <= max(atol, rtol |e|)",
        make: |v| Rule::AllcloseMax { rtol: v[0], atol: v[1] },
    },
    Row {
        name: "bar",
        keys: &[("margin", Some(1.0))],
        formula: "every |g - e| <= margin x its error bar",
        make: |v| Rule::Bar { margin: v[0] },
    },
    Row {
        name: "by_type",
        keys: &[],
        formula: "every |g - e| <= atol + rtol |e|; f32 1e-5 and 1e-8, f16 1e-2 and 1e-3, bf16 5e-2 and 1e-3 (rtol \
                  and atol), i8 0 and half a step, other types equal",
        make: |_| Rule::ByType { numbers: presets::BY_TYPE },
    },
    Row {
        name: "correlation",
        keys: &[("least", Some(0.999)), ("relative", Some(1e-3))],
        formula: "Pearson's correlation >= least, and every |g - e| <= relative |e|",
        make: |v| Rule::Correlation { least: v[0], relative: v[1] },
    },
    Row {
        name: "cosine",
        keys: &[("least", Some(0.999))],
        formula: "sum(g e) / (|g|_2 |e|_2) >= least",
        make: |v| Rule::Cosine { least: v[0] },
    },
    Row {
        name: "exact",
        keys: &[],
        formula: "every g equal to e as the storage type rounds it",
        make: |_| Rule::Exact,
    },
    Row {
        name: "nmse",
        keys: &[("most", None)],
        formula: "sum((g - e)^2) <= most x sum(e^2)",
        make: |v| Rule::Nmse { most: v[0] },
    },
    Row {
        name: "residual",
        keys: &[("most", Some(30.0))],
        formula: "|g - e|_1 <= most x n u |e|_1, with matrix 1-norms over the last two dimensions (largest column \
                  sum), n the terms of the op's longest sum, u the coarsest roundoff of rungs and storage",
        make: |v| Rule::Residual { most: v[0] },
    },
    Row {
        name: "torch",
        keys: &[],
        formula: "every |g - e| <= atol + rtol |e|; f32 1.3e-6 and 1e-5, f16 1e-3 and 1e-5, bf16 1.6e-2 and 1e-5, f64 \
                  1e-7 and 1e-7 (rtol and atol), other types equal",
        make: |_| Rule::ByType { numbers: presets::TORCH },
    },
    Row {
        name: "twice",
        keys: &[("times", Some(2.0))],
        formula: "every |g - e| <= times |r - e| + half a unit in the last place, r the formula evaluated at the \
                  promised rungs, sums in sequence",
        make: |v| Rule::Twice { times: v[0] },
    },
    Row {
        name: "ulp",
        keys: &[("most", None)],
        formula: "every |g - e| <= most units in the last place of the storage type",
        make: |v| Rule::Ulp { most: v[0] },
    },
];

impl Policy {
    /// The error bar itself.
    pub fn bar() -> Policy {
        Policy { text: "bar".into(), rule: Rule::Bar { margin: 1.0 }, why: String::new() }
    }

    /// Reads a policy: a preset, or a rule's name with its numbers.
    pub fn parse(text: &str) -> Result<Policy, String> {
        let text = text.trim();
        let whole = PRESETS.iter().find(|p| p.name == text).map_or(text, |p| p.is);
        let (name, numbers) = whole.split_once(':').unwrap_or((whole, ""));
        let Some(row) = RULES.iter().find(|row| row.name == name.trim()) else {
            let known = RULES.iter().map(|r| r.name).chain(PRESETS.iter().map(|p| p.name));
            let hint = did_you_mean(name, known.clone());
            let known: Vec<&str> = known.collect();
            return Err(format!("no policy `{name}`{hint}; there are {}", known.join(", ")));
        };
        let rule = (row.make)(&row.numbers(numbers)?);
        if let Rule::Correlation { least, .. } | Rule::Cosine { least } = rule
            && least > 1.0
        {
            let usage = row.usage();
            return Err(format!("policy {name}: no output reaches {least}: write at most 1, as in {usage}"));
        }
        Ok(Policy { text: text.to_string(), rule, why: String::new() })
    }

    /// The same with its reason.
    pub fn because(self, why: &str) -> Policy {
        Policy { why: why.to_string(), ..self }
    }

    /// The policy with its reason.
    pub fn reasoned(&self) -> String {
        if self.why.is_empty() { self.to_string() } else { format!("{self}, since {}", self.why) }
    }

    /// Whether it takes just what the error bar takes.
    pub fn is_bar(&self) -> bool {
        self.rule == Rule::Bar { margin: 1.0 }
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        match PRESETS.iter().find(|p| p.name == self.text) {
            Some(preset) => write!(f, " ({})", preset.is),
            None => Ok(()),
        }
    }
}

impl Row {
    /// How it is written, with numbers that may be left out in brackets.
    pub fn usage(&self) -> String {
        let one = |(key, default): &(&str, Option<f64>)| match default {
            Some(default) => format!("[{key}={default}]"),
            None => format!("{key}=..."),
        };
        let keys: Vec<String> = self.keys.iter().map(one).collect();
        if keys.is_empty() { self.name.to_string() } else { format!("{}:{}", self.name, keys.join(",")) }
    }

    /// The numbers of `rtol=1e-2,atol=1e-3`, or of `1e-2,1e-3`.
    fn numbers(&self, text: &str) -> Result<Vec<f64>, String> {
        let mut found: Vec<Option<f64>> = vec![None; self.keys.len()];
        let refused = |why: String| format!("policy {}: {why}; write {}", self.name, self.usage());
        for (place, part) in text.split(',').map(str::trim).filter(|p| !p.is_empty()).enumerate() {
            let (at, number) = match part.split_once('=') {
                None => (Some(place), part),
                Some((key, number)) => (self.keys.iter().position(|(k, _)| *k == key.trim()), number.trim()),
            };
            let Some(slot) = at.and_then(|at| found.get_mut(at)) else {
                return Err(refused(format!("`{part}` is not one of its numbers")));
            };
            if slot.is_some() {
                return Err(refused(format!("`{part}` says what was said before")));
            }
            let value = number.parse().ok().filter(|v: &f64| v.is_finite() && *v >= 0.0);
            *slot = Some(value.ok_or_else(|| refused(format!("`{number}` is not a number of at least 0")))?);
        }
        let all = found.iter().zip(self.keys).map(|(found, (_, default))| found.or(*default));
        all.collect::<Option<Vec<f64>>>().ok_or_else(|| {
            let missing = found.iter().zip(self.keys).find(|(f, (_, d))| f.is_none() && d.is_none());
            refused(format!("`{}` is missing", missing.map_or("", |(_, (key, _))| key)))
        })
    }
}

#[cfg(test)]
mod tests;
