//! A preprocessor for WGSL, which has none: engines keep their shaders with `#if` and `#define` in them. What is left
//! out leaves empty lines, so that each line keeps its number. It reads the files that are included.

mod condition;
mod macros;

use std::path::PathBuf;

use ktwin_check::{Build, Failure, Source};
use macros::Macros;

/// Files in files, at most.
const DEEPEST: usize = 16;

/// A mistake, and the line of the kernel's own file.
type Mistake = (u32, String);

/// The text without directives, its macros expanded; `given` are macros of the contract. Says which of them it used.
pub fn preprocess(
    text: &str,
    given: &[(String, String)],
    folders: &[PathBuf],
) -> Result<(String, Vec<String>), Failure> {
    let mut state = State { macros: Macros::of(given), folders, open: Vec::new() };
    let lines = state.lines(text, 0).map_err(|(line, message)| Failure::Compile {
        message: format!("line {line}: {message}"),
        line: Some(line),
    })?;
    let used =
        given.iter().map(|(name, _)| name).filter(|name| state.macros.was_used(name)).cloned().collect();
    Ok((lines.join("\n") + "\n", used))
}

/// The text of a source in a language with directives of its own, as far as they can be obeyed here: conditions and
/// macros, and files that are found. Where that fails, the text as it is.
pub fn as_far_as_known(source: &Source, build: &Build) -> String {
    let (text, folders) = (source.text(), crate::compile::folders(source, build));
    let given: Vec<(String, String)> =
        build.defines.iter().map(|(name, value)| (name.clone(), value.to_string())).collect();
    let is_known = |directive: &str| match directive.trim_start().strip_prefix("include") {
        Some(name) => {
            let name = name.trim().trim_matches(['"', '<', '>']);
            folders.iter().any(|folder| folder.join(name).is_file())
        }
        None => ["if", "el", "endif", "define", "undef"]
            .iter()
            .any(|word| directive.trim_start().starts_with(word)),
    };
    let line = |line: &str| match line.trim_start().strip_prefix('#') {
        Some(directive) if !is_known(directive) => "\n".to_owned(),
        _ => format!("{line}\n"),
    };
    let known: String = text.lines().map(line).collect();
    preprocess(&known, &given, &folders).map_or(text, |(made, _)| made)
}

/// One `#if` that is open.
struct Branch {
    line: u32,
    /// Whether what is around it counts.
    around: bool,
    /// Whether some part of it counted already.
    taken: bool,
    /// Whether the part at hand counts.
    counts: bool,
}

struct State<'f> {
    macros: Macros,
    folders: &'f [PathBuf],
    open: Vec<Branch>,
}

impl State<'_> {
    fn counts(&self) -> bool {
        self.open.last().is_none_or(|branch| branch.counts)
    }

    /// The lines of a text, as many as it had.
    fn lines(&mut self, text: &str, deep: usize) -> Result<Vec<String>, Mistake> {
        let (mut out, mut comment, outer) = (Vec::new(), false, self.open.len());
        let mut lines = text.lines().zip(1u32..);
        while let Some((line, number)) = lines.next() {
            let mistake = |message: String| (number, message);
            let directive = line.trim_start().strip_prefix('#').filter(|_| !comment);
            let Some(directive) = directive else {
                let made = self.macros.expanded(line, &mut comment);
                out.push(if self.counts() { made } else { String::new() });
                continue;
            };
            let (mut whole, mut more) = (directive.to_string(), 0);
            while let Some(before) = whole.strip_suffix('\\').map(str::to_owned) {
                let Some((next, _)) = lines.next() else { break };
                whole = before + " " + next;
                more += 1;
            }
            let included = self.directive(whole.trim(), number, deep).map_err(mistake)?;
            out.push(included);
            out.extend(std::iter::repeat_n(String::new(), more));
        }
        match self.open.get(outer) {
            Some(branch) => Err((branch.line, "`#if` without `#endif`".into())),
            None => Ok(out),
        }
    }

    /// Obeys a directive; what it puts into its line.
    fn directive(&mut self, text: &str, line: u32, deep: usize) -> Result<String, String> {
        let end = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
        let (word, rest) = (&text[..end], uncommented(&text[end..]));
        let rest = rest.trim();
        match word {
            "if" | "ifdef" | "ifndef" => {
                let around = self.counts();
                let counts = around && self.holds(word, rest)?;
                self.open.push(Branch { line, around, taken: counts, counts });
            }
            "elif" | "else" => {
                let branch = self.open.last().ok_or_else(|| format!("`#{word}` without `#if`"))?;
                let may = branch.around && !branch.taken;
                let counts = may && (word == "else" || self.holds("if", rest)?);
                if let Some(branch) = self.open.last_mut() {
                    (branch.counts, branch.taken) = (counts, branch.taken || counts);
                }
            }
            "endif" => {
                self.open.pop().ok_or("`#endif` without `#if`")?;
            }
            _ if !self.counts() => {}
            "define" => self.macros.define(rest)?,
            "undef" => self.macros.remove(rest),
            "include" => return self.include(rest, deep),
            "error" => return Err(format!("#error {rest}")),
            _ => {
                let known =
                    "#if, #ifdef, #ifndef, #elif, #else, #endif, #define, #undef, #include and #error";
                return Err(format!(
                    "`#{word}` is not a directive that ktwin knows in WGSL; there are {known}"
                ));
            }
        }
        Ok(String::new())
    }

    fn holds(&mut self, word: &str, rest: &str) -> Result<bool, String> {
        match word {
            "ifdef" => Ok(self.macros.has(rest)),
            "ifndef" => Ok(!self.macros.has(rest)),
            _ => condition::holds(rest, &mut self.macros),
        }
    }

    /// The text of another file, all in one line.
    fn include(&mut self, rest: &str, deep: usize) -> Result<String, String> {
        let name = rest.trim_matches(|c| matches!(c, '"' | '<' | '>'));
        if deep == DEEPEST {
            return Err(format!("`{name}` is included in more than {DEEPEST} files that include each other"));
        }
        let found = self.folders.iter().filter_map(|folder| {
            let path = folder.join(name).canonicalize().ok()?;
            let inside = self.folders.iter().any(|folder| path.starts_with(folder));
            inside.then(|| ktwin_check::read_bytes(&path).ok())?
        });
        let missing = || match self.folders.iter().any(|folder| folder.join(name).exists()) {
            true => format!("`{name}` is not a file, leads out of the kernel's folders, or cannot be read"),
            false => format!("`{name}` is not in the kernel's folder, nor in one of `include`"),
        };
        let bytes = found.into_iter().next().ok_or_else(missing)?;
        let lines = self.lines(&String::from_utf8_lossy(&bytes), deep + 1);
        let lines = lines.map_err(|(line, message)| format!("{name}:{line}: {message}"))?;
        Ok(lines.iter().map(|line| uncommented(line)).collect::<Vec<_>>().join(" "))
    }
}

/// A line without the comment at its end.
fn uncommented(line: &str) -> &str {
    line.split("//").next().unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str, given: &[(&str, &str)]) -> Result<(String, Vec<String>), String> {
        let given: Vec<(String, String)> =
            given.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect();
        preprocess(text, &given, &[]).map_err(|failure| match failure {
            Failure::Compile { message, .. } => message,
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn parts_are_left_out_and_lines_keep_their_numbers() {
        let text = "#if defined(A) && N > 2 // few\none N\n#elif defined B\ntwo\n#else\nthree\n#endif\nend\n";
        let all = |given: &[(&str, &str)]| made(text, given).unwrap().0;
        assert_eq!(all(&[("A", "1"), ("N", "3")]), "\none 3\n\n\n\n\n\nend\n");
        assert_eq!(all(&[("B", "1")]), "\n\n\ntwo\n\n\n\nend\n");
        assert_eq!(all(&[("A", "1"), ("N", "2")]), "\n\n\n\n\nthree\n\nend\n");
    }

    #[test]
    fn macros_are_expanded_but_not_in_comments_or_in_themselves() {
        let text = "#define T f32\n#define MAD(a, b, c) fma(a, b, \\\n  c)\n#define SELF SELF + T\n\
                    x: T; // T\nMAD(x, f(1, 2), T)\nSELF\n";
        let (out, _) = made(text, &[]).unwrap();
        assert_eq!(out, "\n\n\n\nx: f32; // T\nfma(x, f(1, 2),    f32)\nSELF + f32\n");
    }

    #[test]
    fn macros_that_are_used_are_told() {
        let text = "/* C\n#if C\nC */ B /* C */ // C\n#ifdef A\n#endif\n";
        let (out, used) = made(text, &[("A", "1"), ("B", "2"), ("C", "3")]).unwrap();
        assert_eq!(out, "/* C\n#if C\nC */ 2 /* C */ // C\n\n\n");
        assert_eq!(used, ["A", "B"]);
    }

    #[test]
    fn mistakes_are_said_with_their_line() {
        for (text, says) in [
            ("a\n#if 1\n", "line 2: `#if` without `#endif`"),
            ("#endif\n", "line 1: `#endif` without `#if`"),
            ("#if 1 +\n#endif\n", "line 1: "),
            ("#import x\n", "line 1: `#import` is not a directive"),
            ("\n#include \"nowhere.h\"\n", "line 2: `nowhere.h` is not in the kernel's folder"),
            ("#ifndef A\n#error needs A\n#endif\n", "line 2: #error needs A"),
        ] {
            let said = made(text, &[]).unwrap_err();
            assert!(said.starts_with(says), "{text}: {said}");
        }
    }

    #[test]
    fn what_is_not_known_of_a_language_is_left_out() {
        let made = |text: &str, name: &str| {
            let kind = ktwin_check::SourceKind::Cuda;
            let source = Source { kind, path: "k.cu".into(), bytes: text.into() };
            let one = ktwin_check::Constant::Number(ktwin_check::Number::Int(1));
            as_far_as_known(&source, &Build { defines: vec![(name.into(), one)], ..Build::default() })
        };
        let text = "#pragma once\n#include <nowhere.h>\n#define K __global__ void\n\
                    #ifdef A\nK a();\n#else\nK b();\n#endif\n";
        assert_eq!(made(text, "A"), "\n\n\n\n__global__ void a();\n\n\n\n");
        assert_eq!(made(text, "B").trim(), "__global__ void b();");
        assert_eq!(made("#if 1 +\nx\n", "A"), "#if 1 +\nx\n");
    }

    #[test]
    fn files_are_included_from_folders_that_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().canonicalize().unwrap();
        std::fs::create_dir(folder.join("own")).unwrap();
        std::fs::write(folder.join("own/a.wgsl"), "#define T f32 // a type\nfn f() {} // nothing\n").unwrap();
        std::fs::write(folder.join("own/loop.wgsl"), "#include \"loop.wgsl\"\n").unwrap();
        std::fs::write(folder.join("secret.wgsl"), "secret\n").unwrap();
        let made = |text: &str| preprocess(text, &[], &[folder.join("own")]);
        assert_eq!(made("#include \"a.wgsl\"\nx: T\n").unwrap().0, " fn f() {} \nx: f32\n");
        assert!(made("#include \"loop.wgsl\"\n").is_err());
        assert!(made("#include \"../secret.wgsl\"\n").is_err());
    }
}
