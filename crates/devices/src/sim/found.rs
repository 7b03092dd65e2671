//! What the simulator finds, in the words of reports.

use ktwin_check::{Failure, Finding, Kind};
use ktwin_sim::{FindingKind, RunError, Severity};

/// A finding of a run.
pub fn finding(found: &ktwin_sim::Finding) -> Finding {
    let [x, y, z] = found.workgroup;
    Finding {
        kind: kind(found.kind),
        line: (found.line > 0).then_some(found.line),
        text: found.text.clone(),
        message: found.message.clone(),
        place: Some(format!("workgroup {x},{y},{z}, lane {}", found.lane)),
        count: found.count,
        note: found.severity == Severity::Note,
    }
}

/// Why nothing was found: the simulator did not run to the end.
pub fn failure(error: RunError) -> Failure {
    match error {
        RunError::Launch(text) => Failure::Mismatch(text),
        RunError::Unsupported(text) if text.starts_with("error: ") => {
            Failure::Unsupported(format!("sim does not run this kernel: {}", super::ptx::one_line(&text)))
        }
        RunError::Unsupported(text) | RunError::Limit(text) => Failure::Unsupported(text),
        RunError::Broken(text) => Failure::Broken(text),
    }
}

// Both sides use the same words.
fn kind(found: FindingKind) -> Kind {
    Kind::parse(found.name()).unwrap_or(Kind::NotUniform)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finding_has_its_word() {
        let kinds = [
            FindingKind::OutOfBounds,
            FindingKind::Race,
            FindingKind::Uninitialised,
            FindingKind::DivergentBarrier,
            FindingKind::Misaligned,
            FindingKind::EndlessLoop,
            FindingKind::Deadlock,
            FindingKind::DivisionByZero,
            FindingKind::ShiftOutOfRange,
            FindingKind::OperandTooWide,
            FindingKind::NotUniform,
            FindingKind::Warp,
            FindingKind::UndefinedShuffle,
            FindingKind::Trap,
            FindingKind::NanBorn,
            FindingKind::InfinityBorn,
        ];
        for found in kinds {
            assert_eq!(Kind::parse(found.name()).map(Kind::name), Some(found.name()));
        }
    }
}
