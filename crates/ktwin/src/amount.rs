//! How much is planned, as the command line says it.

use ktwin_check::{Amount, Level};

/// A seed.
pub fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("a seed is a whole number from 0 to {}", u64::MAX))
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
