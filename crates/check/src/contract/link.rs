//! One kernel of a chain, and what it is given: plain data.

use ktwin_num::DType;

use super::{Expr, Name, Repeated};

/// What one binding or parameter is, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// A tensor of the op, or a scratch buffer.
    Tensor(Name),
    /// Values in one struct; a single one is simply that value.
    Fields(Vec<Field>),
}

impl Arg {
    /// The tensors and buffers in it, by name.
    pub(crate) fn pointers(&self) -> Vec<&str> {
        match self {
            Arg::Tensor(name) => vec![&*name.text],
            Arg::Fields(all) => all.iter().filter(|f| f.pointer).map(|f| &*f.value.text).collect(),
        }
    }

    /// The expressions in it.
    pub(crate) fn values(&self) -> impl Iterator<Item = &Expr> {
        let fields = if let Arg::Fields(all) = self { &all[..] } else { &[] };
        fields.iter().filter(|field| !field.pointer).map(|field| &field.value)
    }
}

/// One value of a struct.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// What it is: a dimension, a scalar, `x.stride0` (elements between neighbours along a dimension), `x.offset`
    /// (elements before the first), or an expression of such; or a tensor, if it is a pointer.
    pub value: Expr,
    /// Its type.
    pub dtype: DType,
    /// Whether it points to a tensor.
    pub pointer: bool,
}

/// One kernel of a chain; a contract without `chain` is a chain of one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Link {
    /// The function; empty where the file has only one.
    pub entry: String,
    /// Bindings or parameters, in order.
    pub args: Vec<Arg>,
    /// Workgroups in x, y and z.
    pub grid: Vec<Expr>,
    /// Lanes of a workgroup, where the source does not say.
    pub block: Option<Vec<Expr>>,
    /// Bytes of dynamic shared memory.
    pub shared: Option<Expr>,
    /// The output that the function returns.
    pub returns: Option<Name>,
    /// The push constants.
    pub push: Vec<Field>,
    /// How often it is launched, and in which cases.
    pub repeated: Repeated,
}

impl Link {
    /// The values that it is passed.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &Field> {
        let fields = self.args.iter().filter_map(|a| if let Arg::Fields(all) = a { Some(all) } else { None });
        fields.flatten().chain(&self.push)
    }

    /// The tensors and buffers that it is passed, by name.
    pub(crate) fn pointers(&self) -> impl Iterator<Item = &str> {
        self.args.iter().flat_map(Arg::pointers)
    }

    /// Its expressions.
    pub(super) fn expressions(&self) -> impl Iterator<Item = &Expr> {
        let sizes = self.grid.iter().chain(self.block.iter().flatten()).chain(&self.shared);
        let values = self.fields().filter(|field| !field.pointer).map(|field| &field.value);
        sizes.chain(values).chain(self.repeated.expressions())
    }
}
