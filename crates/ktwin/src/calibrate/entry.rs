//! What a calibration comes to: a policy with its evidence, for a contract or for the registry of a project.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

use ktwin_check::calibrate::{Calibration, Pair};
use ktwin_check::worth::{Fault, worth};
use ktwin_check::{Kernel, Policy, REGISTRY, Registry};
use ktwin_num::plural;

use crate::outcome::Failure;

/// How often what is written takes the most that an honest evaluation needs, where the middle of the gap is so far
/// from both sides that it would be looser than needed.
const ROOM: f64 = 5.0;

/// A policy that comes of a calibration.
pub struct Chosen {
    /// The policy as it is written.
    pub policy: String,
    /// Why it is that one.
    pub why: String,
    /// How many times the pair it is.
    pub multiple: f64,
    /// Whether it is tighter than the middle of the gap.
    pub tighter: bool,
    /// Why it must not be taken.
    pub against: Option<String>,
}

/// What a calibration comes to, where it has a gap: the middle of that; where it would be looser than needed, some
/// times the most that an honest evaluation needs.
pub fn chosen(
    kernel: &Kernel,
    (what, found): (&str, &Calibration),
    seed: u64,
) -> Result<Option<Chosen>, Failure> {
    let Some(middle) = found.middle() else { return Ok(None) };
    let judge = |multiple: f64| -> Result<_, Failure> {
        let (policy, why) = policy(what, found, multiple);
        let rule = Policy::parse(&policy).map_err(Failure::usage)?;
        Ok((worth(kernel, &rule, seed).map_err(Failure::usage)?, policy, why))
    };
    let (mut judged, mut policy, mut why) = judge(middle)?;
    let (tighter, mut multiple) = (judged.faults().contains(&Fault::Loose), middle);
    if tighter {
        multiple = middle * judged.needed.max(judged.stressed) * ROOM;
        (judged, policy, why) = judge(multiple)?;
    }
    let (a, b) = (judged.ordinary.refused, judged.stress.refused);
    let against = judged.faults().contains(&Fault::Tight).then(|| {
        format!(
            "{policy} would refuse {} of {}, {} of them under stress, and plans have such data; the error bar \
             takes them all",
            a.count + b.count,
            plural(a.of + b.of, "honest evaluation"),
            b.count
        )
    });
    Ok(Some(Chosen { policy, why, multiple, tighter, against }))
}

/// A multiple of a pair as a policy is written.
pub fn allclose(pair: Pair, multiple: f64) -> String {
    format!("allclose:rtol={:.2e},atol={:.2e}", pair.rtol * multiple, pair.atol * multiple)
}

/// The policy at a multiple of the pair that was found, and why it is that one.
fn policy(what: &str, found: &Calibration, multiple: f64) -> (String, String) {
    let (policy, rung) = (allclose(found.pair, multiple), found.rung.name());
    let inside = match found.needed() {
        0.0 => "honest evaluations make no error".to_string(),
        needed => format!("honest evaluations stay {} times inside", super::short(multiple / needed)),
    };
    let why = format!(
        "calibrated on {} of {what} data against {rung}: {inside}, {rung} goes {} times outside",
        plural(found.pairs.len(), "case"),
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

/// Adds an entry with a policy, and says so; of one that must not be taken, why nothing is written.
pub fn write(
    kernel: &Kernel,
    place: &PathBuf,
    chosen: Option<&Chosen>,
    (share, seed): (f64, u64),
) -> Result<Result<String, String>, Failure> {
    let Some(Chosen { policy, why, tighter, against, .. }) = chosen else {
        return Ok(Err("nothing is written: there is no gap in ordinary data\n".into()));
    };
    if let Some(against) = against {
        return Ok(Err(format!("nothing is written: {against}\n")));
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
        quoted(policy),
        quoted(&format!("{why} (--share {share} --seed {seed})"))
    );
    let mut out = OpenOptions::new().create(true).append(true).open(place).map_err(wrong)?;
    out.write_all(entry.as_bytes()).map_err(wrong)?;
    let tighter = match tighter {
        true => ", tighter than the middle of the gap, which would be looser than needed",
        false => "",
    };
    Ok(Ok(format!("written to {}: {policy}{tighter}\n", place.display())))
}
