//! Words of a command line and lines of a contract that would be passed over: each is refused in one line that says
//! what to write instead.

use std::path::Path;

use crate::support::{folder, ktwin, refuse, save};
use ktwin_num::DType;

const ADD: &str = "void add(const float *a, const float *b, float *c, unsigned n)\n\
                   { for (unsigned i = 0; i < n; i++) c[i] = a[i] + b[i]; }\n";

/// A kernel's file with these lines in its contract.
fn kernel(folder: &Path, name: &str, keys: &str, code: &str) -> String {
    let file = folder.join(name);
    std::fs::write(&file, format!("/*--- ktwin\n{keys}\n---*/\n{code}")).unwrap();
    file.display().to_string()
}

fn shader(folder: &Path, types: &str) -> String {
    let keys = format!("op = 'relu'\nargs = ['x', 'y', {{ N = 'u32' }}]\ngrid = ['ceil(N / 64)']\n{types}");
    let code = "@group(0) @binding(0) var<storage, read> x: array<f32>;\n\
                @group(0) @binding(1) var<storage, read_write> y: array<f32>;\n\
                @group(0) @binding(2) var<uniform> n: u32;\n\
                @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n\
                \x20   if id.x < n { y[id.x] = max(x[id.x], 0.0); }\n}\n";
    kernel(folder, "relu.wgsl", &keys, code)
}

#[test]
fn a_type_that_the_shader_does_not_read_is_told_with_both_lines() {
    let folder = folder("unheeded_types");
    let run = ktwin(&["test", &shader(&folder, "types = { x = 'f16' }"), "--quick", "--seed", "1"]);
    assert_eq!(run.code, 2, "{}", run.out);
    let wanted = "the shader reads `x` as f32 (line 7), and by `types`, `x` is f16 (line 5)";
    assert!(run.out.contains(wanted), "{}", run.out);
    let run = ktwin(&["test", &shader(&folder, "types = { x = 'f32' }"), "--quick", "--seed", "1"]);
    assert_eq!(run.code, 0, "{}", run.out);
}

#[test]
fn a_sanitizer_that_no_device_has_is_refused() {
    let folder = folder("unheeded_sanitizer");
    let wgsl = shader(&folder, "");
    let said = refuse(&["test", &wgsl, "--sanitize", "--quick"]);
    assert!(
        said.contains("these kernels run on sim: add --device cuda for CUDA C++ and PTX, or remove it"),
        "{said}"
    );
}

#[test]
fn what_is_for_an_op_has_no_place_between_two_files() {
    let folder = folder("unheeded_compare");
    let [a, b] = ["a.npy", "b.npy"].map(|name| save(&folder, name, DType::F32, &[3], &[1.0, 2.0, 3.0]));
    for option in [["--in", "x=x.npy"], ["--out", "y=y.npy"], ["--types", "x=f16"], ["--compute", "f16"]] {
        let said = refuse(&["compare", &a, &b, option[0], option[1]]);
        assert!(said.contains(&format!("{}: this is for the arrays of an op", option[0])), "{said}");
    }
    assert_eq!(ktwin(&["compare", &a, &b]).code, 0);
}

#[test]
fn a_name_that_nothing_defines_does_not_link() {
    let folder = folder("unheeded_link");
    let code = ADD.replace("a[i] + b[i]", "plus(a[i], b[i])");
    let keys = "op = 'add'\nargs = ['a', 'b', 'c', { N = 'u32' }]";
    let file = kernel(&folder, "add.c", keys, &format!("float plus(float, float);\n{code}"));
    let run = ktwin(&["test", &file, "--quick", "--seed", "1"]);
    assert_eq!(run.code, 1, "{}", run.out);
    assert!(run.out.starts_with("fail"), "{}", run.out);
    assert!(run.out.contains("it does not link, since `plus` is not defined"), "{}", run.out);
}
