//! Which parts of a source ran. A part that ran in no case was not tested, whatever the verdict is.

use std::collections::BTreeMap;

/// Some instructions of one line that run together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Part {
    /// The line.
    pub line: u32,
    /// Which of the parts of its line it is.
    pub number: u32,
}

/// The parts of a source, and in how many launches, or cases, each of them ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    all: BTreeMap<Part, u32>,
}

impl Parts {
    /// Adds a part, and whether it ran.
    pub fn add(&mut self, part: Part, ran: bool) {
        *self.all.entry(part).or_default() += u32::from(ran);
    }

    /// Adds what one case ran, however often it did.
    pub fn join(&mut self, case: &Parts) {
        case.all.iter().for_each(|(part, times)| self.add(*part, *times > 0));
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether there are parts that ran fewer times.
    pub fn has_rare(&self, few: u32) -> bool {
        self.all.values().any(|times| *times < few)
    }

    /// The lines of parts that ran fewer times.
    pub fn rare_lines(&self, few: u32) -> Vec<u32> {
        let mut lines: Vec<u32> =
            self.all.iter().filter(|(_, times)| **times < few).map(|(part, _)| part.line).collect();
        lines.dedup();
        lines
    }

    /// Whether a case ran a part that ran fewer times here, or one that is not known here.
    pub fn lacks(&self, case: &Parts, few: u32) -> bool {
        let times = |part| self.all.get(part).copied().unwrap_or(0);
        case.all.iter().any(|(part, ran)| *ran > 0 && times(part) < few)
    }

    /// Whether anything of a line is code.
    pub fn has_line(&self, line: u32) -> bool {
        self.of(line).next().is_some()
    }

    /// Whether anything of a line ran.
    pub fn ran_line(&self, line: u32) -> bool {
        self.of(line).any(|times| times > 0)
    }

    /// The lines of which anything ran.
    pub fn ran_lines(&self) -> Vec<u32> {
        self.lines().into_iter().filter(|line| self.ran_line(*line)).collect()
    }

    /// The lines of which nothing ran.
    pub fn idle_lines(&self) -> Vec<u32> {
        self.lines().into_iter().filter(|line| !self.ran_line(*line)).collect()
    }

    fn lines(&self) -> Vec<u32> {
        let mut lines: Vec<u32> = self.all.keys().map(|part| part.line).collect();
        lines.dedup();
        lines
    }

    /// How often each part of a line ran.
    fn of(&self, line: u32) -> impl Iterator<Item = u32> {
        let part = |number| Part { line, number };
        self.all.range(part(0)..=part(u32::MAX)).map(|(_, times)| *times)
    }
}

/// Lines as a reader would say them: `7, 12-15`. Lines without code do not break a run.
pub fn spans(lines: &[u32], has_code: &dyn Fn(u32) -> bool) -> String {
    let mut spans: Vec<(u32, u32)> = Vec::new();
    for line in lines {
        match spans.last_mut() {
            Some((_, last)) if (*last + 1..*line).all(|between| !has_code(between)) => *last = *line,
            _ => spans.push((*line, *line)),
        }
    }
    let one = |(first, last): &(u32, u32)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    spans.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_ran_where_any_part_of_it_did() {
        let part = |line, number| Part { line, number };
        let mut one = Parts::default();
        for (part, ran) in [(part(3, 0), true), (part(3, 0), true), (part(3, 1), false), (part(4, 2), false)]
        {
            one.add(part, ran);
        }
        assert_eq!(one.idle_lines(), [4]);
        let mut all = Parts::default();
        assert!(all.lacks(&one, 1));
        all.join(&one);
        assert!(!all.lacks(&one, 1) && all.lacks(&one, 2), "it ran in one case, however often");
        let mut other = Parts::default();
        other.add(part(4, 2), true);
        assert!(all.lacks(&other, 1));
        all.join(&other);
        assert_eq!(all.idle_lines(), Vec::<u32>::new());
        assert!(all.has_rare(1), "the other part of line 3");
        assert_eq!(all.rare_lines(1), [3]);
        assert_eq!(all.rare_lines(2), [3, 4]);
    }

    #[test]
    fn lines_are_told_in_runs() {
        let has_code = |line: u32| line != 5;
        assert_eq!(spans(&[3, 4, 6, 9], &has_code), "3-6, 9");
        assert_eq!(spans(&[7], &has_code), "7");
    }
}
