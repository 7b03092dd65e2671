//! `ktwin show`: draws what `ktwin test --dump` and `ktwin twin --case` wrote: where an output is wrong and by how
//! much. Reads arrays, and nothing else.

use std::path::{Path, PathBuf};

use ktwin::arrays::ArrayFile;
use ktwin::explain::visible;
use ktwin::links;
use ktwin_check::{Expected, histogram};
use ktwin_num::{DType, Tensor, plural};

use crate::outcome::{DONE, Failure, Outcome, say};
use crate::picture::{Heat, histogram_svg, histogram_text};

const AFTER: &str = "\
The map: `.` inside the error bar; 1 up to ten times the bar, 2 up to a hundred times, and so on; `#` NaN or \
infinite where a number is due, or the other way round; blank where nothing is promised. A cell shows the worst of \
the elements in it.

Examples:
  ktwin test kernel.wgsl --dump out && ktwin show out/kernel.wgsl-sim
  ktwin show out/kernel.wgsl-sim --svg     also writes NAME.map.svg and NAME.histogram.svg there

Exit codes: 0 drawn, 2 wrong usage, or no such arrays.";

/// Draw the errors of a case that was written to a folder
#[derive(clap::Args)]
#[command(after_help = AFTER)]
pub struct Args {
    /// The folder with NAME.expected.npy, NAME.bar.npy and NAME.got.npy
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Also write the pictures as SVG to the folder
    #[arg(long)]
    svg: bool,
}

/// Characters that a map takes at most where there is no terminal.
const WIDE: usize = 78;
/// Rows of a map, and cells of one as SVG.
const HIGH: usize = 24;
const SVG: (usize, usize) = (96, 64);

/// Runs the subcommand.
pub fn run(args: &Args) -> Outcome {
    let outputs = outputs(&args.folder).map_err(Failure::usage)?;
    let wide = terminal_size::terminal_size().map_or(WIDE, |(width, _)| usize::from(width.0)).clamp(20, 200);
    for name in outputs {
        let (expected, got) = load(&args.folder, &name).map_err(Failure::usage)?;
        say(&page(&expected, &got, wide));
        if args.svg {
            write(&args.folder, &expected, &got).map_err(Failure::usage)?;
        }
    }
    Ok(DONE)
}

/// The outputs of which all is there, sorted.
fn outputs(folder: &Path) -> Result<Vec<String>, String> {
    let entries =
        std::fs::read_dir(folder).map_err(|e| format!("{}: {}", folder.display(), ktwin_num::reason(&e)))?;
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut found: Vec<String> =
        names.filter_map(|name| name.strip_suffix(".got.npy").map(str::to_string)).collect();
    found.sort();
    let nothing = || {
        format!(
            "{}: no NAME.got.npy here: name a folder that `ktwin test --dump DIR` or `ktwin twin --case` wrote",
            folder.display()
        )
    };
    if found.is_empty() { Err(nothing()) } else { Ok(found) }
}

fn load(folder: &Path, name: &str) -> Result<(Expected, Vec<f64>), String> {
    let read = |what: &str| -> Result<Tensor, String> {
        let file = ArrayFile::open(&folder.join(format!("{name}.{what}.npy"))).map_err(|e| e.to_string())?;
        let array = file.names().first().cloned().unwrap_or_default();
        file.read(&array, None).map_err(|e| e.to_string())
    };
    let (expected, bars, got) = (read("expected")?, read("bar")?, read("got")?);
    if expected.shape != got.shape || bars.shape != got.shape {
        return Err(format!("{}: the arrays of {name} are not of one shape", folder.display()));
    }
    let dtype = if got.dtype.is_integer() { got.dtype } else { DType::F64 };
    let (values, bars) = (expected.to_f64(), bars.to_f64());
    if let Some(bar) = bars.iter().find(|bar| bar.is_nan() || **bar < 0.0) {
        return Err(format!("{}: {name}.bar.npy holds {bar}: a bar is 0 or more", folder.display()));
    }
    let (name, shape, low) = (name.into(), got.shape.clone(), Vec::new());
    let due = Expected { name, shape, dtype, values, low, bars, any: Default::default(), policy: None };
    Ok((due, got.to_f64()))
}

fn page(expected: &Expected, got: &[f64], wide: usize) -> String {
    let compared = expected.compare(got, &[]);
    let free = match compared.free {
        0 => String::new(),
        some => format!("; nothing is promised of {some}"),
    };
    let mut text = format!(
        "{} {:?}: {} of {} wrong{free}\n",
        visible(&expected.name),
        expected.shape,
        compared.failing.len(),
        plural(compared.total, "element"),
    );
    let heat = Heat::of(expected, got, (wide - 4, HIGH));
    for row in heat.text() {
        text.push_str(&format!("  |{row}|\n"));
    }
    text.push_str(&format!("  {}\n", heat.legend()));
    text.push_str("errors as shares of the error bar:\n");
    for row in histogram_text(&histogram(expected, got), (wide - 20).min(60)) {
        text.push_str(&format!("  {row}\n"));
    }
    text
}

fn write(folder: &Path, expected: &Expected, got: &[f64]) -> Result<(), String> {
    let pictures = [
        ("map", Heat::of(expected, got, SVG).svg()),
        ("histogram", histogram_svg(&histogram(expected, got))),
    ];
    for (what, svg) in pictures {
        let file = folder.join(format!("{}.{what}.svg", expected.name));
        links::refuse(folder, &file)?;
        std::fs::write(&file, svg).map_err(|e| format!("{}: {}", file.display(), ktwin_num::reason(&e)))?;
        say(&format!("wrote {}\n", file.display()));
    }
    Ok(())
}
