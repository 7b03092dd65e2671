//! OpenCL C through the trait: what pointers, conversions and functions give on the simulated GPU, and what each
//! mistake is called.

mod common;

use common::{build, device, launch, source, y_of};
use ktwin_check::{Argument, Failure, Kind, Launch, Program, Ran, SourceKind};
use ktwin_devices::Limits;

/// Whether there is a compiler; where not, the test is left out aloud, unless `KTWIN_REQUIRE` names it.
fn compiler() -> bool {
    let found = ktwin_devices::compiler("clang");
    let required = std::env::var("KTWIN_REQUIRE").unwrap_or_default();
    if let Err(missing) = &found {
        assert!(!required.split(',').any(|d| d == "clang"), "{missing}");
        eprintln!("left out: {missing}");
    }
    found.is_ok()
}

/// A launch of `x` and `y`, eight work-items in one work-group.
fn eight(x: &[f32]) -> Launch {
    let mut launch = launch(x, 0.0);
    launch.steps[0].args = vec![Argument::Buffer(0), Argument::Buffer(1)];
    launch.steps[0].grid = [1, 1, 1];
    launch.steps[0].block = Some([8, 1, 1]);
    launch
}

fn compiled(text: &str, launch: &Launch) -> Result<Box<dyn Program>, Failure> {
    let sim = device("sim", Limits::default());
    sim.compile(&source(SourceKind::OpenCl, text), &build(launch, &[]))
}

fn ran(text: &str, launch: &Launch) -> Result<Ran, Failure> {
    let program = compiled(text, launch)?;
    program.run(vec![launch.clone()]).pop().unwrap_or(Err(Failure::Mismatch("no result".into())))
}

const X: [f32; 8] = [-300.7, -1.5, -0.5, 0.5, 1.5, 2.5, 127.6, 300.2];

/// What a kernel makes of `X`, with `v` the element of each work-item and `i` its number; nothing may be found.
fn made(before: &str, expression: &str) -> Vec<f32> {
    let text = format!(
        "{before}\n__kernel void k(__global const float *x, __global float *y) {{\n\
         int i = get_global_id(0); float v = x[i];\n__local float t[8]; t[i] = 5; \
         barrier(CLK_LOCAL_MEM_FENCE);\ny[i] = {expression};\n}}"
    );
    let launch = eight(&X);
    let ran = ran(&text, &launch).unwrap_or_else(|e| panic!("{expression}: {e}"));
    assert_eq!(ran.findings, [], "{expression}");
    y_of(&launch, &ran)
}

/// An expression, and its value of each element.
type Case = (&'static str, fn(usize, f32) -> f32);

fn each(f: impl Fn(usize, f32) -> f32) -> Vec<f32> {
    X.iter().enumerate().map(|(i, &v)| f(i, v)).collect()
}

#[test]
fn conversions_round_and_stop_as_they_say() {
    if !compiler() {
        return;
    }
    let cases: [Case; 12] = [
        ("convert_char_sat(v)", |_, v| f32::from(v as i8)),
        ("convert_uchar_sat_rte(v)", |_, v| f32::from(v.round_ties_even() as u8)),
        ("convert_int_rtp(v)", |_, v| v.ceil()),
        ("convert_int_rtn(v)", |_, v| v.floor()),
        ("convert_int(v)", |_, v| v.trunc()),
        ("convert_uchar_sat((int)v)", |_, v| f32::from((v as i32).clamp(0, 255) as u8)),
        ("convert_char_sat((int)v)", |_, v| f32::from((v as i32).clamp(-128, 127) as i8)),
        (
            "convert_short_sat((long)v * 1000)",
            |_, v| f32::from((v as i64 * 1000).clamp(-32768, 32767) as i16),
        ),
        ("convert_ushort_sat(convert_uint_sat(v))", |_, v| f32::from(v as u16)),
        ("(float)(char)(int)(v * 4.0f)", |_, v| f32::from((v * 4.0) as i32 as i8)),
        ("as_float(as_int(v) & 0x7fffffff)", |_, v| v.abs()),
        ("convert_float_rtz(16777217 + i)", |i, _| ((16_777_217 + i as u32) & !1) as f32),
    ];
    for (expression, wanted) in cases {
        assert_eq!(made("", expression), each(wanted), "{expression}");
    }
}

#[test]
fn functions_give_what_the_specification_says() {
    if !compiler() {
        return;
    }
    let cases: [Case; 15] = [
        ("round(v)", |_, v| v.round()),
        ("rint(v)", |_, v| v.round_ties_even()),
        ("copysign(2.0f, v)", |_, v| 2f32.copysign(v)),
        ("bitselect(v, 3.5f, as_float(0x807fffffu))", |_, v| {
            f32::from_bits(v.to_bits() & !0x807f_ffff | 3.5f32.to_bits() & 0x807f_ffff)
        }),
        ("fdim(v, 1.0f)", |_, v| if v > 1.0 { v - 1.0 } else { 0.0 }),
        ("mix(v, 1.0f, 0.25f)", |_, v| v + (1.0 - v) * 0.25),
        ("clamp(v, -1.0f, 2.0f)", |_, v| v.clamp(-1.0, 2.0)),
        ("(float)rotate((uchar)(i + 129), (uchar)1)", |i, _| f32::from((i as u8 + 129).rotate_left(1))),
        ("(float)mul_hi((short)(i * 3000), (short)-30000)", |i, _| {
            f32::from(((i as i32 * 3000 * -30000) >> 16) as i16)
        }),
        ("(float)add_sat((char)(i * 20), (char)100)", |i, _| {
            f32::from(((i as i32 * 20) as i8).saturating_add(100))
        }),
        ("(float)sub_sat((uint)i, 3u)", |i, _| (i as u32).saturating_sub(3) as f32),
        ("(float)hadd(i, 5)", |i, _| ((i + 5) / 2) as f32),
        ("(float)clz((ushort)i)", |i, _| (i as u16).leading_zeros() as f32),
        ("select(v, 7.0f, i > 3)", |i, v| if i > 3 { 7.0 } else { v }),
        ("(float)popcount(i) + (isnan(v) ? 100 : 0)", |i, _| i.count_ones() as f32),
    ];
    for (expression, wanted) in cases {
        assert_eq!(made("", expression), each(wanted), "{expression}");
    }
}

#[test]
fn pointers_lead_where_they_were_made() {
    if !compiler() {
        return;
    }
    let helpers = "__constant float table[4] = {1, 10, 100, 1000};
        struct pair { char tag; float2 v; };
        float last(__global const float *end) { return end[-1]; }
        float of(float *a, int n) { float s = 0; for (float *p = a + n; p != a;) s = s * 2 + *--p; return s; }
        float generic_sum(const float *a, const float *b, int which) { const float *p = which ? a : b; return p[1]; }
        float through(float v) { float a[4] = {v, 1, 2, 3}; a[(int)fabs(v) % 4] += 8; return of(a, 4); }
        float packed(float v) { struct pair p; p.tag = 3; p.v = (float2)(v, 2 * v); struct pair *q = &p;
            return q->v.y + q->tag + sizeof(struct pair); }
        float shared(__local float *t, float v) { int i = get_local_id(0); t[i] = v; barrier(CLK_LOCAL_MEM_FENCE);
            return t[7 - i]; }
        float swizzled(float v) { float4 a = (float4)(v, 1, 2, 3); a.yz = a.zy; a.s3 = a.s0; return a.y * 10 + a.w; }";
    let through = |v: f32| {
        let mut a = [v, 1.0, 2.0, 3.0];
        a[v.abs() as usize % 4] += 8.0;
        a.iter().rev().fold(0.0, |s, p| s * 2.0 + p)
    };
    assert_eq!(made(helpers, "table[i & 3]"), each(|i, _| 10f32.powi((i & 3) as i32)));
    assert_eq!(made(helpers, "last(x + i + 1)"), X);
    assert_eq!(made(helpers, "through(v)"), each(|_, v| through(v)));
    assert_eq!(made(helpers, "packed(v)"), each(|_, v| 2.0 * v + 3.0 + 16.0));
    assert_eq!(made(helpers, "swizzled(v)"), each(|_, v| 20.0 + v));
    let generic = "({ float own[2] = {v, v + 1}; generic_sum(own, t, i & 1); })";
    assert_eq!(made(helpers, generic), each(|i, v| if i & 1 == 1 { v + 1.0 } else { 5.0 }));
    assert_eq!(made(helpers, "shared(t, v)"), each(|i, _| X[7 - i]));
}

#[test]
fn vectors_and_halves_go_through_memory() {
    if !compiler() {
        return;
    }
    let half = "({ ushort h[3]; vstore_half(v, 1, (half *)h); vload_half(1, (half *)h); })";
    let to_half = |v: f32| ktwin_num::f16_to_f32(ktwin_num::f32_to_f16(v));
    assert_eq!(made("", half), each(|_, v| to_half(v)));
    assert_eq!(made("", "vload4(i & 1, x).s2"), each(|i, _| X[4 * (i & 1) + 2]));
    let wide = "({ float16 a = (float16)(v); a.s7 = 1; float8 b = a.lo + a.hi; b.s7; })";
    assert_eq!(made("", wide), each(|_, v| 1.0 + v));
    let sizes =
        "get_global_size(0) * 10000 + get_local_size(0) * 100 + get_num_groups(0) * 10 + get_work_dim()";
    assert_eq!(made("", &format!("(float)({sizes})")), [80_813.0; 8]);
}

/// Factors of 24 bits give the product; what comes of wider ones is the device's to say.
#[test]
fn narrow_products_take_narrow_factors() {
    if !compiler() {
        return;
    }
    assert_eq!(made("", "mul24((int)v, -8)"), each(|_, v| f32::from(v as i16 * -8)));
    assert_eq!(made("", "mad24(i, 0x7fffff, 1) / 0x7fffff"), each(|i, _| i as f32));
    assert_eq!(made("", "mul24((uint)i, 0xffffffu) / 0xffffffu"), each(|i, _| i as f32));
    for wide in ["mul24(i, 0x800000)", "mad24(0x1000000u, (uint)i, 1u)", "mul24(-0x800001, i)"] {
        let text = format!(
            "__kernel void k(__global const float *x, __global float *y) {{\n\
             int i = get_global_id(0);\ny[i] = x[i] + {wide};\n}}"
        );
        let ran = ran(&text, &eight(&X)).unwrap_or_else(|e| panic!("{wide}: {e}"));
        let kinds: Vec<Kind> = ran.findings.iter().map(|found| found.kind).collect();
        assert_eq!(kinds, [Kind::OperandTooWide], "{wide}");
    }
}

/// Of a kernel that asks for its subgroups' width itself, no other is drawn.
#[test]
fn a_kernel_may_ask_for_its_subgroups() {
    if !compiler() {
        return;
    }
    let text = |asks: &str| {
        format!(
            "#pragma OPENCL EXTENSION cl_khr_subgroups : enable\n{asks}\n\
             __kernel void k(__global const float *x, __global float *y) {{\n\
             y[get_global_id(0)] = x[0] + get_max_sub_group_size();\n}}"
        )
    };
    let widths = |text: &str, subgroup: Vec<i64>| {
        let sim = device("sim", Limits::default());
        let launch = eight(&[0.0; 8]);
        let build = ktwin_check::Build { subgroup, ..build(&launch, &[]) };
        let program = sim.compile(&source(SourceKind::OpenCl, text), &build)?;
        let drawn = (0..6).map(|n| Launch { schedule: n << 8, ..launch.clone() }).collect();
        let ran: Result<Vec<Ran>, Failure> = program.run(drawn).into_iter().collect();
        Ok::<_, Failure>(ran?.iter().map(|ran| y_of(&launch, ran)[0]).collect::<Vec<f32>>())
    };
    let free = widths(&text(""), Vec::new()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(free, [32.0, 32.0, 32.0, 8.0, 16.0, 64.0]);
    assert_eq!(widths(&text(""), vec![16]).ok(), Some(vec![16.0; 6]));
    let asks = text("__attribute__((intel_reqd_sub_group_size(16)))");
    assert_eq!(widths(&asks, Vec::new()).ok(), Some(vec![16.0; 6]));
    let other = widths(&asks, vec![32]).err();
    assert!(matches!(&other, Some(Failure::Mismatch(text)) if text.contains("subgroups of 16")), "{other:?}");
}

#[test]
fn components_of_vectors_are_stored_alone() {
    if !compiler() {
        return;
    }
    let kernel = |line: &str| {
        format!(
            "__kernel void k(__global const float *x, __global float *y) {{\n__local float4 p[8];\n\
             __local float3 t[8]; int i = get_local_id(0); float v = x[i];\n{line}\n}}"
        )
    };
    // each work-item has a component of its own; the fourth of those of three is nobody's
    let right: [Case; 4] = [
        (
            "if (i & 1) p[i / 2].x = v; else p[i / 2].y = v; barrier(CLK_LOCAL_MEM_FENCE);
             y[i] = i & 1 ? p[i / 2].y : p[i / 2].x;",
            |i, _| X[i ^ 1],
        ),
        (
            "t[i].x = v; t[i].zy = (float2)(1, 2); t[i].x += 1; float3 a = t[i]; y[i] = a.x + 10 * a.y + 100 * a.z;",
            |_, v| v + 1.0 + 20.0 + 100.0,
        ),
        (
            "p[i / 4][i % 4] = v; barrier(CLK_LOCAL_MEM_FENCE); y[i] = p[i / 4].s3 + p[i / 4][i % 4];",
            |i, v| X[i / 4 * 4 + 3] + v,
        ),
        ("float2 a; a.yx = v; float2 b = a; b.x = 2; b.y += b.x; y[i] = b.y;", |_, v| v + 2.0),
    ];
    for (line, wanted) in right {
        let launch = eight(&X);
        let ran = ran(&kernel(line), &launch).unwrap_or_else(|e| panic!("{line}: {e}"));
        assert_eq!((ran.findings.as_slice(), y_of(&launch, &ran)), (&[][..], each(wanted)), "{line}");
    }
    let wrong = [
        ("p[i].x = v; y[i] = p[i].y;", Kind::Uninitialised),
        ("p[i].x = v; float4 q = p[i]; y[i] = q.x + q.y;", Kind::Uninitialised),
        ("p[i].yxwz = p[i]; y[i] = 0;", Kind::Uninitialised),
        ("p[i].y += v; y[i] = 0;", Kind::Uninitialised),
        ("p[i][i & 1] += v; y[i] = 0;", Kind::Uninitialised),
        ("p[i / 2].x = v; y[i] = 0;", Kind::Race),
        ("p[i].x = v; y[i] = p[i ^ 1].x;", Kind::Race),
        ("p[i + 1].y = v; y[i] = 0;", Kind::OutOfBounds),
        ("volatile __local float4 *q = p; q[i].x = v; y[i] = 0;", Kind::Uninitialised),
    ];
    for (line, kind) in wrong {
        let (kinds, at) = found(&kernel(line));
        assert_eq!((kinds.first(), at), (Some(&kind), Some(4)), "{line}: {kinds:?}");
    }
}

#[test]
fn what_projects_write_runs() {
    if !compiler() {
        return;
    }
    let before = "inline float twice(float v) { return 2 * v; }
        typedef union { float4 v; float s[4]; uint4 u; } quad;
        __constant int shift[2] = { 0, 0 };";
    assert_eq!(made(before, "twice(v) + shift[i & 1]"), each(|_, v| 2.0 * v));
    // what a project's helpers take for images is handed on and left alone
    let sampled = "__constant sampler_t how = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST;
        float of(sampler_t s, __global const float *p, int i) { return 3 * p[i]; }";
    assert_eq!(made(sampled, "of(how, x, i)"), each(|_, v| 3.0 * v));
    assert_eq!(
        made(before, "({ quad q; q.v = (float4)(v, 1, 2, 3); q.u.x ^= 0x80000000u; q.s[0]; })"),
        each(|_, v| -v)
    );
    let locals = "__kernel void k(__global const float *x, __local float *a, __global float *y, __local float *b) {
        int i = get_local_id(0); a[i] = x[i]; b[7 - i] = 1; barrier(CLK_LOCAL_MEM_FENCE); y[i] = a[7 - i] + b[i]; }";
    let mut launch = eight(&X);
    launch.steps[0].shared = 32;
    let ran = ran(locals, &launch).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((ran.findings.as_slice(), y_of(&launch, &ran)), (&[][..], each(|i, _| X[7 - i] + 1.0)));
    launch.steps[0].shared = 28;
    let kinds = |launch: &Launch| {
        let ran = self::ran(locals, launch).unwrap_or_else(|e| panic!("{e}"));
        ran.findings.iter().map(|finding| finding.kind).collect::<Vec<_>>()
    };
    assert!(kinds(&launch).contains(&Kind::OutOfBounds), "{:?}", kinds(&launch));
    launch.steps[0].shared = 40 << 10;
    let Err(Failure::Mismatch(said)) = self::ran(locals, &launch) else { panic!("more than there is") };
    assert!(said.contains("bytes of local memory"), "{said}");
}

/// The kinds of what is found in a kernel, and the line of the first.
fn found(text: &str) -> (Vec<Kind>, Option<u32>) {
    let ran = ran(text, &eight(&X)).unwrap_or_else(|e| panic!("{e}"));
    let kinds = ran.findings.iter().map(|f| f.kind).collect();
    (kinds, ran.findings.first().and_then(|f| f.line))
}

#[test]
fn what_a_pointer_should_not_do_is_found_on_its_line() {
    if !compiler() {
        return;
    }
    let kernel = |line: &str| {
        format!(
            "__kernel void k(__global const float *x, __global float *y) {{\nint i = get_global_id(0);\n{line}\n}}"
        )
    };
    let cases = [
        ("y[i] = x[i - 1];", Kind::OutOfBounds),
        ("y[i] = x[i + 1];", Kind::OutOfBounds),
        ("__global const float *p = x + 8; y[i] = p[i];", Kind::OutOfBounds),
        ("float a[4]; a[0] = 1; y[i] = a[i & 1];", Kind::Uninitialised),
        ("__local float t[8]; t[i / 2] = i; y[i] = 0;", Kind::Race),
        ("if (i < 4) barrier(CLK_LOCAL_MEM_FENCE); y[i] = 0;", Kind::DivergentBarrier),
        ("y[i] = *(__global const float *)((__global const char *)x + 1);", Kind::Misaligned),
    ];
    for (line, kind) in cases {
        let (kinds, at) = found(&kernel(line));
        assert_eq!((kinds.first(), at), (Some(&kind), Some(3)), "{line}: {kinds:?}");
    }
    assert_eq!(found(&kernel("y[i] = x[i];")), (Vec::new(), None));
}

#[test]
fn mistakes_have_their_names() {
    if !compiler() {
        return;
    }
    let launch = eight(&X);
    let refused = |text: &str| ran(text, &launch).err().map(|e| e.to_string()).unwrap_or_default();
    let broken =
        compiled("__kernel void k(__global const float *x, __global float *y) {\n y[0] = q;\n}", &launch);
    let Err(Failure::Compile { message, line }) = broken else { panic!("it does not compile") };
    assert!(line == Some(2) && message.contains("undeclared identifier 'q'"), "{message}");
    let kernel =
        |body: &str| format!("__kernel void k(__global const float *x, __global float *y) {{\n{body}\n}}");
    let cases = [
        (kernel("printf(\"%d\", 1);"), "printf"),
        (kernel("y[0] = tgamma(x[0]);"), "tgamma"),
        (kernel("y[0] = work_group_reduce_add(x[0]);"), "OpGroupFAdd"),
        ("__kernel void k(__read_only image1d_buffer_t x, __global float *y) {}".into(), "OpTypeImage"),
        (
            "float f(float); __kernel void k(__global const float *x, __global float *y) { y[0] = f(1); }"
                .into(),
            "`f`",
        ),
        ("__kernel void k(__global float *y) {}".into(), "has 1 parameter, but `args` gives 2"),
        ("__kernel void k(write_only image2d_t y, uint n, uint m) {}".into(), "textures and samplers"),
        (
            "__kernel void k(__global const float *x, uint n) {}".into(),
            "parameter `n` of `k` takes 4 bytes, but `args` gives it 8",
        ),
        (
            "__kernel __attribute__((reqd_work_group_size(4, 1, 1)))\n\
             void k(__global const float *x, __global float *y) {}"
                .into(),
            "reqd_work_group_size(4, 1, 1)",
        ),
    ];
    for (text, wanted) in cases {
        let said = refused(&text);
        assert!(said.contains(wanted), "{text}: {said}");
    }
}
