//! Oclgrind, a simulated OpenCL device that checks as it runs: where it is, how OpenCL's loader is made to take it
//! alone, and what its log says. In the parent.

use std::path::{Path, PathBuf};

use ktwin_check::{Finding, Kind};

/// What its platform is called; another one in its place is not taken.
pub const PLATFORM: &str = "Oclgrind";
/// How to get it.
pub const GET: &str =
    "install it (Debian: apt-get install oclgrind) or set KTWIN_OCLGRIND to liboclgrind-rt-icd.so";
/// Its library, beside the folders in which distributions put it.
const LIBRARY: &str = "liboclgrind-rt-icd.so";
const FOLDERS: &[&str] =
    &["/usr/lib/oclgrind", "/usr/lib", "/usr/local/lib/oclgrind", "/usr/local/lib", "/opt/oclgrind/lib"];
/// The log in the room of a child.
const LOG: &str = "oclgrind.log";
/// Findings that a launch tells at most, and bytes of a log that are read.
const MOST: usize = 100;
const LONGEST: usize = 1 << 20;

/// Where its library is.
pub fn library() -> Option<PathBuf> {
    let named = std::env::var_os("KTWIN_OCLGRIND").map(PathBuf::from);
    let usual = FOLDERS.iter().map(|folder| Path::new(folder).join(LIBRARY));
    named.into_iter().chain(usual).find(|path| path.is_file())
}

/// Variables by which OpenCL's loaders take this library and no other, and Oclgrind checks all that it can.
pub fn variables(library: &Path, room: &Path) -> std::io::Result<Vec<(&'static str, PathBuf)>> {
    let vendors = room.join("vendors");
    std::fs::create_dir_all(&vendors)?;
    std::fs::write(vendors.join("oclgrind.icd"), format!("{}\n", library.display()))?;
    Ok(vec![
        ("OCL_ICD_VENDORS", vendors),
        ("OCL_ICD_FILENAMES", library.to_path_buf()),
        ("OCLGRIND_LOG", room.join(LOG)),
        ("OCLGRIND_DATA_RACES", "1".into()),
        ("OCLGRIND_UNINITIALIZED", "1".into()),
        ("OCLGRIND_MAX_ERRORS", MOST.to_string().into()),
    ])
}

/// Takes what the log of the last child says, and the log with it.
pub fn take(room: &Path) -> Vec<Finding> {
    let path = room.join(LOG);
    let log = std::fs::read(&path).unwrap_or_default();
    let _ = std::fs::remove_file(&path);
    findings(&String::from_utf8_lossy(&log[..log.len().min(LONGEST)]))
}

/// What its first words say of a message.
const KINDS: &[(&str, Kind)] = &[
    ("Invalid read", Kind::OutOfBounds),
    ("Invalid write", Kind::OutOfBounds),
    ("Index ", Kind::OutOfBounds),
    ("Read-write data race", Kind::Race),
    ("Write-write data race", Kind::Race),
    ("Uninitialized value", Kind::Uninitialised),
    ("Uninitialized address", Kind::Uninitialised),
    ("Controlflow depends on uninitialized", Kind::Uninitialised),
    ("Work-group divergence", Kind::DivergentBarrier),
    ("Unaligned", Kind::Misaligned),
];

/// Messages are paragraphs: what it is, and indented lines of where and which instruction. Those of one line of the
/// kernel are one finding.
fn findings(log: &str) -> Vec<Finding> {
    let mut all: Vec<Finding> = Vec::new();
    let lines: Vec<&str> = log.lines().collect();
    for (at, first) in lines.iter().enumerate() {
        let Some((_, kind)) = KINDS.iter().find(|(words, _)| first.starts_with(words)) else { continue };
        let rest = || lines[at + 1..].iter().map(|line| line.trim()).take_while(|line| !line.is_empty());
        let after = |words: &str| rest().find_map(|line| Some(line.split_once(words)?.1));
        let mut finding = Finding::new(*kind, format!("Oclgrind: {}", first.trim()));
        let place = after("At line ").map(|place| place.split([' ', ',']).next().unwrap_or_default());
        finding.line = place.and_then(|line| line.parse().ok());
        finding.text =
            rest().skip_while(|line| !line.starts_with("At line ")).nth(1).unwrap_or_default().to_owned();
        finding.place = after("ntity:").map(|place| place.trim().to_owned());
        match all.iter_mut().find(|known| (known.kind, known.line) == (finding.kind, finding.line)) {
            Some(known) => known.count += 1,
            None => all.push(finding),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_read() {
        let log = "\nInvalid write of size 4 at global memory address 0x2000000000020\n\tKernel: k\n\
                   \tEntity: Global(0,0,0) Local(0,0,0) Group(0,0,0)\n\t  store float 1.0\n\
                   \tAt line 6 (column 20) of input.cl:\n\t  if (i == 0) y[8] = 1;\n\t\n\
                   Uninitialized value written to global memory address 0x4\n\tKernel: k\n\
                   \tAt line 7 (column 8) of input.cl:\n\t  y[i] = 0;\n\t\n\
                   Uninitialized value written to global memory address 0x8\n\tKernel: k\n\
                   \tAt line 7 (column 8) of input.cl:\n\t  y[i] = 0;\n\t\n\
                   Work-group divergence detected (barrier)\n\tKernel: k\n\nOclgrind: nothing of this kind\n";
        let said: Vec<_> = findings(log).into_iter().map(|f| (f.kind, f.line, f.count)).collect();
        let wanted = [
            (Kind::OutOfBounds, Some(6), 1),
            (Kind::Uninitialised, Some(7), 2),
            (Kind::DivergentBarrier, None, 1),
        ];
        assert_eq!(said, wanted);
        let first = &findings(log)[0];
        assert_eq!(first.text, "if (i == 0) y[8] = 1;");
        assert_eq!(first.place.as_deref(), Some("Global(0,0,0) Local(0,0,0) Group(0,0,0)"));
        assert!(findings("").is_empty());
    }
}
