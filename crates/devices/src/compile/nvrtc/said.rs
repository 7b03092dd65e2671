//! What NVRTC says of a source that it refuses, as ktwin tells it: the first errors, their line, and what to write.

use ktwin_check::Failure;

use super::sources::{Sources, is_of_hosts};

// Every error is in the names that were asked for: the source itself is sound.
pub fn is_about_names(log: &str) -> bool {
    let mut errors = log.lines().filter(|l| l.contains("): error:")).peekable();
    errors.peek().is_some() && errors.all(|l| l.starts_with("__nv_name_map("))
}

pub fn misnamed(named: &[String], log: &str) -> Failure {
    let named: Vec<String> = named.iter().map(|n| format!("`{n}`")).collect();
    let named = named.join(" or ");
    Failure::Mismatch(match log.contains("which instance of overloaded function") {
        true => format!(
            "several kernels are called {named}: name the parameters as well, \
             entry = \"name<float>(const float *, int)\""
        ),
        false => format!("{named} was not found in the source:\n{}", log.trim_end()),
    })
}

/// The most headers that are named as left out.
const LEFT_OUT: usize = 5;

/// The most of NVRTC's errors that are shown.
const SHOWN: usize = 5;

/// Headers of the toolkit that `nvcc` does not include by itself either, and the beginnings of what they declare.
const DECLARED: [(&str, &[&str]); 3] = [
    ("cuda_bf16.h", &["__nv_bfloat16", "nv_bfloat16", "__float2bfloat16", "__bfloat16"]),
    ("cuda_fp8.h", &["__nv_fp8"]),
    (
        "cuda_fp16.h",
        &["half", "half2", "__half", "__float2half", "__floats2half", "__h", "h2", "__low", "__high"],
    ),
];

/// NVRTC's errors, the first one first, and what of the source it was not shown.
pub fn refused(log: &str, name: &str, sources: &Sources) -> Failure {
    let is_error = |line: &str| line.contains("): error") || line.contains("): catastrophic error");
    let mut message = first(log, is_error);
    message.extend(undeclared(log));
    for (place, header) in sources.left_out.iter().take(LEFT_OUT) {
        let why = if is_of_hosts(header) { "is a library for hosts" } else { "was not found" };
        message.push_str(&format!("\n({place}: {header} {why} and is left out)"));
    }
    // what a part of the toolkit that is not there declares is no mistake of the source
    let of_curand = |header: &str| header.trim_start_matches(['<', '"']).starts_with("curand");
    if let Some((place, header)) = sources.left_out.iter().find(|(_, header)| of_curand(header)) {
        let why = format!("{place} includes {header}, which was not found");
        let get = "pip install nvidia-curand-cu12, or -cu13, as NVRTC itself".to_owned();
        return Failure::Absent { why, get };
    }
    if sources.left_out.iter().any(|(_, header)| !is_of_hosts(header)) {
        message.push_str("\n(folders of headers are named by `include`)");
    }
    let opening = format!("{name}(");
    let numbers =
        log.lines().filter(|l| is_error(l)).filter_map(|l| l.strip_prefix(&opening)?.split(')').next());
    Failure::Compile { line: numbers.filter_map(|n| n.parse().ok()).next(), message }
}

/// The log from its first error on, and not all of many.
fn first(log: &str, is_error: impl Fn(&str) -> bool) -> String {
    let lines: Vec<&str> = log.lines().collect();
    let errors: Vec<usize> = (0..lines.len()).filter(|at| is_error(lines[*at])).collect();
    let from = errors.first().copied().unwrap_or(0);
    let end = errors.get(SHOWN).copied().unwrap_or(lines.len());
    let mut shown = lines[from..end].join("\n").trim_end().to_owned();
    if let Some(more @ 1..) = errors.len().checked_sub(SHOWN) {
        shown.push_str(&format!("\n({more} more)"));
    }
    shown
}

/// What to include, where names of CUDA's own number formats are not known.
fn undeclared(log: &str) -> Option<String> {
    let unknown = |line: &str| {
        let (_, name) = line.split_once("error: identifier \"")?;
        name.strip_suffix("\" is undefined").map(str::to_owned)
    };
    log.lines().filter_map(unknown).find_map(|name| {
        let begins = |own: &&str| name.starts_with(own) && (name.starts_with('_') || name == **own);
        let (header, _) = DECLARED.iter().find(|(_, all)| all.iter().any(&begins))?;
        Some(format!("\n({header} declares `{name}`: write #include <{header}>)"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_is_first_and_has_its_line() {
        let log = "k.cu(3): warning #177-D: unused\n\
                   k.cu(7): error: identifier \"q\" is undefined\n  *x = q;\n\n1 error\n";
        let sources = Sources { left_out: vec![("line 2".into(), "<torch.h>".into())], ..Sources::default() };
        let Failure::Compile { message, line } = refused(log, "k.cu", &sources) else { panic!() };
        assert_eq!(line, Some(7));
        assert!(message.starts_with("k.cu(7): error") && message.contains("line 2: <torch.h>"), "{message}");
    }

    #[test]
    fn a_part_of_the_toolkit_that_is_absent_is_no_mistake() {
        let left_out = vec![("line 2".into(), "<curand_kernel.h>".into())];
        let sources = Sources { left_out, ..Sources::default() };
        let Failure::Absent { why, .. } = refused("k.cu(7): error: no", "k.cu", &sources) else { panic!() };
        assert_eq!(why, "line 2 includes <curand_kernel.h>, which was not found");
    }

    #[test]
    fn number_formats_have_their_headers() {
        let hint = |name: &str| undeclared(&format!("k.cu(1): error: identifier \"{name}\" is undefined"));
        for (name, header) in [
            ("half", "cuda_fp16.h"),
            ("__half2", "cuda_fp16.h"),
            ("__hgt", "cuda_fp16.h"),
            ("__nv_bfloat16", "cuda_bf16.h"),
            ("__nv_fp8_e4m3", "cuda_fp8.h"),
        ] {
            assert!(hint(name).is_some_and(|said| said.contains(&format!("#include <{header}>"))), "{name}");
        }
        assert_eq!((hint("halfway"), hint("x"), hint("h2o")), (None, None, None));
    }

    #[test]
    fn of_many_errors_the_first_are_shown() {
        let log: String = (1..=9).map(|n| format!("k.cu({n}): error: no\n  x\n")).collect();
        let Failure::Compile { message, .. } = refused(&log, "k.cu", &Sources::default()) else { panic!() };
        assert!(message.contains("k.cu(5)") && !message.contains("k.cu(6)"), "{message}");
        assert!(message.ends_with("(4 more)"), "{message}");
        let hosts =
            Sources { left_out: vec![("line 2".into(), "<thrust/sort.h>".into())], ..Sources::default() };
        let Failure::Compile { message, .. } = refused(&log, "k.cu", &hosts) else { panic!() };
        let due = "(line 2: <thrust/sort.h> is a library for hosts and is left out)";
        assert!(message.ends_with(due), "{message}");
    }
}
