//! `ktwin compare` of two files of arrays, name by name.

use ktwin_num::{DType, Rng};

use super::support::{folder, ktwin, refuse, sample, save, succeed};

#[test]
fn two_files_are_compared_array_by_array() {
    let dir = folder("compare_two");
    let mut rng = Rng::new(9, 0);
    let x: Vec<f64> = (0..64).map(|_| DType::F32.round(rng.normal())).collect();
    let of = |name: &str, dtype: DType, values: &[f64]| save(&dir, name, dtype, &[2, 32], values);
    let a = of("a.npy", DType::F32, &x);
    let half: Vec<f64> = x.iter().map(|v| DType::F16.round(*v)).collect();
    succeed(&["compare", &a, &of("b.npy", DType::F16, &half)]);
    let run = ktwin(&["compare", &a, &of("c.npy", DType::F32, &half)]);
    assert!(run.code == 1 && run.out.contains("elements wrong"), "{}", run.out);
    let run = ktwin(&["compare", &a, &of("d.npy", DType::F32, &half), "--policy", "nmse:1e-6"]);
    assert!(run.code == 0 && run.out.contains("policy nmse:1e-6: all right"), "{}", run.out);
    let shape = save(&dir, "e.npy", DType::F32, &[32, 2], &x);
    assert!(ktwin(&["compare", &a, &shape]).out.contains("shape "));
    let (first, second) = (sample("stored.npz"), sample("model.safetensors"));
    let run = ktwin(&["compare", &first, &second]);
    assert!(run.code == 1 && run.out.contains("is not in"), "{}", run.out);
    assert_eq!(ktwin(&["compare", &first, &first]).code, 0);
}

#[test]
fn json_of_two_files_is_one_object() {
    let (a, b) = (sample("stored.npz"), sample("model.safetensors"));
    let run = ktwin(&["compare", &a, &b, "--format", "json"]);
    let all: serde_json::Value =
        serde_json::from_str(&run.out).unwrap_or_else(|e| panic!("{e}: {}", run.out));
    assert_eq!((run.code, &all["right"]), (1, &serde_json::json!(false)));
    let of = |name: &str| all["arrays"].as_array().unwrap().iter().find(|a| a["name"] == name).unwrap();
    assert_eq!(of("h")["outcome"], "extra");
    assert_eq!((&of("x")["outcome"], &of("x")["wrong"]), (&"pass".into(), &0.into()), "{}", run.out);
    assert!(of("x")["measures"]["values"]["nmse"].is_number(), "{}", run.out);
    let same = succeed(&["compare", &a, &a, "--format", "json", "--policy", "exact"]);
    let same: serde_json::Value = serde_json::from_str(&same).unwrap();
    assert_eq!((&same["right"], &same["policy"]), (&true.into(), &"exact".into()));
}

#[test]
fn a_file_of_arrays_that_is_missing_is_named() {
    let dir = folder("compare_missing");
    let (there, not) =
        (save(&dir, "x.npy", DType::F32, &[1], &[1.0]), dir.join("no.npy").display().to_string());
    for both in [[&there, &not], [&not, &there]] {
        let error = refuse(&["compare", both[0], both[1]]);
        assert!(error.contains("no.npy: cannot open it"), "{error}");
    }
}
