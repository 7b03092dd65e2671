//! Sums of rows with random signs: honest products raise no doubt, and one wrong element does.

mod support;

use ktwin_lang::{Case, Elements, Meaning, Promise, Rounding, Value};
use ktwin_num::{DType, Fill, Float, Language, Regime, Tensor, fill};

use support::op;

const PRODUCTS: [(&str, &[(&str, i64)]); 4] = [
    ("gemm", &[("M", 24), ("K", 300), ("N", 70)]),
    ("gemm_tn", &[("M", 9), ("K", 1030), ("N", 33)]),
    ("gemv", &[("N", 130), ("K", 257)]),
    ("gemm_nt", &[("M", 1), ("K", 64), ("N", 999)]),
];
const REGIMES: [Regime; 4] = [Regime::Normal, Regime::Far, Regime::Wide, Regime::Mixed];
const F32: Float = Float::F32;

fn inputs(case: &Case, regime: Regime, seed: u64) -> Vec<Tensor> {
    let shapes = case.input_shapes.iter().enumerate();
    let one = |(stream, shape): (usize, &Vec<usize>)| {
        fill(&Fill { stream: stream as u64, ..Fill::new(regime, seed) }, DType::F32, shape)
    };
    shapes.map(one).collect()
}

#[test]
fn honest_products_raise_no_doubt_and_one_wrong_element_does() {
    for (name, dims) in PRODUCTS {
        let op = op(name);
        let case = op.bind(dims, &[] as &[(&str, Value)]).expect("a case");
        assert!(case.is_product(0), "{name}");
        let promise = Promise { outputs: vec![Some(DType::F32)], ..Promise::new(&op, Language::C, F32, F32) };
        for (seed, regime) in (0..20).flat_map(|seed| REGIMES.map(|regime| (seed, regime))) {
            let inputs = inputs(&case, regime, seed);
            let made = |meaning: &Meaning| {
                case.evaluate(&inputs, meaning, Elements::All).expect("values").swap_remove(0)
            };
            let rounding = Rounding { outputs: vec![Some(DType::F32)], ..Rounding::new(&op, F32, F32) };
            let (mut got, due) =
                (made(&Meaning::Rounded(rounding)).values, made(&Meaning::Bars(promise.clone())));
            let doubtful = |got: &[f64]| {
                case.doubtful(&inputs, &promise, (0, got), seed).expect("sums").expect("a product")
            };
            assert_eq!(doubtful(&got), Vec::<usize>::new(), "{name} {regime:?} {seed}");
            let at = (seed as usize * 7919) % got.len();
            let widest = due.bars.iter().fold(0.0, |most: f64, bar| most.max(*bar));
            got[at] += 100.0 * widest * (got.len() as f64).sqrt();
            assert!(doubtful(&got).contains(&at), "{name} {regime:?} {seed}: element {at}");
            got[at] = f64::NAN;
            assert!(doubtful(&got).contains(&at), "{name} {regime:?} {seed}: a NaN");
        }
    }
}

#[test]
fn what_is_no_plain_product_is_not_added_up() {
    for name in ["softmax", "gemm_bias_gelu", "conv2d"] {
        let op = op(name);
        let sizes: Vec<(&str, i64)> = op.dims.iter().map(|dim| (dim.name.as_str(), 2)).collect();
        if let Ok(case) = op.bind(&sizes, &[] as &[(&str, Value)]) {
            assert!(!case.is_product(0), "{name}");
        }
    }
}
