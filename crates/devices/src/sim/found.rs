//! What the simulator finds, in the words of reports.

use ktwin_check::{Buffer, Failure, Finding, Kind};
use ktwin_num::DType;
use ktwin_sim::{BindingInfo, EntryPoint, FindingKind, RunError, Severity};

/// An offset that is an index below 0, as bits.
const BELOW: u64 = 1 << 31;

/// How many bytes an element of each buffer has, by the name that findings call it; of packed ones none.
pub fn sizes(
    entry: Option<&EntryPoint>,
    sim: &ktwin_sim::Launch,
    bound: &[Option<usize>],
    buffers: &[Buffer],
) -> Vec<(String, u64)> {
    let one = |(own, number): (&ktwin_sim::Buffer, &Option<usize>)| {
        let dtype = buffers.get((*number)?)?.dtype;
        let is_own = |b: &&BindingInfo| (b.group, b.binding) == (own.group, own.binding);
        let declared = || Some(entry?.bindings.iter().find(is_own)?.name.clone());
        let name = if own.name.is_empty() { declared()? } else { own.name.clone() };
        (!matches!(dtype, DType::Block(_))).then(|| (name, dtype.bytes_per_block() as u64))
    };
    sim.buffers.iter().zip(bound).filter_map(one).collect()
}

/// The message of a finding, with the element as well as the byte.
fn message(found: &ktwin_sim::Finding, sizes: &[(String, u64)]) -> String {
    let element = || {
        let (name, offset) = (found.buffer.as_ref()?, found.offset?);
        let (_, each) = sizes.iter().find(|(own, _)| own == name)?;
        (offset < BELOW).then(|| format!("{} (element {})", found.message, offset / each))
    };
    element().unwrap_or_else(|| found.message.clone())
}

/// A finding of a run on buffers with elements of these sizes.
pub fn finding(found: &ktwin_sim::Finding, sizes: &[(String, u64)]) -> Finding {
    let [x, y, z] = found.workgroup;
    Finding {
        kind: kind(found.kind),
        line: (found.line > 0).then_some(found.line),
        text: found.text.clone(),
        message: message(found, sizes),
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
