//! What drafts in C, CUDA C++ and OpenCL C share: functions, conversions, and what these languages lack.

use ktwin_lang::{Func, Ty};

use crate::dialect::{Dialect, function, helpers};

/// A function; those of reals have this at the end of their names.
pub fn called(func: Func, ty: Ty, args: &[String], end: &str) -> String {
    let all = args.join(", ");
    match (func, ty) {
        (Func::Sigmoid, _) => format!("1.0f / (1.0f + exp{end}(-({all})))"),
        (Func::Rsqrt, _) => format!("1.0f / sqrt{end}({all})"),
        (Func::IntDiv, _) => format!("floor_div({all})"),
        (Func::Mod, _) => format!("floor_mod({all})"),
        (Func::Abs | Func::Sign | Func::Min | Func::Max | Func::Pow, Ty::Int) => {
            format!("int_{}({all})", function(func))
        }
        (Func::Sign, _) => format!("real_sign({all})"),
        (Func::Min | Func::Max | Func::Abs, _) => format!("f{}{end}({all})", function(func)),
        (Func::Round, _) => format!("rint{end}({all})"),
        _ => format!("{}{end}({all})", function(func)),
    }
}

/// A value as another type.
pub fn cast(dialect: &dyn Dialect, to: Ty, value: &str) -> String {
    match to {
        Ty::Int => format!("to_int({value})"),
        _ => format!("({})({value})", dialect.ty(to)),
    }
}

/// Functions that these languages lack, each with the word that shows it is used. In capitals what differs: what stands
/// before a function, the type of integers, and the largest and the smallest of them.
const HELPERS: [(&str, &str); 8] = [
    (
        "floor_div(",
        "// Quotient of integers, rounded down.
MARK INT floor_div(INT a, INT b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
",
    ),
    (
        "floor_mod(",
        "// Remainder with the divisor's sign.
MARK INT floor_mod(INT a, INT b)
{
    const INT rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
",
    ),
    (
        "to_int(",
        "// Cut towards zero; what is too large is the largest there is.
MARK INT to_int(float a)
{
    return a >= 2147483648.0f ? MOST : a > -2147483648.0f ? (INT)a : LEAST;
}
",
    ),
    ("int_min(", "MARK INT int_min(INT a, INT b) { return a < b ? a : b; }\n"),
    ("int_max(", "MARK INT int_max(INT a, INT b) { return a > b ? a : b; }\n"),
    ("int_abs(", "MARK INT int_abs(INT a) { return a < 0 ? -a : a; }\n"),
    ("int_sign(", "MARK INT int_sign(INT a) { return (a > 0) - (a < 0); }\n"),
    ("real_sign(", "MARK float real_sign(float a) { return (float)((a > 0) - (a < 0)); }\n"),
];

/// The functions that a text uses and its language lacks, with what stands before each, the type of integers, and the
/// largest and the smallest of them.
pub fn lacking(code: &str, mark: &str, int: &str, [most, least]: [&str; 2]) -> Vec<String> {
    let own = |text: &str| {
        text.replace("MARK ", mark).replace("INT", int).replace("MOST", most).replace("LEAST", least)
    };
    helpers(&HELPERS, code).into_iter().map(own).collect()
}
