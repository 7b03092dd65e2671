//! The smallest failing case of every kernel that is wrong, as arrays: `--dump DIR`.

use std::path::{Path, PathBuf};

use ktwin::explain::{explained, visible};
use ktwin::links;
use ktwin_check::KernelReport;

use crate::outcome::Failure;
use crate::twin::repeat;

/// Writes a folder for each failure that has a case; gives the folders.
pub fn write(reports: &[KernelReport], folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut written = Vec::new();
    for report in reports.iter().filter(|report| report.verdict.is_bad()) {
        let Some(case) = report.failure.as_ref().and_then(|failure| failure.case.as_ref()) else { continue };
        let own = folder.join(name(report));
        let readme = own.join("README.md");
        links::refuse(folder, &readme).map_err(Failure::usage)?;
        let (file, device) = (Path::new(&report.kernel), Some(report.device.as_str()));
        repeat::write(file, &case.to_string(), device, &own).map_err(Failure::usage)?;
        std::fs::write(&readme, readme_of(report))
            .map_err(|e| Failure::usage(format!("{}: {}", readme.display(), ktwin_num::reason(&e))))?;
        written.push(own);
    }
    Ok(written)
}

/// The folder of a kernel on a device: its path in one word.
fn name(report: &KernelReport) -> String {
    let kernel = report.kernel.trim_start_matches("./");
    let plain = |c: char| if c.is_alphanumeric() || ".-_".contains(c) { c } else { '_' };
    format!("{kernel}-{}", report.device).chars().map(plain).collect()
}

fn readme_of(report: &KernelReport) -> String {
    let failure = report.failure.clone().unwrap_or_default();
    let output = failure.outputs.first().map_or("y", |output| output.name.as_str());
    let cause = explained(report).into_iter().next().unwrap_or_default();
    format!(
        "# {}: {}\n\n{cause}\n\n    {}\n\n```python\nimport numpy as np\n\
         expected, bar, got = (np.load(f\"{output}.{{what}}.npy\") for what in (\"expected\", \"bar\", \"got\"))\n\
         wrong = ~(np.abs(got.astype(np.float64) - expected) <= bar)  # NaN is wrong, too\n\
         print(wrong.sum(), \"of\", wrong.size, \"wrong, the first at\", np.argwhere(wrong)[:5].tolist())\n```\n",
        visible(&report.kernel),
        report.verdict,
        visible(&failure.repeat),
    )
}
