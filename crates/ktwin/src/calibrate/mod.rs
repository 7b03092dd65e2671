//! `ktwin calibrate`: finds a tolerance for a kernel between what is honest and what one precision lower does. This
//! file holds the command line and the page; the pictures are drawn in `picture`.

mod entry;
mod picture;

use std::fmt::Write;
use std::path::PathBuf;

use ktwin::catalogue;
use ktwin::elsewhere::rung;
use ktwin_check::Kernel;
use ktwin_check::calibrate::{Calibration, Pair, STRESS, TYPICAL, calibrate};
use ktwin_num::{Float, Regime, plural};

use crate::outcome::{DONE, Failure, Outcome, say};
use crate::room;
use entry::Chosen;
use picture::Picture;

const AFTER: &str = "\
For every case, the op is evaluated at a lower precision, inputs cast down; d = |z - y|, rho = d / (median |y| + |y|), \
rtol is the quantile of rho that lets the asked share of elements pass, atol = rtol times median |y|. The case with \
the median of max(rtol, atol) gives the pair: of at most 24 cases, the largest of a quick plan, those in which the \
lower precision changes something. Honest evaluations at the promised precision, with sums in several \
orders, say from the other side how much of it is needed. Between the two is the gap; where there is none, no such \
tolerance exists.

Nothing is run: a calibration needs no device. --write takes the first of several rungs that has a gap in ordinary \
data.

Examples:
  ktwin calibrate kernel.wgsl
  ktwin calibrate kernel.wgsl -v
  ktwin calibrate kernel.wgsl --rung bf16 --share 0.5 --svg calibration.svg
  ktwin calibrate kernel.wgsl --write

Exit codes: 0 a gap in ordinary data at every precision asked for, 1 none at some, or nothing could be written, 2 \
wrong usage or a wrong contract.";

/// Find a tolerance for a kernel: between what honest evaluations need and what a lower precision does
#[derive(clap::Args)]
#[command(after_help = AFTER)]
pub struct Args {
    /// A kernel's file: its contract says what is promised
    kernel: PathBuf,
    /// Lower precisions: tf32, f16, bf16, e4m3, e5m2; by default, the next lower one
    #[arg(long, value_name = "RUNG,...", value_delimiter = ',')]
    rung: Vec<String>,
    /// The share of the elements at the lower precision that the pair lets pass
    #[arg(long, default_value_t = 0.75, allow_negative_numbers = true)]
    share: f64,
    /// The seed of the data
    #[arg(long, default_value_t = 7, allow_negative_numbers = true, value_parser = crate::amount::seed)]
    seed: u64,
    /// Also write the entry for `ktwin.toml` of the kernel's project, with its evidence
    #[arg(long)]
    write: bool,
    /// Also list the pair of every case
    #[arg(short, long)]
    verbose: bool,
    /// Also draw the distributions to an SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Outcome {
    if !(0.0..=1.0).contains(&args.share) {
        return Err(Failure::usage(format!("--share {}: write a number from 0 to 1", args.share)));
    }
    args.svg.iter().try_for_each(|file| room::report(file)).map_err(Failure::usage)?;
    let kernel = Kernel::load(&args.kernel, catalogue::OPS)?;
    if kernel.op.is_random() {
        let op = &kernel.op.name;
        return Err(Failure::usage(format!(
            "op {op} is random: it is judged by its law, which has no tolerance"
        )));
    }
    let rungs = rungs(&kernel, &args.rung).map_err(Failure::usage)?;
    let place = if args.write { Some(entry::place(&kernel)?) } else { None };
    let (mut text, mut pictures, mut gaps, mut entries) = (head(&kernel), Vec::new(), true, Vec::new());
    for rung in rungs {
        for (what, regimes) in [("typical", &TYPICAL[..]), ("stress", &STRESS[..])] {
            match calibrate(&kernel, rung, regimes, (args.share, args.seed)) {
                Ok(found) => {
                    // plans have both kinds of data, and most is ordinary
                    let chosen = match what {
                        "typical" => entry::chosen(&kernel, (what, &found), args.seed)?,
                        _ => None,
                    };
                    let picture = Picture::new(what, &found, chosen.as_ref());
                    text.push_str(&page(what, regimes, &found, &picture));
                    if args.verbose {
                        text.push_str(&pairs(&found));
                    }
                    if !found.has_gap() {
                        text.push_str(&elsewhere(&kernel, rung, (args.share, args.seed)));
                    }
                    pictures.push(picture);
                    gaps &= what != "typical" || found.has_gap();
                    text.extend(chosen.as_ref().map(for_contract));
                    entries.extend(chosen);
                }
                Err(why) => {
                    let _ = writeln!(text, "{what}, against {}: {why}", rung.name());
                    gaps = false;
                }
            }
        }
    }
    if let Some(file) = &args.svg {
        let written = std::fs::write(file, picture::svg(&kernel.name, &pictures));
        written.map_err(|e| {
            Failure::usage(format!("{}: cannot write it: {}", file.display(), ktwin_num::reason(&e)))
        })?;
        let _ = writeln!(text, "drawn to {}", file.display());
    }
    if let Some(place) = place {
        let written = entry::write(&kernel, &place, entries.first(), (args.share, args.seed))?;
        gaps &= written.is_ok();
        text.push_str(&written.unwrap_or_else(|why| why));
    }
    say(&text);
    Ok(if gaps { DONE } else { crate::outcome::WRONG })
}

/// The lower precisions that are asked for, or the next one.
fn rungs(kernel: &Kernel, names: &[String]) -> Result<Vec<Float>, String> {
    let promised = kernel.contract.compute;
    let lower = |float: Float| float.unit_roundoff() > promised.unit_roundoff();
    if names.is_empty() {
        let next = Float::ALL.iter().copied().find(|f| lower(*f));
        return next.map(|f| vec![f]).ok_or_else(|| format!("nothing is lower than {}", promised.name()));
    }
    let each = names.iter().map(|name| match rung("--rung", name)? {
        float if lower(float) => Ok(float),
        float => {
            Err(format!("--rung {}: the kernel promises {}; name a lower one", float.name(), promised.name()))
        }
    });
    each.collect()
}

fn head(kernel: &Kernel) -> String {
    let (compute, accumulate) = (kernel.contract.compute.name(), kernel.contract.accumulate.name());
    let sums = if compute == accumulate { String::new() } else { format!(", sums in {accumulate}") };
    format!("{}  {}: promises {compute}{sums}\n", ktwin::explain::visible(&kernel.name), kernel.op.name)
}

/// A number with three digits, and an exponent only where it is far from one.
fn short(x: f64) -> String {
    match x.abs() {
        0.0 => "0".into(),
        size if (1e-2..1e3).contains(&size) => {
            let after = (2.0 - size.log10().floor()).max(0.0) as usize;
            let text = format!("{x:.after$}");
            match text.contains('.') {
                true => text.trim_end_matches('0').trim_end_matches('.').into(),
                false => text,
            }
        }
        _ => format!("{x:.2e}"),
    }
}

/// What is said of honest evaluations that no tolerance takes.
const OVERFLOW: &str = "overflow, so that no tolerance takes them all";

fn page(what: &str, regimes: &[Regime], found: &Calibration, picture: &Picture) -> String {
    let mut out = String::new();
    let names: Vec<String> = regimes.iter().map(ToString::to_string).collect();
    let (rung, pair) = (found.rung.name(), found.pair);
    let _ =
        writeln!(out, "{what} ({}), {}, against {rung}", names.join(", "), plural(found.pairs.len(), "case"));
    let _ =
        writeln!(out, "  the published rule   allclose:rtol={},atol={}", short(pair.rtol), short(pair.atol));
    let (needed, seen) = (found.needed(), found.seen());
    let most =
        if needed.is_finite() { format!("need at most {} of it", short(needed)) } else { OVERFLOW.into() };
    let _ = writeln!(out, "  honest evaluations   {most}");
    let _ = writeln!(out, "  evaluations in {rung:<5} need at least {} of it", short(seen));
    for row in picture.rows() {
        let _ = writeln!(out, "  {row}");
    }
    match found.middle() {
        Some(middle) => {
            let at = entry::allclose(found.pair, middle);
            let margin = (seen / middle).min(middle / needed.max(f64::MIN_POSITIVE));
            let side = if needed == 0.0 { "below what is refused:" } else { "on either side of" };
            let _ = writeln!(out, "  gap                  a factor of {} {side} {at}", short(margin));
        }
        None => {
            let _ = writeln!(
                out,
                "  no gap               no tolerance of this kind takes all that is honest and refuses all in \
                 {rung}, at {}",
                sizes(&found.sizes)
            );
        }
    }
    out
}

/// The pair of every case, in the order whose middle is the one that is taken.
fn pairs(found: &Calibration) -> String {
    let middle = found.pairs.len() / 2;
    let line = |(at, (case, pair)): (usize, &(String, Pair))| {
        let taken = if at == middle { "the median case" } else { "" };
        format!("  {taken:<20} {}  {case}\n", entry::allclose(*pair, 1.0))
    };
    found.pairs.iter().enumerate().map(line).collect()
}

/// The policy for a contract, or why there is none.
fn for_contract(chosen: &Chosen) -> String {
    let Chosen { policy, why, against, .. } = chosen;
    match against {
        None => format!("  for the contract     policy = {{ use = \"{policy}\", why = \"{why}\" }}\n"),
        Some(against) => format!("  for the contract     nothing: {against}\n"),
    }
}

/// Sizes of cases, the first few by name.
fn sizes(all: &[String]) -> String {
    const NAMED: usize = 3;
    let named = all[..all.len().min(NAMED)].join(" and ");
    match all.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// Which data would make a gap where these make none.
fn elsewhere(kernel: &Kernel, rung: Float, how: (f64, u64)) -> String {
    let tried = [Regime::Exact, Regime::Uniform, Regime::Normal, Regime::Ones, Regime::Wide];
    let has = |r: &&Regime| calibrate(kernel, rung, &[**r], how).is_ok_and(|c| c.has_gap());
    let found: Vec<String> = tried.iter().filter(has).map(ToString::to_string).collect();
    let said = match &found[..] {
        [] => "nor would the regimes exact, uniform, normal, ones and wide make one by themselves".into(),
        [one] => format!("there would be one in the regime {one}"),
        [all @ .., last] => {
            format!("there would be one in each of the regimes {} and {last}", all.join(", "))
        }
    };
    format!("                       {said}\n")
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn numbers_near_one_have_no_exponent() {
        assert_eq!([2.489, 0.05, 123.4, 0.0].map(short), ["2.49", "0.05", "123", "0"]);
        assert_eq!([1.5e-5, 2.5e7].map(short), ["1.50e-5", "2.50e7"]);
    }
}
