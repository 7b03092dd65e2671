//! Block formats against vectors made by ggml's reference encoders and decoders.

use ktwin_num::{BlockFormat, Rng};
use proptest::prelude::*;

fn bytes(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/golden/blocks/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn floats(name: &str) -> Vec<f32> {
    bytes(name).as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}

fn decoded(format: BlockFormat, bytes: &[u8]) -> Vec<f32> {
    let mut out = vec![0.0; bytes.len() / format.bytes() * format.elements()];
    format.decode(bytes, &mut out);
    out
}

fn error(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum::<f64>() / a.len() as f64
}

const BY_THE_BYTE: [BlockFormat; 7] = [
    BlockFormat::Q4_0,
    BlockFormat::Q4_1,
    BlockFormat::Q5_0,
    BlockFormat::Q5_1,
    BlockFormat::Q8_0,
    BlockFormat::Q8_1,
    BlockFormat::Mxfp4,
];

#[test]
fn decode_agrees_bit_for_bit() {
    for format in BlockFormat::ALL.into_iter().filter(|f| ![BlockFormat::Q8_1, BlockFormat::Q8K].contains(f))
    {
        let ours = decoded(format, &bytes(&format!("{}.bin", format.name())));
        let golden = floats(&format!("{}.f32", format.name()));
        assert_eq!(ours.len(), golden.len());
        for (i, (a, b)) in ours.iter().zip(&golden).enumerate() {
            assert_eq!(a.to_bits(), b.to_bits(), "{} element {i}: {a} is not {b}", format.name());
        }
    }
}

#[test]
fn encode_agrees_byte_for_byte() {
    for format in BY_THE_BYTE {
        let ours = format.encode(&floats("input.f32"));
        let golden = bytes(&format!("{}.bin", format.name()));
        let first = ours.iter().zip(&golden).position(|(a, b)| a != b);
        assert_eq!((ours.len(), first), (golden.len(), None), "{}", format.name());
    }
}

#[test]
fn other_encoders_are_as_good() {
    let input = floats("input.f32");
    let by_the_byte = |f: &BlockFormat| BY_THE_BYTE.contains(f) || *f == BlockFormat::Q8K;
    for format in BlockFormat::ALL.into_iter().filter(|f| !by_the_byte(f)) {
        let ours = error(&decoded(format, &format.encode(&input)), &input);
        let golden = error(&floats(&format!("{}.f32", format.name())), &input);
        assert!(ours <= 1.05 * golden, "{}: mean square error {ours:e}, golden {golden:e}", format.name());
        println!("{} {:.3}", format.name(), ours / golden);
    }
}

/// q8_K as its description has it: the number of largest magnitude becomes -127, the others the nearest whole
/// number of the same steps, ties to even; sums of 16 codes follow.
fn plain_q8_k(x: &[f32]) -> Vec<u8> {
    let most = x.iter().fold(0.0f32, |m, v| if v.abs() > m.abs() { *v } else { m });
    let inverse = if most == 0.0 { 0.0 } else { -127.0f32 / most };
    let codes: Vec<i8> =
        x.iter().map(|v| (v * inverse).round_ties_even().clamp(-127.0, 127.0) as i8).collect();
    let scale = if most == 0.0 { 0.0 } else { 1.0 / inverse };
    let sums =
        codes.chunks(16).flat_map(|part| part.iter().map(|q| i16::from(*q)).sum::<i16>().to_le_bytes());
    scale.to_le_bytes().into_iter().chain(codes.iter().map(|q| *q as u8)).chain(sums).collect()
}

#[test]
fn q8_k_is_a_scale_codes_and_their_sums() {
    let format = BlockFormat::Q8K;
    let input = floats("input.f32");
    let ours = format.encode(&input);
    for (block, x) in ours.chunks_exact(format.bytes()).zip(input.chunks_exact(256)) {
        assert_eq!(block, plain_q8_k(x));
        let scale = f32::from_le_bytes([block[0], block[1], block[2], block[3]]);
        let plain: Vec<f32> = block[4..260].iter().map(|q| scale * f32::from(*q as i8)).collect();
        assert_eq!(decoded(format, block), plain);
    }
    assert!(ours.len() > 4 * format.bytes());
    assert_eq!(format.encode(&[0.0; 256]), [0; 292]);
    // ties go to even: the scale is 2
    let mut x = [0.0f32; 256];
    (x[0], x[1], x[2]) = (-254.0, 1.0, 3.0);
    let block = format.encode(&x);
    assert_eq!((block[4] as i8, block[5], block[6]), (-127, 0, 2));
}

proptest! {
    #[test]
    fn any_bytes_decode_and_any_numbers_encode(
        bytes in prop::collection::vec(any::<u8>(), 292), wild in prop::collection::vec(any::<f32>(), 256),
    ) {
        for format in BlockFormat::ALL {
            prop_assert_eq!(decoded(format, &bytes[..format.bytes()]).len(), format.elements());
            prop_assert_eq!(format.encode(&wild).len(), 256 / format.elements() * format.bytes());
        }
    }

    #[test]
    fn encoding_keeps_what_its_bits_can(seed: u64, exponent in -6i32..8) {
        let mut rng = Rng::new(seed, 0);
        let values: Vec<f32> =
            (0..256).map(|_| (2.0 * rng.uniform() - 1.0) as f32 * 2f32.powi(exponent)).collect();
        for format in BlockFormat::ALL {
            let back = decoded(format, &format.encode(&values));
            // The noise of the step that so many bits leave is a third of this; uneven codes and shared scales
            // cost the rest.
            let bits = (8 * format.bytes() / format.elements()).clamp(2, 8);
            let room = 4f64.powi(exponent - bits as i32) * 3.0;
            let error = error(&back, &values);
            prop_assert!(error <= room, "{}: {error:e} of {room:e}", format.name());
            prop_assert!(error > 0.0);
        }
    }
}
