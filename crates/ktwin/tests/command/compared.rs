//! What `ktwin compare` reads of files: every bit, and nothing left out.

use ktwin::arrays::NpyWriter;
use ktwin_num::DType;

use crate::support::{folder, ktwin, refuse, save, succeed};

#[test]
fn integers_keep_all_their_bits() {
    let dir = folder("compare_wide");
    let file = |name: &str, first: i64| {
        let path = dir.join(name);
        let mut writer = NpyWriter::new(std::fs::File::create(&path).unwrap(), DType::I64, &[2]).unwrap();
        writer.integers(&[first, 1]).unwrap();
        writer.finish().unwrap();
        path.display().to_string()
    };
    let (odd, even) = (file("odd.npy", (1 << 53) + 1), file("even.npy", 1 << 53));
    succeed(&["compare", &odd, &odd]);
    for pair in [[&odd, &even], [&even, &odd]] {
        assert_eq!(ktwin(&["compare", pair[0], pair[1]]).code, 1, "{pair:?}");
    }
}

#[test]
fn scalars_beside_arrays_are_not_left_out() {
    let part = |name: &str, shape: &str, from: usize, to: usize| {
        format!(r#""{name}":{{"dtype":"F32","shape":{shape},"data_offsets":[{from},{to}]}}"#)
    };
    let header =
        format!("{{{},{},{}}}", part("x", "[1,2]", 0, 8), part("w", "[2]", 8, 16), part("eps", "[]", 16, 20));
    let bytes = [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &[0; 20]].concat();
    let path = folder("compare_scalar").join("in.safetensors");
    std::fs::write(&path, bytes).unwrap();
    let path = path.display().to_string();
    let said = refuse(&["compare", "rmsnorm", "--in", &path, "--out", "y=y.npy"]);
    assert!(
        said.contains("in.safetensors holds eps, a scalar of op rmsnorm: give it as eps=VALUE"),
        "{said}"
    );
}

/// Numbers that f32 holds, as their sums do.
fn numbers(count: u32, step: f64) -> Vec<f64> {
    (0..count).map(|n| f64::from(n * 7 % 31) * step).collect()
}

#[test]
fn fewer_leading_dimensions_are_the_last_of_them() {
    let dir = folder("compare_fewer_leading");
    let (a, b) = (numbers(2 * 3 * 5, 0.5), numbers(3 * 5, -0.25));
    save(&dir, "a.npy", DType::F32, &[2, 3, 5], &a);
    save(&dir, "b.npy", DType::F32, &[3, 5], &b);
    let mut c: Vec<f64> = a.iter().zip(b.iter().cycle()).map(|(a, b)| a + b).collect();
    let at = |name: &str| format!("{name}={}", dir.join(name).with_extension("npy").display());
    let command = ["compare", "add", "--in", &at("a"), "--in", &at("b"), "--out", &at("c")];
    save(&dir, "c.npy", DType::F32, &[2, 3, 5], &c);
    assert!(succeed(&command).contains("add N=5, at each of [2, 3]"));
    c.swap(5, 10);
    save(&dir, "c.npy", DType::F32, &[2, 3, 5], &c);
    let wrong = ktwin(&command);
    assert!(wrong.code == 1 && wrong.out.contains("2 of 6 applications"), "{}", wrong.out);
}

#[test]
fn narrow_whole_numbers_are_how_an_output_is_stored() {
    let dir = folder("compare_narrow");
    let x = [1.0, 24.65, -3.5, 300.0, 7.25, 0.0];
    save(&dir, "x.npy", DType::F32, &[6], &x);
    let at = |name: &str| format!("{name}={}", dir.join(name).with_extension("npy").display());
    let command = ["compare", "scale", "alpha=1", "--in", &at("x"), "--out", &at("y")];
    save(&dir, "y.npy", DType::Int { bits: 8, signed: true }, &[6], &[1.0, 24.0, -3.0, 127.0, 7.0, 0.0]);
    assert!(succeed(&command).contains("out     y [6] i8"));
    // half a step from the number that was not cut
    save(&dir, "y.npy", DType::Int { bits: 8, signed: true }, &[6], &[1.0, 25.0, -4.0, 127.0, 7.0, 0.0]);
    assert_eq!(ktwin(&command).code, 1);
    let by_type = [&command[..], &["--policy", "by_type"]].concat();
    assert_eq!(ktwin(&by_type).code, 0, "{}", ktwin(&by_type).out);
    save(&dir, "y.npy", DType::Int { bits: 8, signed: true }, &[6], &[1.0, 24.0, -4.0, 127.0, 7.0, 0.0]);
    let wrong = ktwin(&by_type);
    assert!(wrong.code == 1 && wrong.out.contains("24.6"), "{}", wrong.out);
}
