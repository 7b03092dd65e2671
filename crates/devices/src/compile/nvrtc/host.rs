//! Leaves the host's code out of a CUDA source: what remains are kernels, device functions and what these name.
//! Lines stay where they are. The rule, as docs/contract.md has it:
//!
//! A declaration of a namespace stays if it is marked `__global__`, `__device__`, `__constant__`, `__shared__` or
//! `__managed__`, or if something that stays names it. `main`, functions that launch kernels and what is marked
//! `__host__` alone, members too, never stay; nor do other kernels, where the contract names those that it starts.

use std::collections::HashSet;
use std::ops::Range;

pub use ktwin_check::signature::plain;

use super::items::{Item, Macros, Stays, items};
use super::lex::{self, Cut, Kind, Token};

/// A source or a header of its own.
#[derive(Clone, Debug)]
pub struct Text {
    /// Its name in messages.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// The texts without the host's code, and the names of the kernels in them. The kernels that are asked for,
/// `gemm<Tile, 16>`, and whatever else is named from outside name declarations too.
pub fn without(texts: &[Text], entries: &[&str], named: &[&str]) -> (Vec<Text>, Vec<String>) {
    let cuts: Vec<Cut> = texts.iter().map(|t| lex::cut(&t.text)).collect();
    let macros: Vec<Vec<&str>> = texts.iter().zip(&cuts).flat_map(|(t, c)| defined(&t.text, c)).collect();
    let launching: Vec<&str> = texts.iter().zip(&cuts).flat_map(|(t, c)| launching(&t.text, c)).collect();
    let made = Macros::new(&macros, &launching);
    let mut all: Vec<Vec<Item>> =
        texts.iter().zip(&cuts).map(|(t, cut)| items(&t.text, cut, &made)).collect();
    let is_kernel = |name: &str| all.iter().flatten().any(|item| item.kernel && item.names.contains(&name));
    let mut asked = entries.iter().filter(|entry| !entry.is_empty()).peekable();
    if asked.peek().is_some() && asked.all(|entry| is_kernel(plain(entry))) {
        // others would take their time to compile
        all.iter_mut().flatten().filter(|item| item.kernel).for_each(|item| item.stays = Stays::IfNamed);
    }
    let outside = entries.iter().chain(named);
    let kept = reached(&all, &macros, outside.flat_map(|name| lex::words(name)).collect());
    let mut out = Vec::new();
    for ((text, cut), (items, kept)) in texts.iter().zip(&cuts).zip(all.iter().zip(&kept)) {
        let gone = items.iter().zip(kept).flat_map(|(item, kept)| match kept {
            true => item.members.clone(),
            false => vec![item.at.clone()],
        });
        let gone = gone.chain(marks_of_lambdas(&text.text, cut));
        out.push(Text { name: text.name.clone(), text: blank(&text.text, gone, &cut.directives) });
    }
    let kernels = all.iter().flatten().filter(|i| i.kernel).filter_map(|i| i.names.first());
    (out, kernels.map(|n| (*n).to_owned()).collect())
}

/// A kernel as an expression: of several by one name, `name<float>(const float *, int)` is the one with these
/// parameters.
pub fn expression(entry: &str) -> String {
    match entry.strip_suffix(')').and_then(|rest| rest.split_once('(')) {
        Some((name, parameters)) => format!("static_cast<void (*)({parameters})>({name})"),
        None => entry.to_owned(),
    }
}

// `[=] __device__ (int i)`: nvcc takes it with `--extended-lambda`, NVRTC only without the words, and means the same.
fn marks_of_lambdas<'t>(text: &'t str, cut: &'t Cut) -> impl Iterator<Item = Range<usize>> + 't {
    let is_mark = |token: &Token| matches!(&text[token.at.clone()], "__device__" | "__host__");
    let after = cut.tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Mark(b']'));
    after.flat_map(move |(at, _)| {
        let rest = &cut.tokens[at + 1..];
        let marks = rest.iter().take_while(|token| is_mark(token)).count();
        let begins = |t: &Token| matches!(t.kind, Kind::Mark(b'(' | b'{'));
        let marked = rest.get(marks).is_some_and(begins);
        rest[..if marked { marks } else { 0 }].iter().map(|token| token.at.clone())
    })
}

// `#define NAME body`: the name first, then all words of the body.
fn defined<'t>(text: &'t str, cut: &Cut) -> Vec<Vec<&'t str>> {
    macros(text, cut).map(lex::words).collect()
}

// The macros that launch a kernel themselves.
fn launching<'t>(text: &'t str, cut: &Cut) -> Vec<&'t str> {
    macros(text, cut)
        .filter(|body| body.contains("<<<"))
        .filter_map(|body| lex::words(body).first().copied())
        .collect()
}

fn macros<'t>(text: &'t str, cut: &Cut) -> impl Iterator<Item = &'t str> {
    let lines = cut.directives.iter().map(|d| text[d.clone()].trim_start_matches('#').trim_start());
    lines.filter_map(|l| l.strip_prefix("define"))
}

// Which items stay: roots, and whatever is named by what stays.
fn reached<'t>(
    all: &[Vec<Item<'t>>],
    macros: &[Vec<&'t str>],
    mut named: HashSet<&'t str>,
) -> Vec<Vec<bool>> {
    let mut kept: Vec<Vec<bool>> =
        all.iter().map(|items| items.iter().map(|i| i.stays == Stays::Always).collect()).collect();
    for (items, kept) in all.iter().zip(&kept) {
        named.extend(items.iter().zip(kept).filter(|(_, k)| **k).flat_map(|(i, _)| &i.words).copied());
    }
    loop {
        let before = named.len();
        for words in macros {
            if words.first().is_some_and(|name| named.contains(name)) {
                named.extend(words.iter().copied());
            }
        }
        for (items, kept) in all.iter().zip(&mut kept) {
            for (item, kept) in items.iter().zip(kept) {
                let wanted = item.stays == Stays::IfNamed && item.names.iter().any(|n| named.contains(n));
                if wanted && !*kept {
                    *kept = true;
                    named.extend(item.words.iter().copied());
                }
            }
        }
        if named.len() == before {
            return kept;
        }
    }
}

// Spaces for everything but line ends and preprocessor lines, which may hold an `#endif` for what stays.
fn blank(text: &str, gone: impl Iterator<Item = Range<usize>>, directives: &[Range<usize>]) -> String {
    let mut out = text.as_bytes().to_vec();
    for range in gone {
        for at in range {
            let line_end = matches!(out[at], b'\n' | b'\r');
            let directive = directives.partition_point(|d| d.end <= at);
            if !line_end && !directives.get(directive).is_some_and(|d| d.contains(&at)) {
                out[at] = b' ';
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stays(text: &str) -> (String, Vec<String>) {
        let (texts, kernels) = without(&[Text { name: "k.cu".into(), text: text.into() }], &[], &[]);
        assert_eq!(texts[0].text.len(), text.len());
        assert_eq!(texts[0].text.lines().count(), text.lines().count());
        (texts[0].text.split_whitespace().collect::<Vec<_>>().join(" "), kernels)
    }

    #[test]
    fn marks_of_lambdas_go() {
        let text = "__device__ int a[4];\n\
                    __global__ void k(int *x) { auto f = [=] __host__ __device__ (int i) { x[i] = 1; }; \
                    auto g = [] __device__ { return 2; }; f(g()); }";
        let (left, _) = stays(text);
        let due = "__device__ int a[4]; __global__ void k(int *x) { auto f = [=] (int i) { x[i] = 1; }; \
                   auto g = [] { return 2; }; f(g()); }";
        assert_eq!(left, due);
    }

    #[test]
    fn host_functions_go_and_what_kernels_name_stays() {
        let text = "const int TILE = 16;\nconst int RUNS = 3;\n\
                    struct Args { int n; };\nstruct Timer { cudaEvent_t a; };\n\
                    float twice(float v) { return 2 * v; }\n\
                    void check(cudaError_t e) { if (e) { exit(1); } }\n\
                    __global__ void k(float *x, Args a) { x[TILE] = twice(a.n); }\n\
                    int main(int argc, char **argv) { k<<<1, 2>>>(0, {}); for (;;) { } return RUNS; }\n";
        let (left, kernels) = stays(text);
        assert_eq!(
            left,
            "const int TILE = 16; struct Args { int n; }; float twice(float v) { return 2 * v; } \
             __global__ void k(float *x, Args a) { x[TILE] = twice(a.n); }"
        );
        assert_eq!(kernels, ["k"]);
    }

    #[test]
    fn host_members_of_types_go() {
        let text = "struct Div {\n unsigned d;\n\
                    public:\n __host__ explicit Div(unsigned n) : d(n), e{1} { std::cout << n; }\n\
                    static __host__ Div of(unsigned);\n __host__ __device__ Div() = default;\n\
                    struct In { __host__ void f() { } int g; };\n\
                    bool operator==(const Div &o) const { return d == o.d; }\n\
                    __device__ unsigned by(unsigned n) const { return n / d; } };\n\
                    __host__ Div Div::of(unsigned n) { return Div(n); }\n\
                    __global__ void k(Div d, unsigned *x) { Div::In of; x[0] = d.by(1); }\n";
        let (left, _) = stays(text);
        assert_eq!(
            left,
            "struct Div { unsigned d; public: __host__ __device__ Div() = default; struct In { int g; }; \
             bool operator==(const Div &o) const { return d == o.d; } \
             __device__ unsigned by(unsigned n) const { return n / d; } }; \
             __global__ void k(Div d, unsigned *x) { Div::In of; x[0] = d.by(1); }"
        );
    }

    #[test]
    fn a_launcher_named_like_a_device_word_goes_too() {
        let text = "template <int N = (1 > 0), class T = float>\n__global__ void __launch_bounds__(256)\n\
                    k(T *x) { launch(x); }\n\
                    template <class T> void launch(T *x) { k<4, T><<<1, 1>>>(x); }\n";
        let (left, kernels) = stays(text);
        assert!(!left.contains("<<<") && left.ends_with("{ launch(x); }"), "{left}");
        assert_eq!(kernels, ["k"]);
    }

    #[test]
    fn what_an_entry_names_stays() {
        let text = "namespace f {\nstruct Twice { __device__ float operator()(float v) { return 2 * v; } };\n\
                    struct Thrice { };\ntemplate <class F> __global__ void map(float *x) { x[0] = F()(x[0]); }\n}\n";
        let source = Text { name: "k.cu".into(), text: text.into() };
        let (texts, _) = without(&[source], &["f::map<f::Twice>"], &[]);
        assert!(texts[0].text.contains("struct Twice") && !texts[0].text.contains("Thrice"));
    }

    #[test]
    fn instantiations_go_with_what_they_instantiate() {
        let text = "template <class T> __device__ T one(float) { return T(1); }\n\
                    template <class T> __global__ void k(T *x) { x[0] = one<T>(0.0f); }\n\
                    template <class T> void run(T *x) { k<T><<<1, 1>>>(x); }\n\
                    template void run<float>(float *);\ntemplate void run<float, at::Half>(int n);\n\
                    template __global__ void k<float>(float *);\n";
        let (left, _) = stays(text);
        assert!(
            !left.contains("run") && left.ends_with("template __global__ void k<float>(float *);"),
            "{left}"
        );
    }

    #[test]
    fn scopes_types_macros_and_conditions_survive() {
        let text = "#ifdef A\nnamespace n {\n#endif\nenum class E : int { one, two };\n\
                    union U { float f; int i; };\ntypedef struct { int a; } S, *P;\nusing F = float;\n\
                    static constexpr float T[] = { 1, 2 };\n#define CALL(x) helper(x)\n\
                    inline int helper(int x) { return x; }\ninline int other(int x) { return x; }\n\
                    extern \"C\" { __global__ void k(S s, F *f, U u, E e) { CALL(1); f[0] = T[1]; } }\n\
                    #ifdef A\n}\n#endif\nusing namespace std;\n";
        let (left, _) = stays(text);
        for part in ["enum class E", "union U", "} S, *P;", "using F", "T[]", "int helper", "using namespace"]
        {
            assert!(left.contains(part), "{part}: {left}");
        }
        assert!(!left.contains("other"));
    }

    #[test]
    fn directives_inside_host_code_stay() {
        let text = "int main() {\n#if 1\n  f<<<1, 1>>>();\n#endif\n}\n__global__ void f() {}\n";
        assert_eq!(stays(text).0, "#if 1 #endif __global__ void f() {}");
    }

    #[test]
    fn kernels_that_nobody_asked_for_do_not_stay() {
        let text = "template <class T> __global__ void k(T *x) {}\n__global__ void l(float *x) {}\n\
                    template __global__ void k<float>(float *);\n";
        let (left, kernels) =
            without(&[Text { name: "k.cu".into(), text: text.into() }], &["k<float>"], &["other"]);
        assert_eq!(
            left[0].text.split_whitespace().collect::<Vec<_>>().join(" "),
            text.replace("__global__ void l(float *x) {}\n", "").trim().replace('\n', " ")
        );
        assert_eq!(kernels, ["k", "l", "k"]);
    }

    #[test]
    fn kernels_that_macros_make_stay() {
        let text = "#define HEAD extern \"C\" __global__\n#define OP(T, N) HEAD void N(T *x) { *x = one<T>(); }\n\
                    template <class T> __device__ T one() { return 1; }\nint host() { return 2; }\n\
                    OP(float, f)\nOP(double, d)\nHEAD void plain(int *x) {}\nint also() { return 3; }\n";
        let (left, _) = stays(text);
        assert!(left.contains("OP(float, f) OP(double, d) HEAD void plain"), "{left}");
        assert!(!left.contains("host") && !left.contains("also"), "{left}");
    }

    #[test]
    fn what_macros_launch_and_instantiate_of_the_host_goes() {
        let text = "template <class T> __global__ void k(T *x) {}\n#define LAUNCH(T) k<T><<<1, 1>>>(x)\n\
                    #define BOTH(T) LAUNCH(T); LAUNCH(T)\ntemplate <class T> void run(T *x) { BOTH(T); }\n\
                    #define INSTANTIATE(T) template void run<T>(T *);\nINSTANTIATE(float)\nINSTANTIATE(int);\n\
                    #define ALL(T) INSTANTIATE(T); INSTANTIATE(T)\nALL(char);\n\
                    #define KERNEL(T) template __global__ void k<T>(T *);\nKERNEL(float)\n\
                    __device__ int last;\n";
        let (left, _) = stays(text);
        assert!(!left.contains("void run(T") && !left.contains("INSTANTIATE(float)"), "{left}");
        assert!(
            !left.contains("INSTANTIATE(int)")
                && !left.contains("ALL(char)")
                && left.contains("KERNEL(float) __device__ int last"),
            "{left}"
        );
    }

    // whatever the text is, it is taken for something, and nothing moves
    #[test]
    fn broken_texts_keep_their_lines() {
        let whole = "= 1; template <class T, int N = (1 > 0)> __global__ void k(T *x) { x[0] = R\"a(})a\"; }\n\
                     namespace é { enum class E : int { a, b }; struct S { int n{4}; } s; }\n#define F(x) \\\n g(x)\n\
                     extern \"C\" { typedef float (*P)(int); int main() { k<<<1, 2>>>(0); } } } operator= [[x]] (";
        let mut draw = 7u64;
        for _ in 0..2000 {
            let mut text = whole.to_owned();
            for _ in 0..4 {
                draw = draw.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let at = (draw >> 33) as usize % (text.len() + 1);
                let at = (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
                match draw >> 31 & 3 {
                    0 => text.truncate(at.max(8)),
                    1 => text.insert(at, b"{}()<>;=\"'#\n/*,"[(draw >> 40) as usize % 15].into()),
                    2 => text = format!("{}{}", &text[at..], &text[..at]),
                    _ => text.retain(|c| c as u64 % 61 != draw >> 50 & 63),
                }
            }
            let (texts, _) = without(&[Text { name: "k.cu".into(), text: text.clone() }], &[], &[]);
            let lines = |text: &str| text.matches('\n').count();
            assert_eq!((texts[0].text.len(), lines(&texts[0].text)), (text.len(), lines(&text)), "{text}");
        }
    }

    #[test]
    fn headers_and_sources_are_one() {
        let header = Text { name: "h.h".into(), text: "int used() { return 1; }\nint unused();\n".into() };
        let source = Text { name: "k.cu".into(), text: "__global__ void k(int *x) { *x = used(); }".into() };
        let (texts, _) = without(&[header, source], &[], &[]);
        assert_eq!(texts[0].text.trim_end(), "int used() { return 1; }");
    }
}
