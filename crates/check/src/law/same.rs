//! What comes out the same again and again: under every seed, or in all places that share nothing but their inputs.

/// The launches of a case, as far as they are all the same.
pub struct Same {
    /// Whether all independent elements have the same inputs.
    alike: bool,
    first: Vec<Vec<f64>>,
    launches: usize,
    under_seeds: bool,
    in_places: bool,
}

/// Launches that must be the same for it not to be chance.
const SEVERAL: usize = 8;

impl Same {
    /// Of no launch yet.
    pub fn new(alike: bool) -> Same {
        Same { alike, first: Vec::new(), launches: 0, under_seeds: true, in_places: true }
    }

    /// Adds what came out of a launch.
    pub fn add(&mut self, got: &[Vec<f64>]) {
        if self.launches == 0 {
            self.first = got.to_vec();
        }
        self.launches += 1;
        self.under_seeds &= got.iter().flatten().map(bits).eq(self.first.iter().flatten().map(bits));
        self.in_places &= got.iter().any(|output| output.len() > 1)
            && got.iter().all(|output| output.windows(2).all(|pair| bits(&pair[0]) == bits(&pair[1])));
    }

    /// What is the same, in words that follow on what is wrong with the law.
    pub fn said(&self) -> Option<&'static str> {
        if self.launches < SEVERAL {
            return None;
        }
        if self.under_seeds {
            return Some("the same comes out under every seed");
        }
        (self.alike && self.in_places)
            .then_some("in every launch, all elements come out alike where their inputs are the same")
    }
}

fn bits(value: &f64) -> u64 {
    value.to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(alike: bool, launch: impl Fn(usize) -> Vec<f64>) -> Option<&'static str> {
        let mut same = Same::new(alike);
        (0..SEVERAL).for_each(|number| same.add(&[launch(number)]));
        same.said()
    }

    #[test]
    fn what_is_the_same_is_told() {
        let seeds = said(false, |_| vec![1.0, 2.0]);
        assert!(seeds.is_some_and(|said| said.contains("every seed")));
        let rows = |number: usize| vec![number as f64, number as f64];
        assert!(said(true, rows).is_some_and(|said| said.contains("alike")));
        // other inputs may well give the same twice, and one element is like itself
        assert_eq!(said(false, rows), None);
        assert_eq!(said(true, |number| vec![number as f64]), None);
        assert_eq!(said(true, |number| vec![number as f64, 1.0]), None);
    }
}
