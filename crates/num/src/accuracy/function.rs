//! The functions that accuracy tables speak of.

macro_rules! functions {
    ($($variant:ident $name:literal $expression:literal)*) => {
        /// A function or operation whose accuracy a language may state.
        #[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
        pub enum Function {
            $(#[doc = concat!("`", $name, "`")] $variant,)*
        }

        impl Function {
            /// Every function.
            pub const ALL: &[Function] = &[$(Function::$variant),*];

            /// The function's name.
            pub const fn name(self) -> &'static str {
                match self { $(Function::$variant => $name),* }
            }

            /// The expression whose accuracy the function inherits where a language says so; else empty.
            pub const fn expression(self) -> &'static str {
                match self { $(Function::$variant => $expression),* }
            }
        }
    };
}

functions! {
    Add "add" ""
    Sub "sub" ""
    Mul "mul" ""
    Div "div" ""
    Fma "fma" "x * y + z"
    Rem "rem" "x - y * trunc(x / y)"
    Neg "neg" ""
    Abs "abs" ""
    Sign "sign" ""
    Min "min" ""
    Max "max" ""
    Clamp "clamp" ""
    Saturate "saturate" ""
    Floor "floor" ""
    Ceil "ceil" ""
    Round "round" ""
    Trunc "trunc" ""
    Step "step" ""
    Fract "fract" "x - floor(x)"
    Modf "modf" ""
    Frexp "frexp" ""
    Ldexp "ldexp" ""
    Convert "convert" ""
    QuantizeToF16 "quantize_to_f16" ""
    Sqrt "sqrt" "1 / rsqrt(x)"
    Rsqrt "rsqrt" ""
    Cbrt "cbrt" "pow(x, 1 / 3)"
    Hypot "hypot" "sqrt(x * x + y * y)"
    Exp "exp" ""
    Exp2 "exp2" ""
    Exp10 "exp10" "exp2(x * 3.3219280948873623)"
    Expm1 "expm1" "exp(x) - 1"
    Log "log" ""
    Log2 "log2" ""
    Log10 "log10" "log2(x) * 0.30102999566398120"
    Log1p "log1p" "log(1 + x)"
    Pow "pow" "exp2(y * log2(x))"
    Sin "sin" ""
    Cos "cos" ""
    Tan "tan" "sin(x) / cos(x)"
    Asin "asin" "atan2(x, sqrt(1 - x * x))"
    Acos "acos" "atan2(sqrt(1 - x * x), x)"
    Atan "atan" ""
    Atan2 "atan2" ""
    Sinh "sinh" "(exp(x) - exp(-x)) * 0.5"
    Cosh "cosh" "(exp(x) + exp(-x)) * 0.5"
    Tanh "tanh" "sinh(x) / cosh(x)"
    Asinh "asinh" "log(x + sqrt(x * x + 1))"
    Acosh "acosh" "log(x + sqrt(x * x - 1))"
    Atanh "atanh" "log((1 + x) / (1 - x)) * 0.5"
    Erf "erf" ""
    Sigmoid "sigmoid" "1 / (1 + exp(-x))"
    Degrees "degrees" "x * 57.295779513082322865"
    Radians "radians" "x * 0.017453292519943295474"
    Mix "mix" "x * (1 - z) + y * z"
    Smoothstep "smoothstep" "t * t * (3 - 2 * t) where t = clamp((x - low) / (high - low), 0, 1)"
    Dot "dot" "sum of x[i] * y[i]"
    Length "length" "sqrt(dot(x, x))"
    Distance "distance" "length(x - y)"
    Normalize "normalize" "x / length(x)"
    Cross "cross" "x[i] * y[j] - x[j] * y[i]"
    Reflect "reflect" "x - 2 * dot(x, y) * y"
    Refract "refract" "z * x - (z * d + sqrt(k)) * y where d = dot(y, x), k = 1 - z * z * (1 - d * d)"
    FaceForward "face_forward" "select(-x, x, dot(z, y) < 0)"
    Determinant "determinant" ""
    Pack "pack" ""
    UnpackNorm "unpack_norm" ""
    UnpackFloat "unpack_float" ""
    Sum "sum" "x[0] + x[1] + …, in any order"
    Product "product" "x[0] * x[1] * …, in any order"
}

use Function::*;

impl Function {
    /// The function of this name.
    pub fn parse(name: &str) -> Option<Function> {
        Function::ALL.iter().copied().find(|f| f.name() == name)
    }

    /// Whether the result is exact in every language: nothing is rounded.
    pub const fn is_exact(self) -> bool {
        let selects = matches!(self, Neg | Abs | Sign | Min | Max | Clamp | Saturate | Step);
        selects || matches!(self, Floor | Ceil | Round | Trunc | Modf | Frexp | UnpackFloat)
    }

    /// Whether it is a function of vectors, or of three numbers: no error can be told from x and y alone.
    pub const fn of_vectors(self) -> bool {
        let geometry =
            matches!(self, Dot | Length | Distance | Normalize | Cross | Reflect | Refract | FaceForward);
        geometry || matches!(self, Mix | Smoothstep | Determinant | Sum | Product)
    }
}
