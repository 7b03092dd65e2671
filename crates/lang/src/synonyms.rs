//! What people call things that this language calls otherwise, or says in another way.

/// Other names, sorted, each with what to write.
const WORDS: &[(&str, &str)] = &[
    ("bitcast", "f32_bits(x)` or `f32_from_bits(n)"),
    ("bitwise_and", "bitand(a, b)"),
    ("bitwise_not", "bitnot(a)"),
    ("bitwise_or", "bitor(a, b)"),
    ("bitwise_xor", "xor(a, b)"),
    ("cast", "int(x)`, `real(n)` or `u32(n)"),
    ("cdiv", "(a + b - 1) // b"),
    ("ceil_div", "(a + b - 1) // b"),
    ("countl_zero", "clz(a, 32)"),
    ("cumprod", "prod[m in N where m <= n](x[m])"),
    ("cumsum", "sum[m in N where m <= n](x[m])"),
    ("erfc", "1 - erf(x)"),
    ("fabs", "abs(x)"),
    ("float", "real(n)"),
    ("fma", "a * b + c"),
    ("fmax", "max(a, b)"),
    ("fmin", "min(a, b)"),
    ("isnan", "x != x"),
    ("ln", "log(x)"),
    ("lshift", "shl(a, n)"),
    ("lzcnt", "clz(a, 32)"),
    ("mod", "a % b"),
    ("mulhi", "shr(a * b, 32)"),
    ("popc", "popcount(a)"),
    ("powf", "pow(a, b)"),
    ("reciprocal", "1 / x"),
    ("relu", "max(x, 0)"),
    ("rotate", "rotl(a, n, 32)"),
    ("rshift", "shr(a, n)"),
    ("select", "if c then a else b"),
    ("softplus", "log1p(exp(x))"),
    ("square", "x^2"),
    ("tzcnt", "ctz(a, 32)"),
    ("umulhi", "shr(a * b, 32)"),
];

/// What to write for a name that is known from elsewhere.
pub fn meant(name: &str) -> Option<String> {
    match name {
        "rand" | "random" | "uniform" | "bernoulli" => Some(format!(
            "{}; with a stated generator, write it over the op `philox`",
            crate::parse_random::HELP
        )),
        "scatter" | "scatter_add" | "index_add" => Some(
            "write it from the output's side: `y[i] = sum[n where idx[n] == i](x[n])`, or `max` where the largest stays"
                .into(),
        ),
        _ => {
            let at = WORDS.binary_search_by_key(&name, |(word, _)| word).ok()?;
            Some(format!("write `{}`", WORDS[at].1))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::Op;

    #[test]
    fn words_are_sorted_and_not_the_language_s_own() {
        assert!(WORDS.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for (word, _) in WORDS {
            assert!(crate::func::Func::named(word).is_none(), "{word}");
        }
    }

    #[test]
    fn other_names_are_answered_with_what_to_write() {
        let refused = |body: &str| {
            let text = format!("op a(x[N]) -> y[N]\ny[n] = {body}");
            Op::parse("a.op", &text).unwrap_err().to_string()
        };
        assert!(refused("ln(x[n])").contains("write `log(x)`"));
        assert!(refused("rand()").contains("philox"));
        assert!(refused("scatter(x[n], n)").contains("from the output's side"));
        assert!(refused("exq(x[n])").contains("did you mean `exp"));
    }
}
