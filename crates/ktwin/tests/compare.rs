//! `ktwin compare` as a user calls it: right arrays pass, wrong ones are told where, and what does not fit is refused
//! in one line.

mod support;

use std::path::{Path, PathBuf};

use ktwin_num::{DType, Rng};
use support::{folder, ktwin, refuse, sample, save, succeed};

const F32: DType = DType::F32;

fn random(seed: u64, n: usize) -> Vec<f64> {
    let mut rng = Rng::new(seed, 0);
    (0..n).map(|_| F32.round(rng.normal())).collect()
}

/// Sums of rows, by the seventh in the type of `round`.
fn row_sums(x: &[f64], columns: usize, round: DType) -> Vec<f64> {
    let sum = |row: &[f64]| row.iter().fold(0.0, |s, v| round.round(s + v));
    x.chunks(columns).map(sum).collect()
}

/// Rows and their sums, in files.
struct Rows {
    dir: PathBuf,
    x: Vec<f64>,
}

const SHAPE: [usize; 2] = [24, 600];

impl Rows {
    fn new(name: &str) -> Rows {
        let (dir, x) = (folder(name), random(3, SHAPE[0] * SHAPE[1]));
        save(&dir, "x.npy", F32, &SHAPE, &x);
        Rows { dir, x }
    }

    fn path(&self, file: &str) -> String {
        self.dir.join(file).display().to_string()
    }

    /// The words of a comparison with these sums.
    fn with(&self, dtype: DType, sums: &[f64]) -> Vec<String> {
        save(&self.dir, "y.npy", dtype, &[sums.len()], sums);
        ["compare", "row_sum", "--in", &format!("x={}", self.path("x.npy")), "--out"]
            .map(String::from)
            .into_iter()
            .chain([format!("y={}", self.path("y.npy"))])
            .collect()
    }
}

fn words(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

#[test]
fn honest_sums_pass_by_statistical_bars_and_coarse_ones_fail() {
    let rows = Rows::new("compare_sums");
    let text = succeed(&words(&rows.with(F32, &row_sums(&rows.x, 600, F32))));
    assert!(text.contains("row_sum R=24,D=600\n"), "{text}");
    assert!(text.contains("sums: statistical; honest orders on these arrays need at most"), "{text}");
    assert!(text.contains("pass ") && text.contains("a kernel one rung coarser would fail"), "{text}");
    for measure in ["mse", "nmse", "max_abs", "mean_abs", "max_rel", "ulps", "correlation", "cosine", "ratio"]
    {
        assert!(text.contains(&format!("{measure} ")), "{measure}: {text}");
    }
    let coarse =
        ktwin(&words(&rows.with(F32, &row_sums(&rows.x, 600, DType::Float(ktwin_num::Float::TF32)))));
    assert_eq!(coarse.code, 1, "{}", coarse.out);
    assert!(coarse.out.contains("behaves like f32 with tf32 accumulation, promised f32"), "{}", coarse.out);
    let mut dropped = row_sums(&rows.x, 600, F32);
    dropped[23] -= rows.x[23 * 600 + 599];
    let wrong = ktwin(&words(&rows.with(F32, &dropped)));
    assert!(wrong.code == 1 && wrong.out.contains("y [24]: 1 of 24 elements wrong"), "{}", wrong.out);
}

#[test]
fn sums_whose_roundings_conspire_pass_by_either_rule() {
    let rows = Rows::new("compare_conspire");
    // large ones first: each small term is lost, always in the same direction
    let x: Vec<f64> = (0..SHAPE[0] * SHAPE[1])
        .map(|at| if at % 600 == 0 { 16777216.0 } else { F32.round(0.9 + 0.0001 * (at % 7) as f64) })
        .collect();
    save(&rows.dir, "x.npy", F32, &SHAPE, &x);
    let command = rows.with(F32, &row_sums(&x, 600, F32));
    let text = succeed(&words(&command));
    let worst = succeed(&[&words(&command)[..], &["--bars", "worst"]].concat());
    assert!(worst.contains("sums: worst case, as asked"), "{worst}");
    assert!(text.contains("pass "), "{text}");
}

#[test]
fn types_of_outputs_come_from_the_arrays() {
    let rows = Rows::new("compare_types");
    let half: Vec<f64> = row_sums(&rows.x, 600, F32).iter().map(|v| DType::F16.round(*v)).collect();
    let text = succeed(&words(&rows.with(DType::F16, &half)));
    assert!(text.contains("out     y [24] f16"), "{text}");
    // dumped as f32, the same numbers are wrong until their type is said
    let command = rows.with(F32, &half);
    let wrong = ktwin(&words(&command));
    let hint = "all of y are f16 numbers: if it was dumped from f16, say so with --device-dtype y=f16";
    assert!(wrong.code == 1 && wrong.out.contains(hint), "{}", wrong.out);
    succeed(&[&words(&command)[..], &["--device-dtype", "f16"]].concat());
    succeed(&[&words(&command)[..], &["--types", "y=f16"]].concat());
    let command = rows.with(F32, &row_sums(&rows.x, 600, F32));
    let error = refuse(&[&words(&command)[..], &["--device-dtype", "y=f16"]].concat());
    assert!(error.contains("which f16 does not hold: the array is f32"), "{error}");
}

#[test]
fn bits_of_short_floats_are_taken_for_what_they_are() {
    let dir = folder("compare_bits");
    let (bf16, u16) = (DType::Float(ktwin_num::Float::BF16), DType::Int { bits: 16, signed: false });
    let x: Vec<f64> = random(4, 400).iter().map(|v| bf16.round(*v)).collect();
    let bits: Vec<f64> = x.iter().map(|v| f64::from((*v as f32).to_bits() >> 16)).collect();
    save(&dir, "x.npy", u16, &[8, 50], &bits);
    save(&dir, "y.npy", F32, &[8], &row_sums(&x, 50, F32));
    let at = |name: &str| dir.join(name).display().to_string();
    let (input, output) = (format!("x={}", at("x.npy")), format!("y={}", at("y.npy")));
    let text = succeed(&["compare", "row_sum", "--in", &input, "--types", "x=bf16", "--out", &output]);
    assert!(text.contains("in      x [8, 50] bf16"), "{text}");
}

#[test]
fn sums_of_terms_that_are_alike_have_the_bars_of_the_worst_case() {
    let rows = Rows::new("compare_alike");
    let x = vec![F32.round(0.1); SHAPE[0] * SHAPE[1]];
    save(&rows.dir, "x.npy", F32, &SHAPE, &x);
    let command = rows.with(F32, &row_sums(&x, 600, F32));
    for bars in ["auto", "statistical"] {
        let text = succeed(&[&words(&command)[..], &["--bars", bars]].concat());
        assert!(text.contains("sums: worst case, which comes to the same bars"), "{text}");
    }
    let json = succeed(&[&words(&command)[..], &["--format", "json"]].concat());
    assert!(json.contains("\"sums\":\"worst case, which comes"), "{json}");
}

#[test]
fn leading_dimensions_are_applied_one_by_one() {
    let dir = folder("compare_leading");
    let x = random(5, 2 * 3 * 4 * 50);
    let at = |name: &str| dir.join(name).display().to_string();
    save(&dir, "x.npy", F32, &[2, 3, 4, 50], &x);
    let mut sums = row_sums(&x, 50, F32);
    save(&dir, "y.npy", F32, &[2, 3, 4], &sums);
    let (input, output) = (format!("x={}", at("x.npy")), format!("y={}", at("y.npy")));
    let text = succeed(&["compare", "row_sum", "--in", &input, "--out", &output]);
    assert!(text.contains("row_sum R=4,D=50, at each of [2, 3]"), "{text}");
    sums[13] += 1.0;
    save(&dir, "y.npy", F32, &[2, 3, 4], &sums);
    let wrong = ktwin(&["compare", "row_sum", "--in", &input, "--out", &output]);
    assert!(wrong.code == 1 && wrong.out.contains("1 of 6 applications"), "{}", wrong.out);
    assert!(wrong.out.contains("the first wrong application is at [1, 0] of"), "{}", wrong.out);
    assert!(wrong.out.contains("\ny       worst over all applications: mse "), "{}", wrong.out);
    // the worst is shown, and the first is named all the same
    sums[7] += 0.5;
    save(&dir, "y.npy", F32, &[2, 3, 4], &sums);
    let wrong = ktwin(&["compare", "row_sum", "--in", &input, "--out", &output]);
    assert!(wrong.out.contains("is at [0, 1] of the leading dimensions; shown is the worst, at [1, 0]"));
    save(&dir, "y.npy", F32, &[4], &sums[..4]);
    let error = refuse(&["compare", "row_sum", "--in", &input, "--out", &output]);
    assert!(error.contains("has the leading dimensions [2, 3], and output y[R]"), "{error}");
    save(&dir, "y.npy", F32, &[3, 2, 4], &sums);
    let error = refuse(&["compare", "row_sum", "--in", &input, "--out", &output]);
    assert!(error.contains("give an array of shape [2, 3, R], or reshape x"), "{error}");
}

/// The softmax of each row.
fn softmax(x: &[f64], columns: usize) -> Vec<f64> {
    let row = |row: &[f64]| {
        let most = row.iter().fold(f64::NEG_INFINITY, |m, v| v.max(m));
        let sum: f64 = row.iter().map(|v| (v - most).exp()).sum();
        row.iter().map(|v| F32.round((v - most).exp() / sum)).collect::<Vec<_>>()
    };
    x.chunks(columns).flat_map(row).collect()
}

#[test]
fn wrong_arrays_are_diagnosed_as_kernels_are() {
    let dir = folder("compare_patterns");
    let x = random(8, 4 * 300);
    save(&dir, "x.npy", F32, &[4, 300], &x);
    let at = |name: &str| dir.join(name).display().to_string();
    let right = softmax(&x, 300);
    let said = |y: &[f64]| {
        save(&dir, "y.npy", F32, &[4, 300], y);
        let (input, output) = (format!("x={}", at("x.npy")), format!("y={}", at("y.npy")));
        ktwin(&["compare", "softmax", "--in", &input, "--out", &output]).out
    };
    assert!(said(&right).contains("pass "));
    let eightfold = said(&right.iter().map(|v| 8.0 * v).collect::<Vec<_>>());
    assert!(eightfold.contains("pattern: every wrong element is off by a constant factor 8"), "{eightfold}");
    let mut repeated = right.clone();
    repeated.copy_within(300..600, 600);
    let repeated = said(&repeated);
    assert!(
        repeated.contains("pattern: every wrong element equals the one in the previous row"),
        "{repeated}"
    );
    let tail = |(at, v): (usize, &f64)| if at % 300 < 256 { *v } else { 0.0 };
    let tail = said(&right.iter().enumerate().map(tail).collect::<Vec<_>>());
    assert!(tail.contains("d >= 256"), "{tail}");
}

#[test]
fn a_named_policy_decides_and_says_so() {
    let rows = Rows::new("compare_policy");
    let off: Vec<f64> = row_sums(&rows.x, 600, F32).iter().map(|v| F32.round(v * 1.001)).collect();
    let command = rows.with(F32, &off);
    let by = |policy: &str| ktwin(&[&words(&command)[..], &["--policy", policy]].concat());
    assert_eq!(ktwin(&words(&command)).code, 1);
    let taken = by("kernelbench");
    assert!(
        taken.code == 0 && taken.out.contains("pass    by policy kernelbench (allclose:"),
        "{}",
        taken.out
    );
    let refused = by("ulp:2");
    assert!(refused.code == 1 && refused.out.contains("refused by ulp:2"), "{}", refused.out);
    assert_eq!(by("nmse:1e-3").code, 0);
    assert_eq!(by("nmse:1e-9").code, 1);
    // what is used of what is allowed: an nmse of 1e-6 of 2.5e-6, one of 1e-6 of 1e-8
    let used = by("nmse:2.5e-6");
    assert!(used.out.contains("error 0.40 of what it allows"), "{}", used.out);
    let past = by("nmse:1e-8");
    assert!(past.code == 1 && past.out.contains("error 99.98 of what it allows"), "{}", past.out);
    let error = refuse(&[&words(&command)[..], &["--policy", "allclos:1,1"]].concat());
    assert!(error.contains("did you mean `allclose`?"), "{error}");
}

fn command<'a>(op: &'a str, input: &'a str, output: &'a str) -> Vec<&'a str> {
    vec!["compare", op, "--in", input, "--out", output]
}

#[test]
fn every_bad_array_gets_one_line() {
    let dir = folder("compare_bad");
    let file =
        |name: &str, shape: &[usize], values: &[f64]| format!("x={}", save(&dir, name, F32, shape, values));
    let y3 = format!("y={}", save(&dir, "y.npy", F32, &[3], &[-2.5, 1.5, 5.5]));
    let x = format!("x={}", sample("f32.npy"));
    let bad = |name: &str| format!("x={}", sample(name));
    for (input, output, says) in [
        (bad("bad_objects.npy"), y3.clone(), "Python objects (pickled)"),
        (bad("bad_truncated.npy"), y3.clone(), "its header promises"),
        (bad("bad_magic.npy"), y3.clone(), "not an .npy, .npz"),
        (bad("bad_complex.npy"), y3.clone(), "complex numbers"),
        (bad("none.npy"), y3.clone(), "cannot open it"),
        (bad("single.npy"), y3.clone(), "x[R, D] has 2 dimensions, the array has"),
        (file("zero.npy", &[0, 4], &[]), y3.clone(), "dimension R is 0; it must be at least 1"),
        (file("two.npy", &[2, 4], &[1.0; 8]), y3.clone(), "y[R] is [2] at these sizes, the array is [3]"),
        (x.clone(), x.replace("x=", "q="), "op row_sum has no output `q` (it has y)"),
        (x.replace("x=", "q="), y3.clone(), "op row_sum has no input `q` (it has x)"),
        (sample("unrelated.npz"), y3.clone(), "op row_sum has x: write NAME=FILE"),
        (x.clone(), sample("unrelated.npz"), "op row_sum has y: write NAME=FILE"),
    ] {
        let error = refuse(&command("row_sum", &input, &output));
        assert!(error.contains(says), "{input} {output}: {error}");
    }
    let error = refuse(&["compare", "row_sum", "--in", &x]);
    assert!(error.contains("output y[R] of op row_sum is not given: add --out y=FILE"), "{error}");
    let error = refuse(&["compare", "row_sum", "--out", &y3]);
    assert!(error.contains("input x[R, D] of op row_sum is not given: add --in x=FILE"), "{error}");
    succeed(&command("row_sum", &bad("f64_big_endian_fortran.npy"), &y3));
}

#[test]
fn values_outside_their_domain_are_refused() {
    let dir = folder("compare_domain");
    let of = |name: &str, dtype, shape: &[usize], values: &[f64]| save(&dir, name, dtype, shape, values);
    let table = format!("table={}", of("table.npy", F32, &[3, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    let rows = format!("y={}", of("rows.npy", F32, &[2, 2], &[5.0, 6.0, 1.0, 2.0]));
    let run =
        |ids: &str| ["compare", "embedding", "--in", &table, "--out", &rows, "--in", ids].map(String::from);
    let ids = |name: &str, values: &[f64]| format!("ids={}", of(name, DType::I32, &[2], values));
    succeed(&words(&run(&ids("good.npy", &[2.0, 0.0]))));
    let error = refuse(&words(&run(&ids("high.npy", &[3.0, 0.0]))));
    assert!(error.contains("ids: element 0 is 3, outside 0..3"), "{error}");
    let error = refuse(&words(&run(&ids("low.npy", &[2.0, -1.0]))));
    assert!(error.contains("ids: element 1 is -1"), "{error}");
    let floats = format!("ids={}", of("floats.npy", F32, &[2], &[2.0, 0.0]));
    assert!(refuse(&words(&run(&floats))).contains("ids holds integers, the array is f32; save it as int32"));
    let kept = |ids: &str| [run(ids).to_vec(), ["--types", "ids=f32"].map(String::from).to_vec()].concat();
    succeed(&words(&kept(&floats)));
    let parts = format!("ids={}", of("parts.npy", F32, &[2], &[2.0, 0.5]));
    assert!(refuse(&words(&kept(&parts))).contains("ids: element 1 is 0.5, which is not an integer"));
    let op = dir.join("root.op");
    std::fs::write(&op, "op root(x[N] >= 0) -> y[N]\n\ny[n] = sqrt(x[n])\n").unwrap();
    let y = format!("y={}", of("y.npy", F32, &[2], &[1.0, 2.0]));
    for (value, shown) in [(-1.0, "-1"), (f64::NAN, "NaN")] {
        let x = format!("x={}", of("x.npy", F32, &[2], &[1.0, value]));
        let error = refuse(&command(&op.display().to_string(), &x, &y));
        assert!(error.contains(&format!("input x: element 1 is {shown}; the op declares")), "{error}");
    }
}

#[test]
fn nan_is_told_and_what_it_does_not_touch_is_judged() {
    let dir = folder("compare_nan");
    let x = format!("x={}", save(&dir, "x.npy", F32, &[2, 3], &[1.0, f64::NAN, 2.0, 3.0, 4.0, 5.0]));
    let sums = |sums: &[f64]| format!("y={}", save(&dir, "y.npy", F32, &[2], sums));
    let right = ktwin(&command("row_sum", &x, &sums(&[f64::NAN, 12.0])));
    assert_eq!(right.code, 0, "{}", right.out);
    assert!(right.out.contains("1 of 2 elements not judged: NaN"), "{}", right.out);
    assert_eq!(ktwin(&command("row_sum", &x, &sums(&[f64::NAN, 13.0]))).code, 1);
    assert_eq!(ktwin(&command("row_sum", &x, &sums(&[f64::NAN, f64::NAN]))).code, 1);
}

#[test]
fn tensors_of_gguf_are_inputs_and_compared_by_name() {
    let (model, dir) = (sample("model.gguf"), folder("compare_gguf"));
    let y = format!("y={}", save(&dir, "y.npy", F32, &[3], &[-2.5, 1.5, 5.5]));
    let text = succeed(&command("row_sum", &format!("x={model}:x"), &y));
    assert!(text.contains("model.gguf:x"), "{text}");
    let blocks: Vec<f64> = (0..64).map(|i| f64::from(i) / 4.0 - 1.0).collect();
    let sums = format!("y={}", save(&dir, "q.npy", F32, &[2], &row_sums(&blocks, 32, F32)));
    let text = succeed(&command("row_sum", &format!("x={model}:q"), &sums));
    assert!(text.contains("x [2, 32] q8_0"), "{text}");
    let text = succeed(&["compare", &model, &model]);
    assert!(text.contains("5 arrays compared") && text.contains("all right"), "{text}");
    let run = ktwin(&["compare", &model, &sample("version2.gguf")]);
    assert!(run.code == 1 && run.out.contains("missing h is not in"), "{}", run.out);
}

#[test]
fn json_is_one_report() {
    let rows = Rows::new("compare_json");
    let command = rows.with(F32, &row_sums(&rows.x, 600, F32));
    let text = succeed(&[&words(&command)[..], &["--format", "json"]].concat());
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["verdict"], "pass");
    assert!(report["measures"][0]["values"]["nmse"].as_f64().unwrap() < 1e-12, "{text}");
    assert!(Path::new(&rows.path("y.npy")).exists());
}

#[test]
fn whole_numbers_are_judged_as_reals_unless_somebody_says_that_they_are_meant() {
    let dir = folder("compare_integers");
    let integers = |name: &str, values: &[f64]| {
        format!("y={}", save(&dir, name, DType::parse("i32").unwrap(), &[2], values))
    };
    let x = format!("x={}", save(&dir, "x.npy", F32, &[2], &[1.0, 2.0]));
    let whole = ktwin(&command("relu", &x, &integers("y.npy", &[1.0, 2.0])));
    assert_eq!((whole.code, whole.err.as_str()), (0, ""), "{}", whole.out);
    let half = format!("x={}", save(&dir, "half.npy", F32, &[2], &[0.25, 2.0]));
    let cut = integers("cut.npy", &[0.0, 2.0]);
    assert_eq!(ktwin(&command("relu", &half, &cut)).code, 1);
    let meant = ktwin(&[&command("relu", &half, &cut)[..], &["--types", "y=i32"]].concat());
    assert_eq!(meant.code, 0, "{}", meant.out);
}

#[test]
fn infinity_is_refused_where_a_number_is_due() {
    let dir = folder("compare_infinity");
    let error = refuse(&["twin", "rmsnorm", "R=1,D=2,eps=inf", "-o", &dir.display().to_string()]);
    assert!(error.contains("scalar eps=inf is outside its domain > 0"), "{error}");
}

#[test]
fn the_rung_of_a_matrix_product_is_named() {
    let (m, k, n) = (24, 512, 24);
    let dir = folder("compare_rung");
    let (a, b) = (random(21, m * k), random(22, k * n));
    let at = |name: &str| dir.join(name).display().to_string();
    let (a_file, b_file, c_file) =
        (format!("a={}", at("a.npy")), format!("b={}", at("b.npy")), format!("c={}", at("c.npy")));
    let product = |inputs: DType, sums: DType, storage: DType| -> String {
        let (a, b): (Vec<f64>, Vec<f64>) =
            (a.iter().map(|v| storage.round(*v)).collect(), b.iter().map(|v| storage.round(*v)).collect());
        let term = |i: usize, j: usize| inputs.round(a[i]) * inputs.round(b[j]);
        let dot = |at: usize| {
            (0..k).fold(0.0, |s, x| sums.round(s + sums.round(term(at / n * k + x, x * n + at % n))))
        };
        let c: Vec<f64> = (0..m * n).map(dot).collect();
        save(&dir, "a.npy", storage, &[m, k], &a);
        save(&dir, "b.npy", storage, &[k, n], &b);
        save(&dir, "c.npy", F32, &[m, n], &c);
        ktwin(&["compare", "gemm", "--in", &a_file, "--in", &b_file, "--out", &c_file]).out
    };
    let tf32 = DType::parse("tf32").unwrap();
    for (inputs, sums, storage, says) in [
        (tf32, F32, F32, "behaves like tf32 with f32 accumulation, promised f32"),
        (DType::BF16, F32, F32, "behaves like bf16 with f32 accumulation, promised f32"),
        (F32, DType::F16, DType::F16, "f16 accumulation, promised f32"),
        (F32, DType::BF16, F32, "bf16 accumulation, promised f32"),
    ] {
        let text = product(inputs, sums, storage);
        assert!(text.contains("fail ") && text.contains(says), "{inputs} {sums} {storage}: {text}");
    }
    assert!(product(F32, F32, F32).contains("pass "));
}
