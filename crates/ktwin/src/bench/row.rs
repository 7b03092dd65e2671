//! What was measured, as rows: plain data, made from a device's figures and the op's cost.

use ktwin_check::Case;
use ktwin_check::bench::{Comparison, Factor, Measured, Outcome, Rates, Roof, Summary, Times};
use ktwin_lang::Cost;
use ktwin_num::plural;
use serde_json::{Value, json};

/// One case.
pub struct Row {
    /// The case, without its seed.
    pub case: String,
    /// Its sizes.
    pub dims: Vec<(String, i64)>,
    /// The op's cost.
    pub cost: Cost,
    /// The roof that was measured beside it.
    pub roof: Option<Roof>,
    /// Times with empty caches and with full ones, by name.
    pub series: Vec<Series>,
    /// What a simulator counted.
    pub counts: Vec<(&'static str, f64)>,
    /// What to know about the figures.
    pub notes: Vec<String>,
    /// What a comparison said.
    pub against: Vec<Against>,
}

/// One series of times.
pub struct Series {
    /// Whether the data was in a cache.
    pub cache: &'static str,
    /// The times.
    pub times: Summary,
    /// What they mean.
    pub rates: Rates,
}

/// One figure beside another.
pub struct Against {
    /// What is compared, and with what.
    pub what: String,
    /// The ratio of times or counts.
    pub ratio: f64,
    /// Its interval, where there is one.
    pub interval: Option<(f64, f64)>,
    /// What it means.
    pub outcome: Outcome,
    /// Why it means nothing, where it does not.
    pub why: Option<String>,
    /// Nanoseconds of every sample of this kernel and of the other, where both were measured now.
    pub sides: [Vec<f64>; 2],
}

impl Against {
    /// A comparison of times, with those of both sides where both were measured now.
    pub fn of(what: String, c: &Comparison, sides: [Vec<f64>; 2]) -> Against {
        let (interval, why) = (Some((c.low, c.high)), c.doubt.map(|doubt| doubt.to_string()));
        Against { interval, why, sides, ..Against::plain(what, (c.ratio, c.outcome)) }
    }

    /// A comparison of single figures.
    pub fn plain(what: String, (ratio, outcome): (f64, Outcome)) -> Against {
        Against { what, ratio, interval: None, outcome, why: None, sides: [Vec::new(), Vec::new()] }
    }

    /// What it means in words, with the reason where it means nothing.
    pub fn words(&self) -> String {
        match &self.why {
            Some(why) => format!("{} ({why})", self.outcome),
            None => self.outcome.to_string(),
        }
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let (outcome, why) = (self.outcome.to_string(), &self.why);
        json!({
            "what": self.what, "ratio": self.ratio, "interval": self.interval, "outcome": outcome, "why": why,
        })
    }
}

impl Row {
    fn new(case: String, dims: Vec<(String, i64)>, cost: Cost, roof: Option<Roof>) -> Row {
        let (series, counts, notes, against) = (vec![], vec![], vec![], vec![]);
        Row { case, dims, cost, roof, series, counts, notes, against }
    }

    /// The row of what was measured. The error says why it cannot be true.
    pub fn of(
        case: &Case,
        cost: Cost,
        measured: &Measured,
        roof: Option<&Roof>,
        precision: f64,
    ) -> Result<Row, String> {
        let (name, dims, roof_of) = (case.seedless(), case.dims.clone(), roof.copied());
        let mut row = Row::new(name, dims, cost, roof_of);
        match measured {
            Measured::Counts(counts) => {
                row.counts.clone_from(counts);
                row.counts.extend(beside_compulsory(counts, &row.cost));
            }
            Measured::Times(times) => row.take(times, roof, precision)?,
        }
        Ok(row)
    }

    fn take(&mut self, times: &Times, roof: Option<&Roof>, precision: f64) -> Result<(), String> {
        let [cold, warm] = times.summaries();
        for (cache, is_cold, found) in [("cold", true, cold), ("warm", false, warm)] {
            let Some(found) = found else { continue };
            let overhead = times.overhead;
            let rates = Rates::of(&self.cost, found.median, overhead, roof.map(|roof| (roof, is_cold)));
            let rates = rates.map_err(|why| format!("{cache}: {why}"))?;
            if !found.is_bounded() {
                let samples = plural(found.samples, "sample");
                self.notes
                    .push(format!("{cache}: {samples}, too few for an interval: give it more `--time`"));
            } else if found.step > precision * found.median {
                let (step, share) = (found.step, 100.0 * found.step / found.median);
                self.notes
                    .push(format!("{cache}: the clock steps by {step:.0} ns, {share:.1} % of the median"));
            } else if found.spread() > precision {
                let (got, wanted) = (100.0 * found.spread(), 100.0 * precision);
                self.notes.push(format!(
                    "{cache}: the median is known to {got:.1} %, not to {wanted} %: the machine is noisy"
                ));
            }
            if found.outliers > 0 {
                let (outliers, of) = (plural(found.outliers, "outlier"), found.samples);
                self.notes.push(format!("{cache}: {outliers} in {of} samples"));
            }
            self.series.push(Series { cache, times: found, rates });
        }
        self.notes.push(format!(
            "warm batches of {}; a call that does nothing takes {:.1} ns; \
             {:.0} ms by the kernel's clock were {:.0} ms by ktwin's",
            times.batch,
            times.overhead,
            times.long as f64 / 1e6,
            times.wall as f64 / 1e6
        ));
        if times.left_out > 0 {
            let count = times.left_out;
            self.notes.push(format!(
                "processes left out, since their clock was not that of ktwin's own: {count}; the machine is busy"
            ));
        }
        if !times.stable {
            self.notes.push("times still changed when the warm-up ended".into());
        }
        Ok(())
    }

    /// Says of what multiply-adds the roof is, where that does not go without saying.
    pub fn of_factor(&mut self, promised: Factor) {
        let Some(roof) = &self.roof else { return };
        let (own, measured) = (promised.name(), roof.factor.name());
        match () {
            _ if promised != roof.factor => self.notes.push(format!(
                "arithmetic is held against multiply-adds in {measured}: those in {own} are no faster here, or cannot \
                 be measured"
            )),
            _ if promised != Factor::F32 => {
                self.notes.push(format!("arithmetic is held against multiply-adds in {measured}"));
            }
            _ => {}
        }
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let series = self.series.iter().map(|s| {
            let (t, r) = (&s.times, &s.rates);
            json!({
                "cache": s.cache, "median_ns": t.median, "low_ns": t.low, "high_ns": t.high, "min_ns": t.min,
                "p95_ns": t.p95, "samples": t.samples, "processes": t.processes,
                "step_ns": t.step, "outliers": t.outliers, "gflops": r.flops, "gbytes": r.bytes,
                "intensity": r.intensity, "roof": r.share, "bound": r.bound.map(|b| b.to_string()),
            })
        });
        let counts = self.counts.iter().map(|(name, n)| ((*name).to_owned(), json!(n)));
        let against = self.against.iter().map(Against::json);
        json!({
            "case": self.case, "flops": self.cost.flops, "bytes": self.cost.bytes(),
            "times": series.collect::<Vec<_>>(), "counts": counts.collect::<serde_json::Map<_, _>>(), "roof": self.roof,
            "notes": self.notes, "against": against.collect::<Vec<_>>(),
        })
    }
}

/// The bytes that must move, and how many times as many do. A simulator has no caches: what is read twice counts twice.
fn beside_compulsory(counts: &[(&'static str, f64)], cost: &Cost) -> Vec<(&'static str, f64)> {
    let moved = counts.iter().find(|(name, _)| *name == "bytes of sectors").map(|(_, n)| *n);
    let compulsory = cost.bytes();
    match moved.filter(|_| compulsory > 0.0) {
        Some(moved) => vec![("compulsory bytes", compulsory), ("times the compulsory", moved / compulsory)],
        None => Vec::new(),
    }
}
