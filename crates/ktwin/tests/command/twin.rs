//! `ktwin twin` as a user calls it: what it writes, and that it is right.

use std::path::Path;

use crate::support::{files, folder, load, refuse, sample, save, succeed};
use ktwin_num::DType;

fn numbers(path: &Path, name: &str) -> Vec<f64> {
    load(&path.join(name)).to_f64()
}

/// Runs a twin into a folder of this name.
fn twin(name: &str, args: &[&str]) -> (std::path::PathBuf, String) {
    let out = folder(name);
    let shown = out.display().to_string();
    let all: Vec<&str> = ["twin"].iter().chain(args).chain(&["-o", &shown]).copied().collect();
    let text = succeed(&all);
    (out, text)
}

#[test]
fn values_are_right_and_honest_results_within_the_bars() {
    let (out, text) = twin("twin_rmsnorm", &["rmsnorm", "R=4,D=896,eps=1e-5", "--seed", "7"]);
    assert_eq!(files(&out), ["w.npy", "x.npy", "y.bar.npy", "y.npy"]);
    assert!(text.contains("rmsnorm R=4,D=896,eps=1e-5\n"), "{text}");
    assert!(text.contains("for a kernel in c that computes in f32; sums: statistical"), "{text}");
    let from = format!("in      x [4, 896] f32: normal, seed 7 -> {}", out.join("x.npy").display());
    assert!(text.contains(&from), "{text}");
    let (x, w) = (numbers(&out, "x.npy"), numbers(&out, "w.npy"));
    let (y, bars) = (numbers(&out, "y.npy"), numbers(&out, "y.bar.npy"));
    assert_eq!(load(&out.join("y.npy")).shape, [4, 896]);
    for r in 0..4 {
        let row = &x[r * 896..][..896];
        let mean = row.iter().map(|v| v * v).sum::<f64>() / 896.0;
        let single = row.iter().fold(0f32, |s, v| s + (*v as f32) * (*v as f32)) / 896.0;
        for d in 0..896 {
            let (value, bar) = (y[r * 896 + d], bars[r * 896 + d]);
            let expected = row[d] / (mean + 1e-5).sqrt() * w[d];
            assert!((value - expected).abs() <= 1e-13 * expected.abs(), "{value} {expected}");
            let honest = row[d] as f32 / (single + 1e-5).sqrt() * w[d] as f32;
            assert!((f64::from(honest) - value).abs() <= bar, "{honest} {value} {bar}");
            assert!(bar <= 3e-5 * value.abs() + 1e-30, "{bar} is wide for {value}");
        }
    }
}

#[test]
fn sizes_follow_from_arrays_of_every_kind() {
    let x = sample("f32.npy");
    let (out, text) = twin("twin_npy", &["row_sum", "--in", &format!("x={x}")]);
    assert!(text.contains("R=3,D=4") && text.contains("sums: worst case"), "{text}");
    assert_eq!(numbers(&out, "y.npy"), [-2.5, 1.5, 5.5]);
    assert_eq!(files(&out), ["y.bar.npy", "y.npy"]);
    for (at, file) in ["stored.npz", "deflated.npz", "model.safetensors"].iter().enumerate() {
        let (out, text) = twin(&format!("twin_archive{at}"), &["row_sum", "--in", &sample(file)]);
        assert_eq!(numbers(&out, "y.npy"), [-2.5, 1.5, 5.5], "{text}");
    }
    let named = format!("x={}:w", sample("model.safetensors"));
    let (out, text) = twin("twin_named", &["sum", "--in", &named]);
    assert!(text.contains("x [4] bf16:"), "{text}");
    assert_eq!(numbers(&out, "y.npy"), [-2.5]);
    let bf16 = format!("x={}", sample("bf16.npy"));
    let (out, _) = twin("twin_raw", &["row_sum", "--types", "x=bf16", "--in", &bf16]);
    assert_eq!(numbers(&out, "y.npy"), [-2.5, 1.5, 5.5]);
    let fortran = format!("x={}", sample("f64_big_endian_fortran.npy"));
    let (out, _) = twin("twin_fortran", &["row_sum", "--in", &fortran, "--types", "x=f32"]);
    assert_eq!(numbers(&out, "y.npy"), [-2.5, 1.5, 5.5]);
    let whole = format!("x={}", sample("i16_big_endian.npy"));
    let (out, _) = twin("twin_whole", &["sum", "--in", &whole]);
    assert_eq!(numbers(&out, "y.npy"), [10.0]);
}

#[test]
fn nothing_that_is_given_is_written_over() {
    let out = folder("twin_over");
    let given = save(&out, "y.npy", DType::F32, &[2], &[1.0, -2.0]);
    let before = std::fs::read(&given).unwrap();
    let args = ["twin", "relu", "--in", &format!("x={given}"), "-o", &out.display().to_string()];
    let said = refuse(&args);
    assert!(
        said.contains("y.npy: an array of this name is written") && said.contains("name another folder"),
        "{said}"
    );
    assert_eq!((files(&out), std::fs::read(&given).unwrap()), (vec!["y.npy".to_string()], before));
}

#[test]
fn one_seed_one_run_and_written_inputs_can_be_given_back() {
    let args = ["softmax", "R=3,D=40", "--seed", "5"];
    let (a, _) = twin("twin_seed_a", &args);
    let (b, _) = twin("twin_seed_b", &args);
    let (c, _) = twin("twin_seed_c", &["softmax", "R=3,D=40", "--seed", "6"]);
    for file in files(&a) {
        assert_eq!(std::fs::read(a.join(&file)).unwrap(), std::fs::read(b.join(&file)).unwrap(), "{file}");
    }
    assert_ne!(numbers(&a, "x.npy"), numbers(&c, "x.npy"));
    let given = a.join("x.npy").display().to_string();
    let (d, _) = twin("twin_seed_d", &["softmax", "--in", &given]);
    assert_eq!(numbers(&d, "y.npy"), numbers(&a, "y.npy"));
}

#[test]
fn types_round_outputs_and_inputs() {
    let (out, text) = twin("twin_f16", &["exp", "N=100", "--types", "x=f16,y=f16"]);
    let y = load(&out.join("y.npy"));
    assert_eq!((y.dtype, load(&out.join("x.npy")).dtype), (DType::F16, DType::F16));
    assert!(text.contains("y [100] f16"), "{text}");
    let x = numbers(&out, "x.npy");
    for ((x, y), bar) in x.iter().zip(y.to_f64()).zip(numbers(&out, "y.bar.npy")) {
        assert_eq!(DType::F16.round(x.exp()), y);
        // a kernel's f32 differs too little to round elsewhere but near a tie
        assert!(bar == 0.0 || bar <= y * 2f64.powi(-10), "{bar}");
    }
    let (out, text) = twin("twin_bf16", &["exp", "N=100", "--types", "y=bf16"]);
    let y = load(&out.join("y.npy"));
    assert!(y.dtype == DType::F32 && text.contains("y [100] bf16 (as f32)"), "{text}");
    assert!(y.to_f64().iter().all(|v| DType::BF16.round(*v) == *v));
}

#[test]
fn blocks_go_in_and_come_out_as_bytes() {
    let (out, _) = twin("twin_quantise", &["quantise", "R=2,K=64", "--types", "y=q4_0"]);
    let packed = load(&out.join("y.npy"));
    assert_eq!((packed.dtype.name(), packed.shape.as_slice()), ("u8", &[2, 36][..]));
    let q4 = DType::parse("q4_0").unwrap();
    let encoded = ktwin_num::Tensor::from_f64(q4, &[2, 64], &numbers(&out, "x.npy"));
    assert_eq!(packed.bytes, encoded.bytes);
    let given = format!("x={}", out.join("y.npy").display());
    let (back, text) = twin("twin_dequantise", &["dequantise", "--in", &given, "--types", "x=q4_0"]);
    assert!(text.contains("x [2, 64] q4_0") && text.contains("every bar is 0"), "{text}");
    assert_eq!(numbers(&back, "y.npy"), encoded.to_f64());
    let (made, _) = twin("twin_made_blocks", &["dequantise", "R=2,K=32", "--types", "x=q8_0"]);
    let packed = load(&made.join("x.npy"));
    let tensor =
        ktwin_num::Tensor::from_bytes(DType::parse("q8_0").unwrap(), &[2, 32], packed.bytes).unwrap();
    assert_eq!(numbers(&made, "y.npy"), tensor.to_f64());
}

#[test]
fn the_exact_regime_needs_no_tolerance() {
    let (out, text) = twin("twin_exact", &["gemm", "M=5,N=7,K=300", "--regime", "exact"]);
    assert!(text.contains("sums: worst case") && text.contains("every bar is 0"), "{text}");
    let (a, b, c) = (numbers(&out, "a.npy"), numbers(&out, "b.npy"), numbers(&out, "c.npy"));
    assert!(numbers(&out, "c.bar.npy").iter().all(|bar| *bar == 0.0));
    assert!(b.iter().all(|v| v.abs() == 1.0) && a.iter().any(|v| v.fract() != 0.0));
    for (i, c) in c.iter().enumerate() {
        let (m, n) = (i / 7, i % 7);
        let f32s = (0..300).rev().fold(0f32, |s, k| s + (a[m * 300 + k] * b[k * 7 + n]) as f32);
        assert_eq!(f64::from(f32s), *c);
    }
}

#[test]
fn an_f64_kernel_is_held_against_more_than_f64() {
    let folder = folder("twin_double_in");
    let x = save(&folder, "x.npy", DType::F64, &[3], &[1e16, 1.0, -1e16]);
    let given = format!("x={x}");
    let (out, _) = twin("twin_double", &["sum", "--in", &given, "--compute", "f64"]);
    assert_eq!(numbers(&out, "y.npy"), [1.0]);
    let bar = numbers(&out, "y.bar.npy")[0];
    assert!((1.0..20.0).contains(&bar), "{bar}");
    let (out, _) =
        twin("twin_double_typed", &["sum", "--in", &given, "--compute", "f64", "--types", "y=f32"]);
    assert_eq!(load(&out.join("y.npy")).to_f64(), [1.0]);
    assert!(numbers(&out, "y.bar.npy")[0] >= 1.0);
}

#[test]
fn chosen_elements_are_those_of_the_whole() {
    let (whole, _) = twin("twin_whole_gemm", &["gemm", "M=30,N=20,K=50"]);
    let (all, bars) = (numbers(&whole, "c.npy"), numbers(&whole, "c.bar.npy"));
    let (some, text) = twin("twin_some", &["gemm", "M=30,N=20,K=50", "--elements", "9"]);
    assert!(text.contains("9 elements of [30, 20]") && text.contains("c.at.npy"), "{text}");
    let at = load(&some.join("c.at.npy"));
    assert_eq!((at.dtype, at.shape.as_slice()), (DType::I64, &[9, 2][..]));
    let places: Vec<usize> = at.to_i64().chunks(2).map(|i| (i[0] * 20 + i[1]) as usize).collect();
    assert!(places.is_sorted_by(|a, b| a < b) && places[0] == 0 && places[8] == 599, "{places:?}");
    let (values, own) = (numbers(&some, "c.npy"), numbers(&some, "c.bar.npy"));
    for (i, place) in places.iter().enumerate() {
        assert!((values[i] - all[*place]).abs() <= 1e-13 && (own[i] / bars[*place] - 1.0).abs() < 0.1);
    }
    let (list, _) = twin("twin_list", &["gemm", "M=30,N=20,K=50", "--elements", "599,3"]);
    assert_eq!(load(&list.join("c.at.npy")).to_i64(), [29, 19, 0, 3]);
    assert!((numbers(&list, "c.npy")[0] - all[599]).abs() <= 1e-13);
    let (one, _) = twin("twin_one", &["gemm", "M=30,N=20,K=50", "--elements", "21,"]);
    assert_eq!(load(&one.join("c.at.npy")).to_i64(), [1, 1]);
}

#[test]
fn whole_numbers_come_out_as_such_and_in_place_inputs_are_kept() {
    let (out, text) = twin("twin_topk", &["topk", "R=2,D=8", "count=3"]);
    let idx = load(&out.join("idx.npy"));
    assert_eq!((idx.dtype, idx.shape.as_slice()), (DType::I64, &[2, 3][..]));
    assert!(text.contains("idx [2, 3] i64"), "{text}");
    let (x, y) = (numbers(&out, "x.npy"), numbers(&out, "y.npy"));
    let picked: Vec<f64> = idx.to_i64().iter().enumerate().map(|(i, d)| x[i / 3 * 8 + *d as usize]).collect();
    assert_eq!(picked, y);
    let (out, _) = twin("twin_typed_idx", &["topk", "R=2,D=8", "--types", "idx=u32"]);
    assert_eq!(load(&out.join("idx.npy")).dtype, DType::U32);
    let (out, _) = twin("twin_in_place", &["kv_write", "T=6,D=2,S=2", "pos=3"]);
    assert_eq!(files(&out), ["cache.bar.npy", "cache.in.npy", "cache.npy", "x.npy"]);
    let (before, x, after) =
        (numbers(&out, "cache.in.npy"), numbers(&out, "x.npy"), numbers(&out, "cache.npy"));
    assert_eq!(after, [&before[..6], &x[..], &before[10..]].concat());
}

#[test]
fn promises_decide_the_width_of_bars() {
    let widest = |name: &str, args: &[&str]| {
        let (out, _) = twin(name, args);
        let output = files(&out).into_iter().find(|f| f.ends_with(".bar.npy")).unwrap();
        numbers(&out, &output).into_iter().fold(0.0, f64::max)
    };
    let exp = widest("twin_bar_c", &["exp", "N=64"]);
    assert!(exp > 0.0);
    assert!(widest("twin_bar_wgsl", &["exp", "N=64", "--language", "wgsl"]) > 1.5 * exp);
    assert!(widest("twin_bar_correct", &["exp", "N=64", "--language", "correct"]) < exp);
    assert!(widest("twin_bar_f16", &["exp", "N=64", "--compute", "f16"]) > 1000.0 * exp);
    let gemm = ["gemm", "M=4,N=4,K=256"];
    let statistical = widest("twin_bar_sum", &gemm);
    let with = |name: &str, more: &[&str]| widest(name, &[&gemm[..], more].concat());
    assert!(with("twin_bar_worst", &["--bars", "worst"]) > 2.0 * statistical);
    assert!(with("twin_bar_acc", &["--accumulate", "bf16"]) > 1000.0 * statistical);
    assert!(with("twin_bar_tf32", &["--compute", "tf32", "--accumulate", "f32"]) > 2.0 * statistical);
    let attention = ["attention", "H=2,G=1,S=4,T=8,D=8", "scale=0.3"];
    let plain = widest("twin_bar_p", &attention);
    assert!(widest("twin_bar_p16", &[&attention[..], &["--round", "p=f16"]].concat()) > 20.0 * plain);
    assert!(with("twin_bar_q8", &["--round", "a=q8_1"]) > 1000.0 * statistical);
}

#[test]
fn an_op_of_ones_own() {
    let folder = folder("twin_own_op");
    let file = folder.join("cube.op");
    std::fs::write(&file, "# cube -- the third power\nop cube(x[N]) -> y[N]\n\ny[n] = x[n]^3\n").unwrap();
    let x = save(&folder, "x.npy", DType::F32, &[3], &[1.0, -2.0, 0.5]);
    let (out, _) = twin("twin_own_op_out", &[&file.display().to_string(), "--in", &x]);
    assert_eq!(numbers(&out, "y.npy"), [1.0, -8.0, 0.125]);
}

#[test]
fn numbers_outside_their_domain_are_named() {
    let folder = folder("twin_domain");
    let v = format!("v={}", save(&folder, "v.npy", DType::F32, &[3], &[1.0, 0.0, -0.5]));
    let (_, text) = twin("twin_domain_out", &["adam", "--in", &v]);
    assert!(text.contains("note    v: element 2 is -0.5; the op declares numbers from 0"), "{text}");
    let (_, text) = twin("twin_domain_made", &["adam", "N=50", "--regime", "mixed"]);
    assert!(!text.contains("note"), "{text}");
}

#[test]
fn the_arrays_of_a_case() {
    let folder = folder("twin-case");
    let kernel = format!("{}/../../faults/rmsnorm_mean_of_rows.wgsl", env!("CARGO_MANIFEST_DIR"));
    let out = folder.join("out").display().to_string();
    let case = "R=2,D=3,regime=normal,seed=7";
    let page = succeed(&["twin", &kernel, "--case", case, "-o", &out]);
    assert!(page.contains(": fail"), "{page}");
    let read = |name: &str| {
        let file = ktwin::arrays::ArrayFile::open(&folder.join("out").join(name)).unwrap();
        file.read(&file.names()[0], None).unwrap()
    };
    assert_eq!((read("x.npy").shape, read("w.npy").shape), (vec![2, 3], vec![3]));
    let (expected, bar) = (read("y.expected.npy").to_f64(), read("y.bar.npy").to_f64());
    let got = read("y.got.npy").to_f64();
    assert!(got.iter().zip(&expected).zip(&bar).any(|((g, e), b)| (g - e).abs() > *b), "{page}");
    assert!(refuse(&["twin", &kernel, "--case", "R=0,D=3", "-o", &out]).contains("R"));
    assert!(refuse(&["twin", "nowhere.c", "--case", case, "-o", &out]).contains("nowhere.c"));
}

/// `ktwin twin` of an op and of a kernel's case make the same inputs: they have one setup.
#[test]
fn an_op_and_a_kernel_get_the_same_inputs() {
    let kernel = format!("{}/../../kernels/wgsl/rmsnorm.wgsl", env!("CARGO_MANIFEST_DIR"));
    for (regime, seed) in [("normal", 7), ("exact", 2), ("far", 3), ("nan", 5)] {
        let case = format!("R=3,D=40,eps=1e-5,regime={regime},seed={seed}");
        let (of_kernel, _) = twin(&format!("twin_one_kernel_{regime}"), &[&kernel, "--case", &case]);
        let seed = seed.to_string();
        let given = ["rmsnorm", "R=3,D=40,eps=1e-5", "--regime", regime, "--seed", &seed];
        let (of_op, _) = twin(&format!("twin_one_op_{regime}"), &given);
        for file in ["x.npy", "w.npy"] {
            let read = |folder: &Path| std::fs::read(folder.join(file)).unwrap();
            assert_eq!(read(&of_kernel), read(&of_op), "{file} in {regime}");
        }
    }
}

/// What a kernel returns in blocks is there as codes and as numbers, and one stands for the other.
#[test]
fn blocks_of_a_case_are_codes_and_numbers() {
    let folder = folder("twin_case_blocks");
    let kernel = folder.join("quantise.c");
    let contract = "/*--- ktwin\nop = \"quantise\"\ntypes = { y = \"q8_0\" }\n\
        args = [\"x\", \"y\", { R = \"u32\", K = \"u32\" }]\n---*/\n";
    let code = "#include <math.h>\n#include <string.h>\nstruct sizes { unsigned rows, k; };\n\
        static unsigned short half_of(float x) { _Float16 h = (_Float16)x; unsigned short b; memcpy(&b, &h, 2); \
        return b; }\n\
        void quantise(const float *x, unsigned char *y, struct sizes s) {\n\
        for (size_t b = 0; b < (size_t)s.rows * s.k / 32; b++, x += 32, y += 34) {\n\
        float most = 0; for (int i = 0; i < 32; i++) most = fmaxf(most, fabsf(x[i]));\n\
        float d = most / 127, id = d ? 1 / d : 0; unsigned short h = half_of(d); memcpy(y, &h, 2);\n\
        for (int i = 0; i < 32; i++) y[2 + i] = (unsigned char)(signed char)roundf(x[i] * id); } }\n";
    std::fs::write(&kernel, format!("{contract}{code}")).unwrap();
    let kernel = kernel.display().to_string();
    let (out, page) = twin("twin_case_blocks_out", &[&kernel, "--case", "R=2,K=64,regime=normal,seed=3"]);
    let wanted = ["x.npy", "y.bar.npy", "y.error.npy", "y.expected.npy", "y.got.codes.npy", "y.got.npy"];
    assert_eq!(files(&out), wanted, "{page}");
    let (codes, got) = (load(&out.join("y.got.codes.npy")), load(&out.join("y.got.npy")));
    assert_eq!((codes.shape.as_slice(), got.shape.as_slice()), (&[2, 68][..], &[2, 64][..]));
    let blocks = ktwin_num::Tensor::from_bytes(DType::parse("q8_0").unwrap(), &[2, 64], codes.bytes).unwrap();
    assert_eq!(blocks.to_f64(), got.to_f64());
    let (due, bars) = (numbers(&out, "y.expected.npy"), numbers(&out, "y.bar.npy"));
    assert!(page.contains(": pass") && due.iter().any(|v| *v != 0.0), "{page}");
    assert!(got.to_f64().iter().zip(&due).zip(&bars).all(|((g, e), b)| (g - e).abs() <= *b));
}
