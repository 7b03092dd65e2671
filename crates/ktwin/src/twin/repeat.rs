//! The arrays of one case of a kernel: its inputs as the kernel gets them, what is due with its error bars, and
//! what the kernel returns.

use std::path::Path;

use ktwin::{catalogue, golden, suite};
use ktwin_check::{Case, Expected, Kernel, Prepared, Trial, accepts, prepare};
use ktwin_devices::Limits;
use ktwin_num::{DType, Layout, Tensor};

use super::files::Files;

/// The folder's contents, as lines to print.
type Lines = Vec<[String; 4]>;

/// Makes the case's arrays, runs the kernel and writes all; gives the summary.
pub fn write(file: &Path, case: &str, device: Option<&str>, folder: &Path) -> Result<String, String> {
    let kernel = Kernel::load(file, catalogue::OPS).map_err(|e| e.to_string())?;
    let case = Case::parse(&kernel, case)?;
    accepts(&kernel, &case).map_err(|why| format!("{case}: {why}"))?;
    let usual = suite::device_for(kernel.source.kind);
    let name = device.or(usual.as_deref()).ok_or("no device runs this language")?;
    let device = ktwin_devices::find(name, Limits::default())?;
    let prepared = prepare(&kernel, &case)?;
    let mut files = Files::new(folder)?;
    let mut lines = inputs(&prepared, &mut files)?;
    let said = match golden::run(&kernel, &*device, &prepared) {
        Ok(trial) => {
            lines.extend(outputs(&trial, &mut files)?);
            trial.report.verdict.name().to_owned()
        }
        Err(lost) => {
            for expected in prepared.expected()? {
                lines.extend(due(&expected, &mut files)?);
            }
            format!("{}; what it returns is not known", lost.why)
        }
    };
    files.commit()?;
    Ok(page(&format!("{} on {name}, {case}: {said}", kernel.name), &lines, folder))
}

fn inputs(prepared: &Prepared, files: &mut Files) -> Result<Lines, String> {
    let mut lines = Lines::new();
    for (info, tensor) in prepared.kernel.op.inputs.iter().zip(&prepared.inputs) {
        // without padding, bit for bit
        let whole = tensor.with_layout(Layout::Row)?;
        lines.push(packed(files, "input", &info.name, "", &whole)?);
        if matches!(tensor.dtype, DType::Block(_)) {
            let numbers = Tensor::from_f64(DType::F32, &tensor.shape, &tensor.to_f64());
            lines.push(packed(files, "decoded", &info.name, ".decoded", &numbers)?);
        }
    }
    Ok(lines)
}

fn outputs(trial: &Trial, files: &mut Files) -> Result<Lines, String> {
    let mut lines = Lines::new();
    for ((expected, got), blocks) in trial.expected.iter().zip(&trial.got).zip(&trial.packed) {
        lines.extend(due(expected, files)?);
        lines.push(array(files, "returned", expected, ".got", expected.dtype, got)?);
        if let Some(blocks) = blocks {
            lines.push(packed(files, "as codes", &expected.name, ".got.codes", blocks)?);
        }
        let errors: Vec<f64> = expected.values.iter().zip(got).map(|(e, g)| (g - e).abs()).collect();
        lines.push(array(files, "error", expected, ".error", DType::F64, &errors)?);
    }
    Ok(lines)
}

/// Writes a tensor as it is stored.
fn packed(
    files: &mut Files,
    what: &str,
    name: &str,
    suffix: &str,
    tensor: &Tensor,
) -> Result<[String; 4], String> {
    let file = format!("{name}{suffix}.npy");
    let mut writer = files.create(&file, tensor.dtype, &tensor.shape)?;
    let written = writer.tensor(tensor).and_then(|()| writer.finish());
    written.map_err(|e| format!("{file}: cannot write it: {}", ktwin_num::reason(&e)))?;
    Ok(line(what, name, tensor.dtype, &tensor.shape, &file))
}

fn due(expected: &Expected, files: &mut Files) -> Result<Lines, String> {
    Ok(vec![
        array(files, "expected", expected, ".expected", DType::F64, &expected.values)?,
        array(files, "error bar", expected, ".bar", DType::F64, &expected.bars)?,
    ])
}

fn array(
    files: &mut Files,
    what: &str,
    expected: &Expected,
    suffix: &str,
    dtype: DType,
    values: &[f64],
) -> Result<[String; 4], String> {
    // of blocks, the numbers that they stand for
    let dtype = if matches!(dtype, DType::Block(_)) { DType::F32 } else { dtype };
    let file = format!("{}{suffix}.npy", expected.name);
    let mut writer = files.create(&file, dtype, &expected.shape)?;
    let written = writer.numbers(values).and_then(|()| writer.finish());
    written.map_err(|e| format!("{file}: cannot write it: {}", ktwin_num::reason(&e)))?;
    Ok(line(what, &expected.name, dtype, &expected.shape, &file))
}

fn line(what: &str, name: &str, dtype: DType, shape: &[usize], file: &str) -> [String; 4] {
    [what.to_owned(), name.to_owned(), format!("{dtype} {shape:?}"), file.to_owned()]
}

fn page(head: &str, lines: &[[String; 4]], folder: &Path) -> String {
    let width = |at: usize| lines.iter().map(|line| line[at].len()).max().unwrap_or(0);
    let (what, name, shape) = (width(0), width(1), width(2));
    let mut text = format!("{}\n", ktwin::explain::visible(head));
    for line in lines {
        text.push_str(&format!(
            "  {:<what$}  {:<name$}  {:<shape$}  {}\n",
            line[0], line[1], line[2], line[3]
        ));
    }
    text.push_str(&format!("written to {}\n", folder.display()));
    text
}
