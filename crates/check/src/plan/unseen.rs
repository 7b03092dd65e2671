//! What the text of a kernel does and no case need show.

use crate::kernel::Kernel;
use crate::languages::{Code, SourceKind};
use crate::signature::{is_word, without_comments};

/// Functions of CUDA that cards compute coarsely.
const COARSE: [&str; 11] = [
    "__expf",
    "__exp10f",
    "__logf",
    "__log2f",
    "__log10f",
    "__sinf",
    "__cosf",
    "__tanf",
    "__sincosf",
    "__powf",
    "__fdividef",
];
/// What starts threads on the host.
const THREADS: [&str; 7] = [
    "pthread_create",
    "thrd_create",
    "std::thread",
    "std::jthread",
    "std::async",
    "thread::spawn",
    "thread::scope",
];

/// Gaps that every plan of such a kernel has.
pub(super) fn gaps(kernel: &Kernel) -> Vec<String> {
    let unread = kernel.op.unread().map(|input| {
        let (name, op) = (&input.name, &kernel.op.name);
        format!("op {op} never reads its input `{name}`: whatever a kernel makes of that, nobody sees")
    });
    unread.chain(of_text(kernel)).collect()
}

fn of_text(kernel: &Kernel) -> Vec<String> {
    let text = || without_comments(&kernel.source.text());
    match kernel.source.kind {
        SourceKind::Cuda if kernel.contract.fast_math.is_none() => {
            let text = text();
            let called = COARSE.iter().find(|name| calls(&text, name));
            let gap = |name: &&str| {
                format!(
                    "it calls `{name}`, whose errors differ from card to card, without `fast_math = true`"
                )
            };
            called.map(gap).into_iter().collect()
        }
        kind if kind.code() == Code::Machine && !kind.is_binary() => {
            let text = text();
            let omp = text.contains("#pragma omp").then_some("#pragma omp");
            let starts = THREADS.into_iter().find(|name| text.contains(name)).or(omp);
            let gap = |name| {
                format!("it starts threads (`{name}`), whose races show only where they change a result")
            };
            starts.map(gap).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a text calls a function of this name.
fn calls(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let alone = !text[..at].ends_with(is_word);
        alone && text[at + name.len()..].trim_start().starts_with('(')
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    const OPS: &[(&str, &str)] = &[("add", include_str!("../../../../ops/add.op"))];

    fn of(kind: SourceKind, text: &str, more: &str) -> Vec<String> {
        let toml = format!("op = 'add'\nargs = ['a', 'b', 'c']\n{more}");
        let mut kernel = Kernel::of_contract("k", &toml, OPS).unwrap();
        kernel.source = Source { kind, path: "k".into(), bytes: text.as_bytes().to_vec() };
        gaps(&kernel)
    }

    #[test]
    fn coarse_functions_are_told_unless_they_are_promised() {
        let text = "__global__ void k() { y = __fdividef (x, 2.0f); }";
        assert!(of(SourceKind::Cuda, text, "")[0].starts_with("it calls `__fdividef`"));
        assert!(of(SourceKind::Cuda, "// __expf(x)\nmy__expf(x); __expf_of(x)", "").is_empty());
        assert!(of(SourceKind::C, text, "").is_empty());
    }

    #[test]
    fn threads_are_told() {
        let text = "#pragma omp parallel for\nfor (;;) {}";
        assert!(of(SourceKind::C, text, "")[0].starts_with("it starts threads (`#pragma omp`)"));
        assert!(of(SourceKind::Rust, "std::thread::spawn(f)", "")[0].contains("std::thread"));
        assert!(of(SourceKind::Cpp, "// std::thread\nvoid f() {}", "").is_empty());
    }
}
