//! `--weights NAME=FILE[:ARRAY]`: real arrays for inputs, read from files.

use ktwin::arrays::ArrayFile;
use ktwin_check::Weights;

use crate::twin::request::parted;

/// The arrays that the command line names.
pub fn read(texts: &[String]) -> Result<Vec<Weights>, String> {
    let mut out: Vec<Weights> = Vec::new();
    for text in texts {
        let form = "write NAME=FILE or NAME=FILE:ARRAY";
        let (name, place) = text.split_once('=').ok_or_else(|| format!("--weights {text}: {form}"))?;
        if out.iter().any(|one| one.input == name) {
            return Err(format!("--weights {text}: {name} is given twice"));
        }
        let (path, array) = parted(place);
        let file = ArrayFile::open(&path).map_err(|e| format!("--weights {name}: {e}"))?;
        let array = match (array, file.names()) {
            (Some(array), _) => array,
            (None, [only]) => only.clone(),
            (None, names) if names.iter().any(|n| n == name) => name.to_string(),
            (None, names) => {
                let some = names.iter().take(8).map(String::as_str).collect::<Vec<_>>().join(", ");
                let path = path.display();
                return Err(format!("--weights {text}: write {name}={path}:ARRAY; the file has {some}"));
            }
        };
        let tensor = file.read(&array, None).map_err(|e| format!("--weights {name}: {e}"))?;
        out.push(Weights::new(name, place, tensor));
    }
    Ok(out)
}
