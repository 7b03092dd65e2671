//! Tensors: what goes in comes out, in every type and layout.

use ktwin_num::{BlockFormat, DType, Float, Layout, Tensor, Told};
use proptest::prelude::*;

fn some(n: usize) -> Vec<f64> {
    (0..n).map(|i| ((i * 37 % 101) as f64 - 50.0) / 8.0).collect()
}

#[test]
fn every_type_stores_what_it_rounds_to() {
    for (name, dtype) in DType::ALL.iter().filter(|(_, t)| t.elements_per_block() == 1) {
        let values = some(60);
        let tensor = Tensor::from_f64(*dtype, &[3, 20], &values);
        let expected: Vec<f64> = values.iter().map(|v| dtype.round(*v)).collect();
        assert_eq!(tensor.to_f64(), expected, "{name}");
        assert_eq!(tensor.get_f64(&[2, 7]), expected[47], "{name}");
        let whole: Vec<i64> = expected.iter().map(|v| *v as i64).collect();
        assert_eq!(tensor.to_i64(), whole, "{name}");
        assert_eq!(Tensor::zeros(*dtype, &[4]).to_f64(), [0.0; 4], "{name}");
    }
}

#[test]
fn layouts_keep_the_elements_and_poison_the_gaps() {
    for (name, dtype) in DType::ALL {
        let n = 2 * dtype.elements_per_block();
        let tensor = Tensor::from_f64(*dtype, &[2, 3, n], &some(6 * n));
        for (label, layout) in Layout::ALL {
            let moved = match tensor.with_layout(*layout) {
                Ok(moved) => moved,
                Err(e) => {
                    assert!(dtype.elements_per_block() > 1 && *layout == Layout::Transposed, "{name} {e}");
                    continue;
                }
            };
            let same: Vec<u64> = moved.to_f64().iter().map(|v| v.to_bits()).collect();
            assert_eq!(
                same,
                tensor.to_f64().iter().map(|v| v.to_bits()).collect::<Vec<_>>(),
                "{name} {label}"
            );
            assert_eq!(moved.with_layout(Layout::Row).unwrap(), tensor, "{name} {label}");
            assert_eq!(moved.is_contiguous(), *layout == Layout::Row, "{name} {label}");
            let gaps = moved.storage_len() - tensor.storage_len();
            let expected = match layout {
                Layout::Strided => 6 * if n == 2 { 3 } else { n / 2 },
                Layout::Offset => dtype.elements_per_block(),
                _ => 0,
            };
            assert_eq!(gaps, expected, "{name} {label}");
        }
    }
}

fn told(strides: &[usize]) -> Told {
    Told { strides: strides.to_vec(), offset: false }
}

#[test]
fn padded_rows_begin_past_an_offset_that_is_told() {
    let tensor = Tensor::from_f64(DType::F32, &[2, 3], &some(6));
    let moved = tensor.laid_out(Layout::Strided, &Told { strides: vec![0, 1], offset: true }).unwrap();
    assert_eq!((moved.offset, moved.strides.as_slice(), moved.to_f64()), (5, &[12, 2][..], tensor.to_f64()));
    let blocks = Tensor::zeros(DType::Block(BlockFormat::Q8_0), &[2, 64]);
    assert_eq!(
        blocks.laid_out(Layout::Strided, &Told { strides: vec![], offset: true }).unwrap().offset,
        160
    );
}

#[test]
fn slices_lie_apart_where_their_stride_is_told() {
    let tensor = Tensor::from_f64(DType::F32, &[2, 3, 5, 5], &some(150));
    let moved = tensor.laid_out(Layout::Strided, &told(&[0, 1, 2])).unwrap();
    assert_eq!(moved.strides, [4 * 6 * 8, 6 * 8, 8, 1]);
    let wide = tensor.laid_out(Layout::Strided, &told(&[3])).unwrap();
    assert_eq!((wide.strides.as_slice(), wide.to_f64()), (&[240, 80, 16, 2][..], tensor.to_f64()));
    assert_eq!(moved.to_f64(), tensor.to_f64());
    assert_eq!(tensor.laid_out(Layout::Strided, &told(&[1])).unwrap().strides, [3 * 6 * 8, 6 * 8, 8, 1]);
    assert_eq!(tensor.laid_out(Layout::Offset, &told(&[0])).unwrap().strides, [75, 25, 5, 1]);
}

#[test]
fn rows_of_every_other_shape_are_aligned_to_lines() {
    let strides = |shape: &[usize]| {
        let tensor = Tensor::from_f64(DType::F32, shape, &some(shape.iter().product()));
        tensor.with_layout(Layout::Strided).unwrap().strides
    };
    assert_eq!(strides(&[2, 2]), [128, 1]);
    assert_eq!(strides(&[2, 64]), [128, 1]);
    assert_eq!(strides(&[3, 66]), [69, 1]);
    assert_eq!(strides(&[256, 256]), [259, 1], "a large one");
}

#[test]
fn gaps_are_nan() {
    for name in ["f64", "f32", "tf32", "f16", "bf16", "e4m3", "e5m2"] {
        let dtype = DType::parse(name).unwrap();
        let moved = Tensor::from_f64(dtype, &[2, 3], &[1.0; 6]).with_layout(Layout::Strided).unwrap();
        let mut all = vec![0.0; 12];
        moved.load_run(0, 1, &mut all);
        assert_eq!(all.iter().filter(|v| v.is_nan()).count(), 6, "{name}");
    }
}

#[test]
fn integers_keep_all_bits() {
    let values = [i64::MIN, -1, 0, (1 << 53) + 1, i64::MAX];
    assert_eq!(Tensor::from_i64(DType::I64, &[5], &values).to_i64(), values);
    let u64 = DType::parse("u64").unwrap();
    let tensor = Tensor::from_i64(u64, &[1], &[-1]);
    assert_eq!((tensor.to_i64(), tensor.to_f64()), (vec![-1], vec![u64::MAX as f64]));
}

#[test]
fn shapes_that_cannot_be_are_refused() {
    let q4_0 = DType::Block(BlockFormat::Q4_0);
    let e = Tensor::from_bytes(q4_0, &[2, 33], vec![0; 36]).unwrap_err();
    assert_eq!(e, "q4_0 stores blocks of 32 elements: the last dimension, 33, is not a multiple of 32");
    let e = Tensor::from_bytes(DType::F32, &[2, 3], vec![0; 20]).unwrap_err();
    assert_eq!(e, "f32 of shape [2, 3] takes 24 bytes, there are 20");
    let e = Tensor::bytes_needed(DType::F32, &[1 << 40, 1 << 40]).unwrap_err();
    assert_eq!(e, "a tensor of shape [1099511627776, 1099511627776] does not fit in memory");
    assert!(Tensor::bytes_needed(q4_0, &[]).is_err());
    assert_eq!(Tensor::zeros(DType::F32, &[3, 0, 2]).to_f64(), []);
    assert_eq!(Tensor::from_f64(DType::F32, &[], &[2.5]).to_f64(), [2.5]);
}

proptest! {
    #[test]
    fn runs_read_what_single_reads_do(
        which in 0..DType::ALL.len(), first in 0usize..512, step in -9isize..9, n in 1usize..40, seed: u64,
    ) {
        let dtype = DType::ALL[which].1;
        let total = 1024usize;
        let values: Vec<f64> = (0..total as u64)
            .map(|i| (i.wrapping_mul(seed | 1) >> 40) as f64 / 65536.0 - 100.0)
            .collect();
        let tensor = Tensor::from_f64(dtype, &[total], &values);
        let first = first + 400;
        let at: Vec<usize> = (0..n).map(|i| first.wrapping_add_signed(step * i as isize)).collect();
        prop_assume!(at.iter().all(|a| *a < total));
        let single: Vec<f64> = at.iter().map(|a| tensor.get_f64(&[*a])).collect();
        let (mut run, mut gathered) = (vec![0.0; n], vec![0.0; n]);
        tensor.load_run(first, step, &mut run);
        tensor.load_at(&at, &mut gathered);
        prop_assert_eq!(&run, &single);
        prop_assert_eq!(&gathered, &single);
        let (mut ints, mut ints_at) = (vec![0; n], vec![0; n]);
        tensor.load_run_int(first, step, &mut ints);
        tensor.load_at_int(&at, &mut ints_at);
        prop_assert_eq!(&ints, &single.iter().map(|v| *v as i64).collect::<Vec<_>>());
        prop_assert_eq!(&ints, &ints_at);
    }

    #[test]
    fn what_is_stored_is_loaded(which in 0..DType::ALL.len(), first in 0usize..50, step in 1isize..5) {
        let dtype = DType::ALL[which].1;
        prop_assume!(dtype.elements_per_block() == 1);
        let mut tensor = Tensor::zeros(dtype, &[256]);
        let values = some(40);
        tensor.store_run(first, step, &values);
        let mut back = vec![0.0; 40];
        tensor.load_run(first, step, &mut back);
        prop_assert_eq!(back, values.iter().map(|v| dtype.round(*v)).collect::<Vec<_>>());
        let written = values.iter().filter(|v| dtype.round(**v) != 0.0).count();
        prop_assert_eq!(tensor.to_f64().iter().filter(|v| **v != 0.0).count(), written);
    }

    #[test]
    fn rounding_once(x in any::<f64>()) {
        // The fast scalar helpers against the one generic routine.
        let fast = [(DType::F16, Float::F16), (DType::BF16, Float::BF16), (DType::F32, Float::F32)];
        for (dtype, float) in fast {
            let stored = Tensor::from_f64(dtype, &[1], &[x]).to_f64()[0];
            prop_assert!(stored == float.round(x) || stored.is_nan() && x.is_nan());
        }
    }
}
