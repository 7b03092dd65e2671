//! An example of every policy, for the page on them: what it takes and what it refuses where (1, -2, 4) is due.

/// What is due.
pub const DUE: [f64; 3] = [1.0, -2.0, 4.0];
/// The error bar of each element.
pub const BARS: [f64; 3] = [1e-6; 3];
/// What the formula gives at the promised rung.
pub const ROUNDED: [f64; 3] = [1.0000001, -2.0, 4.0];
/// Terms of the op's longest sum, stored and summed in f32.
pub const TERMS: usize = 3;

/// A policy with the first element of an output that it takes, and of one that it refuses; the others are right.
pub struct Example {
    /// The policy.
    pub policy: &'static str,
    /// What it takes.
    pub takes: f64,
    /// What it refuses.
    pub refuses: f64,
}

/// An example of every row, in their order.
pub const EXAMPLES: &[Example] = &[
    Example { policy: "allclose:rtol=1e-2,atol=1e-3", takes: 1.0105, refuses: 1.0115 },
    Example { policy: "allclose_max:rtol=1e-2,atol=1e-3", takes: 1.0095, refuses: 1.0105 },
    Example { policy: "bar:margin=1", takes: 1.0000005, refuses: 1.000002 },
    Example { policy: "by_type", takes: 1.000009, refuses: 1.00002 },
    Example { policy: "correlation:least=0.999,relative=1e-3", takes: 1.0009, refuses: 1.002 },
    Example { policy: "cosine:least=0.999", takes: 1.1, refuses: 2.0 },
    Example { policy: "exact", takes: 1.0, refuses: 1.0000002 },
    Example { policy: "nmse:most=1e-4", takes: 1.04, refuses: 1.05 },
    Example { policy: "residual:most=30", takes: 1.00003, refuses: 1.00005 },
    Example { policy: "torch", takes: 1.00001, refuses: 1.00002 },
    Example { policy: "twice:times=2", takes: 1.0000002, refuses: 1.0000004 },
    Example { policy: "ulp:most=4", takes: 1.0000004, refuses: 1.0000006 },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Expected;
    use crate::policy::{Decider, Policy, RULES};
    use ktwin_num::{DType, Float};

    #[test]
    fn every_policy_decides_as_its_example_says() {
        let names: Vec<&str> = EXAMPLES.iter().map(|e| e.policy.split(':').next().unwrap_or("")).collect();
        assert_eq!(names, RULES.iter().map(|row| row.name).collect::<Vec<_>>());
        for example in EXAMPLES {
            let plain = Expected {
                name: "y".into(),
                shape: vec![3],
                dtype: DType::F32,
                values: DUE.to_vec(),
                low: Vec::new(),
                bars: BARS.to_vec(),
                any: Default::default(),
                policy: None,
            };
            let policy = Policy::parse(example.policy).unwrap();
            let scale = (TERMS, Float::F32.unit_roundoff());
            let decider = Decider::new(&policy, &plain, &ROUNDED, scale);
            let judged = Expected { policy: Some(decider), ..plain };
            let refuses = |first: f64| judged.refuses([first, DUE[1], DUE[2]].into_iter());
            assert!(!refuses(example.takes), "{} refuses {}", example.policy, example.takes);
            assert!(refuses(example.refuses), "{} takes {}", example.policy, example.refuses);
            let share = judged.share_of_policy(&[example.takes, DUE[1], DUE[2]]);
            assert!((0.0..=1.0).contains(&share), "{} uses {share}", example.policy);
            assert!(judged.share_of_policy(&[example.refuses, DUE[1], DUE[2]]) > 1.0, "{}", example.policy);
        }
    }
}
