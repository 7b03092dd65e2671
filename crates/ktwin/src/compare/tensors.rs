//! Two files of arrays, compared name by name.

use std::fmt::Write;
use std::path::Path;

use ktwin::arrays::ArrayFile;
use ktwin::elsewhere::measures;
use ktwin::explain::visible;
use ktwin_check::{Measures, Policy, elsewhere};
use ktwin_num::plural;

/// Compares the arrays of the second file with those of the first; the page, and whether all are right.
pub fn compare(first: &Path, second: &Path, policy: Option<&Policy>) -> Result<(String, bool), String> {
    let open = |path| ArrayFile::open(path).map_err(|e| e.to_string());
    let (a, b) = (open(first)?, open(second)?);
    // an .npy file holds one array, whatever the file is called
    let single = !a.is_archive() && !b.is_archive();
    let name_in_a =
        |name: &String| if single { a.names().first() } else { a.names().iter().find(|n| *n == name) };
    let (mut out, mut wrong, mut compared) = (String::new(), 0, 0);
    for name in b.names() {
        let shown = visible(name);
        let Some(of_a) = name_in_a(name) else {
            let _ = writeln!(out, "extra   {shown} is not in {}", first.display());
            wrong += 1;
            continue;
        };
        let due = a.read(of_a, None).map_err(|e| e.to_string())?;
        let got = b.read(name, None).map_err(|e| e.to_string())?;
        if due.shape != got.shape {
            let _ =
                writeln!(out, "shape   {shown}: {:?} in the first, {:?} in the second", due.shape, got.shape);
            wrong += 1;
            continue;
        }
        compared += 1;
        let judged = elsewhere::stored_as(name, &due, &got, policy);
        let bad = !judged.failing.is_empty();
        wrong += usize::from(bad);
        let types = if due.dtype == got.dtype {
            due.dtype.to_string()
        } else {
            format!("{} as {}", due.dtype, got.dtype)
        };
        let (word, failing) = (if bad { "fail" } else { "pass" }, judged.failing.len());
        let far = if bad {
            format!(", {failing} of {} wrong", plural(judged.total, "element"))
        } else {
            String::new()
        };
        let _ = writeln!(out, "{word:<8}{shown} {:?} {types}{far}", got.shape);
        let line = measures(&Measures::new("", judged.metrics));
        out.push_str(&line);
    }
    for name in a.names().iter().filter(|name| !single && !b.names().contains(name)) {
        let _ = writeln!(out, "missing {} is not in {}", visible(name), second.display());
        wrong += 1;
    }
    let by = policy
        .map_or("what their types make of the first's".to_string(), |policy| format!("policy {policy}"));
    let total = plural(compared, "array");
    let _ = writeln!(
        out,
        "{total} compared by {by}: {}",
        if wrong == 0 { "all right".into() } else { format!("{wrong} wrong") }
    );
    if compared == 0 && wrong == 0 {
        return Err("neither file holds an array".into());
    }
    Ok((out, wrong == 0))
}
