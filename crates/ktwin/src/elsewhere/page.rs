//! What a comparison says. Text only.

use std::fmt::Write;

use crate::explain::{explained, measured, visible};
use ktwin_check::elsewhere::{Claim, Sums};
use ktwin_check::{KernelReport, Measures, Verdict};
use ktwin_lang::Value;
use ktwin_num::{DType, Float, Tensor, plural};

use super::Given;
use super::apply::Applied;

/// The page.
pub fn text(
    claim: &Claim,
    inputs: &[Given],
    outputs: &[Given],
    applied: &Applied,
    (report, sums): (&KernelReport, Sums),
) -> String {
    let mut out = String::new();
    let dims = claim.dims.iter().map(|(name, size)| format!("{name}={size}"));
    let scalars = claim.scalars.iter().map(|(name, value)| match value {
        Value::Real(v) if *v == f64::from(*v as f32) => format!("{name}={:?}", *v as f32),
        other => format!("{name}={other}"),
    });
    let settings: Vec<String> = dims.chain(scalars).collect();
    let times = match applied.leading.is_empty() {
        true => String::new(),
        false => format!(", at each of {:?}", applied.leading),
    };
    let _ = writeln!(out, "{} {}{times}", claim.op.name, settings.join(","));
    let accumulate = match claim.accumulate == claim.compute {
        true => String::new(),
        false => format!(", sums in {}", claim.accumulate.name()),
    };
    let (language, compute) = (claim.language, claim.compute.name());
    let _ = writeln!(
        out,
        "bars    for a kernel in {language} that computes in {compute}{accumulate}; sums: {sums}"
    );
    let op = &claim.op;
    let named = op.inputs.iter().zip(inputs).map(|both| ("in", both));
    for (what, (info, given)) in named.chain(op.outputs.iter().zip(outputs).map(|both| ("out", both))) {
        let (shape, dtype) = (&given.tensor.shape, given.tensor.dtype);
        let _ = writeln!(out, "{what:<8}{} {shape:?} {dtype}: {}", info.name, visible(&given.from));
    }
    out.push_str(&verdict(claim, report));
    for line in explained(report) {
        let _ = writeln!(out, "        {line}");
    }
    if report.verdict.is_bad() {
        let hints = claim
            .op
            .outputs
            .iter()
            .zip(outputs)
            .filter_map(|(info, given)| narrower(&info.name, &given.tensor));
        hints.for_each(|line| out.push_str(&format!("        {line}\n")));
    }
    let of = if report.cases.total() > 1 { "worst over all applications: " } else { "" };
    for one in &report.measures {
        let _ = writeln!(out, "{:<8}{of}{}", one.output, measured(one));
    }
    out
}

fn verdict(claim: &Claim, report: &KernelReport) -> String {
    let word = report.verdict.name();
    let by = match &claim.policy {
        Some(policy) => format!("by policy {policy}: "),
        None => String::new(),
    };
    let share = if report.ratio == 0.0 { "0".into() } else { format!("{:.2}", report.ratio) };
    let of = if claim.policy.is_some() { "of what it allows" } else { "of the bar" };
    let mut parts = Vec::new();
    if report.verdict.is_bad() {
        let all = report.cases.total();
        parts.push(format!("error {share} {of}"));
        parts.extend((all > 1).then(|| format!("{} of {}", report.cases.fail, plural(all, "application"))));
    } else {
        parts.push(format!("error {share} {of}"));
        parts.extend(report.behaves_like.map(|rungs| format!("behaves like {rungs}")));
        parts.push(match (report.verdict, report.sharp) {
            (Verdict::Blind, _) => "nothing wrong would have shown on these arrays".into(),
            (_, 0) => "a kernel one rung coarser would pass too".into(),
            _ => "a kernel one rung coarser would fail".into(),
        });
    }
    parts.extend((!report.reason.is_empty()).then(|| report.reason.clone()));
    parts.extend(report.form.clone());
    format!("{word:<8}{by}{}\n", parts.join(", "))
}

/// Fewer numbers than this are short by chance.
const SEVERAL: usize = 8;

/// What an output was stored in where it was computed, if a wider array holds numbers of that type alone.
fn narrower(name: &str, tensor: &Tensor) -> Option<String> {
    if ![DType::F32, DType::F64].contains(&tensor.dtype) {
        return None;
    }
    let values = tensor.to_f64();
    let tells = values.iter().filter(|v| v.is_finite() && v.fract() != 0.0).count() >= SEVERAL;
    let holds = |float: &Float| values.iter().all(|v| v.is_nan() || float.round(*v) == *v);
    let float = [Float::BF16, Float::F16].into_iter().find(holds).filter(|_| tells)?.name();
    Some(format!(
        "all of {name} are {float} numbers: if it was dumped from {float}, say so with --device-dtype {name}={float}"
    ))
}

/// One line of numbers.
pub fn measures(measures: &Measures) -> String {
    format!("{:<8}{}\n", measures.output, measured(measures))
}
