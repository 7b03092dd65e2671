//! What a kernel compares, told by the kernel itself: compilers call a function before each comparison, with both
//! sides, and before each `switch`. The calls become calls of a few instructions of our own, which keep the first two
//! sides of each and whether others followed.

use ktwin_check::comparisons::{Comparisons, Sides};
use ktwin_check::parts::Part;

/// What makes compilers call these functions.
pub const FLAG: &str = "-fsanitize-coverage=trace-cmp";
const CALLED: &str = "__sanitizer_cov_trace_";
/// The table of what was seen: both sides, and how often others than those of before came, up to two.
const TABLE: &str = ".Lktwin_sides";
const ENTRY: usize = 24;
const ONCE: u64 = 1;
/// The cases of a `switch` that are told: the first.
const CASES: usize = 8;

/// A comparison of the kernel, or a case of a `switch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// Its line in the kernel's file; 0 in others.
    pub line: u32,
    /// Whether its sides are floats.
    real: bool,
}

/// Which function of ours stands for one that a compiler calls; none where it calls another.
fn own(called: &str) -> Option<&'static str> {
    let name = called.strip_prefix(CALLED)?;
    let name = name.split('@').next()?;
    let sides = ["1", "2", "4", "8", "f", "d"];
    if name == "switch" {
        return Some("switch");
    }
    let kind = name.strip_prefix("const_cmp").or_else(|| name.strip_prefix("cmp"))?;
    sides.into_iter().find(|own| *own == kind)
}

/// The instructions in the place of a call, with the comparisons that it stands for added to those before it; none
/// where it is another call.
pub fn call(called: &str, line: u32, all: &mut Vec<Comparison>) -> Option<String> {
    let own = own(called)?;
    // the sides are in the first two registers for parameters, and all others are free
    let text = format!("\tleaq\t{TABLE}+{}(%rip), %rdx\n\tcall\t.Lktwin_see_{own}\n", ENTRY * all.len());
    let count = if own == "switch" { CASES } else { 1 };
    let one = Comparison { line, real: matches!(own, "f" | "d") };
    all.extend(std::iter::repeat_n(one, count));
    Some(text)
}

/// The bytes of the table.
pub fn bytes(all: &[Comparison]) -> usize {
    ENTRY * all.len()
}

/// The table, to stand behind another one.
pub fn table(all: &[Comparison]) -> String {
    format!("{TABLE}:\n\t.zero\t{}\n", bytes(all))
}

/// The functions that are called.
pub fn functions() -> String {
    let narrow = [(1, "movsbq", "dil", "sil"), (2, "movswq", "di", "si"), (4, "movslq", "edi", "esi")];
    let signed = |(kind, with, a, b)| {
        format!(".Lktwin_see_{kind}:\n\t{with}\t%{a}, %rdi\n\t{with}\t%{b}, %rsi\n\tjmp\t.Lktwin_see_8\n")
    };
    let narrow = narrow.map(signed).concat();
    format!(
        "\t.text\n{narrow}\
         .Lktwin_see_f:\n\tcvtss2sd\t%xmm0, %xmm0\n\tcvtss2sd\t%xmm1, %xmm1\n\
         .Lktwin_see_d:\n\tmovq\t%xmm0, %rdi\n\tmovq\t%xmm1, %rsi\n\
         .Lktwin_see_8:\n\tcmpq\t$0, 16(%rdx)\n\tjne\t1f\n\tmovq\t%rdi, (%rdx)\n\tmovq\t%rsi, 8(%rdx)\n\
         \tmovq\t$1, 16(%rdx)\n\tret\n\
         1:\tcmpq\t%rdi, (%rdx)\n\tjne\t2f\n\tcmpq\t%rsi, 8(%rdx)\n\tjne\t2f\n\tret\n\
         2:\tmovq\t$2, 16(%rdx)\n\tret\n\
         .Lktwin_see_switch:\n\tmovq\t(%rsi), %rcx\n\tleaq\t16(%rsi), %r8\n\tcmpq\t${CASES}, %rcx\n\tjbe\t3f\n\
         \tmovq\t${CASES}, %rcx\n\
         3:\ttestq\t%rcx, %rcx\n\tje\t4f\n\tmovq\t(%r8), %rsi\n\tcall\t.Lktwin_see_8\n\taddq\t$8, %r8\n\
         \taddq\t${ENTRY}, %rdx\n\tdecq\t%rcx\n\tjmp\t3b\n\
         4:\tret\n"
    )
}

/// What a table says of the comparisons in so many lines. Of those that were never made nothing is known.
pub fn told(all: &[Comparison], table: &[u8], lines: usize) -> Comparisons {
    let mut out = Comparisons::default();
    let word = |entry: &[u8], at: usize| {
        let bytes = entry.get(8 * at..8 * at + 8).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, u64::from_le_bytes)
    };
    for (number, (one, entry)) in all.iter().zip(table.chunks_exact(ENTRY)).enumerate() {
        let (a, b, seen) = (word(entry, 0), word(entry, 1), word(entry, 2));
        if seen == 0 || !(1..=lines).contains(&(one.line as usize)) {
            continue;
        }
        let sides = if one.real {
            Sides::Real(f64::from_bits(a), f64::from_bits(b))
        } else {
            Sides::Whole(a as i64, b as i64)
        };
        out.add(Part { line: one.line, number: number as u32 }, (seen == ONCE).then_some(sides));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_call_is_known() {
        let mut all = Vec::new();
        let text = call("__sanitizer_cov_trace_const_cmp4@PLT", 3, &mut all).unwrap();
        assert!(text.contains("leaq\t.Lktwin_sides+0(%rip), %rdx\n\tcall\t.Lktwin_see_4"), "{text}");
        let text = call("__sanitizer_cov_trace_cmpf", 4, &mut all).unwrap();
        assert!(text.contains("+24(%rip), %rdx\n\tcall\t.Lktwin_see_f"), "{text}");
        assert!(call("__sanitizer_cov_trace_switch@PLT", 5, &mut all).is_some());
        assert_eq!(all.len(), 2 + CASES);
        for other in ["powf@PLT", "__sanitizer_cov_trace_pc@PLT", "__sanitizer_cov_trace_div4@PLT"] {
            assert_eq!(call(other, 6, &mut all), None);
        }
        assert!(functions().contains(".Lktwin_see_1:\n\tmovsbq\t%dil, %rdi\n\tmovsbq\t%sil, %rsi\n"));
    }

    #[test]
    fn a_table_is_read_back() {
        let at = |line, real| Comparison { line, real };
        let all = [at(3, false), at(4, true), at(5, false), at(0, false), at(6, false)];
        let rows = [(7, -2i64 as u64, 1), (1.5f64.to_bits(), 0, 1), (1, 2, 2), (1, 2, 1), (0, 0, 0)];
        let bytes: Vec<u8> =
            rows.iter().flat_map(|(a, b, seen)| [*a, *b, *seen]).flat_map(u64::to_le_bytes).collect();
        let known: Vec<_> = told(&all, &bytes, 9).known().map(|(at, sides)| (at.line, sides)).collect();
        assert_eq!(known, [(3, Sides::Whole(7, -2)), (4, Sides::Real(1.5, 0.0))]);
    }
}
