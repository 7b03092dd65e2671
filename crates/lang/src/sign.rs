//! What no honest kernel computes as less than zero, whatever it rounds. Sums are not among it, nor are squares: they
//! may be computed as differences.

use crate::case::{BoundKind, BoundStage};
use crate::code::{Code, CodeKind};
use crate::func::Func;
use crate::node::{Fold, Source};

impl BoundKind {
    /// Whether it is never computed as less than zero.
    pub(crate) fn above(&self) -> bool {
        match self {
            BoundKind::Map(code) => code.above,
            BoundKind::Reduce { fold, term, .. } => term.above && matches!(fold, Fold::Max | Fold::Min),
        }
    }
}

impl CodeKind {
    /// Whether it is never computed as less than zero.
    pub(crate) fn above(&self, stages: &[BoundStage]) -> bool {
        match self {
            CodeKind::Real(v) => *v >= 0.0 && v.is_sign_positive(),
            CodeKind::Read(read) => {
                let stage = |at: usize| stages.get(at).is_some_and(|s| s.above);
                matches!(read.source, Source::Stage(at) if stage(at))
                    && read.otherwise.as_ref().is_none_or(|o| o.above)
            }
            CodeKind::If(parts) => parts[1].above && parts[2].above,
            CodeKind::Apply(func, args) => match func {
                Func::Exp | Func::Exp2 | Func::Abs => true,
                Func::Add | Func::Mul | Func::Div | Func::Sqrt | Func::Min => {
                    args.iter().all(|arg| arg.above)
                }
                Func::Max => args.iter().any(|arg| arg.above),
                _ => false,
            },
            _ => false,
        }
    }
}

/// Whether a comparison of the two is of zero and what is never less, and asks just that.
pub(crate) fn is_settled(func: Func, a: &Code, b: &Code) -> bool {
    let zero = |code: &Code| matches!(code.kind, CodeKind::Real(0.0));
    match func {
        Func::Ge | Func::Lt => a.above && zero(b),
        Func::Le | Func::Gt => zero(a) && b.above,
        _ => false,
    }
}
