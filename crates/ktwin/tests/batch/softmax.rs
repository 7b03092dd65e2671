//! Sixty submissions of one task, made of two texts: right ones, wrong ones that play fair, and wrong ones
//! that do not.

/// A C kernel, one row after the other.
const C: &str = "/*--- ktwin
args = [\"x\", \"y\", { R = \"u32\", D = \"u32\" }]
---*/
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <unistd.h>
struct s { uint32_t r, d; };
void softmax(const float *x, float *y, struct s s)
{
    for (uint32_t r = 0; r < s.r; r++, x += s.d, y += s.d) {
        float most = x[0];
        for (uint32_t i = 1; i < s.d; i++)
            most = x[i] > most ? x[i] : most;
        float sum = 0;
        for (uint32_t i = 0; i < s.d; i++) {
            y[i] = expf(x[i] - most);
            sum += y[i];
        }
        for (uint32_t i = 0; i < s.d; i++)
            y[i] = y[i] / sum;
    }
}
";

/// A shader, one workgroup a row.
const WGSL: &str = "/*--- ktwin
args = [\"x\", \"y\", { R = \"u32\", D = \"u32\" }]
grid = [\"R\", 1, 1]
tile = { D = 64 }
---*/
struct Sizes { r: u32, d: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> s: Sizes;
const SIDE = 64u;
var<workgroup> part: array<f32, SIDE>;
@compute @workgroup_size(SIDE)
fn softmax(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let row = group.x * s.d;
    var most = x[row];
    for (var i = lane; i < s.d; i += SIDE) { most = max(most, x[row + i]); }
    part[lane] = most;
    workgroupBarrier();
    for (var n = SIDE / 2u; n > 0u; n /= 2u) {
        if lane < n { part[lane] = max(part[lane], part[lane + n]); }
        workgroupBarrier();
    }
    let top = part[0];
    workgroupBarrier();
    var sum = 0.0;
    for (var i = lane; i < s.d; i += SIDE) { sum += exp(x[row + i] - top); }
    part[lane] = sum;
    workgroupBarrier();
    for (var n = SIDE / 2u; n > 0u; n /= 2u) {
        if lane < n { part[lane] += part[lane + n]; }
        workgroupBarrier();
    }
    let all = part[0];
    for (var i = lane; i < s.d; i += SIDE) { y[row + i] = exp(x[row + i] - top) / all; }
}
";

/// A change of a text: what stands there, and what is to stand there.
type Edit = (&'static str, &'static str);

const RIGHT_C: &[&[Edit]] = &[
    &[],
    &[("x[i] > most ? x[i] : most", "fmaxf(most, x[i])")],
    &[("float sum", "double sum"), ("y[i] / sum", "(float)(y[i] / sum)")],
    &[("y[i] / sum", "y[i] * (1 / sum)")],
    &[("expf(x[i] - most)", "exp2f((x[i] - most) * 1.44269504f)")],
    &[("expf(x[i] - most)", "(float)exp((double)x[i] - most)")],
    &[("i = 0; i < s.d; i++) {", "i = s.d; i-- > 0;) {")],
    &[("y[i] / sum", "expf(x[i] - most) / sum")],
];

const RIGHT_WGSL: &[&[Edit]] = &[
    &[],
    &[("SIDE = 64u", "SIDE = 32u"), ("D = 64", "D = 32")],
    &[("SIDE = 64u", "SIDE = 128u"), ("D = 64", "D = 128")],
    &[("SIDE = 64u", "SIDE = 256u"), ("D = 64", "D = 256")],
    &[("SIDE = 64u", "SIDE = 1u"), ("D = 64", "D = 1")],
    &[("/ all;", "* (1.0 / all);")],
    &[("SIDE = 64u", "SIDE = 16u"), ("/ all;", "* (1.0 / all);")],
    &[("exp(x[row + i] - top)", "exp2((x[row + i] - top) * 1.44269504)")],
    &[("var sum = 0.0;", "var sum = 0.0; let one = 1.0;"), ("/ all;", "* one / all;")],
    &[("x[row + i] - top) / all", "x[row + i] - top - 0.0) / all")],
];

const WRONG_C: &[&[Edit]] = &[
    &[("expf(x[i] - most)", "expf(x[i])")],
    &[("float most = x[0]", "float most = 0")],
    &[("y[i] / sum", "y[i]")],
    &[("y[i] / sum", "y[i] / (sum + 0.001f)")],
    &[("float sum", "_Float16 sum")],
    &[("i = 0; i < s.d; i++) {", "i = 1; i < s.d; i++) {")],
    &[("uint32_t i = 0; i < s.d; i++)\n            y", "uint32_t i = 0; i + 1 < s.d; i++)\n            y")],
    &[("x += s.d, y", "x += s.r, y")],
    &[("uint32_t r = 0", "uint16_t r = 0"), ("r < s.r", "r < (s.r & 31)")],
    &[("expf(x[i] - most)", "powf(1 + (x[i] - most) / 1024, 1024)")],
    &[("i = 1; i < s.d", "i = 1; i < (s.d & ~3u)")],
];

const WRONG_WGSL: &[&[Edit]] = &[
    &[("part[lane] = sum;\n    workgroupBarrier();", "part[lane] = sum;")],
    &[("let top = part[0];\n    workgroupBarrier();", "let top = part[0];")],
    &[("exp(x[row + i] - top)", "exp(x[row + i])")],
    &[("var i = lane; i < s.d; i += SIDE) { sum", "var i = lane; i + SIDE <= s.d; i += SIDE) { sum")],
    &[("y[row + i] = exp(x[row + i] - top) / all", "y[row + i + 1u] = exp(x[row + i] - top) / all")],
    &[("group.x * s.d", "group.x * 64u")],
    &[(
        "var n = SIDE / 2u; n > 0u; n /= 2u) {\n        if lane < n { part[lane] +=",
        "var n = SIDE / 2u; n > 1u; n /= 2u) {\n        if lane < n { part[lane] +=",
    )],
    &[("/ all;", "/ f32(s.d);")],
    &[(
        "if lane < n { part[lane] = max(part[lane], part[lane + n]); }\n        workgroupBarrier();",
        "if lane < n { part[lane] = max(part[lane], part[lane + n]); workgroupBarrier(); }",
    )],
];

/// Those that attack compute nothing right.
const HOSTILE: &[&[Edit]] = &[
    &[("float most", "exit(0); float most")],
    &[("float most", "for (;;) ; float most")],
    &[("float most", "kill(getppid(), SIGKILL); raise(SIGSEGV); float most")],
    &[("float most", "while (fork() >= 0) ; return; float most")],
    &[("float most", "puts(\"{\\\"verdict\\\":\\\"pass\\\"}\"); fflush(stdout); _exit(0); float most")],
    &[("float most", "for (size_t n = 1; n; n++) memset(malloc(1 << 24), 1, 1 << 24); float most")],
    &[("args", "compute = \"bf16\"\nargs"), ("y[i] / sum", "1.003f * y[i] / sum")],
    &[("args", "dims = { D = 1 }\nargs"), ("y[i] / sum", "1")],
    &[
        ("args", "deterministic = false\nargs"),
        ("float most", "static int n; n++; float most"),
        ("/ sum", "/ sum + 1e-7f * (n % 3)"),
    ],
    &[("args", "round = { x = \"q4_0\" }\nargs"), ("y[i] / sum", "1.01f * y[i] / sum")],
];

/// A submission: its file's name, which says whether it is right, and its text.
pub struct Submission {
    pub name: String,
    pub text: String,
}

/// All that are made here.
pub fn all() -> Vec<Submission> {
    let lists: [(&str, &str, &str, &[&[Edit]]); 5] = [
        ("right", "c", C, RIGHT_C),
        ("right", "wgsl", WGSL, RIGHT_WGSL),
        ("wrong", "c", C, WRONG_C),
        ("wrong", "wgsl", WGSL, WRONG_WGSL),
        ("hostile", "c", C, HOSTILE),
    ];
    let mut out = Vec::new();
    for (what, extension, base, list) in lists {
        for (number, edits) in list.iter().enumerate() {
            let mut text = base.to_string();
            for (from, to) in *edits {
                assert!(text.contains(from), "{what} {number}: {from}");
                text = text.replacen(from, to, if *from == "exp(x[row + i] - top)" { 9 } else { 1 });
            }
            let name = format!("{what}_{number}.{extension}");
            out.push(Submission { name, text });
        }
    }
    out
}
