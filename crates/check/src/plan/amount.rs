//! How much is planned: a level, and what takes hardware beside it.

/// How thorough a plan is. Each level has the sizes of those before it, or longer ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Each size once, few regimes and few drawn cases: seconds.
    Quick,
    /// What is run where nothing else is said.
    #[default]
    Usual,
    /// Also shapes of language models, longer sizes, and most pairs of sizes: a minute.
    Standard,
    /// Also every size in every regime, all pairs of sizes, and large shapes of models: many minutes.
    Thorough,
}

impl Level {
    /// All of them, quickest first.
    pub const ALL: [Level; 4] = [Level::Quick, Level::Usual, Level::Standard, Level::Thorough];

    /// Its name in tasks and reports.
    pub fn name(self) -> &'static str {
        match self {
            Level::Quick => "quick",
            Level::Usual => "full",
            Level::Standard => "standard",
            Level::Thorough => "thorough",
        }
    }

    /// The one of this name.
    pub fn of_name(name: &str) -> Option<Level> {
        Level::ALL.into_iter().find(|level| level.name() == name)
    }
}

/// How much is planned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// How thorough the plan is.
    pub level: Level,
    /// Also what takes hardware, or patience: the largest sizes that op and contract accept, and a thousand launches
    /// of one case.
    pub stress: bool,
}

impl Amount {
    /// A quick plan.
    pub const QUICK: Amount = Amount { level: Level::Quick, stress: false };

    /// A quick plan, or the usual one.
    pub fn quick(quick: bool) -> Amount {
        if quick { Amount::QUICK } else { Amount::default() }
    }

    /// How the command line says it, after a space where there is anything.
    pub fn flags(self) -> String {
        let level = match self.level {
            Level::Usual => String::new(),
            other => format!(" --{}", other.name()),
        };
        level + if self.stress { " --stress" } else { "" }
    }

    /// Whether the plan is quick.
    pub fn is_quick(self) -> bool {
        self.level == Level::Quick
    }

    /// Whether shapes of models are planned.
    pub(super) fn is_standard(self) -> bool {
        self.level >= Level::Standard
    }

    /// One of these, by the level: quick, usual, standard, thorough.
    pub(super) fn of<T: Copy>(self, each: [T; 4]) -> T {
        each[self.level as usize]
    }
}

impl From<Level> for Amount {
    fn from(level: Level) -> Amount {
        Amount { level, ..Amount::default() }
    }
}
