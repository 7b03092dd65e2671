//! What `ktwin compare` reads of files: every bit, and nothing left out.

use ktwin::arrays::NpyWriter;
use ktwin_num::DType;

use crate::support::{folder, ktwin, refuse, succeed};

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
