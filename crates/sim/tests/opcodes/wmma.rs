//! Programs for `wmma`, whose fragments only fit each other: load, load, multiply, store.

use super::frame;

pub struct Case {
    pub source: String,
    pub forms: Vec<String>,
    pub a: Vec<u8>,
    pub b: Vec<u8>,
    pub product: Vec<f32>,
}

fn element(ty: &str, value: f32) -> Vec<u8> {
    match ty {
        "f16" => half::f16::from_f32(value).to_le_bytes().to_vec(),
        "bf16" => half::bf16::from_f32(value).to_le_bytes().to_vec(),
        _ => value.to_le_bytes().to_vec(),
    }
}

/// One case for each `wmma.mma` among the forms, and for each way of storing.
pub fn matrices(forms: &[&str]) -> Vec<Case> {
    let mut out = Vec::new();
    for mma in forms.iter().filter(|form| form.starts_with("wmma.mma")) {
        let op: Vec<&str> = mma.split('.').collect();
        let ty = ["tf32", "bf16"].into_iter().find(|ty| op.contains(ty)).unwrap_or("f16");
        let shape = op.iter().find(|m| m.starts_with("m16n16k")).expect("a shape");
        let fits = |form: &&&str, start: &str| form.starts_with(start) && form.contains(&format!(".{shape}"));
        let load = |part: &str, layout: &str| {
            let start = format!("wmma.load.{part}.sync.aligned.{layout}.");
            let found = forms.iter().find(|form| fits(form, &start) && form.ends_with(&format!(".{ty}")));
            (*found.unwrap_or_else(|| panic!("{start}{shape}.{ty}"))).to_owned()
        };
        for store in forms.iter().filter(|form| fits(form, "wmma.store.d")) {
            out.push(case(
                (ty, op[4], op[5]),
                shape,
                [load("a", op[4]), load("b", op[5]), mma.to_string(), store.to_string()],
            ));
        }
    }
    out
}

fn case((ty, rows_a, rows_b): (&str, &str, &str), shape: &str, forms: [String; 4]) -> Case {
    let k: usize = shape.trim_start_matches("m16n16k").parse().expect("a size");
    let value = |i: usize| ((i * 29 + i / 5) % 17) as f32 - 8.0;
    let a = |i: usize, p: usize| value(i * k + p);
    let b = |p: usize, j: usize| value(1000 + p * 16 + j);
    assert_eq!(rows_a, "row");
    let by_rows = rows_b == "row";
    let element_b = |at: usize| if by_rows { b(at / 16, at % 16) } else { b(at % k, at / k) };
    let words = match ty {
        "f16" => 8,
        _ => 4,
    };
    let regs = |file: char, first: usize, count: usize| {
        let all: Vec<String> = (first..first + count).map(|i| format!("%{file}{i}")).collect();
        format!("{{{}}}", all.join(", "))
    };
    let (ra, rb) = (regs('r', 0, words), regs('r', 10, words));
    let (c, d) = (regs('f', 0, 8), regs('f', 10, 8));
    let zero: String = (0..8).map(|i| format!("mov.f32 %f{i}, 0f00000000;\n")).collect();
    let ldb = if by_rows { 16 } else { k };
    let shared = forms[3].contains(".shared.");
    let (at, after) = if shared {
        let copy: String = (0..8)
            .map(|i| {
                format!("ld.shared.f32 %f20, [%d12+{}];\nst.global.f32 [%d13+{}], %f20;\n", 128 * i, 128 * i)
            })
            .collect();
        let places = "bar.warp.sync 0xffffffff;\nmov.u64 %d10, s;\nmul.wide.u32 %d11, %r30, 4;\n\
                      add.s64 %d12, %d10, %d11;\nadd.s64 %d13, %d2, %d11;\n";
        ("s", format!("{places}{copy}"))
    } else {
        ("%d2", String::new())
    };
    let body = format!(
        "ld.param.u64 %d1, [in];\nld.param.u64 %d2, [out];\n{zero}{} {ra}, [%d1], {k};\n{} {rb}, [%d23], {ldb};\n\
         {} {d}, {ra}, {rb}, {c};\n{} [{at}], {d}, 16;\n{after}",
        forms[0], forms[1], forms[2], forms[3]
    );
    let product = |at: usize| (0..k).map(|p| a(at / 16, p) * b(p, at % 16)).sum();
    Case {
        source: frame(".shared .align 16 .b8 s[1024];", &body),
        forms: forms.to_vec(),
        a: (0..16 * k).flat_map(|at| element(ty, a(at / k, at % k))).collect(),
        b: (0..16 * k).flat_map(|at| element(ty, element_b(at))).collect(),
        product: (0..256).map(product).collect(),
    }
}
