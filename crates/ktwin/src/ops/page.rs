//! All about one op, for a reader who sees it for the first time.

use std::fmt::Write;

use ktwin_lang::{Case, Example, Facts, Op, Role, Scalar, TensorInfo, Ty};
use ktwin_num::{DType, Function};

use super::accuracy::{by_language, notes};

/// The page of an op that was called by this name or path.
pub fn text(op: &Op, called: &str) -> String {
    let facts = op.facts();
    let example = op.example();
    let parts = [
        head(op),
        formula(op),
        tensors(op),
        scalars(op),
        sizes(op),
        cost(op, &facts, example.as_ref()),
        bars(&facts),
        command(called, example.as_ref()),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn head(op: &Op) -> String {
    let mut out = format!("{} -- {}\n", op.name, op.summary());
    let more = op.description.iter().skip(1).skip_while(|line| line.is_empty());
    let more: Vec<&str> = more.map(String::as_str).collect();
    if !more.is_empty() {
        let _ = writeln!(out, "\n{}", more.join("\n").trim_end());
    }
    out
}

/// The text as written, without the description.
fn formula(op: &Op) -> String {
    let body = op.text.lines().skip_while(|line| line.starts_with('#') || line.trim().is_empty());
    let lines: String = body.map(|line| format!("    {line}").trim_end().to_string() + "\n").collect();
    format!("Formula\n{lines}")
}

fn table(title: &str, rows: &[[String; 2]]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let column = rows.iter().map(|[name, _]| name.chars().count()).max().unwrap_or(0);
    let lines =
        rows.iter().map(|[name, what]| format!("    {name:column$}  {what}").trim_end().to_string() + "\n");
    format!("{title}\n{}", lines.collect::<String>())
}

fn tensors(op: &Op) -> String {
    let values =
        |info: &TensorInfo| match info.integer && info.domain.lo.is_none() && info.domain.hi.is_none() {
            true => "whole numbers".to_string(),
            false => op.domain_shown(&info.domain),
        };
    let row = |info: &TensorInfo, what: &str| [info.to_string(), format!("{what}: {}", values(info))];
    let both = |info: &TensorInfo| op.outputs.iter().any(|o| o.name == info.name && o.role == Role::InPlace);
    let mut rows: Vec<[String; 2]> = Vec::new();
    for info in &op.inputs {
        rows.push(row(info, if both(info) { "input, and output in place" } else { "input" }));
    }
    rows.extend(op.random.iter().map(|info| row(info, "random, each number as likely")));
    rows.extend(op.outputs.iter().filter(|o| o.role != Role::InPlace).map(|info| row(info, "output")));
    table("Tensors", &rows)
}

fn scalars(op: &Op) -> String {
    let row = |scalar: &Scalar| {
        let bounded = scalar.domain.lo.is_some() || scalar.domain.hi.is_some();
        let kind = match scalar.ty {
            Ty::Bool => "true or false".to_string(),
            _ if bounded => op.domain_shown(&scalar.domain),
            Ty::Int => "a whole number".into(),
            Ty::Real => "a number".into(),
        };
        let default = match (scalar.default, scalar.ty) {
            (Some(value), _) => format!("; {value} if not given"),
            (None, Ty::Int) if bounded => "; the value nearest to 0 if not given".into(),
            (None, _) => "; must be given".into(),
        };
        [scalar.name.clone(), kind + &default]
    };
    table("Scalars", &op.scalars.iter().map(row).collect::<Vec<_>>())
}

fn sizes(op: &Op) -> String {
    if op.dims.is_empty() {
        return String::new();
    }
    let free = op.free_dims();
    let names = |wanted: bool| -> Vec<&str> {
        let dims = op.dims.iter().enumerate().filter(|(at, _)| free.contains(at) == wanted);
        dims.map(|(_, dim)| dim.name.as_str()).collect()
    };
    let mut rows = vec![[names(true).join(", "), "whole numbers from 1, yours to choose".to_string()]];
    if free.len() < op.dims.len() {
        rows.push([names(false).join(", "), "follow from the others".to_string()]);
    }
    rows.extend(op.constraints_shown().into_iter().map(|c| ["where".to_string(), c]));
    table("Sizes", &rows)
}

fn settings(example: &Example) -> String {
    let dims = example.dims.iter().map(|(name, size)| format!("{name}={size}"));
    let scalars = example.scalars.iter().map(|(name, value)| format!("{name}={value}"));
    dims.chain(scalars).collect::<Vec<_>>().join(",")
}

fn cost(op: &Op, facts: &Facts, example: Option<&Example>) -> String {
    let least = if facts.at_most { "at most " } else { "" };
    let mut out = String::from("Cost\n");
    match facts.computes {
        true => {
            let _ = writeln!(out, "    {least}{} floating-point operations", facts.flops);
        }
        false => out.push_str("    no floating-point operations\n"),
    }
    if let Some((example, case)) = example.and_then(|e| Some((e, op.bind_example(e)?))) {
        let _ = writeln!(out, "    {}", sample(&case, example));
    }
    out
}

/// The cost at one size.
fn sample(case: &Case, example: &Example) -> String {
    let types = |infos: &[TensorInfo]| -> Vec<DType> {
        infos.iter().map(|info| if info.integer { DType::I32 } else { DType::F32 }).collect()
    };
    let cost = case.cost(&types(&case.op.inputs), &types(&case.op.outputs));
    let flops = match (cost.flops, cost.at_most) {
        (0.0, _) => String::new(),
        (flops, true) => format!("at most {flops} operations"),
        (flops, false) => format!("{flops} operations"),
    };
    let calls: Vec<String> = cost.calls.iter().map(|(name, n)| format!("{} of {name}", n.round())).collect();
    let calls = if calls.is_empty() { String::new() } else { format!(" ({})", calls.join(", ")) };
    let comma = if flops.is_empty() { "" } else { ", " };
    format!(
        "with {}: {flops}{calls}{comma}at least {} bytes read and {} written (f32 and i32)",
        settings(example),
        cost.read.round(),
        cost.written.round(),
    )
}

fn bars(facts: &Facts) -> String {
    let mut rows: Vec<[String; 2]> = Vec::new();
    for (name, length) in &facts.sums {
        let what = match length.parse::<u64>() {
            Ok(_) => format!("{length} terms, each addition rounded in the accumulator"),
            Err(_) => format!(
                "{length} terms in any order: the bar grows as their root on random data, as their \
                 number at worst"
            ),
        };
        rows.push([format!("sum in {name}"), what]);
    }
    if facts.divides {
        rows.push(["division".into(), by_language(Function::Div)]);
    }
    for name in &facts.functions {
        if let Some(function) = Function::parse(name) {
            rows.push([name.to_string(), by_language(function)]);
            rows.extend(notes(function).into_iter().map(|note| [String::new(), note]));
        }
    }
    if facts.compares {
        rows.push([
            "comparisons".into(),
            "where the two sides are closer than their bars, either branch is accepted".into(),
        ]);
    }
    match (facts.computes, rows.is_empty()) {
        (false, true) => {
            rows.push(["nothing".into(), "there is no arithmetic on reals: only storing can round".into()])
        }
        (true, true) => {
            rows.push(["roundings".into(), "of each +, - and *: half a unit in the last place".into()])
        }
        _ => {}
    }
    table("What its error bars depend on (accuracy in f32)", &rows)
}

fn command(called: &str, example: Option<&Example>) -> String {
    match example {
        Some(example) => {
            let settings = settings(example);
            let gap = if settings.is_empty() { "" } else { " " };
            format!("Try it\n    ktwin twin {called}{gap}{settings} -o out\n")
        }
        None => String::new(),
    }
}
