//! What a function takes, as the text of its declaration says: C and what looks like it, and Rust. It reads names and
//! types and understands nothing else; a macro in a declaration stays unread.

mod places;
mod text;
mod unfit;

use crate::contract::{Arg, Link};
use crate::interface::{Interface, Param, Value};
use crate::kernel::Kernel;
use crate::languages::{Code, SourceKind};
use ktwin_num::{DType, plural};
pub use text::{closed, instantiated, is_word, path, plain, raw, split, without_comments};
use text::{last_word, template, without_raw_strings, words};

/// Types of numbers, as C and Rust name them, and how contracts do.
const TYPES: &[(&str, &str)] = &[
    ("float", "f32"),
    ("double", "f64"),
    ("half", "f16"),
    ("__half", "f16"),
    ("_Float16", "f16"),
    ("half2", "f16"),
    ("__nv_bfloat16", "bf16"),
    ("nv_bfloat16", "bf16"),
    ("__nv_fp8_e4m3", "e4m3"),
    ("__nv_fp8_e5m2", "e5m2"),
    ("bool", "bool"),
    ("char", "i8"),
    ("int8_t", "i8"),
    ("uint8_t", "u8"),
    ("uchar", "u8"),
    ("short", "i16"),
    ("int16_t", "i16"),
    ("uint16_t", "u16"),
    ("ushort", "u16"),
    ("int", "i32"),
    ("int32_t", "i32"),
    ("uint", "u32"),
    ("uint32_t", "u32"),
    ("unsigned", "u32"),
    ("long", "i64"),
    ("int64_t", "i64"),
    ("ulong", "u64"),
    ("uint64_t", "u64"),
    ("size_t", "u64"),
    ("usize", "u64"),
];

/// Types that nothing but themselves is read as.
const FLOATS: [&str; 4] = ["f16", "bf16", "f32", "f64"];

/// Where a function in C takes another number of parameters than the contract gives it, or a pointer where it gives
/// values: no compiler sees that.
pub fn mismatch(kernel: &Kernel) -> Option<String> {
    if kernel.source.kind != SourceKind::C {
        return None;
    }
    let all = functions(&kernel.source.text(), SourceKind::C);
    kernel.contract.chain.iter().find_map(|link| {
        let Interface { entry, params, .. } = meant(&all, link)?;
        if params.len() != link.args.len() {
            return Some(other_count(entry, params, link));
        }
        let held = |tensor: &str| kernel.dtype(tensor).to_string();
        params.iter().zip(&link.args).find_map(|both| match both {
            (Param::Buffer { name, dtype, .. }, Arg::Tensor(tensor))
                if FLOATS.contains(&dtype.as_str())
                    && FLOATS.contains(&held(&tensor.text).as_str())
                    && *dtype != held(&tensor.text) =>
            {
                let held = held(&tensor.text);
                Some(format!("`{entry}` takes {name} as {dtype}, and the contract has {} as {held}", tensor.text))
            }
            (Param::Buffer { name, .. }, Arg::Fields(_)) => Some(format!(
                "`{entry}` takes a pointer, `{name}`, where `args` gives values: let it take them as they are, or \
                 write a function that calls it with their address"
            )),
            _ => None,
        })
    })
}

/// The function that a link of a contract starts, where there is just one that it may be.
fn meant<'f>(all: &'f [Interface], link: &Link) -> Option<&'f Interface> {
    let mut named = all.iter().filter(|f| link.entry.is_empty() || f.entry == link.entry);
    let only = named.next()?;
    named.next().is_none().then_some(only)
}

fn other_count(entry: &str, params: &[Param], link: &Link) -> String {
    let gives = link.args.len();
    let is_struct = |arg: &Arg| matches!(arg, Arg::Fields(fields) if fields.len() > 1);
    let cure = if params.len() > gives && link.args.iter().any(is_struct) {
        ": a table in braces is one struct, so write `{ N = \"u32\" }` for each value by itself"
    } else {
        ""
    };
    let names = params.iter().map(|param| match param {
        Param::Buffer { name, .. } => name.as_str(),
        Param::Values(values) => values.first().map_or("", |value| &value.name),
    });
    let (takes, names) = (plural(params.len(), "parameter"), names.collect::<Vec<_>>().join(", "));
    format!("`{entry}` takes {takes} ({names}), and `args` gives {gives}{cure}")
}

/// The same where nothing in the text leaves any doubt of the number: no compiler of C sees it, and whatever is called
/// so computes nothing.
pub fn miscounted(kernel: &Kernel) -> Option<String> {
    let text = kernel.source.text();
    // what is compiled may be another text, or another list
    if kernel.source.kind != SourceKind::C || text.contains("#if") || text.contains("#define") {
        return None;
    }
    let all = functions(&text, SourceKind::C);
    kernel.contract.chain.iter().find_map(|link| {
        let function = meant(&all, link)?;
        let known = |param: &Param| match param {
            Param::Buffer { dtype, .. } => !dtype.is_empty(),
            Param::Values(values) => values.iter().all(|value| !value.dtype.is_empty()),
        };
        let clear = function.params.iter().all(known) && function.params.len() != link.args.len();
        clear.then(|| other_count(&function.entry, &function.params, link))
    })
}

/// The functions that a host could start, in the order of the text: those that the language's words mark, and in a
/// language without any, those that are not `static`. If there is none of them, all that take something, where a call
/// can be made of any function.
pub fn functions(text: &str, kind: SourceKind) -> Vec<Interface> {
    let (text, row) = (without_raw_strings(&without_comments(text)), kind.row());
    let is_marked = |head: &str| match row.marks {
        [] => !head.split_whitespace().any(|word| word == "static" || word == "inline"),
        marks => marks.iter().any(|mark| head.split(|c: char| !is_word(c)).any(|word| word == *mark)),
    };
    let found = found(&text, is_marked);
    if !found.is_empty() || row.code != Code::Machine {
        return found;
    }
    let mut all =
        self::found(&text, |head| kind != SourceKind::Rust || head.split_whitespace().any(|w| w == "fn"));
    all.retain(|function| !function.params.is_empty());
    all
}

fn found(text: &str, is_marked: impl Fn(&str) -> bool) -> Vec<Interface> {
    let (mut found, mut spaces) = (Vec::new(), places::Spaces::new(text));
    for (at, _) in text.match_indices('(') {
        let Some((entry, head)) = named(&text[..at]) else { continue };
        let Some(inside) = closed(&text[at + 1..]) else { continue };
        let rest = text[at + 1 + inside.len() + 1..].trim_start();
        let is_defined = rest.starts_with('{') || rest.starts_with("->") || rest.starts_with("where");
        if is_defined && entry != "main" && is_marked(head) {
            let space = spaces.at(at);
            if found.iter().any(|f: &Interface| f.entry == entry && f.space == space) {
                continue;
            }
            let params = split(inside).into_iter().filter(|param| !is_local(param));
            let params = params.filter_map(|param| parameter(param, text)).collect();
            let named = split(inside).into_iter().filter(|param| is_local(param)).filter_map(last_word);
            let local = named.map(str::to_owned).chain(dynamic(text)).collect();
            let (template, head) = template(head);
            let returns = if head.contains('*') { None } else { type_of(&words(head)) }.unwrap_or_default();
            found.push(Interface {
                entry: entry.to_owned(),
                params,
                template,
                returns,
                local,
                space,
                bound: places::bound(head, text),
                unfit: unfit::among(&split(inside)),
                ..Interface::default()
            });
        }
    }
    found
}

/// The last word before a parenthesis, and what stands before it since the last definition or statement.
fn named(before: &str) -> Option<(&str, &str)> {
    let trimmed = before.trim_end();
    let name = trimmed.rsplit(|c| !is_word(c)).next().unwrap_or_default();
    let head = &trimmed[..trimmed.len() - name.len()];
    let head = &head[head.rfind(['}', ';', '{', '#']).map_or(0, |at| at + 1)..];
    let is_name = name.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
    let is_call = ["if", "for", "while", "switch", "return", "sizeof", "launch_bounds", "__launch_bounds__"];
    // a definition has a type before its name
    (is_name && !is_call.contains(&name) && !head.trim().is_empty()).then_some((name, head))
}

/// The type of a number that words name: `unsigned char` has two.
fn type_of(words: &[&str]) -> Option<String> {
    let has = |word: &str| words.contains(&word);
    let signed = if has("unsigned") { 'u' } else { 'i' };
    let sized = [("char", 8), ("short", 16), ("long", 64)].into_iter().find(|(word, _)| has(word));
    match sized.filter(|_| has("unsigned") || has("signed") || has("long") && !has("double")) {
        Some((_, bits)) => Some(format!("{signed}{bits}")),
        None => words.iter().find_map(|word| number(word)),
    }
}

/// Whether a parameter points to memory of a work-group, which is the launch's to give.
pub(crate) fn is_local(param: &str) -> bool {
    let words = words(param);
    words.iter().rev().skip(1).any(|word| ["__local", "local"].contains(word))
}

/// The array that a text leaves the launch to size: `extern __shared__ float tile[];`.
fn dynamic(text: &str) -> Option<String> {
    let statements = text.split([';', '{', '}']);
    let declared = |statement: &&str| {
        let words = words(statement);
        words.contains(&"extern") && words.contains(&"__shared__")
    };
    let array = statements.into_iter().find(declared)?.split('[').next()?;
    last_word(array).map(str::to_owned)
}

fn parameter(text: &str, whole: &str) -> Option<Param> {
    let words = words(text);
    let is_rust = text.contains(':') && !text.contains("::");
    let name = if is_rust { *words.first()? } else { *words.last()? };
    let dtype = type_of(&words).or_else(|| words.iter().find_map(|word| renamed(word, whole)));
    let dtype = dtype.unwrap_or_default();
    if text.contains(['*', '[']) {
        let writes = if is_rust { text.contains("mut") } else { !words.contains(&"const") };
        return Some(Param::Buffer { name: name.to_owned(), dtype, writes });
    }
    if dtype.is_empty() {
        let members = words.iter().filter(|word| **word != name).find_map(|word| members(word, whole));
        // an enumeration, or what a macro or a header says
        let unknown = || vec![Value { name: name.to_owned(), dtype: String::new() }];
        return Some(Param::Values(members.unwrap_or_else(unknown)));
    }
    Some(Param::Values(vec![Value { name: name.to_owned(), dtype }]))
}

/// A contract's name of a type: of a number, of a vector of such, or of a block format.
fn number(word: &str) -> Option<String> {
    let found = |word: &str| TYPES.iter().find(|(own, _)| *own == word).map(|(_, name)| (*name).to_owned());
    let scalar = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let parsed = |word: &str| {
        let dtype = DType::parse(word.strip_prefix("block_").unwrap_or(word));
        dtype.ok().map(|dtype| dtype.to_string())
    };
    found(word).or_else(|| parsed(word)).or_else(|| found(scalar))
}

/// What a type is that the text gives a name of its own: `typedef uint32_t u;`, `using u = uint32_t;`.
fn renamed(name: &str, text: &str) -> Option<String> {
    let statements = text.split([';', '{', '}']).filter(|s| s.contains("typedef") || s.contains("using"));
    statements.into_iter().find_map(|statement| {
        let words = words(statement);
        let at = words.iter().rposition(|word| *word == "typedef" || *word == "using")?;
        let (own, rest) = match words[at..] {
            ["using", own, ref rest @ ..] => (own, rest),
            ["typedef", ref rest @ .., own] => (own, rest),
            _ => return None,
        };
        if own == name { type_of(rest) } else { None }
    })
}

/// The members of a struct of this name.
fn members(name: &str, text: &str) -> Option<Vec<Value>> {
    let body = text.match_indices("struct").find_map(|(at, word)| {
        let rest = &text[at + word.len()..];
        let open = rest.find('{')?;
        let close = open + rest[open..].find('}')?;
        let is_before = rest[..open].trim() == name;
        let after = rest[close + 1..].trim_start();
        let is_after = after.split(|c| !is_word(c)).next() == Some(name);
        (is_before || is_after).then(|| &rest[open + 1..close])
    })?;
    let mut out = Vec::new();
    for line in body.split([';', ',']).map(str::trim).filter(|line| !line.is_empty()) {
        let words = words(line);
        let dtype = type_of(&words).or_else(|| words.iter().find_map(|word| renamed(word, text)));
        // `uint32_t m, n;` names the type once
        let before = out.last().map(|value: &Value| value.dtype.clone());
        let member = if line.contains(':') { words.first() } else { words.last() };
        out.push(Value { name: (*member?).to_owned(), dtype: dtype.or(before)? });
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(name: &str, dtype: &str, writes: bool) -> Param {
        Param::Buffer { name: name.into(), dtype: dtype.into(), writes }
    }

    fn value(name: &str, dtype: &str) -> Value {
        Value { name: name.into(), dtype: dtype.into() }
    }

    #[test]
    fn functions_of_c_are_read() {
        let text = "typedef struct { uint32_t m, n; float eps; } sizes;\n\
                    static float f(float x) { return g(x); } // void no(int a) {\n\
                    void norm(const float *restrict x, const block_q4_0 *w, float y[], sizes s)\n{ for (;;) {} }\n";
        let all = functions(text, SourceKind::C);
        assert_eq!(all.len(), 1, "{all:?}");
        assert_eq!(all[0].entry, "norm");
        let sizes = vec![value("m", "u32"), value("n", "u32"), value("eps", "f32")];
        let params = [buffer("x", "f32", false), buffer("w", "q4_0", false), buffer("y", "f32", true)];
        assert_eq!(all[0].params[..3], params);
        assert_eq!(all[0].params[3], Param::Values(sizes));
    }

    #[test]
    fn templates_results_and_types_of_two_words_are_read() {
        let text =
            "template <typename T, int B = f<2>()>\n__global__ void k(unsigned char *q, unsigned long n) {}";
        let all = functions(text, SourceKind::Cuda);
        assert_eq!(all[0].template, ["typename T", "int B = f<2>()"]);
        let n = Param::Values(vec![value("n", "u64")]);
        assert_eq!((&all[0].params[..], &*all[0].returns), (&[buffer("q", "u8", true), n][..], ""));
        let text = "double norm(enum order o, const short *x, char c, const char *s) { return 0; }";
        let all = functions(text, SourceKind::C);
        let values = |name: &str, dtype: &str| Param::Values(vec![value(name, dtype)]);
        let params =
            [values("o", ""), buffer("x", "i16", false), values("c", "i8"), buffer("s", "i8", false)];
        assert_eq!((&all[0].params[..], &*all[0].returns), (&params[..], "f64"));
    }

    #[test]
    fn types_with_a_name_of_their_own_are_followed() {
        let text = "typedef uint32_t u;\nusing half_t = __half;\nvoid f(const half_t *x, u n, s t) {}\n\
                    typedef struct { u m; } s;\n";
        let all = functions(text, SourceKind::Cpp);
        let values = |name: &str| Param::Values(vec![value(name, "u32")]);
        assert_eq!(all[0].params, [buffer("x", "f16", false), values("n"), values("m")]);
    }

    #[test]
    fn kernels_of_cuda_are_those_that_are_marked() {
        let text = "template <int B> __device__ float sum(float v) { return v; }\n\
                    extern \"C\" __global__ void __launch_bounds__(256) k(const __half* __restrict__ a, float4 *c,\n\
                    int n, unsigned int m) {\n  sum(1);\n}\nint main(int argc, char **argv) { return 0; }\n";
        let all = functions(text, SourceKind::Cuda);
        assert_eq!(all.len(), 1, "{all:?}");
        assert_eq!(all[0].entry, "k");
        let values = |name: &str, dtype: &str| Param::Values(vec![value(name, dtype)]);
        let params =
            [buffer("a", "f16", false), buffer("c", "f32", true), values("n", "i32"), values("m", "u32")];
        assert_eq!(all[0].params, params);
    }

    #[test]
    fn memory_that_the_launch_sizes_has_its_names() {
        let text = "__kernel void k(__global float *y, __local float *parts, local int *local, int n) {}";
        let all = functions(text, SourceKind::OpenCl);
        assert_eq!((&all[0].local[..], all[0].params.len()), (&["parts".to_owned(), "local".into()][..], 2));
        let text = "__global__ void k(float *y) {\n extern __shared__ __align__(16) float tile[];\n y[0] = tile[0]; }";
        assert_eq!(functions(text, SourceKind::Cuda)[0].local, ["tile"]);
        assert_eq!(functions("void f(float *local) {}", SourceKind::C)[0].params.len(), 1);
    }

    #[test]
    fn functions_that_are_not_exported_are_those_of_files_without_others() {
        let text = "static inline void f(float *x) {}\nint main(int argc, char **argv) { f(0); }\n";
        let names = |text: &str, kind| functions(text, kind).into_iter().map(|f| f.entry).collect::<Vec<_>>();
        assert_eq!(names(text, SourceKind::C), ["f"]);
        assert_eq!(names(&format!("{text}void g(float *y) {{}}"), SourceKind::C), ["g"]);
        let text =
            "fn f(x: &[f32], y: &mut [f32]) {\n  for y in y { *y = g(x); }\n}\nmod tests { fn t() {} }";
        assert_eq!(names(text, SourceKind::Rust), ["f"]);
        assert!(names("__device__ void f(float *x) {}", SourceKind::Cuda).is_empty());
    }

    #[test]
    fn letters_of_any_script_may_stand_before_a_parenthesis() {
        let text = "#if 0\n2 ×(a) ∑(b) é(c)\n#endif\nvoid f(const float *x) {}\n";
        let all = functions(text, SourceKind::C);
        assert_eq!(all.iter().map(|f| &*f.entry).collect::<Vec<_>>(), ["f"]);
        assert!(functions("×(", SourceKind::C).is_empty());
    }

    #[test]
    fn functions_of_rust_are_read() {
        let text = "#[no_mangle]\npub unsafe extern \"C\" fn add(x: *const f32, y: *mut f32, n: u32) {\n}\n";
        let all = functions(text, SourceKind::Rust);
        let values = Param::Values(vec![value("n", "u32")]);
        assert_eq!(all[0].params, [buffer("x", "f32", false), buffer("y", "f32", true), values]);
    }
}
