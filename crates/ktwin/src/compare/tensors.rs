//! Two files of arrays, compared name by name: what was found as data, and as text.

use std::fmt::Write;
use std::path::Path;

use ktwin::arrays::ArrayFile;
use ktwin::elsewhere::measures;
use ktwin::explain::{visible, wrong_output};
use ktwin_check::{ElementReport, Measures, OutputReport, Policy, elsewhere, without_numbers};
use ktwin_num::{Tensor, plural};
use serde::Serialize;

/// What two files of arrays are to each other.
#[derive(Serialize)]
pub struct Compared {
    first: String,
    second: String,
    policy: Option<String>,
    pub right: bool,
    arrays: Vec<Array>,
}

/// What becomes of an array.
#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    #[default]
    Pass,
    Fail,
    /// The two have other shapes.
    Shape,
    /// It is in the second file alone.
    Extra,
    /// It is in the first file alone.
    Missing,
}

/// An array of either file.
#[derive(Default, Serialize)]
struct Array {
    name: String,
    outcome: Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shape: Option<Vec<usize>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    due: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    got: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wrong: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    elements: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    measures: Option<Measures>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    worst: Vec<ElementReport>,
    #[serde(skip)]
    found: Option<OutputReport>,
}

/// Compares the arrays of the second file with those of the first.
pub fn compare(first: &Path, second: &Path, policy: Option<&Policy>) -> Result<Compared, String> {
    let open = |path| ArrayFile::open(path).map_err(|e| e.to_string());
    let (a, b) = (open(first)?, open(second)?);
    // an .npy file holds one array, whatever the file is called
    let single = !a.is_archive() && !b.is_archive();
    let name_in_a =
        |name: &String| if single { a.names().first() } else { a.names().iter().find(|n| *n == name) };
    let alone = |name: &String, outcome: Outcome, path: &Path| Array {
        name: name.clone(),
        outcome,
        why: Some(format!("is not in {}", path.display())),
        ..Array::default()
    };
    let mut arrays = Vec::new();
    for name in b.names() {
        arrays.push(match name_in_a(name) {
            None => alone(name, Outcome::Extra, first),
            Some(of_a) => {
                let due = a.read(of_a, None).map_err(|e| e.to_string())?;
                let got = b.read(name, None).map_err(|e| e.to_string())?;
                one(name, &due, &got, policy)
            }
        });
    }
    let missing = a.names().iter().filter(|name| !single && !b.names().contains(name));
    arrays.extend(missing.map(|name| alone(name, Outcome::Missing, second)));
    if arrays.is_empty() {
        return Err("neither file holds an array".into());
    }
    if arrays.iter().all(|array| array.elements == Some(0)) {
        return Err("no array of these files has an element: there is nothing to compare".into());
    }
    Ok(Compared {
        first: first.display().to_string(),
        second: second.display().to_string(),
        policy: policy.map(Policy::to_string),
        right: arrays.iter().all(|array| array.outcome == Outcome::Pass),
        arrays,
    })
}

/// Compares an array with what is due.
fn one(name: &str, due: &Tensor, got: &Tensor, policy: Option<&Policy>) -> Array {
    let array = Array { name: name.to_string(), shape: Some(got.shape.clone()), ..Array::default() };
    if due.shape != got.shape {
        let why = format!("{:?} in the first, {:?} in the second", due.shape, got.shape);
        return Array { outcome: Outcome::Shape, why: Some(why), ..array };
    }
    let judged = elsewhere::stored_as(name, due, got, policy);
    let found = (!judged.failing.is_empty()).then(|| without_numbers(&judged));
    Array {
        outcome: if judged.failing.is_empty() { Outcome::Pass } else { Outcome::Fail },
        due: Some(due.dtype.to_string()),
        got: Some(got.dtype.to_string()),
        wrong: Some(judged.failing.len()),
        elements: Some(judged.total),
        measures: Some(Measures::new("", judged.metrics)),
        worst: found.iter().flat_map(|found| found.worst.clone()).collect(),
        found,
        ..array
    }
}

/// The same for people: a line or two an array.
pub fn text(compared: &Compared) -> String {
    let mut out = String::new();
    compared.arrays.iter().for_each(|array| out.push_str(&array.text()));
    let by = match &compared.policy {
        Some(policy) => format!("policy {policy}"),
        None => "what their types make of the first's".to_string(),
    };
    let count = |of: &dyn Fn(&Array) -> bool| compared.arrays.iter().filter(|array| of(array)).count();
    let total = plural(count(&|array| array.elements.is_some()), "array");
    let several = [
        (count(&|array| array.outcome == Outcome::Fail), "wrong"),
        (count(&|array| array.outcome == Outcome::Shape), "of another shape"),
        (count(&|array| matches!(array.outcome, Outcome::Extra | Outcome::Missing)), "in one file alone"),
    ];
    let told = several.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}"));
    let told = told.collect::<Vec<_>>().join(", ");
    let all = if told.is_empty() { "all right" } else { &told };
    let _ = writeln!(out, "{total} compared by {by}: {all}");
    out
}

impl Array {
    fn text(&self) -> String {
        let (shown, why) = (visible(&self.name), self.why.as_deref().map(visible).unwrap_or_default());
        let shape = self.shape.clone().unwrap_or_default();
        match self.outcome {
            Outcome::Extra => format!("extra   {shown} {why}\n"),
            Outcome::Missing => format!("missing {shown} {why}\n"),
            Outcome::Shape => format!("shape   {shown}: {why}\n"),
            Outcome::Pass => format!("pass    {shown} {shape:?} {}\n{}", self.types(), self.measured()),
            Outcome::Fail => {
                let (wrong, elements) = (self.wrong.unwrap_or(0), self.elements.unwrap_or(0));
                let far = format!("{wrong} of {} wrong", plural(elements, "element"));
                let lines = self.found.iter().flat_map(|found| wrong_output(found, false).split_off(1));
                let lines: String = lines.map(|line| format!("        {}\n", visible(&line))).collect();
                format!(
                    "fail    {shown} {shape:?} {}, {far}, the worst:\n{lines}{}",
                    self.types(),
                    self.measured()
                )
            }
        }
    }

    fn types(&self) -> String {
        let (due, got) = (self.due.clone().unwrap_or_default(), self.got.clone().unwrap_or_default());
        if due == got { due } else { format!("{due} as {got}") }
    }

    fn measured(&self) -> String {
        self.measures.as_ref().map(measures).unwrap_or_default()
    }
}
