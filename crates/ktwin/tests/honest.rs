//! Every kernel of `kernels/wgsl` and `kernels/c` is right: on the simulated GPU with functions correctly rounded and
//! at the edge of what the language allows, and on the host.

ktwin::kernels!("../../kernels/wgsl/*.wgsl", quick());

mod worst {
    use std::path::PathBuf;

    #[test]
    fn at_the_edge_of_what_the_language_allows() {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../kernels/wgsl");
        for file in ktwin::suite::kernels(&[folder], None).unwrap() {
            ktwin::kernel(file).device("sim-worst").quick().check();
        }
    }
}

mod host {
    use std::path::PathBuf;

    /// The kernels of random ops, or all others, pass.
    fn pass(random: bool) {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../kernels/c");
        let mut tried = 0;
        for file in ktwin::suite::kernels(&[folder], None).unwrap() {
            let test = ktwin::kernel(&file).quick();
            if test.load().unwrap().op.is_random() != random {
                continue;
            }
            tried += 1;
            match test.run() {
                // no compiler: that is a skip
                Ok(report) if report.verdict == ktwin::check::Verdict::Skip && report.cases.total() == 0 => {
                    eprintln!("{}: {}", file.display(), report.reason);
                }
                _ => test.check(),
            }
        }
        assert!(tried > 4);
    }

    #[test]
    fn in_c_and_cpp() {
        pass(false);
    }

    #[test]
    #[ignore = "long: run by .ci/run"]
    fn of_random_ops() {
        pass(true);
    }
}
