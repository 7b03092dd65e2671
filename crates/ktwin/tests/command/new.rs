//! `ktwin new` as a user calls it: what it writes passes as it stands.

use crate::support::{folder, ktwin, succeed};

/// Writes a kernel and tests it; a host without a compiler skips.
fn written(name: &str, op: &str, lang: &str) -> String {
    succeed(&["new", name, "--op", op, "--lang", lang]);
    let kind = ktwin_check::SourceKind::of_name(lang).unwrap();
    let file = format!("{name}.{}", kind.row().extensions[0]);
    let run = ktwin(&["test", &file, "--quick"]);
    assert!(run.code == 0 || run.out.contains("skip"), "{}{}", run.out, run.err);
    std::fs::read_to_string(file).unwrap()
}

#[test]
fn in_every_language() {
    let folder = folder("new-languages");
    // ops that this repository has kernels for, and ops that it has not
    let ops = ["rmsnorm", "groupnorm"].into_iter().cycle();
    for (lang, op) in ["wgsl", "c", "cpp", "cuda", "glsl", "opencl", "rust"].into_iter().zip(ops) {
        let text = written(&format!("{}/{op}_{lang}", folder.display()), op, lang);
        let first = text.lines().nth(1).unwrap_or_default();
        assert!(text.starts_with("/*--- ktwin\nop ") && first.contains(&format!("\"{op}\"")), "{text}");
    }
}

#[test]
fn in_the_language_of_the_files_name() {
    let folder = folder("new-named");
    for (name, mark) in
        [("a.cc", "extern \"C\""), ("a.cu", "__global__"), ("a.b.c", "#include"), ("a", "@compute")]
    {
        let path = format!("{}/{name}", folder.display());
        succeed(&["new", &path, "--op", "silu"]);
        let path = if name == "a" { format!("{path}.wgsl") } else { path };
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(mark), "{path}: {text}");
    }
}

#[test]
fn in_a_language_without_drafts() {
    let folder = folder("new-starters");
    let name = format!("{}/softmax", folder.display());
    succeed(&["new", &name, "--op", "softmax", "--lang", "cuda"]);
    assert!(std::fs::read_to_string(format!("{name}.cu")).unwrap().contains("__global__"));
    let none = ktwin(&["new", &name, "--op", "groupnorm", "--lang", "triton"]);
    let all = "writes `groupnorm` in c, cpp, cuda, glsl, opencl, rust, wgsl";
    assert!(none.code == 2 && none.err.contains(all), "{}", none.err);
    let what = ktwin(&["new", &name, "--op", "silu", "--lang", "fortran"]);
    assert!(what.code == 2 && what.err.contains("languages are c, cpp, cuda"), "{}", what.err);
}

#[test]
fn for_an_op_of_ones_own() {
    let folder = folder("new-own");
    std::fs::create_dir_all(folder.join("kernels")).unwrap();
    let op = folder.join("twice.op");
    std::fs::write(&op, "# twice -- doubled\nop twice(x[N]) -> y[N]\n\ny[n] = 2 * x[n]\n").unwrap();
    let name = format!("{}/kernels/twice", folder.display());
    let text = written(&name, &op.display().to_string(), "wgsl");
    assert!(text.contains("op      = \"../twice.op\""), "{text}");
    let again = ktwin(&["new", &name, "--op", "silu"]);
    assert_eq!(again.code, 2);
    assert!(again.err.contains("is there already"), "{}", again.err);
    for name in ["", "a\nb", ".hidden", "/"] {
        let odd = ktwin(&["new", name, "--op", "silu"]);
        assert!(odd.code == 2 && odd.err.contains("names no file"), "{name:?}: {}", odd.err);
    }
}

/// A kernel of this repository without its contract, and the contract.
fn bare(path: &str) -> (String, String) {
    let path = format!("{}/../../kernels/{path}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap();
    let start = text.find("--- ktwin\n").unwrap();
    let begin = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let end = start + text[start..].find("\n---*/\n").unwrap();
    let contract = text[start + "--- ktwin\n".len()..end].to_owned();
    (format!("{}{}", &text[..begin], &text[end + "\n---*/\n".len()..]), contract)
}

/// What `args` says, without blanks and remarks.
fn args(contract: &str) -> String {
    let lines = contract.lines().skip_while(|line| !line.starts_with("args"));
    let code = lines.map(|line| line.split('#').next().unwrap());
    let text: String = code.collect::<String>().chars().filter(|c| !c.is_whitespace()).collect();
    let mut depth = 0;
    let end = text.find(|c| {
        depth += i32::from(c == '[') - i32::from(c == ']');
        c == ']' && depth == 0
    });
    text[..=end.unwrap()].replace(",]", "]")
}

/// The contract drafted of a file, which is remarked on beside it.
fn drafted(op: &str, file: &str) -> String {
    let run = ktwin(&["new", "--op", op, "--from", file]);
    assert!(run.code == 0 && run.err.contains("a contract for"), "{file}: {}{}", run.out, run.err);
    run.out
}

#[test]
fn contracts_are_drafted_of_kernels_that_exist() {
    let folder = folder("new-from");
    for (path, op) in [
        ("c/rmsnorm.c", "rmsnorm"),
        ("c/gemv_q4_0.c", "gemv_q"),
        ("c/attention.c", "attention"),
        ("wgsl/rmsnorm.wgsl", "rmsnorm"),
        ("wgsl/gemm_f16.wgsl", "gemm"),
        ("cuda/attention.cu", "attention"),
        ("opencl/silu_gate.cl", "silu_gate"),
    ] {
        let (text, contract) = bare(path);
        let op =
            contract.lines().find_map(|l| l.strip_prefix("op ")?.split('"').nth(1)).unwrap_or(op).to_owned();
        let file = folder.join(path.rsplit('/').next().unwrap()).display().to_string();
        std::fs::write(&file, text).unwrap();
        let drafted = drafted(&op, &file);
        assert_eq!(args(&drafted), args(&contract), "{path}\n{drafted}");
    }
}

#[test]
fn contracts_are_drafted_of_kernels_of_triton() {
    let folder = folder("new-from-triton");
    let whole =
        std::fs::read_to_string(format!("{}/../../kernels/triton/softmax.py", env!("CARGO_MANIFEST_DIR")));
    let text = whole.unwrap().split_once("# ---\n").unwrap().1.to_owned();
    let file = folder.join("softmax.py").display().to_string();
    std::fs::write(&file, text).unwrap();
    let drafted = drafted("softmax", &file);
    assert_eq!(args(&drafted), "args=[\"x\",\"y\",{D=\"i32\"}]", "{drafted}");
    for says in
        ["\"\"\"--- ktwin", "grid    = [\"R\", 1, 1]", "BLOCK = \"int(exp2(ceil(log2(D))))\" } # check:"]
    {
        assert!(drafted.contains(says), "{says}: {drafted}");
    }
    let name = folder.join("mine").display().to_string();
    succeed(&["new", &name, "--op", "softmax", "--from", &file]);
    let run = ktwin(&["test", &format!("{name}.py"), "--quick", "--case", "R=3,D=5"]);
    assert!(run.code == 0 || run.out.contains("skip"), "{}{}", run.out, run.err);
}

#[test]
fn a_drafted_contract_is_a_beginning() {
    let folder = folder("new-from-whole");
    let (text, _) = bare("c/rmsnorm.c");
    let file = folder.join("mine.c").display().to_string();
    std::fs::write(&file, text).unwrap();
    let name = folder.join("tested").display().to_string();
    let said = succeed(&["new", &name, "--op", "rmsnorm", "--from", &file]);
    assert!(said.contains("test it with: ktwin test"), "{said}");
    let run = ktwin(&["test", &format!("{name}.c"), "--quick"]);
    assert!(run.code == 0 || run.out.contains("skip"), "{}{}", run.out, run.err);
    // a name that says nothing is a guess, and says so
    let odd = "__global__ void k(const float *in, float *result, int cols, float tiny) { }\n";
    std::fs::write(folder.join("odd.cu"), odd).unwrap();
    let odd = folder.join("odd.cu").display().to_string();
    let drafted = drafted("softmax", &odd);
    for says in ["`in` is taken for x", "`cols` is taken for D", "what is `tiny`?", "how many lanes"] {
        assert!(drafted.contains(says), "{says}: {drafted}");
    }
    for (args, says) in [
        (&["--from", &format!("{name}.c")][..], "it has a contract already"),
        (&["--from", &file, "--entry", "rms"], "no function `rms`; it has rmsnorm"),
        (&["--from", "nothing.c"], "nothing.c"),
        (&["--from", "nothing.txt"], "not a kernel file"),
        (&["--from", &odd, "--lang", "c"], "cannot be used with"),
    ] {
        let run = ktwin(&[&["new", "--op", "softmax"], args].concat());
        assert!(run.code == 2 && run.err.contains(says), "{args:?}: {}", run.err);
    }
}

#[test]
fn buffers_are_inputs_by_what_is_done_with_them_and_by_name() {
    let folder = folder("new-from-roles");
    let head = |first: &str, second: &str| {
        format!(
            "@group(0) @binding(0) var<storage, read_write> {first}: array<f32>;\n\
             @group(0) @binding(1) var<storage, read_write> {second}: array<f32>;\n\
             struct P {{ D: u32 }}\n@group(0) @binding(2) var<uniform> p: P;\n\
             @compute @workgroup_size(1) fn main(@builtin(workgroup_id) wid: vec3<u32>) {{\n"
        )
    };
    let row = "let at = wid.x * p.D;\n";
    // the code says it, whatever the names
    let read = format!("{}{row}second[at] = exp(first[at]); }}\n", head("first", "second"));
    let turned = format!("{}{row}first[at] = exp(second[at]); }}\n", head("first", "second"));
    // both are written: the names say it
    let names = |a: &str, b: &str| format!("{}{row}{a}[at] += 1; {b}[at] = 2; }}\n", head(a, b));
    for (name, text, due) in [
        ("read", read, "[\"x\",\"y\",{D=\"u32\"}]"),
        ("turned", turned, "[\"y\",\"x\",{D=\"u32\"}]"),
        ("src", names("src", "dst"), "[\"x\",\"y\",{D=\"u32\"}]"),
        ("out", names("d_out", "d_inp"), "[\"y\",\"x\",{D=\"u32\"}]"),
        ("neither", names("one", "two"), "[\"y\",\"x\",{D=\"u32\"}]"),
    ] {
        let file = folder.join(format!("{name}.wgsl")).display().to_string();
        std::fs::write(&file, &text).unwrap();
        let drafted = drafted("softmax", &file);
        assert_eq!(args(&drafted), format!("args={due}"), "{name}\n{drafted}");
        assert!(!drafted.contains("scratch"), "{drafted}");
    }
    let file = folder.join("llm.c").display().to_string();
    let text = "void softmax(float* out, float* inp, int R, int D) { out[0] = inp[0]; }\n";
    std::fs::write(&file, text).unwrap();
    let drafted = drafted("softmax", &file);
    assert_eq!(args(&drafted), "args=[\"y\",\"x\",{R=\"i32\"},{D=\"i32\"}]", "{drafted}");
}

#[test]
fn what_a_source_says_beside_its_parameters_is_drafted() {
    let folder = folder("new-from-more");
    let of = |op: &str, name: &str, text: &str| {
        let file = folder.join(name).display().to_string();
        std::fs::write(&file, text).unwrap();
        drafted(op, &file)
    };
    let text = "double nrm2(int n, const double *x, enum order o) { return 0; }\n";
    let drafted = of("nrm2", "nrm2.c", text);
    assert!(
        drafted.contains("returns = \"y\"") && drafted.contains("what is `o`? it is passed as 0"),
        "{drafted}"
    );
    // a header of CUDA, a template, a row for each workgroup, one buffer for both
    let text = "template <typename T, int W>\n__global__ void softmax(T *data, int rows, int d) {\n\
                T *row = data + blockIdx.x * d; row[threadIdx.x] = 1; }\n";
    let drafted = of("softmax", "softmax.cuh", text);
    for due in
        ["\"softmax<float, 32>\" # check:", "\"x\",", "inplace = { y = \"x\" }", "grid    = [\"R\", 1, 1]"]
    {
        assert!(drafted.contains(due), "{due}\n{drafted}");
    }
    let text = "__global__ void add(const float *a, const float *b, float *c, int n) {\n\
                int i = blockIdx.y * gridDim.x + threadIdx.y; if (i < n) c[i] = a[i] + b[i]; }\n";
    assert!(of("add", "add.cu", text).contains("block   = [16, 16, 1]"));
}

/// A draft, beside which is said what to look at.
fn printed(args: &[&str]) -> String {
    let run = ktwin(args);
    assert_eq!(run.code, 0, "{args:?}: {}", run.err);
    run.out
}

#[test]
fn a_contract_that_is_begun_is_kept_and_completed() {
    let folder = folder("new-from-begun");
    let file = folder.join("begun.cu").display().to_string();
    let text = "/*--- ktwin\nop    = \"relu\" # mine\nblock = [128, 1, 1]\n---*/\n\
                __global__ void relu(const float *x, float *y, int n) { int i = blockIdx.x * 128 + threadIdx.x; }\n";
    std::fs::write(&file, text).unwrap();
    let out = printed(&["new", "--from", &file]);
    assert!(
        out.starts_with("/*--- ktwin\nop    = \"relu\" # mine\nblock = [128, 1, 1]\nargs    = [\n"),
        "{out}"
    );
    assert_eq!((out.matches("op ").count(), out.matches("block").count()), (1, 1), "{out}");
    assert!(out.contains("grid    = [\"ceil(N / 128)\""), "{out}");
    let name = folder.join("whole").display().to_string();
    printed(&["new", &name, "--from", &file]);
    let whole = std::fs::read_to_string(format!("{name}.cu")).unwrap();
    assert!(whole.matches("--- ktwin").count() == 1 && whole.contains("__global__ void relu"), "{whole}");
    let other = ktwin(&["new", "--op", "gelu", "--from", &file]);
    assert!(other.code == 2 && other.err.contains("its contract says op = \"relu\""), "{}", other.err);
    std::fs::write(&file, text.replace("op    = \"relu\" # mine\n", "")).unwrap();
    let none = ktwin(&["new", "--from", &file]);
    assert!(none.code == 2 && none.err.contains("name it with --op"), "{}", none.err);
}

#[test]
fn macros_headers_and_names_in_namespaces_are_heeded() {
    let folder = folder("new-from-defined");
    std::fs::create_dir_all(folder.join("headers")).unwrap();
    std::fs::write(folder.join("headers/kernel.h"), "#define KERNEL __global__ void\n").unwrap();
    let of = |name: &str, text: &str, more: &[&str]| {
        let file = folder.join(name).display().to_string();
        std::fs::write(&file, text).unwrap();
        printed(&[&["new", "--op", "relu", "--from", &file][..], more].concat())
    };
    let text = "#include \"kernel.h\"\n#ifdef HALF\ntypedef __half T;\n#else\ntypedef float T;\n#endif\n\
                KERNEL relu(const T *x, T *y, int n) {}\n";
    let drafted = of("macros.cu", text, &["--include", "headers", "--define", "HALF", "--define", "TILE=8"]);
    for due in ["x = \"f16\", y = \"f16\"", "define  = { HALF = 1, TILE = 8 }", "include = [\"headers\"]"] {
        assert!(drafted.contains(due), "{due}\n{drafted}");
    }
    assert!(!of("macros.cu", text, &["--include", "headers"]).contains("f16"));
    let text = "namespace ops { namespace act {\n\
                template <typename T, int LANES> __global__ void __launch_bounds__(LANES)\n\
                relu(const T *x, T *y, int n) {}\n\
                __global__ __launch_bounds__(64, 2) void other(const float *x, float *y, int n) {}\n} }\n\
                void run(float *x) { ops::act::relu<float, 128><<<(7 + 127) / 128, 128>>>(x, x, 7); }\n";
    let drafted = of("spaces.cu", text, &["--entry", "relu"]);
    for due in ["entry   = \"ops::act::relu<float, 256>\" # check:", "block   = [256, 1, 1]"] {
        assert!(drafted.contains(due), "{due}\n{drafted}");
    }
    let drafted = of("spaces.cu", text, &["--entry", "ops::act::relu<__half, 128>"]);
    for due in ["entry   = \"ops::act::relu<__half, 128>\"\n", "block   = [128, 1, 1]", "x = \"f16\""] {
        assert!(drafted.contains(due), "{due}\n{drafted}");
    }
    let drafted = of("spaces.cu", text, &["--entry", "ops::act::other"]);
    for due in ["entry   = \"ops::act::other\"\n", "block   = [64, 1, 1]", "\"ceil(N / 64)\""] {
        assert!(drafted.contains(due), "{due}\n{drafted}");
    }
    let file = folder.join("spaces.cu").display().to_string();
    for (args, says) in [
        (&[][..], "several functions (ops::act::relu, ops::act::other)"),
        (&["--entry", "ops::relu"], "no function `ops::relu`"),
        (&["--define", "2=3"], "cannot name a constant"),
    ] {
        let run = ktwin(&[&["new", "--op", "relu", "--from", &file], args].concat());
        assert!(run.code == 2 && run.err.contains(says), "{args:?}: {}", run.err);
    }
}

#[test]
fn what_no_contract_can_give_is_refused_at_once() {
    let folder = folder("new-from-unfit");
    let of = |name: &str, text: &str| {
        let file = folder.join(name).display().to_string();
        std::fs::write(&file, text).unwrap();
        let run = ktwin(&["new", "--op", "relu", "--from", &file]);
        assert_eq!(run.code, 2, "{}", run.out);
        run.err
    };
    for (name, text, says) in [
        (
            "a.cu",
            "__global__ void k(const float *const *x, float **y, int n) {}\n",
            "`const float *const *x` is a pointer",
        ),
        (
            "a.c",
            "void k(float *x[], float *y, int n) { y[0] = x[0][0]; }\n",
            "`float *x[]` is a pointer to pointers",
        ),
        (
            "a.cl",
            "__kernel void k(read_only image2d_t x, __global float *y) {}\n",
            "`read_only image2d_t x` is an image",
        ),
        ("b.cu", "__device__ float relu(float v) { return v; }\n", "write a `__global__` function"),
        (
            "c.cu",
            "const char *s = R\"(\n__global__ void k(float *x) {}\n)\";\n",
            "in a string, which begins in line 1",
        ),
        (
            "d.cu",
            "\n__global__ void {{ name }}(float *x) {}\n",
            "line 2 has `{{ name }}`: this is a template",
        ),
    ] {
        let said = of(name, text);
        assert!(said.contains(says), "{name}: {said}");
    }
}

#[test]
fn pointers_to_pointers_are_refused_before_anything_runs() {
    let folder = folder("test-pointers");
    // a null pointer is a number
    let kernel = |args: &str| {
        format!(
            "/*--- ktwin\nop = \"relu\"\nargs = {args}\n---*/\n\
                 void k(const float *x, float *y, int n, float **more) {{ for (; n--;) y[n] = x[n] > 0 ? x[n] : 0; }}\n"
        )
    };
    let file = folder.join("rows.c").display().to_string();
    std::fs::write(&file, kernel("[\"x\", \"y\", { N = \"i32\" }, \"y\"]")).unwrap();
    let run = ktwin(&["test", &file, "--quick"]);
    assert!(
        run.code == 2 && run.out.contains("`float **more` is a pointer to pointers"),
        "{}{}",
        run.out,
        run.err
    );
    assert!(run.out.contains("rows.c:3:") && run.out.contains("(line 5)"), "{}", run.out);
    std::fs::write(&file, kernel("[\"x\", \"y\", { N = \"i32\" }, { \"0\" = \"u64\" }]")).unwrap();
    let run = ktwin(&["test", &file, "--quick", "--case", "N=3"]);
    assert!(run.code == 0 || run.out.contains("skip"), "{}{}", run.out, run.err);
}
