//! One kernel whose test ends in a fault of ktwin's own must not end those of all others.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use ktwin_check::{Event, KernelReport, Verdict};

use super::untried;

/// What is said of a kernel, even where ktwin itself fails on it: the others are still to be judged.
pub fn guarded(
    file: &Path,
    device: &str,
    emit: &dyn Fn(Event),
    run: impl FnOnce() -> KernelReport,
) -> KernelReport {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let words = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or_default();
        let reason = format!("a fault of ktwin, and not of the kernel, which was not judged: {words}");
        let report = KernelReport {
            verdict: Verdict::Error,
            reason,
            ..untried(&file.display().to_string(), device, "")
        };
        emit(Event::Verdict(Box::new(report.clone())));
        report
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_that_is_told() {
        let told = std::sync::Mutex::new(Vec::new());
        let tell = |event: Event| told.lock().unwrap().push(event);
        let report = guarded(Path::new("k.c"), "sim", &tell, || panic!("index out of bounds"));
        assert_eq!((report.verdict, &*report.kernel, &*report.device), (Verdict::Error, "k.c", "sim"));
        assert!(report.reason.contains("fault of ktwin") && report.reason.ends_with("index out of bounds"));
        assert!(matches!(&told.into_inner().unwrap()[..], [Event::Verdict(_)]));
    }
}
