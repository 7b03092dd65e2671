//! What a calibration comes to: a policy with its evidence, for a contract or for the registry of a project.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

use ktwin_check::calibrate::Calibration;
use ktwin_check::worth::{Fault, worth};
use ktwin_check::{Kernel, Policy, REGISTRY, Registry};
use ktwin_num::plural;

use crate::outcome::Failure;

/// How often what is written takes the most that an honest evaluation needs, where the middle of the gap is so far
/// from both sides that it would be looser than needed.
const ROOM: f64 = 5.0;

/// The policy at a multiple of the pair that was found, and why it is that one.
pub fn policy(what: &str, found: &Calibration, multiple: f64) -> (String, String) {
    let (pair, rung) = (found.pair, found.rung.name());
    let policy = format!("allclose:rtol={:.2e},atol={:.2e}", pair.rtol * multiple, pair.atol * multiple);
    let inside = match found.needed() {
        0.0 => "honest evaluations make no error".to_string(),
        needed => format!("honest evaluations stay {} times inside", super::short(multiple / needed)),
    };
    let why = format!(
        "calibrated on {} of {what} data against {rung}: {inside}, {rung} goes {} times outside",
        plural(found.cases, "case"),
        super::short(found.seen() / multiple)
    );
    (policy, why)
}

/// The registry to write to. A kernel that has a policy is left alone: what is there was reviewed.
pub fn place(kernel: &Kernel) -> Result<PathBuf, Failure> {
    let file = &kernel.source.path;
    let registry = Registry::of(file)?;
    if let Some((registry, (entry, policy))) = registry.as_ref().and_then(|r| Some((r, r.policy(file)?))) {
        let at = registry.at(entry);
        return Err(Failure::usage(format!(
            "--write: {at} has the policy {policy} for it: remove that entry first"
        )));
    }
    if kernel.contract.policy.is_some() {
        let message = "--write: the contract names a policy: remove it there, or write the new one there";
        return Err(Failure::usage(message));
    }
    let none =
        || Failure::usage(format!("--write: no {REGISTRY} here or above, and no .git: create an empty one"));
    Registry::place(file).ok_or_else(none)
}

/// Adds an entry that takes all that is honest, and says so; of another, why nothing is written.
pub fn write(
    kernel: &Kernel,
    place: &PathBuf,
    found: Option<(&str, &Calibration)>,
    share: f64,
    seed: u64,
) -> Result<Result<String, String>, Failure> {
    let Some((what, found, middle)) = found.and_then(|(what, found)| Some((what, found, found.middle()?)))
    else {
        return Ok(Err("nothing is written: there is no gap in ordinary data\n".into()));
    };
    let judge = |multiple: f64| -> Result<_, Failure> {
        let (policy, why) = policy(what, found, multiple);
        let rule = Policy::parse(&policy).map_err(Failure::usage)?;
        Ok((worth(kernel, &rule, seed).map_err(Failure::usage)?, policy, why))
    };
    let (mut judged, mut policy, mut why) = judge(middle)?;
    let mut tighter = "";
    if judged.faults().contains(&Fault::Loose) {
        tighter = ", tighter than the middle of the gap, which would be looser than needed";
        (judged, policy, why) = judge(middle * judged.needed.max(judged.stressed) * ROOM)?;
    }
    if judged.faults().contains(&Fault::Tight) {
        let (a, b) = (judged.ordinary.refused, judged.stress.refused);
        let all = plural(a.of + b.of, "honest evaluation");
        return Ok(Err(format!(
            "nothing is written: {policy} would refuse {} of {all}, {} of them under stress, and plans have such \
             data; the error bar takes them all\n",
            a.count + b.count,
            b.count
        )));
    }
    let wrong = |e: std::io::Error| Failure::usage(format!("{}: {}", place.display(), ktwin_num::reason(&e)));
    let root = place.parent().unwrap_or(place);
    let file = kernel.source.path.canonicalize().map_err(wrong)?;
    let path = file.strip_prefix(root).unwrap_or(&file).display().to_string();
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let before = if place.is_file() { "\n" } else { "" };
    let entry = format!(
        "{before}[[kernel]]\npath = {}\npolicy = {}\nwhy = {}\n",
        quoted(&glob::Pattern::escape(&path)),
        quoted(&policy),
        quoted(&format!("{why} (--share {share} --seed {seed})"))
    );
    let mut out = OpenOptions::new().create(true).append(true).open(place).map_err(wrong)?;
    out.write_all(entry.as_bytes()).map_err(wrong)?;
    Ok(Ok(format!("written to {}: {policy}{tighter}\n", place.display())))
}
