//! What drivers' compilers say, in ktwin's words. It touches nothing.

use ktwin_check::Failure;

/// Words by which a compiler says that something is of an extension.
const MARKS: &[(&str, &[&str])] = &[
    ("cl_khr_fp16", &["half", "fp16"]),
    ("cl_khr_fp64", &["double", "fp64"]),
    ("cl_khr_subgroups", &["sub_group", "subgroup"]),
    ("cl_khr_int64_base_atomics", &["atom_", "int64_base_atomics"]),
    (COLLECTIVE, &["'work_group_"]),
];

/// What OpenCL C 2.0 has, and 3.0 leaves to the device.
pub const COLLECTIVE: &str = "__opencl_c_work_group_collective_functions";

/// Why a file does not build: it needs what the device lacks, or it is wrong, at the line of the first error.
pub fn refused(file: &str, source: &str, log: &str, lacks: &[&str]) -> Failure {
    let errors: Vec<&str> = log.lines().filter(|line| line.contains("error:")).collect();
    let needs = MARKS.iter().filter(|(extension, _)| lacks.contains(extension));
    for (extension, marks) in needs {
        if let Some(error) = errors.iter().find(|error| marks.iter().any(|mark| error.contains(mark))) {
            let text = format!("this device lacks {extension}: {}", said(file, error).1);
            return Failure::Unsupported(text);
        }
    }
    // what is asked for by its name, a compiler may leave out without a word
    if let Some(extension) = lacks.iter().find(|extension| source.contains(*extension)) {
        let first = errors.first().map_or_else(|| log.to_owned(), |error| said(file, error).1);
        return Failure::Unsupported(format!("this device lacks {extension}: {first}"));
    }
    let line = errors.iter().find_map(|error| said(file, error).0);
    let shown: Vec<String> = errors.iter().map(|error| said(file, error).1).collect();
    let message = if shown.is_empty() { log.to_owned() } else { shown.join("\n") };
    Failure::Compile { message, line }
}

/// The line of an error and its words, with the user's file for the one that the driver made up. Drivers write
/// `<kernel>:2:7: error: ...`, `1:2:7: error: ...` with the number of the text first, or `error: file.cl:2:7: ...`.
fn said(file: &str, error: &str) -> (Option<u32>, String) {
    let parts: Vec<&str> = error.split(':').collect();
    let number = |at: usize| parts.get(at).and_then(|part| part.trim().parse::<u32>().ok());
    let Some(first) = (0..parts.len()).find(|at| number(*at).is_some()) else {
        return (None, error.to_owned());
    };
    let count = (first..parts.len()).take_while(|at| number(*at).is_some()).count();
    let at = if count > 2 { first + 1 } else { first };
    let words = parts[first + count..].join(":");
    let words = words.trim().trim_start_matches("error:").trim();
    let place: Vec<&str> = parts[at..first + count].iter().map(|part| part.trim()).collect();
    (number(at), format!("{file}:{}: error: {words}", place.join(":")))
}

/// More work-items along an axis than a number holds.
pub fn too_many() -> Failure {
    Failure::Unsupported("more work-items along one axis than this machine can count".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_their_lines() {
        let named =
            "/tmp/room/t-1.cl:2:7: error: use of undeclared identifier 'q'\n y[0] = q;\n1 error generated.";
        let Failure::Compile { message, line } = refused("k.cl", "", named, &["cl_khr_fp16"]) else {
            panic!("it is wrong")
        };
        assert_eq!((line, message.as_str()), (Some(2), "k.cl:2:7: error: use of undeclared identifier 'q'"));
        for other in
            ["<kernel>:3:1: error: no", "1:3:1: error: no", "file.cl:3: error: no", "error: /t/f.cl:3:8: no"]
        {
            let Failure::Compile { line, .. } = refused("k.cl", "", other, &[]) else { panic!("{other}") };
            assert_eq!(line, Some(3), "{other}");
        }
        assert!(matches!(refused("k.cl", "", "internal error", &[]), Failure::Compile { line: None, .. }));
    }

    #[test]
    fn what_the_device_lacks_is_no_mistake() {
        let log = "k.cl:4:5: error: declaring variable of type 'half' is not allowed";
        assert!(
            matches!(refused("k.cl", "", log, &["cl_khr_fp16"]), Failure::Unsupported(why) if why.contains("fp16"))
        );
        let group = "k.cl:4:5: error: implicit declaration of function 'work_group_reduce_add' is invalid";
        let asked = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable";
        let vague = "k.cl:9:5: error: call to 'vload4' is ambiguous";
        assert!(matches!(refused("k.cl", asked, vague, &["cl_khr_fp16"]), Failure::Unsupported(_)));
        assert!(matches!(refused("k.cl", asked, vague, &[]), Failure::Compile { line: Some(9), .. }));
        assert!(matches!(refused("k.cl", "", group, &[COLLECTIVE]), Failure::Unsupported(_)));
        assert!(matches!(refused("k.cl", "", log, &["cl_khr_fp64"]), Failure::Compile { line: Some(4), .. }));
    }
}
