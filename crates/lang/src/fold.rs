//! Values of expressions that read no tensor, and the replacing of dimensions and scalars by their values.

use crate::bits::{self, Bit};
use crate::func::Func;
use crate::node::{Node, NodeKind, Read, Reduce, Ty};
use crate::op::Value;

/// The sizes and scalars known so far.
#[derive(Clone, Debug, Default)]
pub struct Known {
    pub dims: Vec<Option<i64>>,
    pub scalars: Vec<Option<Value>>,
}

/// The value of an expression of literals alone.
pub fn constant(node: &Node) -> Option<Value> {
    value(node, &Known::default())
}

/// The value of an expression over dimensions and scalars; none where one is not known, or a whole number
/// overflows.
pub fn value(node: &Node, known: &Known) -> Option<Value> {
    match &node.kind {
        NodeKind::Int(v) => Some(Value::Int(*v)),
        NodeKind::Real(v) => Some(Value::Real(*v)),
        NodeKind::Bool(v) => Some(Value::Bool(*v)),
        NodeKind::Dim(dim) => known.dims.get(*dim).copied().flatten().map(Value::Int),
        NodeKind::Scalar(scalar) => known.scalars.get(*scalar).copied().flatten(),
        NodeKind::If(parts) => match value(&parts[0], known)? {
            Value::Bool(true) => value(&parts[1], known),
            _ => value(&parts[2], known),
        },
        NodeKind::Apply(func @ Func::Wrap { .. }, args) => unary_integer(*func, wrapping(&args[0], known)?),
        NodeKind::Apply(func, args) => {
            // hardly any function has more arguments, and plans ask for values millions of times
            let mut few = [Value::Int(0); 3];
            let Some(values) = few.get_mut(..args.len()) else {
                return apply(*func, &args.iter().map(|a| value(a, known)).collect::<Option<Vec<_>>>()?);
            };
            for (slot, arg) in values.iter_mut().zip(args) {
                *slot = value(arg, known)?;
            }
            apply(*func, values)
        }
        NodeKind::Var(_) | NodeKind::Read(_) | NodeKind::Reduce(_) => None,
    }
}

/// An integer modulo 2^64: sums, differences and products in it may be as large as they like.
fn wrapping(node: &Node, known: &Known) -> Option<i64> {
    match &node.kind {
        NodeKind::Apply(func @ Func::Bit(Bit::Shl), args) => {
            modular(*func, &[wrapping(&args[0], known)?, integer(&args[1], known)?])
        }
        NodeKind::Apply(func, args) if is_modular(*func) && node.ty == Ty::Int => {
            let parts = args.iter().map(|arg| wrapping(arg, known)).collect::<Option<Vec<_>>>()?;
            modular(*func, &parts)
        }
        _ => integer(node, known),
    }
}

/// The integer value of an expression over dimensions and integer scalars.
pub fn integer(node: &Node, known: &Known) -> Option<i64> {
    match value(node, known)? {
        Value::Int(v) => Some(v),
        _ => None,
    }
}

/// An operation on values; none where it has no meaning for them.
pub fn apply(func: Func, args: &[Value]) -> Option<Value> {
    match args {
        [Value::Int(_), ..] if matches!(func, Func::Bit(_)) => {
            let ints = args.iter().map(|a| if let Value::Int(v) = a { Some(*v) } else { None });
            function_of_integers(func, &ints.collect::<Option<Vec<_>>>()?).map(Value::Int)
        }
        [Value::Int(a), Value::Int(b)] => integers(func, *a, *b),
        [Value::Int(a)] => unary_integer(func, *a),
        [Value::Real(a)] if matches!(func, Func::BitsOf(_)) => bits_of(func, *a).map(Value::Int),
        [Value::Bool(a), Value::Bool(b)] => match func {
            Func::And => Some(Value::Bool(*a && *b)),
            Func::Or => Some(Value::Bool(*a || *b)),
            _ => None,
        },
        [Value::Bool(a)] => (func == Func::Not).then_some(Value::Bool(!a)),
        [Value::Real(a)] if func == Func::ToInt => whole(*a).map(Value::Int),
        [Value::Real(a)] => Some(Value::Real(crate::scalar::unary(func, *a))),
        [Value::Real(a), Value::Int(b)] => Some(Value::Real(crate::scalar::binary(func, *a, *b as f64))),
        [Value::Real(a), Value::Real(b)] => match compare(func, *a, *b) {
            Some(truth) => Some(Value::Bool(truth)),
            None => Some(Value::Real(crate::scalar::binary(func, *a, *b))),
        },
        _ => None,
    }
}

/// A real as the integer that it is, cut towards zero; none where i64 cannot hold it.
fn whole(a: f64) -> Option<i64> {
    let limit = ktwin_num::pow2(63);
    (a >= -limit && a < limit).then_some(a as i64)
}

/// What a comparison says of two ordered values.
pub fn compare<T: PartialOrd>(func: Func, a: T, b: T) -> Option<bool> {
    Some(match func {
        Func::Eq => a == b,
        Func::Ne => a != b,
        Func::Lt => a < b,
        Func::Le => a <= b,
        Func::Gt => a > b,
        Func::Ge => a >= b,
        _ => return None,
    })
}

/// An operation on one integer.
pub fn unary_integer(func: Func, a: i64) -> Option<Value> {
    Some(match func {
        Func::Neg => Value::Int(a.checked_neg()?),
        Func::Abs => Value::Int(a.checked_abs()?),
        Func::Sign => Value::Int(a.signum()),
        Func::ToReal => Value::Real(a as f64),
        Func::OfBits(float) => Value::Real(float.decode(a as u64)),
        Func::Bit(bit) => Value::Int(bits::value(bit, &[a])?),
        Func::Wrap { bits, signed } => Value::Int(bits::wrapped(a, bits, signed)),
        _ => return None,
    })
}

/// The bits of a real.
pub fn bits_of(func: Func, x: f64) -> Option<i64> {
    if let Func::BitsOf(float) = func { Some(float.encode(x) as i64) } else { None }
}

/// A function of integers that gives an integer, by however many arguments; none where it has no value.
pub fn function_of_integers(func: Func, args: &[i64]) -> Option<i64> {
    match (func, args) {
        (Func::Bit(bit), _) => bits::value(bit, args),
        (_, [a]) => match unary_integer(func, *a) {
            Some(Value::Int(v)) => Some(v),
            _ => None,
        },
        (_, [a, b]) => integer_binary(func, *a, *b),
        _ => None,
    }
}

/// An operation on two integers; none where it overflows or divides by zero.
pub fn integers(func: Func, a: i64, b: i64) -> Option<Value> {
    if let Some(truth) = compare(func, a, b) {
        return Some(Value::Bool(truth));
    }
    integer_binary(func, a, b).map(Value::Int)
}

/// Whether the low bits of what a function makes depend on the low bits of its arguments alone.
pub fn is_modular(func: Func) -> bool {
    use Bit::{And, Not, Or, Xor};
    matches!(func, Func::Add | Func::Sub | Func::Mul | Func::Neg | Func::Bit(And | Or | Xor | Not))
}

/// Arithmetic modulo 2^64.
pub fn modular(func: Func, args: &[i64]) -> Option<i64> {
    Some(match (func, args) {
        (Func::Add, [a, b]) => a.wrapping_add(*b),
        (Func::Sub, [a, b]) => a.wrapping_sub(*b),
        (Func::Mul, [a, b]) => a.wrapping_mul(*b),
        (Func::Neg, [a]) => a.wrapping_neg(),
        (Func::Bit(Bit::Shl), [a, 0..64]) => a << args[1],
        (Func::Bit(Bit::Shl), [_, n]) if *n >= 64 => 0,
        _ => return function_of_integers(func, args),
    })
}

/// Integer arithmetic: `//` rounds towards minus infinity and `%` has the divisor's sign.
pub fn integer_binary(func: Func, a: i64, b: i64) -> Option<i64> {
    match func {
        Func::Add => a.checked_add(b),
        Func::Sub => a.checked_sub(b),
        Func::Mul => a.checked_mul(b),
        Func::IntDiv => {
            let quotient = a.checked_div(b)?;
            let down = a % b != 0 && (a < 0) != (b < 0);
            Some(quotient - i64::from(down))
        }
        Func::Mod => {
            let rest = a.checked_rem(b)?;
            Some(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
        }
        Func::Pow => a.checked_pow(u32::try_from(b).ok()?),
        Func::Min => Some(a.min(b)),
        Func::Max => Some(a.max(b)),
        _ => None,
    }
}

/// The node with dimensions and scalars replaced by their values, and integers and truth values computed
/// where they
/// are known. Reals stay operations: a kernel rounds them too.
pub fn bind(node: &Node, known: &Known) -> Node {
    if matches!(node.ty, Ty::Int | Ty::Bool)
        && let Some(value) = value(node, known)
    {
        return literal(value, node);
    }
    let kind = match &node.kind {
        NodeKind::Scalar(scalar) => match known.scalars.get(*scalar).copied().flatten() {
            Some(value) => return literal(value, node),
            None => node.kind.clone(),
        },
        NodeKind::Read(read) => NodeKind::Read(Box::new(Read {
            source: read.source,
            indices: read.indices.iter().map(|n| bind(n, known)).collect(),
            otherwise: read.otherwise.as_ref().map(|n| bind(n, known)),
        })),
        NodeKind::Apply(func, args) => return bind_apply(*func, args, node, known),
        NodeKind::If(parts) => return bind_if(parts, node, known),
        NodeKind::Reduce(reduce) => NodeKind::Reduce(Box::new(bind_reduce(reduce, known))),
        other => other.clone(),
    };
    Node::new(kind, node.ty, node.span)
}

/// A reduction with its parts bound.
pub fn bind_reduce(reduce: &Reduce, known: &Known) -> Reduce {
    Reduce {
        fold: reduce.fold,
        over: reduce.over.clone(),
        condition: reduce.condition.as_ref().map(|n| bind(n, known)),
        term: bind(&reduce.term, known),
    }
}

fn literal(value: Value, node: &Node) -> Node {
    let kind = match value {
        Value::Int(v) => NodeKind::Int(v),
        Value::Real(v) => NodeKind::Real(v),
        Value::Bool(v) => NodeKind::Bool(v),
    };
    Node::new(kind, node.ty, node.span)
}

fn bind_apply(func: Func, args: &[Node], node: &Node, known: &Known) -> Node {
    let args: Vec<Node> = args.iter().map(|a| bind(a, known)).collect();
    match (func, &args[0].kind) {
        (Func::And, NodeKind::Bool(true)) | (Func::Or, NodeKind::Bool(false)) => args[1].clone(),
        (Func::And | Func::Or, NodeKind::Bool(_)) => args[0].clone(),
        (Func::ToReal, NodeKind::Int(v)) => Node::new(NodeKind::Real(*v as f64), Ty::Real, node.span),
        _ => Node::apply(func, args, node.span),
    }
}

fn bind_if(parts: &[Node; 3], node: &Node, known: &Known) -> Node {
    let condition = bind(&parts[0], known);
    match condition.kind {
        NodeKind::Bool(true) => bind(&parts[1], known),
        NodeKind::Bool(false) => bind(&parts[2], known),
        _ => {
            let parts = [condition, bind(&parts[1], known), bind(&parts[2], known)];
            Node::new(NodeKind::If(Box::new(parts)), node.ty, node.span)
        }
    }
}
