//! What a file holds in the place of a kernel, where one is not found in it or does not compile: a template that nobody
//! has rendered, a kernel in a string, or functions that no host can start. Words only.

use crate::signature::{is_word, without_comments};

/// What a string of Python that has lines begins and ends with.
const QUOTES: [&str; 2] = ["\"\"\"", "'''"];
/// What only a kernel has.
const MARKS: [&str; 5] = ["__global__", "@compute", "__kernel", "kernel void", "void main("];
/// Strings that are looked into, at most.
const STRINGS: usize = 64;
/// The longest placeholder that is shown.
const LONGEST: usize = 40;

/// What it is, with its line, and what to do.
pub fn of(text: &str) -> Option<String> {
    placeholder(text).or_else(|| quoted(text)).or_else(|| unstarted(text))
}

/// `{{ type }}`, `{% if half %}`: a template's.
fn placeholder(text: &str) -> Option<String> {
    let found = |line: &str| {
        [("{{", "}}"), ("{%", "%}")].into_iter().find_map(|(open, close)| {
            let at = line.find(open)?;
            let inside = &line[at + 2..at + 2 + line[at + 2..].find(close)?];
            let is_name = inside.trim_start().starts_with(|c: char| c.is_ascii_alphabetic());
            let is_plain =
                inside.len() <= LONGEST && inside.chars().all(|c| is_word(c) || " .|()-".contains(c));
            (is_name && is_plain).then(|| format!("{open}{inside}{close}"))
        })
    };
    let (line, shown) = text.lines().zip(1..).find_map(|(line, number)| Some((number, found(line)?)))?;
    Some(format!(
        "line {line} has `{shown}`: this is a template, to be rendered by whatever its project renders it with; ktwin \
         takes what comes out"
    ))
}

/// A kernel in a string.
fn quoted(text: &str) -> Option<String> {
    let raw = text.match_indices("R\"").take(STRINGS);
    let raw = raw.filter_map(|(at, mark)| Some((at, crate::signature::raw(&text[at + mark.len()..])?.0)));
    let others = QUOTES.iter().filter_map(|quote| {
        let (before, rest) = text.split_once(quote)?;
        Some((before.len(), &rest[..rest.find(quote)?]))
    });
    let mut all = raw.chain(others);
    let (at, _) = all.find(|(_, inside)| MARKS.iter().any(|mark| inside.contains(mark)))?;
    let line = text[..at].matches('\n').count() + 1;
    Some(format!(
        "the kernel is in a string, which begins in line {line}: put what is in it into a file of its own"
    ))
}

/// Functions for devices without a kernel that calls them.
fn unstarted(text: &str) -> Option<String> {
    let text = without_comments(text);
    (text.contains("__device__") && !text.contains("__global__")).then(|| {
        "a `__device__` function is called by kernels alone: write a `__global__` function that takes arrays and \
         calls it for each element"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_strings_and_functions_without_a_kernel_are_told() {
        let told = |text: &str| of(text).unwrap_or_default();
        assert!(
            told("// a\nvar x: array<{{ type }}>;\n")
                .starts_with("line 2 has `{{ type }}`: this is a template")
        );
        assert!(told("{% if half %}\nenable f16;\n{% endif %}").starts_with("line 1 has `{% if half %}`"));
        let raw = "int a;\nconst char *s = R\"x(\n__global__ void k(float *x) {}\n)x\";\n";
        assert!(told(raw).contains("is in a string, which begins in line 2"));
        let python = "import cupy\nsource = \"\"\"\nextern \"C\" __global__ void k() {}\n\"\"\"\n";
        assert!(told(python).contains("is in a string, which begins in line 2"));
        assert!(
            told("__device__ float f(float x) { return x; } // no __global__\n")
                .contains("`__global__` function")
        );
    }

    #[test]
    fn other_texts_are_left_alone() {
        for text in [
            "int a[1][2] = {{1, 2}};\nstruct s t = {{ .x = 1 }};",
            "__device__ int f();\n__global__ void k() {}",
            "const char *usage = R\"(k [options])\";\nvoid f(float *x) {}",
            "def f():\n    \"\"\"A kernel.\"\"\"\n",
            "R\"",
            "{{",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
