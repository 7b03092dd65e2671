//! The library for `cargo bench`: a kernel that is right, measured in a few lines.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ktwin_check::bench::{Bench, Comparison, Measured, Summary, Timing, compare, median};
use ktwin_check::{Case, Chosen, Kernel, accepts, draw_seed};
use ktwin_devices::Limits;
use ktwin_num::Rng;

use crate::{catalogue, suite};

/// Samples of one side in a round of a comparison, and the most that these take.
const SIDE: (usize, Duration) = (12, Duration::from_millis(300));

/// A kernel about to be measured. Nothing happens before [`KernelBench::measure`] or [`KernelBench::against`].
pub struct KernelBench {
    file: PathBuf,
    device: Chosen,
    cases: Vec<String>,
    timing: Timing,
    seed: Option<u64>,
}

/// A kernel's file, to be measured on the device that tests would run it on. It has no figures unless it is right,
/// before it is measured and on the very buffers that were.
///
/// ```no_run
/// let times = ktwin::bench("kernels/c/silu.c").at("N=4096").measure()?;
/// println!("{times}");
/// # Ok::<(), String>(())
/// ```
pub fn bench(path: impl AsRef<Path>) -> KernelBench {
    let file = path.as_ref().to_path_buf();
    let kind = ktwin_check::SourceKind::of_path(&file);
    let device = kind.and_then(suite::device_for).unwrap_or_else(|| "sim".to_string());
    KernelBench { file, device: device.into(), cases: Vec::new(), timing: Timing::default(), seed: None }
}

/// What was measured in each case.
#[derive(Clone, Debug)]
pub struct Measurements {
    /// The kernel.
    pub kernel: String,
    /// The device.
    pub device: String,
    /// A row for each case.
    pub rows: Vec<Measurement>,
}

/// What was measured in one case.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// The case, without its seed.
    pub case: String,
    /// Nanoseconds of single calls whose data was in no cache; none where the caches cannot be emptied.
    pub cold: Option<Summary>,
    /// Nanoseconds of a call whose data had just been used; none where the device counts.
    pub warm: Option<Summary>,
    /// What a simulator counted.
    pub counts: Vec<(&'static str, f64)>,
}

impl KernelBench {
    /// A case to measure, as a test shows it: `N=4096`, or `R=4,D=896,eps=1e-5`. Call it again for another.
    pub fn at(mut self, case: impl fmt::Display) -> KernelBench {
        self.cases.push(case.to_string());
        self
    }

    /// The device to measure on.
    pub fn device(mut self, device: impl Into<Chosen>) -> KernelBench {
        self.device = device.into();
        self
    }

    /// The most time that a case takes, beside what verifying it does.
    pub fn time(mut self, most: Duration) -> KernelBench {
        self.timing.most = most;
        self.timing.least = self.timing.least.min(most);
        self
    }

    /// The width of the median's interval, on either side and relative to it, at which there are enough samples.
    pub fn precision(mut self, precision: f64) -> KernelBench {
        self.timing.precision = precision;
        self
    }

    /// The seed of the inputs; drawn where there is none.
    pub fn seed(mut self, seed: u64) -> KernelBench {
        self.seed = Some(seed);
        self
    }

    /// Measures every case. The error says why one has no figures, such as a kernel that is wrong.
    pub fn measure(&self) -> Result<Measurements, String> {
        let (kernel, device) = (self.kernel()?, self.found()?);
        let cases = self.cases(&kernel)?;
        let mut bench = Bench::new(&kernel, &*device, self.seed.unwrap_or_else(draw_seed));
        bench.compile(&cases).map_err(|why| why.to_string())?;
        let one = |case: &Case| {
            let measured = bench.ready(case).and_then(|ready| ready.measure(&self.timing));
            let measured = measured.map_err(|why| format!("{}: {}: {why}", kernel.name, case.seedless()))?;
            Ok(Measurement::of(case, measured))
        };
        let rows = cases.iter().map(one).collect::<Result<Vec<_>, String>>()?;
        Ok(Measurements { kernel: kernel.name.clone(), device: device.name().to_string(), rows })
    }

    /// Compares it with another kernel of the same op, on this device and in this one's cases: so many rounds (at least
    /// 8), in random order within each, of calls whose data had just been used. A ratio below 1 is faster than the
    /// other.
    pub fn against(&self, other: &KernelBench, rounds: usize) -> Result<Vec<(String, Comparison)>, String> {
        let (kernel, rival, device) = (self.kernel()?, other.kernel()?, self.found()?);
        if kernel.content != rival.content {
            return Err(format!("{}: it does not compute what {} does", rival.name, kernel.name));
        }
        let cases = self.cases(&kernel)?;
        let seed = self.seed.unwrap_or_else(draw_seed);
        let mut both = [&kernel, &rival].map(|kernel| Bench::new(kernel, &*device, seed));
        for bench in &mut both {
            bench.compile(&cases).map_err(|why| why.to_string())?;
        }
        let mut rng = Rng::new(seed, 0);
        let each = cases.iter().map(|case| Ok((case.seedless(), compared(&both, case, rounds, &mut rng)?)));
        each.collect()
    }

    fn kernel(&self) -> Result<Kernel, String> {
        Kernel::load(&self.file, catalogue::OPS).map_err(|e| e.to_string())
    }

    fn found(&self) -> Result<std::sync::Arc<dyn ktwin_check::Device>, String> {
        match &self.device {
            Chosen::Own(device) => Ok(device.clone()),
            Chosen::Named(name) => ktwin_devices::find(name, Limits::default()),
        }
    }

    fn cases(&self, kernel: &Kernel) -> Result<Vec<Case>, String> {
        if self.cases.is_empty() {
            return Err(format!("{}: nothing to measure: name a case, as in .at(\"N=4096\")", kernel.name));
        }
        let one = |text: &String| {
            let case = Case::parse(kernel, text)?;
            accepts(kernel, &case).map_err(|why| format!("{text}: {why}")).map(|()| case)
        };
        self.cases.iter().map(one).collect()
    }
}

/// One case of both, in rounds.
fn compared(both: &[Bench; 2], case: &Case, rounds: usize, rng: &mut Rng) -> Result<Comparison, String> {
    let (samples, most) = SIDE;
    let timing =
        Timing { samples, precision: f64::INFINITY, least: Duration::ZERO, most, ..Timing::default() };
    let ready = [both[0].ready(case), both[1].ready(case)].map(|ready| ready.map_err(|why| why.to_string()));
    let [this, other] = ready;
    let ready = [this?, other?];
    let one = |number: usize| match ready[number].measure_once(&timing).map_err(|why| why.to_string())? {
        Measured::Times(times) => Ok(median(&times.warm)),
        Measured::Counts(_) => {
            Err("the device counts, which needs no rounds: compare the counts".to_string())
        }
    };
    let mut pairs = Vec::new();
    for _ in 0..rounds {
        let first = rng.below(2) as usize;
        let mut pair = [0.0; 2];
        pair[first] = one(first)?;
        pair[1 - first] = one(1 - first)?;
        pairs.push((pair[0], pair[1]));
    }
    compare(&pairs).ok_or_else(|| "too few rounds for an interval: take at least 8".to_string())
}

impl Measurement {
    fn of(case: &Case, measured: Measured) -> Measurement {
        let case = case.seedless();
        match measured {
            Measured::Counts(counts) => Measurement { case, cold: None, warm: None, counts },
            Measured::Times(times) => {
                let [cold, warm] = times.summaries();
                Measurement { case, cold, warm, counts: Vec::new() }
            }
        }
    }
}

impl fmt::Display for Measurements {
    /// A line for each case and state of the caches: the median between the ends of its interval.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} on {}", self.kernel, self.device)?;
        for row in &self.rows {
            for (cache, times) in [("cold", &row.cold), ("warm", &row.warm)] {
                if let Some(s) = times {
                    let (case, samples) = (&row.case, s.samples);
                    let [low, median, high] = [s.low, s.median, s.high].map(time);
                    writeln!(f, "  {case}  {cache}  [{low} {median} {high}]  {samples} samples")?;
                }
            }
            for (name, n) in &row.counts {
                writeln!(f, "  {}  {name}  {n}", row.case)?;
            }
        }
        Ok(())
    }
}

/// A time with four digits and its unit.
fn time(ns: f64) -> String {
    let (value, unit) = match ns {
        _ if ns >= 1e9 => (ns / 1e9, "s"),
        _ if ns >= 1e6 => (ns / 1e6, "ms"),
        _ if ns >= 1e3 => (ns / 1e3, "µs"),
        _ => (ns, "ns"),
    };
    let digits = if value >= 100.0 { 1 } else { 3 };
    format!("{value:.digits$} {unit}")
}
