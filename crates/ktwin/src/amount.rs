//! Amounts, as the command line says them: how much is planned, counts and times.

use ktwin_check::{Amount, Level};

/// A seed.
pub fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("a seed is a whole number from 0 to {}", u64::MAX))
}

/// A count, none included.
pub fn count(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "write a whole number, 0 or more".into())
}

/// A count of at least one.
pub fn some(text: &str) -> Result<u32, String> {
    text.parse().ok().filter(|n| *n > 0).ok_or("write a whole number, 1 or more".into())
}

/// A time in seconds: `90`, `60s`, `1.5m`, `1h`.
pub fn time(text: &str) -> Result<f64, String> {
    const MOST: f64 = 1e9;
    let (number, unit) = text.split_at(text.trim_end_matches(char::is_alphabetic).len());
    let unit = match unit {
        "" | "s" => Some(1.0),
        "m" => Some(60.0),
        "h" => Some(3600.0),
        _ => None,
    };
    let seconds = number.parse::<f64>().ok().zip(unit).map(|(n, unit)| n * unit);
    seconds.filter(|s| (0.0..=MOST).contains(s)).ok_or("write a time such as 60s, 2m or 1h".into())
}

/// The same in whole seconds, the next where it lies between two.
pub fn seconds(text: &str) -> Result<u64, String> {
    time(text).map(|seconds| seconds.ceil() as u64)
}

/// How thorough plans are.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct AmountArgs {
    /// Each size once, in few regimes, and few drawn cases: seconds
    #[arg(long)]
    pub quick: bool,
    /// Also shapes of language models, longer sizes, and most pairs of sizes: a minute a kernel
    #[arg(long, conflicts_with = "quick")]
    pub standard: bool,
    /// Also every size in every regime, all pairs of sizes, and large shapes of models: many minutes a kernel
    #[arg(long, conflicts_with_all = ["quick", "standard"])]
    pub thorough: bool,
    /// Also the largest sizes that the contract accepts, and a thousand launches of one case in one process: for
    /// hardware, or for much patience
    #[arg(long)]
    pub stress: bool,
}

impl AmountArgs {
    /// What is planned.
    pub fn amount(&self) -> Amount {
        let level = match (self.quick, self.standard, self.thorough) {
            (true, ..) => Level::Quick,
            (_, true, _) => Level::Standard,
            (.., true) => Level::Thorough,
            _ => Level::Usual,
        };
        Amount { level, stress: self.stress }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_times() {
        assert_eq!((count("0"), some("3")), (Ok(0), Ok(3)));
        assert!(count("-1").is_err() && some("0").is_err() && some("x").is_err());
        assert_eq!((seconds("90"), seconds("60s"), seconds("2m")), (Ok(90), Ok(60), Ok(120)));
        assert_eq!((time("1.5m"), seconds("0.2")), (Ok(90.0), Ok(1)));
        assert!(["", "s", "1d", "-1", "nan", "1e99", "inf"].iter().all(|text| time(text).is_err()));
    }
}
