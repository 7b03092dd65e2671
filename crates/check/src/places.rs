//! Where the elements of a tensor lie, as contracts name it in what they hand over: `x.stride0`, `x.offset`.

use ktwin_lang::{Op, Value};
use ktwin_num::{Layout, Tensor, Told};

use crate::contract::{Contract, Expr, Link};

/// One number that says where a tensor lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The tensor.
    pub tensor: String,
    part: Part,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Elements between neighbours along a dimension.
    Stride(usize),
    /// Elements before the first.
    Offset,
}

impl Place {
    /// All that a contract for this op can name.
    pub fn all(op: &Op) -> Vec<Place> {
        let mut all = Vec::new();
        for info in op.inputs.iter().chain(&op.outputs) {
            let strides = (0..info.axes.len()).map(Part::Stride);
            all.extend(strides.chain([Part::Offset]).map(|part| Place { tensor: info.name.clone(), part }));
        }
        all.dedup();
        all
    }

    /// As contracts write it.
    pub fn name(&self) -> String {
        match self.part {
            Part::Stride(along) => format!("{}.stride{along}", self.tensor),
            Part::Offset => format!("{}.offset", self.tensor),
        }
    }

    /// What it is of a tensor that lies somewhere.
    pub fn of(&self, tensor: &Tensor) -> Option<Value> {
        let elements = match self.part {
            Part::Stride(along) => *tensor.strides.get(along)?,
            Part::Offset => tensor.offset,
        };
        i64::try_from(elements).ok().map(Value::Int)
    }
}

impl Contract {
    /// What the kernel is told of where a tensor's elements lie.
    pub fn told(&self, tensor: &str) -> Told {
        let fields = self.chain.iter().flat_map(Link::fields).map(|field| &field.value);
        let filled = self.fill.iter().flat_map(|(_, fill)| fill.values());
        let parts: Vec<&str> = fields.chain(filled).flat_map(|expr| parts(expr, tensor)).collect();
        let accepts =
            self.layout.iter().any(|(name, all)| name.text == tensor && all.contains(&Layout::Offset));
        let along = |part: &&str| part.strip_prefix("stride")?.parse().ok();
        Told {
            strides: parts.iter().filter_map(along).collect(),
            offset: accepts && parts.contains(&"offset"),
        }
    }
}

/// The parts of a tensor that an expression names: `stride0` where it says `4 * x.stride0`.
fn parts<'e>(expr: &'e Expr, tensor: &'e str) -> impl Iterator<Item = &'e str> {
    let words = expr.text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'));
    words.filter_map(|word| word.split_once('.')).filter(move |(own, _)| *own == tensor).map(|(_, part)| part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_seen_in_expressions() {
        let text = "op = 'a'\nargs = ['x', { '4 * x.stride0' = 'u64', 'z.offset / 2' = 'u32' }]\n\
                    layout = { x = 'offset', z = 'offset' }\nfill = { i = ['(xx.stride1 + x.stride2)'] }\n";
        let contract = Contract::parse("k.toml", text).unwrap();
        assert_eq!(contract.told("x"), Told { strides: vec![0, 2], offset: false });
        assert_eq!(contract.told("xx"), Told { strides: vec![1], offset: false });
        assert_eq!(contract.told("z"), Told { strides: vec![], offset: true });
    }
}
