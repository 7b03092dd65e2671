//! Lines and columns of places in a text, each found without walking all of the text before it: of texts with many
//! names and values, every one is asked for. Plain data.

use super::Spot;

/// Bytes from one mark to the next.
const STEP: usize = 256;

/// Marks all along a text.
#[derive(Debug, Default)]
pub struct Spots {
    marks: Vec<(usize, Spot)>,
}

impl Spots {
    /// The marks of a text.
    pub fn of(text: &str) -> Spots {
        let mut marks: Vec<(usize, Spot)> = Vec::with_capacity(text.len() / STEP + 1);
        let mut spot = Spot { line: 1, column: 1 };
        for (at, c) in text.char_indices() {
            if at >= marks.len() * STEP {
                marks.push((at, spot));
            }
            spot = after(spot, c);
        }
        Spots { marks }
    }

    /// The place of a byte of the text that was marked.
    pub fn at(&self, text: &str, at: usize) -> Spot {
        let mut at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let before = self.marks.partition_point(|(from, _)| *from <= at);
        let start = (0, Spot { line: 1, column: 1 });
        let (from, spot) = before.checked_sub(1).map_or(start, |mark| self.marks[mark]);
        text[from..at].chars().fold(spot, after)
    }
}

fn after(spot: Spot, c: char) -> Spot {
    match c {
        '\n' => Spot { line: spot.line + 1, column: 1 },
        _ => Spot { column: spot.column + 1, ..spot },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_that_counting_finds() {
        let text = format!("a = 'é'\n{}\nß€ = 1\n\n{}z", "β".repeat(700), "k = 1\n".repeat(300));
        let spots = Spots::of(&text);
        let counted = |at: usize| text[..at].chars().fold(Spot { line: 1, column: 1 }, after);
        for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            assert_eq!(spots.at(&text, at), counted(at), "{at}");
        }
        assert_eq!(spots.at(&text, usize::MAX), counted(text.len()));
        assert_eq!(spots.at(&text, 6), counted(5), "inside a letter");
        assert_eq!(Spots::of("").at("", 3), Spot { line: 1, column: 1 });
    }
}
