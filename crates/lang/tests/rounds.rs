//! Kernels that round inputs further than they are stored: inside the bars that know it, outside those that
//! do not.

use ktwin_lang::{Case, Elements, Meaning, Op, Output, Promise, Rounding, Rounds};
use ktwin_num::{DType, Fill, Float, Language, Regime, Tensor, fill};

const OP: &str =
    "# product -- a matrix by a vector\nop product(a[M, K], x[K]) -> y[M]\n\ny[m] = sum[k](a[m, k] * x[k])\n";

fn rounds(op: &Op, dtype: &str) -> Rounds {
    let mut rounds = Rounds::none(op);
    rounds.add(op, "x", DType::parse(dtype).unwrap()).unwrap();
    rounds
}

fn evaluate(case: &Case, inputs: &[Tensor], meaning: &Meaning, of: Elements) -> Output {
    case.evaluate(inputs, meaning, of).unwrap().remove(0)
}

#[test]
fn inputs_that_a_kernel_rounds_widen_the_bar_by_just_that() {
    let op = Op::parse("product.op", OP).unwrap();
    let case = op.bind(&[("M", 40), ("K", 300)], &[]).unwrap();
    let made = |(stream, shape): (usize, &Vec<usize>)| {
        let plan = Fill { stream: stream as u64, ..Fill::new(Regime::Normal, 7) };
        fill(&plan, DType::Float(Float::F32), shape)
    };
    let inputs: Vec<Tensor> = case.input_shapes.iter().enumerate().map(made).collect();
    for dtype in ["q8_0", "q8_1", "q8_K", "q4_0", "q4_1", "q5_0", "q5_1", "f16", "e4m3"] {
        let rounding = Rounding { rounds: rounds(&op, dtype), ..Rounding::new(&op, Float::F32, Float::F32) };
        let kernel = evaluate(&case, &inputs, &Meaning::Rounded(rounding), Elements::All).values;
        let meaning = |rounds: Rounds| {
            let promise = Promise::new(&op, Language::C, Float::F32, Float::F32).reading(&inputs);
            Meaning::Bars(Promise { rounds, structured: false, ..promise })
        };
        let (knows, not) = (meaning(rounds(&op, dtype)), meaning(Rounds::none(&op)));
        let outside = |meaning: &Meaning| {
            let twin = evaluate(&case, &inputs, meaning, Elements::All);
            (0..40).filter(|i| (kernel[*i] - twin.values[*i]).abs() > twin.bars[*i]).count()
        };
        assert_eq!(outside(&knows), 0, "{dtype}");
        assert!(outside(&not) > 30, "{dtype}");
        let (all, chosen) = (
            evaluate(&case, &inputs, &knows, Elements::All),
            evaluate(&case, &inputs, &knows, Elements::Of(0, &[3, 17])),
        );
        assert!((chosen.bars[1] / all.bars[17] - 1.0).abs() < 1e-6, "{dtype}");
    }
}

#[test]
fn what_cannot_be_rounded_is_said() {
    let op = Op::parse("product.op", OP).unwrap();
    let wrong =
        |name: &str, dtype: &str| Rounds::none(&op).add(&op, name, DType::parse(dtype).unwrap()).unwrap_err();
    assert_eq!(
        wrong("xx", "f16"),
        "op product has no input or definition `xx`, did you mean `x`? (it has a, x, y)"
    );
    assert!(wrong("y", "q8_1").contains("y is a definition"));
    assert!(wrong("x", "q6_K").contains("cannot be rounded to q6_K"));
}
