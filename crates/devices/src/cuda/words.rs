//! What the driver's statuses mean, in ktwin's words. It touches nothing.

use ktwin_check::Failure;

use super::GET;

/// A status of the driver as a failure.
pub fn failure(status: u32, text: &str) -> Failure {
    let text = text.to_owned();
    match status {
        2 => Failure::OutOfMemory(text),
        // no card, or none that this process may use
        3 | 34 | 100 | 101 | 802 | 803 | 804 | 999 => Failure::Absent { why: text, get: GET.into() },
        // more than the card has: registers, shared memory, blocks that must run at once
        701 | 720 | 801 => Failure::Unsupported(text),
        1 => Failure::Mismatch(text),
        _ => Failure::Crash(text),
    }
}

/// Why the driver does not take a module. What a compiler made is sound: it can only be more than this card has.
pub fn refused(log: &str, status: Failure, compiled: bool) -> Failure {
    let Failure::Crash(text) = status else { return status };
    let message = if log.is_empty() { text } else { log.to_owned() };
    if compiled || message.contains("requires") || message.contains("not supported") {
        return Failure::Unsupported(format!("the driver does not take this kernel: {}", one_line(&message)));
    }
    Failure::Compile { line: line(&message), message }
}

fn one_line(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join("; ")
}

// `ptxas application ptx input, line 12; error : ...`
fn line(message: &str) -> Option<u32> {
    let rest = message.split_once("line ")?.1;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_is_to_blame_only_for_its_own_mistakes() {
        assert!(matches!(failure(700, "illegal address"), Failure::Crash(_)));
        assert!(matches!(failure(100, "no device"), Failure::Absent { .. }));
        assert!(matches!(failure(701, "too many registers"), Failure::Unsupported(_)));
        let log = "ptxas application ptx input, line 12; error : Unknown symbol 'x'";
        let crash = || Failure::Crash("invalid PTX".into());
        assert!(matches!(refused(log, crash(), false), Failure::Compile { line: Some(12), .. }));
        assert!(matches!(refused(log, crash(), true), Failure::Unsupported(_)));
        assert!(matches!(
            refused("feature 'wgmma' requires .target sm_90a", crash(), false),
            Failure::Unsupported(_)
        ));
    }
}
