//! What failing sizes leave when they are divided, and passing ones do not.

use crate::common::TILES;
use crate::pattern::Rule;

/// The largest step between failing sizes that is looked for, and the sizes that have it in common at least.
const MOST_STEP: i64 = 256;
const SEVERAL: usize = 3;

/// What all failing sizes leave, where there are several, by numbers that some passing size is not below.
pub(crate) fn remainders(name: &str, failing: &[i64], passing: &[i64]) -> Vec<Rule> {
    let several = failing.iter().any(|size| *size != failing[0]);
    let dim = || name.to_string();
    let divided = |of: &i64| several && passing.iter().any(|size| size > of);
    let by = |of: i64| {
        let rest = failing.iter().max().map_or(0, |most| most % of);
        [false, true].map(|past| Rule::Remainder { dim: dim(), of, rest, past })
    };
    let mut rules: Vec<Rule> = TILES[1..].iter().copied().filter(divided).flat_map(by).collect();
    // other numbers, where enough sizes have one in common
    let (failing, passing) = (distinct(failing), distinct(passing));
    let apart = failing.iter().fold(0, |sofar, size| common(sofar, size - failing[0]));
    let enough = |sizes: &[i64]| sizes.len() >= SEVERAL;
    let steps = (3..=MOST_STEP).filter(|of| enough(&failing) && apart % of == 0 && divided(of));
    rules.extend(steps.flat_map(by));
    let of = passing.iter().fold(0, |sofar, size| common(sofar, *size));
    rules.extend((of > 1 && enough(&passing)).then(|| Rule::NotMultiple { dim: dim(), of }));
    rules
}

/// Each once.
fn distinct(sizes: &[i64]) -> Vec<i64> {
    let mut sizes = sizes.to_vec();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// The largest number that divides both.
fn common(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { common(b, a % b) }
}

#[cfg(test)]
mod tests {
    use ktwin_num::Regime;

    use super::*;
    use crate::case::Case;

    fn of(size: i64) -> Case {
        let (dims, regime) = (vec![("K".into(), size)], Regime::Normal);
        Case { dims, scalars: Vec::new(), regime, chosen: 0, seed: 0, layouts: Vec::new() }
    }

    #[test]
    fn sizes_that_fail_in_steps_of_any_number_are_told() {
        let told = |failing: &[i64], passing: &[i64]| -> Vec<String> {
            let holds = |rule: &&Rule| {
                let holds = |size: &i64| rule.holds(&of(*size));
                failing.iter().all(holds) && !passing.iter().any(holds)
            };
            remainders("K", failing, passing).iter().filter(holds).map(ToString::to_string).collect()
        };
        assert_eq!(told(&[3, 10, 31], &[1, 7, 16, 64])[0], "K % 7 == 3");
        assert_eq!(told(&[14, 26, 62], &[1, 6, 10, 16, 64])[0], "K % 3 == 2");
        assert_eq!(told(&[1, 8, 16, 64], &[12, 24, 60]), ["K is not a multiple of 12"]);
        assert!(told(&[3, 10], &[1, 7, 16]).is_empty(), "two sizes have many steps in common");
    }
}
