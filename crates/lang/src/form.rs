//! Forms: other ways of writing an op's definitions, each an op of its own with the same tensors and scalars. They must
//! agree with it wherever nothing is rounded.

use ktwin_num::{Float, Language, Regime, did_you_mean};

use crate::ast::{File, FormDecl};
use crate::diagnostic::{Checked, Mistake};
use crate::evaluate::{Elements, Meaning, Output, Promise};
use crate::op::Op;
use crate::prove::{Promised, Trial};

/// One form of an op.
#[derive(Clone, Debug)]
pub struct Form {
    /// What a contract calls it by; none where it is accepted from every kernel.
    pub name: Option<String>,
    /// The op written so.
    pub op: Op,
}

/// What two forms are compared on.
const REGIMES: [Regime; 5] =
    [Regime::Normal, Regime::Uniform, Regime::Mixed, Regime::Above, Regime::Outliers];
/// The most points of the case that they are compared on, where such a case is found.
const MOST_POINTS: f64 = 2e4;
/// Two forms may differ by so many bars of f64 arithmetic.
const APART: f64 = 64.0;

/// The forms of a file whose own definitions were checked.
pub fn check(tree: &File, file: &str, text: &str) -> Checked<Vec<Form>> {
    let mut forms: Vec<Form> = Vec::new();
    for decl in &tree.forms {
        if let Some(name) = &decl.name
            && forms.iter().any(|f| f.name.as_deref() == Some(&name.name))
        {
            return Err(Mistake::new(name.span, format!("form `{}` is defined twice", name.name)));
        }
        meant(tree, decl)?;
        let op = crate::check::check(&written(tree, decl), file, text)?;
        forms.push(Form { name: decl.name.as_ref().map(|n| n.name.clone()), op });
    }
    Ok(forms)
}

/// Refuses a definition that is not one of the op's, and that no other of the form reads: it would change nothing.
fn meant(tree: &File, form: &FormDecl) -> Checked<()> {
    let of_op = |name: &str| tree.definitions.iter().any(|own| own.name.name == name);
    for definition in &form.definitions {
        let name = &definition.name;
        let mut others = form.definitions.iter().filter(|other| other.name.name != name.name);
        if !of_op(&name.name) && !others.any(|other| crate::order::reads(&other.body, &name.name)) {
            let known: Vec<&str> = tree.definitions.iter().map(|own| own.name.name.as_str()).collect();
            let near = did_you_mean(&name.name, known.iter().copied());
            let message = format!("op `{}` defines no `{}`{near}", tree.name.name, name.name);
            let help = format!("a form defines these otherwise: {}; or what they read", known.join(", "));
            return Err(Mistake::with_help(name.span, message, help));
        }
    }
    Ok(())
}

/// The file with a form's definitions in the place of its own.
fn written(tree: &File, form: &FormDecl) -> File {
    let mut tree = tree.without_lines();
    for definition in &form.definitions {
        match tree.definitions.iter_mut().find(|d| d.name.name == definition.name.name) {
            Some(own) => *own = definition.clone(),
            None => tree.definitions.push(definition.clone()),
        }
    }
    tree
}

impl Op {
    /// The form of this name; else what is wrong with the name, and what to write instead.
    pub fn form(&self, name: &str) -> Result<&Form, (String, String)> {
        let known = self.forms.iter().filter(|form| form.name.is_some());
        if let Some(form) = known.clone().find(|form| form.name.as_deref() == Some(name)) {
            return Ok(form);
        }
        let names: Vec<&str> = known.filter_map(|form| form.name.as_deref()).collect();
        let near = did_you_mean(name, names.iter().copied());
        let help = match names.is_empty() {
            true => "remove it: this op has no named forms".to_string(),
            false => format!("its named forms are {}", names.join(", ")),
        };
        Err((format!("op `{}` has no form `{name}`{near}", self.name), help))
    }
}

impl Form {
    /// As messages name it, counted from 1 where it has no name.
    pub fn shown(&self, number: usize) -> String {
        self.name.as_ref().map_or(format!("`also` {}", number + 1), |name| format!("form `{name}`"))
    }
}

impl Op {
    /// Where a form is another function than the op: they must agree except for rounding.
    pub fn disagreement(&self) -> Option<String> {
        if self.is_random() {
            return self.with_draws().disagreement();
        }
        let (number, found) =
            self.forms.iter().enumerate().find_map(|(n, form)| Some((n, self.differs_from(&form.op)?)))?;
        Some(format!("op {}: {} {found}", self.name, self.forms[number].shown(number)))
    }

    fn differs_from(&self, other: &Op) -> Option<String> {
        let example = self.drawn(1, MOST_POINTS).or_else(|| self.example())?;
        REGIMES.iter().find_map(|regime| {
            let trial = |op| {
                let promised = Promised::f32(Float::F32);
                Some(crate::prove::trial(Op::bind_example(op, &example)?, &example, &promised, *regime))
            };
            let (own, its) = (trial(self)?, trial(other)?);
            let promise = |op: &Op| Meaning::Bars(Promise::new(op, Language::C, Float::F64, Float::F64));
            let of = |trial: &Trial, op| trial.case.evaluate(&own.inputs, &promise(op), Elements::All);
            match (of(&own, self), of(&its, other)) {
                (Ok(ours), Ok(theirs)) => {
                    let found = ours.iter().zip(&theirs).find_map(|(a, b)| apart(a, b))?;
                    Some(format!("{found} ({})", own.name))
                }
                _ => Some(format!("cannot be evaluated ({})", own.name)),
            }
        })
    }
}

/// The first element of an output in which two forms differ by more than rounding makes them.
fn apart(ours: &Output, theirs: &Output) -> Option<String> {
    let differ = |at: &usize| {
        let (a, b) = (ours.values[*at], theirs.values[*at]);
        let room = APART * (ours.bars[*at] + theirs.bars[*at]);
        let same = a == b || (a.is_nan() && b.is_nan());
        !same && ((a - b).abs() > room || (a - b).is_nan())
    };
    let at = (0..ours.values.len()).find(differ)?;
    let (was, is) = (ours.values[at], theirs.values[at]);
    Some(format!("gives {is:e} for element {at} of {}, the op {was:e}", ours.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEAN: &str = "op mean(x[N]) -> y\ntotal = sum[n](x[n])\ny = total / N\n";

    #[test]
    fn forms_that_compute_the_same_agree() {
        let text = format!(
            "{MEAN}also y = sum[n](x[n] / N)\nform part: total = sum[n](x[n] / N)\nform part: y = total"
        );
        let op = Op::parse("m.op", &text).unwrap();
        let names: Vec<Option<&str>> = op.forms.iter().map(|f| f.name.as_deref()).collect();
        assert_eq!(names, [None, Some("part")]);
        assert_eq!(op.disagreement(), None);
    }

    #[test]
    fn a_form_that_computes_something_else_is_named() {
        let op = Op::parse("m.op", &format!("{MEAN}also y = total / (N + 1)")).unwrap();
        let found = op.disagreement().unwrap();
        assert!(found.starts_with("op mean: `also` 1 gives ") && found.contains("element 0 of y"), "{found}");
    }

    #[test]
    fn a_form_defines_what_the_op_does() {
        for form in ["also z = total / N", "form f: totl = sum[n](x[n])", "also z = 2\nalso y = total / N"] {
            let said =
                Op::parse("m.op", &format!("{MEAN}{form}")).err().map(|m| m.to_string()).unwrap_or_default();
            assert!(said.contains("m.op:4:") && said.contains("op `mean` defines no `"), "{form}: {said}");
        }
        let new = format!("{MEAN}also half = total / 2\nalso y = 2 * half / N");
        assert!(Op::parse("m.op", &new).is_ok());
    }

    #[test]
    fn definitions_come_first() {
        let error = Op::parse("m.op", "op m(x[N]) -> y[N]\nalso y[n] = x[n]\ny[n] = x[n]").unwrap_err();
        assert!(
            error.to_string().contains("after the first form") || error.to_string().contains("y"),
            "{error}"
        );
        let twice = format!("{MEAN}form a: y = total / N\nform b: y = total / N\nform a: y = total / N");
        assert!(Op::parse("m.op", &twice).unwrap_err().to_string().contains("`a` is defined twice"));
    }
}
