//! What a twin says when it is done: each input, each output with its largest value and its widest bar.
//! Text only.

use std::fmt::Write;
use std::path::Path;

use ktwin::explain::visible;
use ktwin_lang::{Case, Output, stored};
use ktwin_num::{DType, Float};

use super::evaluate::worst;
use super::inputs::Line;
use super::request::Request;

/// What is worth saying of an output.
pub struct Report {
    name: String,
    shape: Vec<usize>,
    dtype: DType,
    /// How many of its elements were computed.
    count: usize,
    /// The largest magnitude and its element.
    largest: Option<(f64, usize)>,
    /// The widest finite bar, its element and the value there.
    widest: Option<(f64, usize, f64)>,
    nans: usize,
    unbounded: usize,
    chosen: bool,
}

impl Report {
    /// Looks through an evaluated output, of which `places` are there, or all.
    pub fn of(output: &Output, dtype: DType, places: Option<&[usize]>) -> Report {
        let place = |at: usize| places.map_or(at, |p| p[at]);
        let mut report = Report {
            name: output.name.clone(),
            shape: output.shape.clone(),
            dtype,
            count: output.values.len(),
            largest: None,
            widest: None,
            nans: 0,
            unbounded: 0,
            chosen: places.is_some(),
        };
        for (at, (value, bar)) in output.values.iter().zip(&output.bars).enumerate() {
            let (value, bar) = stored(dtype, *value, *bar);
            report.nans += usize::from(value.is_nan());
            report.unbounded += usize::from(!bar.is_finite());
            if !value.is_nan() && report.largest.is_none_or(|(most, _)| value.abs() > most) {
                report.largest = Some((value.abs(), place(at)));
            }
            if bar.is_finite() && report.widest.is_none_or(|(most, ..)| bar > most) {
                report.widest = Some((bar, place(at), value));
            }
        }
        report
    }

    fn line(&self) -> String {
        let name = &self.name;
        let mut parts = Vec::new();
        if let Some((most, at)) = self.largest {
            parts.push(format!("largest |{name}| {} at {:?}", short(most), indices(&self.shape, at)));
        }
        match self.widest {
            Some((0.0, ..)) if self.unbounded == 0 => parts.push("every bar is 0".into()),
            Some((bar, at, value)) => {
                let share = match value {
                    0.0 => String::new(),
                    _ => format!(" ({} of it)", short(bar / value.abs())),
                };
                let at = indices(&self.shape, at);
                parts.push(format!(
                    "widest bar {} at {at:?}, where {name} is {}{share}",
                    short(bar),
                    short(value)
                ));
            }
            None => {}
        }
        if self.nans > 0 {
            parts.push(format!("{} NaN", self.nans));
        }
        if self.unbounded > 0 {
            parts.push(format!("{} of {} bars unbounded", self.unbounded, self.count));
        }
        parts.join("; ")
    }

    /// How its numbers lie in the file, where NumPy cannot say it.
    fn stored(&self) -> String {
        match self.dtype {
            DType::Block(_) => format!("{} (packed bytes)", self.dtype),
            DType::Float(f) if ![Float::F64, Float::F32, Float::F16].contains(&f) => {
                format!("{} (as f32)", self.dtype)
            }
            _ => self.dtype.to_string(),
        }
    }
}

/// The indices of an element by its number in row order.
pub fn indices(shape: &[usize], mut at: usize) -> Vec<usize> {
    let mut out: Vec<usize> = Vec::new();
    for size in shape.iter().rev() {
        out.push(at % size.max(&1));
        at /= size.max(&1);
    }
    out.reverse();
    out
}

/// A number in few characters.
fn short(x: f64) -> String {
    match x.abs() {
        0.0 => "0".into(),
        m if !(1e-3..1e6).contains(&m) => format!("{x:.2e}"),
        m if m >= 100.0 => format!("{x:.1}"),
        _ => format!("{x:.4}"),
    }
}

/// The summary of a run.
pub fn text(case: &Case, request: &Request, inputs: &[Line], outputs: &[Report], folder: &Path) -> String {
    let mut out = String::new();
    let (op, setup) = (case.op, &request.setup);
    let dims = op.dims.iter().zip(&case.dims).map(|(d, size)| format!("{}={size}", d.name));
    let scalars = op.scalars.iter().zip(&case.scalars).map(|(s, value)| format!("{}={value}", s.name));
    let settings: Vec<String> = dims.chain(scalars).collect();
    let accumulate = match setup.accumulate == setup.compute {
        true => String::new(),
        false => format!(", sums in {}", setup.accumulate.name()),
    };
    let sums = if worst(request) { "worst case" } else { "statistical" };
    let _ = writeln!(out, "{} {}", op.name, settings.join(","));
    let _ = writeln!(
        out,
        "bars    for a kernel in {} that computes in {}{accumulate}; sums: {sums}",
        setup.language,
        setup.compute.name()
    );
    for line in inputs {
        let _ =
            writeln!(out, "in      {} {:?} {}: {}", line.name, line.shape, line.dtype, visible(&line.from));
    }
    for outside in inputs.iter().filter_map(|line| line.outside.as_ref()) {
        let _ = writeln!(out, "note    {outside}");
    }
    for report in outputs {
        let also = if report.chosen { format!(", {}.at.npy", report.name) } else { String::new() };
        let chosen = if report.chosen { format!("{} elements of ", report.count) } else { String::new() };
        let _ = writeln!(
            out,
            "out     {} {chosen}{:?} {}: {}\n        -> {}, {}.bar.npy{also}",
            report.name,
            report.shape,
            report.stored(),
            report.line(),
            folder.join(format!("{}.npy", report.name)).display(),
            report.name,
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_places() {
        let shown: Vec<String> = [0.0, 1.5, 123.456, 1e-7, 3.25e9].map(short).to_vec();
        assert_eq!(shown, ["0", "1.5000", "123.5", "1.00e-7", "3.25e9"]);
        assert_eq!(indices(&[2, 3, 4], 23), [1, 2, 3]);
        assert_eq!(indices(&[], 0), [] as [usize; 0]);
    }
}
