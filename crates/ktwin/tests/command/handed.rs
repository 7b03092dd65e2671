//! What contracts hand to kernels in every language: sizes in memory, strides in bytes, text, what a function returns;
//! and what is said where that does not fit. What needs a compiler that is missing is left out aloud, unless
//! `KTWIN_REQUIRE` names it.

use std::fs;
use std::path::Path;

use ktwin_check::{KernelReport, Verdict};

use crate::support::{folder, ktwin};

/// Whether a compiler is there, or nothing has to be.
fn has(compiler: &str) -> bool {
    let found = ktwin_devices::compiler(compiler);
    let required = std::env::var("KTWIN_REQUIRE").is_ok_and(|r| r.split(',').any(|d| d == compiler));
    if let Err(missing) = &found {
        assert!(!required, "{missing}");
        eprintln!("left out: {missing}");
    }
    found.is_ok()
}

fn tested(folder: &Path, name: &str, text: &str) -> KernelReport {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    ktwin::kernel(&path).quick().seed(1).run().unwrap()
}

/// A kernel that passes, and fails where a part of its text is another.
pub fn passes_but_for(folder: &Path, name: &str, text: &str, (right, wrong): (&str, &str)) {
    let report = tested(folder, name, text);
    assert_eq!(report.verdict, Verdict::Pass, "{name}: {report:#?}");
    assert!(text.contains(right), "{name}");
    let report = tested(folder, &format!("wrong_{name}"), &text.replace(right, wrong));
    assert_eq!(report.verdict, Verdict::Fail, "{name}: {report:#?}");
}

/// What is said of a contract that is refused when it is read.
fn refused(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    let run = ktwin(&["test", &path.display().to_string(), "--quick", "--seed", "1"]);
    assert_eq!(run.code, 2, "{}{}", run.out, run.err);
    run.out
}

/// A file with its contract in a comment.
fn kernel(contract: &str, code: &str) -> String {
    format!("/*--- ktwin\n{contract}---*/\n{code}")
}

const INFO: &str = "op = \"transpose\"\nargs = [\"x\", \"y\", \"info\"]\nscratch = { info = \"u32[2]\" }\n\
                    fill = { info = [\"M\", \"N\"] }\n";
const GRID: &str = "grid = [\"ceil(M * N / 64)\", 1, 1]\n";

#[test]
fn sizes_come_in_memory_in_c_and_wgsl() {
    let room = folder("handed-sizes");
    let c = kernel(
        INFO,
        "#include <stdint.h>\nvoid k(const float *x, float *y, const uint32_t *info) {\n\
         for (uint32_t m = 0; m < info[0]; m++) for (uint32_t n = 0; n < info[1]; n++)\n\
         y[n * info[0] + m] = x[m * info[1] + n]; }\n",
    );
    passes_but_for(&room, "k.c", &c, ("\"M\", \"N\"]", "\"N\", \"M\"]"));
    let wgsl = kernel(
        &format!("{INFO}{GRID}"),
        "@group(0) @binding(0) var<storage, read> x: array<f32>;\n\
         @group(0) @binding(1) var<storage, read_write> y: array<f32>;\n\
         @group(0) @binding(2) var<storage, read> info: array<u32>;\n\
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3<u32>) {\n\
         let m = info[0]; let n = info[1];\n\
         if (g.x < m * n) { y[(g.x % n) * m + g.x / n] = x[g.x]; } }\n",
    );
    passes_but_for(&room, "k.wgsl", &wgsl, ("\"M\", \"N\"]", "\"M\", \"N + 1\"]"));
    // values without a buffer of their own do as well, in a storage buffer as in a uniform one
    let table = wgsl.replace("\"info\"]\n", "{ M = \"u32\", N = \"u32\" }]\n");
    let table = table.lines().filter(|l| !l.starts_with("scratch") && !l.starts_with("fill"));
    let table: String = table.map(|l| format!("{l}\n")).collect();
    passes_but_for(&room, "table.wgsl", &table, ("let n = info[1]", "let n = info[0]"));
}

#[test]
fn sizes_come_in_memory_where_a_compiler_is_found() {
    let room = folder("handed-sizes-compiled");
    let launched = format!("{INFO}{GRID}block = 64\n");
    let wrong = ("\"M\", \"N\"]", "\"N\", \"M\"]");
    let body = "if (i < m * n) y[(i % n) * m + i / n] = x[i]; }\n";
    if has("nvrtc") {
        let head = "__global__ void k(const float *x, float *y, const unsigned *info) {\n\
                    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, m = info[0], n = info[1];\n";
        passes_but_for(&room, "k.cu", &kernel(&launched, &format!("{head}{body}")), wrong);
    }
    if has("clang") {
        let head = "__kernel void k(__global const float *x, __global float *y, __global const uint *info) {\n\
                    uint i = get_global_id(0), m = info[0], n = info[1];\n";
        passes_but_for(&room, "k.cl", &kernel(&launched, &format!("{head}{body}")), wrong);
    }
    if has("glsl") {
        let head = "#version 450\nlayout(local_size_x = 64) in;\n\
                    layout(binding = 0) readonly buffer X { float x[]; };\n\
                    layout(binding = 1) writeonly buffer Y { float y[]; };\n\
                    layout(binding = 2) readonly buffer I { uint info[]; };\n\
                    void main() { uint i = gl_GlobalInvocationID.x, m = info[0], n = info[1];\n";
        passes_but_for(&room, "k.comp", &kernel(&format!("{INFO}{GRID}"), &format!("{head}{body}")), wrong);
    }
    if has("triton") {
        let contract = format!("{INFO}{GRID}").replace("u32[2]", "i32[2]");
        let contract: String = contract.lines().map(|line| format!("# {line}\n")).collect();
        let text = format!(
            "# --- ktwin\n{contract}# ---\nimport triton\nimport triton.language as tl\n\n\n@triton.jit\n\
             def k(x, y, info):\n    m = tl.load(info)\n    n = tl.load(info + 1)\n\
             \x20   i = tl.program_id(0) * 64 + tl.arange(0, 64)\n    inside = i < m * n\n\
             \x20   tl.store(y + (i % n) * m + i // n, tl.load(x + i, mask=inside), mask=inside)\n"
        );
        passes_but_for(&room, "k.py", &text, wrong);
    }
}

#[test]
fn lists_that_do_not_fit_are_refused() {
    let room = folder("handed-misfits");
    let text = kernel(INFO, "void k(const float *x, float *y, const unsigned *info) { }\n");
    for (right, wrong, says) in [
        ("\"M\", \"N\"]", "\"M\"]", "`fill` gives 1 value for `info`, which has 2 elements"),
        ("\"M\", \"N\"]", "\"M\", \"Q\"]", "`Q` is not known here"),
        ("\"M\", \"N\"]", "]", "an empty list fills nothing"),
        ("{ info = [\"M\", \"N\"] }", "{ y = [1, 2] }", "a list fills scratch buffers, but `y` is an output"),
    ] {
        let said = refused(&room, "k.c", &text.replace(right, wrong));
        assert!(said.contains(says), "{wrong}: {said}");
    }
    // as many elements as a case has rows
    let report = tested(&room, "rows.c", &text.replace("u32[2]", "u32[M + 2]"));
    assert!(report.reason.contains("`fill` gives 2 values for `info`, which has "), "{report:#?}");
}

const BYTES: &str = "op = \"row_sum\"\nlayout = { x = [\"strided\", \"offset\"] }\n";

#[test]
fn strides_and_offsets_come_in_bytes() {
    let room = folder("handed-bytes");
    let args = "args = [\"x\", \"y\", { R = \"u32\", D = \"u32\" }, { \"4 * x.stride0\" = \"u64\" }, \
                { \"4 * x.offset + 0\" = \"u64\" }]\n";
    let code = "#include <stdint.h>\ntypedef struct { uint32_t rows, n; } sizes;\n\
                void k(const char *x, float *y, sizes s, uint64_t stride, uint64_t offset) {\n\
                for (uint32_t r = 0; r < s.rows; r++) { const float *row = (const float *)(x + offset + r * stride);\n\
                float sum = 0; for (uint32_t i = 0; i < s.n; i++) sum += row[i]; y[r] = sum; } }\n";
    let text = kernel(&format!("{BYTES}{args}"), code);
    passes_but_for(&room, "k.c", &text, ("\"4 * x.stride0\"", "\"4 * D\""));
    passes_but_for(&room, "offset.c", &text, ("offset + r", "r"));
    // in an array in memory as well
    let listed = "args = [\"x\", \"y\", { R = \"u32\", D = \"u32\" }, \"info\"]\nscratch = { info = \"u64[2]\" }\n\
                  fill = { info = [\"4 * x.stride0\", \"4 * x.offset\"] }\n";
    let text = text.replace(args, listed).replace(
        "uint64_t stride, uint64_t offset) {",
        "const uint64_t *info) { uint64_t stride = info[0], offset = info[1];",
    );
    passes_but_for(&room, "listed.c", &text, ("r * stride", "r * s.n * 4"));
}

#[test]
fn places_are_known_in_what_is_handed_over_alone() {
    let room = folder("handed-places");
    let text = kernel(
        &format!("{BYTES}args = [\"x\", \"y\", {{ D = \"u32\", \"4 * x.stride0\" = \"u64\" }}]\n"),
        "void k(void) { }\n",
    );
    for (right, wrong, says) in [
        ("4 * x.stride0", "4 * x.stride2", "`x.stride2` is not known here"),
        ("4 * x.stride0", "4 * z.stride0", "`z.stride0` is not known here"),
        ("layout", "where = [\"x.stride0 < 9\"]\nlayout", "where a tensor lies is not known here"),
        ("layout", "fill = { y = \"x.stride0\" }\nlayout", "where a tensor lies is not known here"),
    ] {
        let said = refused(&room, "k.c", &text.replace(right, wrong));
        assert!(said.contains(says), "{wrong}: {said}");
    }
}

#[test]
fn strides_in_bytes_are_pushed() {
    if !has("glsl") {
        return;
    }
    let room = folder("handed-pushed");
    let contract = "args = [\"x\", \"y\"]\npush = { D = \"u32\", \"4 * x.stride0\" = \"u32\" }\n\
                    grid = [\"R\", 1, 1]\n";
    let code = "#version 450\nlayout(local_size_x = 1) in;\n\
                layout(push_constant) uniform P { uint n; uint bytes; } p;\n\
                layout(binding = 0) readonly buffer X { float x[]; };\n\
                layout(binding = 1) writeonly buffer Y { float y[]; };\n\
                void main() { float sum = 0; uint row = gl_WorkGroupID.x;\n\
                for (uint i = 0; i < p.n; i++) sum += x[row * (p.bytes / 4) + i]; y[row] = sum; }\n";
    let text = kernel(&format!("{}{contract}", BYTES.replace(", \"offset\"", "")), code);
    passes_but_for(&room, "k.comp", &text, ("\"4 * x.stride0\"", "\"4 * D\""));
}

#[test]
fn sums_of_q8_k_are_read_where_they_stand() {
    let room = folder("handed-q8-k");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/c/dot_q4_K_q8_K.c");
    let text = fs::read_to_string(path).unwrap();
    passes_but_for(&room, "k.c", &text, ("x + 260 + 4 * j", "x + 260 + 2 * j"));
    passes_but_for(&room, "packed.c", QUANTISE, ("block[260 + 2 * j] = ", "block[260 + 2 * j] = 1 + "));
}

/// Packs rows as q8_K.
const QUANTISE: &str = "/*--- ktwin\nop = \"quantise\"\ntypes = { y = \"q8_K\" }\n\
    args = [\"x\", \"y\", { R = \"u32\", K = \"u32\" }]\n\
    dims = { K = \"multiple of 256\" }\n---*/\n#include <math.h>\n#include <stdint.h>\n#include <string.h>\n\
    typedef struct { uint32_t rows, k; } sizes;\n\
    void k(const float *x, uint8_t *y, sizes s) {\n\
    for (uint32_t b = 0; b < s.rows * s.k / 256; b++, x += 256) {\n\
    uint8_t *block = y + 292 * b; float most = 0, d;\n\
    for (int i = 0; i < 256; i++) if (fabsf(x[i]) > fabsf(most)) most = x[i];\n\
    memset(block, 0, 292); if (most == 0) continue;\n\
    d = most / -127; memcpy(block, &d, 4);\n\
    for (int j = 0; j < 16; j++) { int sum = 0;\n\
    for (int i = 16 * j; i < 16 * j + 16; i++) {\n\
    int q = (int)rintf(x[i] / d); sum += q; block[4 + i] = (uint8_t)q; }\n\
    block[260 + 2 * j] = sum & 255; block[261 + 2 * j] = sum >> 8 & 255; } } }\n";

const TEXT: &str = "op = \"relu\"\nargs = [\"x\", \"y\", { N = \"u32\" }]\n\
                    define = { T = { text = \"float\" }, LANES = 64 }\n";

#[test]
fn constants_are_text_where_a_preprocessor_is() {
    let room = folder("handed-text");
    let loops = "static T relu(T v) { return v > 0 ? v : 0; }\n\
                 void k(const T *x, T *y, unsigned n) { for (unsigned i = 0; i < n; i++) y[i] = relu(x[i]); }\n";
    let wrong = ("\"float\"", "\"unsigned int\"");
    passes_but_for(&room, "k.c", &kernel(TEXT, loops), wrong);
    let cpp = loops.replace("void k", "extern \"C\" void k");
    passes_but_for(&room, "k.cpp", &kernel(TEXT, &cpp), wrong);
    let launched = format!("{TEXT}grid = [\"ceil(N / LANES)\", 1, 1]\nblock = [\"LANES\", 1, 1]\n");
    if has("nvrtc") {
        // a type that nothing in the file names
        let text = launched.replace("\"float\"", "\"mine\"");
        let code = "using mine = float;\n__global__ void k(const T *x, T *y, unsigned n) {\n\
                    unsigned i = blockIdx.x * LANES + threadIdx.x; if (i < n) y[i] = x[i] > 0 ? x[i] : 0; }\n";
        passes_but_for(&room, "k.cu", &kernel(&text, code), ("= float", "= unsigned"));
    }
    if has("clang") {
        let code = "__kernel void k(__global const T *x, __global T *y, uint n) {\n\
                    uint i = get_global_id(0); if (i < n) y[i] = x[i] > 0 ? x[i] : 0; }\n";
        passes_but_for(&room, "k.cl", &kernel(&launched, code), wrong);
    }
    if has("glsl") {
        let pushed = launched.replace(", { N = \"u32\" }]", "]\npush = { N = \"u32\" }");
        let pushed = pushed.replace("block = [\"LANES\", 1, 1]\n", "");
        let code = "#version 450\nlayout(local_size_x = LANES) in;\n\
                    layout(push_constant) uniform P { uint n; } p;\n\
                    layout(binding = 0) readonly buffer X { T x[]; };\n\
                    layout(binding = 1) writeonly buffer Y { T y[]; };\n\
                    void main() { uint i = gl_GlobalInvocationID.x; if (i < p.n) y[i] = max(x[i], T(0)); }\n";
        passes_but_for(&room, "k.comp", &kernel(&pushed, code), ("\"float\"", "\"uint\""));
        let named = pushed.replace("LANES = 64", "LANES = 64, KIND = { text = \"1\" }");
        let code = code.replace("layout(local", "layout(constant_id = 0) const uint KIND = 1;\nlayout(local");
        let text = kernel(&named, &code.replace("T(0)", "T(0) * KIND"));
        let report = tested(&room, "constant.comp", &text);
        assert!(report.reason.contains("a specialisation constant is a number"), "{report:#?}");
    }
    if has("triton") {
        let text = "# --- ktwin\n# op = \"relu\"\n# args = [\"x\", \"y\", { N = \"i32\" }]\n\
                    # grid = [\"ceil(N / LANES)\", 1, 1]\n\
                    # define = { LANES = 128, KIND = { text = \"relu\" } }\n# ---\n\
                    import triton\nimport triton.language as tl\n\n\n@triton.jit\n\
                    def k(X, Y, N, LANES: tl.constexpr, KIND: tl.constexpr):\n\
                    \x20   at = tl.program_id(0) * LANES + tl.arange(0, LANES)\n\
                    \x20   x = tl.load(X + at, mask=at < N)\n    if KIND == \"relu\":\n\
                    \x20       x = tl.maximum(x, 0.0)\n    tl.store(Y + at, x, mask=at < N)\n";
        passes_but_for(&room, "k.py", text, ("text = \"relu\"", "text = \"none\""));
    }
}

/// WGSL as engines keep it: parts that are chosen by directives, types and sizes by the words of a preprocessor.
const DIRECTIVES: &str = "#include \"types.tmpl\"\n#ifdef HALF\nenable f16;\n#endif\n\
    #define AT(i) (i) * STEP\n\
    @group(0) @binding(0) var<storage, read> x: array<TYPE>;\n\
    @group(0) @binding(1) var<storage, read_write> y: array<TYPE>;\n\
    @group(0) @binding(2) var<uniform> n: u32;\n\
    @compute @workgroup_size(LANES) fn main(@builtin(global_invocation_id) id: vec3u) {\n\
    #if LANES >= 64 && !defined(OTHER)\n\
    let i = AT(id.x); if i < n { y[i] = max(x[i], 0.0); }\n\
    #else\nnot a kernel\n#endif\n}\n";

#[test]
fn wgsl_may_have_directives_and_macros() {
    let room = folder("handed-directives");
    fs::write(
        room.join("types.tmpl"),
        "#ifdef HALF // as one likes\n#define TYPE f16\n#else\n#define TYPE WHOLE\n#endif\n",
    )
    .unwrap();
    let contract = |define: &str| {
        format!(
            "/*--- ktwin\nop = \"relu\"\nargs = [\"x\", \"y\", {{ N = \"u32\" }}]\n\
             grid = [\"ceil(N / 64)\", 1, 1]\ndefine = {{ LANES = 64, STEP = 1, {define} }}\n---*/\n"
        )
    };
    let right = contract("WHOLE = { text = \"f32\" }") + DIRECTIVES;
    passes_but_for(&room, "k.wgsl", &right, ("max(x[i], 0.0)", "x[i]"));
    let other = contract("WHOLE = { text = \"f32\" }, OTHER = 1") + DIRECTIVES;
    let report = tested(&room, "other.wgsl", &other);
    assert!(report.verdict == Verdict::Fail && report.reason.contains("not a kernel"), "{report:#?}");
    let said =
        refused(&room, "none.wgsl", &(contract("WHOLE = { text = \"f32\" }, UNKNOWN = 1") + DIRECTIVES));
    assert!(said.contains("`define` names `UNKNOWN`"), "{said}");
}

#[test]
fn text_that_has_no_place_is_refused() {
    let room = folder("handed-text-refused");
    let text = kernel(TEXT, "void k(void) { }\n");
    for (wrong, says) in [
        ("\"float\"", "if text is meant, write T = { text = \"float\" }"),
        ("{ txt = \"float\" }", "a constant is a number, an expression or text"),
        ("{ text = 3 }", "write the text in quotes"),
        ("{ text = \"a\\nb\" }", "a constant's text is one line"),
    ] {
        let said = refused(&room, "k.c", &text.replace("{ text = \"float\" }", wrong));
        assert!(said.contains(says), "{wrong}: {said}");
    }
    let said = refused(&room, "k.wgsl", &text);
    assert!(said.contains("`T`, but the kernel has no such `override`, and no such word"), "{said}");
    let said = refused(&room, "k.c", &text.replace("LANES = 64", "LANES = \"T + 1\""));
    assert!(said.contains("`T` is not known here"), "{said}");
}

const RETURNS: &str = "op = \"dot\"\nargs = [{ N = \"i32\" }, \"a\", \"b\"]\nreturns = \"c\"\n";

#[test]
fn functions_return_their_result() {
    let room = folder("handed-returns");
    let loops = "float dot(int n, const float *a, const float *b) {\n\
                 float sum = 0; for (int i = 0; i < n; i++) sum += a[i] * b[i]; return sum; }\n";
    let wrong = ("i = 0", "i = 1");
    passes_but_for(&room, "k.c", &kernel(RETURNS, loops), wrong);
    passes_but_for(&room, "k.cpp", &kernel(RETURNS, &format!("extern \"C\" {loops}")), wrong);
    let rust = "#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn dot(n: i32, a: *const f32, b: *const f32) -> f32 {\n\
                let mut sum = 0.0;\nfor i in 0..n as usize { sum += unsafe { *a.add(i) * *b.add(i) }; }\nsum }\n";
    passes_but_for(&room, "k.rs", &kernel(RETURNS, rust), ("in 0..", "in 1.."));
    // a type of its own, and two functions one after the other
    let chain = "op = \"argmax\"\ntypes = { y = \"i64\" }\nscratch = { most = \"f32[1]\" }\nchain = [\n\
                 { entry = \"find\", args = [\"x\", \"most\", { N = \"u32\" }] },\n\
                 { entry = \"place\", args = [\"x\", \"most\", { N = \"u32\" }], returns = \"y\" },\n]\n";
    let code = "void find(const float *x, float *most, unsigned n) {\n\
                *most = x[0]; for (unsigned i = 1; i < n; i++) if (x[i] > *most) *most = x[i]; }\n\
                long long place(const float *x, const float *most, unsigned n) {\n\
                for (unsigned i = 0; i < n; i++) if (x[i] == *most) return i; return 0; }\n";
    passes_but_for(&room, "chain.c", &kernel(chain, code), ("return i;", "return i + 1;"));
}

#[test]
fn what_cannot_be_returned_is_refused() {
    let room = folder("handed-returns-refused");
    let text = kernel(RETURNS, "float dot(void) { return 0; }\n");
    let rows = text.replace("op = \"dot\"", "op = \"relu\"").replace("\"a\", \"b\"", "\"x\"");
    for (name, text, says) in [
        ("k.c", text.replace("returns", "# "), "add \"c\" to `args`, or write returns = \"c\" where"),
        ("k.wgsl", text.clone(), "`returns` applies only to C, C++ and Rust"),
        ("k.c", text.replace("\"c\"", "\"d\""), "op dot has no output `d`"),
        ("k.c", text.replace("\"b\"]", "\"b\", \"c\"]"), "`c` is returned, and is among `args` as well"),
        ("k.c", text.replace("returns", "types = { c = \"q8_0\" }\nreturns"), "`c` is not a single number"),
        ("k.c", rows.replace("\"c\"", "\"y\""), "`y` is not a single number, which is all"),
    ] {
        let said = refused(&room, name, &text);
        assert!(said.contains(says), "{says}: {said}");
    }
}

/// Findings name lines of the file itself, whatever it includes.
#[test]
fn a_shader_that_includes_another_keeps_its_lines() {
    if !has("glsl") {
        return;
    }
    let folder = folder("handed-included");
    let header = "float twice(float v) {\n    return 2.0 * v;\n}\n";
    fs::write(folder.join("twice.glsl"), header).unwrap();
    let contract = "op = \"scale\"\nargs = [\"x\", \"y\"]\npush = { N = \"u32\", alpha = \"f32\" }\n\
                    grid = [\"ceil(N / 64)\", 1, 1]\n";
    let code = "#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"twice.glsl\"\n\
                layout(local_size_x = 64) in;\n\
                layout(binding = 0) readonly buffer X { float x[]; };\n\
                layout(binding = 1) writeonly buffer Y { float y[]; };\n\
                layout(push_constant) uniform P { uint n; float alpha; } p;\n\
                void main() {\n    const uint i = gl_GlobalInvocationID.x;\n\
                \u{20}   y[i] = twice(0.5 * x[i]) * p.alpha;\n}\n";
    let report = tested(&folder, "scale.comp", &kernel(contract, code));
    let found = report.failure.unwrap().findings;
    assert!(found.iter().any(|f| f.text.starts_with("y[i] = twice")), "{found:#?}");
}
