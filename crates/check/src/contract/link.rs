//! One kernel of a chain, and what it is given: plain data.

use ktwin_num::{DType, Layout, Told};

use super::{Contract, Expr, Name};

/// What one binding or parameter is, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// A tensor of the op, or a scratch buffer.
    Tensor(Name),
    /// Values in one struct; a single one is simply that value.
    Fields(Vec<Field>),
}

/// One value of a struct.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// What it is.
    pub source: FieldSource,
    /// Its type.
    pub dtype: DType,
}

/// Where a field's value comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldSource {
    /// A dimension, a scalar or an expression.
    Expr(Expr),
    /// `x.stride0`: elements between neighbours along a dimension.
    Stride(Name, usize),
    /// `x.offset`: elements before the first.
    Offset(Name),
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
    /// The push constants.
    pub push: Vec<Field>,
}

impl Link {
    /// The values that it is passed.
    fn fields(&self) -> impl Iterator<Item = &Field> {
        let fields = self.args.iter().filter_map(|a| if let Arg::Fields(all) = a { Some(all) } else { None });
        fields.flatten().chain(&self.push)
    }

    /// Its expressions.
    pub(super) fn expressions(&self) -> impl Iterator<Item = &Expr> {
        let sizes = self.grid.iter().chain(self.block.iter().flatten()).chain(&self.shared);
        let values = self.fields().filter_map(|field| match &field.source {
            FieldSource::Expr(expr) => Some(expr),
            FieldSource::Stride(..) | FieldSource::Offset(_) => None,
        });
        sizes.chain(values)
    }
}

impl Contract {
    /// What the kernel is told of where a tensor's elements lie.
    pub fn told(&self, tensor: &str) -> Told {
        let fields = || self.chain.iter().flat_map(Link::fields);
        let along = |field: &Field| match &field.source {
            FieldSource::Stride(name, along) if name.text == tensor => Some(*along),
            _ => None,
        };
        let first = |field: &Field| matches!(&field.source, FieldSource::Offset(name) if name.text == tensor);
        let accepts =
            |(name, all): &(Name, Vec<Layout>)| name.text == tensor && all.contains(&Layout::Offset);
        Told {
            strides: fields().filter_map(along).collect(),
            offset: self.layout.iter().any(accepts) && fields().any(first),
        }
    }
}
