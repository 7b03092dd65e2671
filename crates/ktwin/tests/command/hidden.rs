//! Kernels as others write them: functions that their files do not export, with the examples of docs/contract.md, and
//! casts of f16 in WGSL.

use super::handed::passes_but_for;
use crate::support::{folder, ktwin};

/// The blocks of a language in the contract's page.
fn examples(language: &str) -> Vec<String> {
    let text = super::contracts::reference();
    let opening = format!("```{language}\n");
    let blocks = text.split(&opening).skip(1);
    blocks.map(|block| block.split("```").next().unwrap().to_owned()).collect()
}

#[test]
fn the_examples_of_the_page() {
    let room = folder("hidden-examples");
    for op in examples("op") {
        let name = op["op ".len()..].split('(').next().unwrap();
        std::fs::write(room.join(format!("{name}.op")), &op).unwrap();
    }
    for (language, name, wrong) in [
        ("c", "k.c", vec![("out + rows * width", "out + rows * (width - 1)")]),
        ("cpp", "k.cpp", vec![("(1 + std", "(2 + std")]),
        ("rust", "k.rs", vec![("(1.0 + (", "(2.0 + ("), ("+ eps", "- eps")]),
    ] {
        let found = examples(language);
        assert_eq!(found.len(), wrong.len());
        for (text, wrong) in found.iter().zip(wrong) {
            passes_but_for(&room, name, text, wrong);
        }
    }
}

#[test]
fn a_file_with_helpers_a_header_and_a_main() {
    let room = folder("hidden-whole");
    std::fs::create_dir_all(room.join("include")).unwrap();
    std::fs::write(room.join("include/sizes.h"), "typedef struct { int rows, width; } sizes;\n").unwrap();
    let text = "/*--- ktwin\nop = \"softmax\"\nentry = \"softmax\"\ninclude = [\"include\"]\n\
                inplace = { y = \"x\" }\nargs = [\"x\", { R = \"i32\", D = \"i32\" }]\n---*/\n\
                #include <math.h>\n#include <sizes.h>\n\
                static inline float most(const float *x, int n) {\n\
                float m = x[0]; for (int i = 1; i < n; i++) m = fmaxf(m, x[i]); return m; }\n\
                static void softmax(float *x, sizes s) {\nfor (int r = 0; r < s.rows; r++, x += s.width) {\n\
                float m = most(x, s.width), sum = 0;\n\
                for (int i = 0; i < s.width; i++) sum += x[i] = expf(x[i] - m);\n\
                for (int i = 0; i < s.width; i++) x[i] /= sum;\n}\n}\n\
                int main(void) { return 0; }\n";
    passes_but_for(&room, "k.c", text, ("int i = 1; i < n", "int i = 1; i < n - 1"));
}

#[test]
fn names_that_mean_nothing_or_too_much() {
    let room = folder("hidden-refused");
    let text = "/*--- ktwin\nop = \"relu\"\nENTRYargs = [\"x\", \"y\", { N = \"u32\" }]\n---*/\n\
                static void f(const float *x, float *y, int n) {}\nstatic void g(const float *x, float *y, int n) {}\n";
    for (name, entry, says) in [
        ("k.c", "", "it has f, g"),
        ("k.c", "entry = \"h\"\n", "no call of `h`"),
        ("k.cpp", "entry = \"ops::f\"\n", "its namespace (`entry = \"ops::silu\"`)"),
        ("k.c", "entry = \"f; g\"\n", "is not the name of a function"),
    ] {
        let path = room.join(name);
        std::fs::write(&path, text.replace("ENTRY", entry)).unwrap();
        let run = ktwin(&["test", &path.display().to_string(), "--quick", "--seed", "1"]);
        assert_ne!(run.code, 0, "{}", run.out);
        assert!(run.out.contains(says), "{says}: {}{}", run.out, run.err);
    }
}

#[test]
fn vectors_of_f16_are_cast_to_bits() {
    let room = folder("hidden-bits");
    let text = "/*--- ktwin\nop = \"relu\"\ntypes = { x = \"f16\", y = \"f16\" }\n\
                args = [\"x\", \"y\", { N = \"u32\" }]\ngrid = [\"ceil(N / 128)\", 1, 1]\n\
                dims = { N = \"multiple of 2\" }\n---*/\nenable f16;\n\
                @group(0) @binding(0) var<storage, read> x: array<u32>;\n\
                @group(0) @binding(1) var<storage, read_write> y: array<u32>;\n\
                struct Sizes { n: u32 }\n@group(0) @binding(2) var<uniform> sizes: Sizes;\n\
                fn act(v: vec2<f16>) -> vec2<f16> { return max(v, vec2<f16>(0.0h)); }\n\
                @compute @workgroup_size(64)\nfn main(@builtin(global_invocation_id) id: vec3<u32>) {\n\
                if (id.x * 2u >= sizes.n) { return; }\nlet v = act(bitcast<vec2<f16>>(x[id.x]));\n\
                y[id.x] = bitcast<u32>(v);\n}\n";
    passes_but_for(&room, "k.wgsl", text, ("bitcast<u32>(v)", "bitcast<u32>(v.yx)"));
}
